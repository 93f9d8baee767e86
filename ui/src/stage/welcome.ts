/* For who sees an empty stage: what this is, and how somebody gets onto it. */

import type { Desk } from "../desk";
import type { StageFrame } from "./frame";
import { h, icon } from "../text/dom";

const COMMAND = "signalbox tap install";

/* Is nobody there but the person who looks on? */
export function isEmpty(frame: StageFrame): boolean {
	return !frame.entities.some((actor) => actor.visible && actor.isSomebody && actor.semanticId !== "you");
}

export function makeWelcome(desk: Desk): HTMLElement {
	async function copy(): Promise<void> {
		try {
			await navigator.clipboard.writeText(COMMAND);
			desk.say("Copied. Run it in a terminal.");
		} catch {
			desk.say("The browser did not let us copy it; select it by hand.", "bad");
		}
	}

	return h("div", { class: "stage-welcome", hidden: true },
		h("h2", {}, "The stage is set, and nobody is on it yet"),
		h("p", {}, "Here you see your agents at work. Each one walks in when its first signal comes: it thinks, "
			+ "goes to a place to use a tool, speaks, asks you something, and hands its answer over."),
		h("p", {}, "Bring Claude Code in with one command:"),
		h("p", { class: "stage-run" }, h("code", {}, COMMAND), h("button", { type: "button", onclick: () => void copy() }, "Copy")),
		h("p", {}, h("button", { type: "button", onclick: () => desk.go("sources") }, icon("sources"), "Connect another agent")),
		h("p", {}, "Or look around first: ", h("code", {}, "signalbox serve --demo")));
}
