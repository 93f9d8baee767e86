/* What the ask view says where there is nothing to read, and why nothing can be sent. */

import type { Link, Source } from "../desk";
import { h, type Child } from "../text/dom";
import { visible } from "../text/signal";

export function emptyParts(nobody: boolean, goToSources: () => void): Child[] {
	if (!nobody)
		return [
			h("h2", {}, "Ask any source that can answer"),
			h("p", {}, "The answer comes word by word, with what is thought and done on the way. It goes into "
				+ "the log like everything else, so other screens see it too."),
		];
	return [
		h("h2", {}, "Nobody here can answer yet"),
		h("p", {}, "Connect a model or an agent: Ollama and LM Studio on this machine are found by "
			+ "themselves, any other takes its address, and a key where it wants one."),
		h("button", { type: "button", class: "primary", onclick: goToSources }, "Go to the sources"),
	];
}

/* Null: something can be. */
export function whyNot(link: Link, source: Source | undefined): string | null {
	if (link.state.name !== "live" && link.state.name !== "catching-up")
		return "There is no connection to the server now.";
	if (!link.scopes.has("control"))
		return "This session may look, but not ask.";
	if (source === undefined)
		return "Choose a source that can answer.";
	if (source.state === "connected")
		return null;
	return source.error === null ? `${visible(source.name)} is not connected.`
		: `${visible(source.name)} is not connected: ${visible(source.error)}`;
}
