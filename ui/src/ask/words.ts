/* What the ask view says where there is nothing to read, and why nothing can be sent. */

import type { Link, Source } from "../desk";
import { h, type Child } from "../text/dom";
import { visible } from "../text/signal";

export function emptyParts(nobody: boolean, goToSources: () => void): Child[] {
	if (!nobody)
		return [
			h("h2", {}, "Ask any source that takes questions"),
			h("p", {}, "The reply streams in word by word, with thinking and tool calls. It goes into "
				+ "the log like everything else, so other screens see it too."),
		];
	return [
		h("h2", {}, "No source takes questions yet"),
		h("p", {}, "Connect a model or an agent: the box finds Ollama and LM Studio on this machine "
			+ "automatically, any other source needs its address, and a key if it requires one."),
		h("button", { type: "button", class: "primary", onclick: goToSources }, "Go to the sources"),
	];
}

/* Null: something can be. */
export function whyNot(link: Link, source: Source | undefined): string | null {
	if (link.state.name !== "live" && link.state.name !== "catching-up")
		return "There is no connection to the server now.";
	if (!link.scopes.has("control"))
		return "This session may observe, but not ask.";
	if (source === undefined)
		return "Choose a source that takes questions.";
	if (source.state === "connected")
		return null;
	return source.error === null ? `${visible(source.name)} is not connected.`
		: `${visible(source.name)} is not connected: ${visible(source.error)}`;
}
