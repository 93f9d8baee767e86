/* For who sees an empty stage: what this is, and how somebody gets onto it. */

import type { Desk, Link, Source } from "../desk";
import type { StageFrame } from "./frame";
import { h, icon } from "../text/dom";
import { wordsOf } from "../text/fault";

const COMMAND = "signalbox tap install";
const DEMO = "scenario:demo";

/* Is nobody there but the person who looks on? */
export function isEmpty(frame: StageFrame): boolean {
	return !frame.entities.some((actor) => actor.visible && actor.isSomebody && actor.semanticId !== "you");
}

/* The one that is there already, or one more. */
async function playDemo(link: Link): Promise<void> {
	const { sources } = await link.request<{ sources: Source[] }>("GET", "/api/sources");
	const demo = sources.find(({ url }) => url === DEMO || url?.startsWith(`${DEMO}?`));

	if (demo)
		await link.request("POST", `/api/sources/${encodeURIComponent(demo.id)}/connect`, {});
	else
		await link.request("POST", "/api/sources", { url: DEMO, name: "Demo" });
}

export function makeWelcome(desk: Desk): HTMLElement {
	async function copy(): Promise<void> {
		try {
			await navigator.clipboard.writeText(COMMAND);
			desk.say("Copied. Run it in a terminal.");
		} catch {
			desk.say("The browser did not allow copying; select the text by hand.", "bad");
		}
	}

	async function play(button: HTMLButtonElement): Promise<void> {
		button.disabled = true;
		try {
			await playDemo(desk.link);
			desk.say("The demo plays. Stop it with its card among the sources.");
		} catch (why) {
			desk.say(`There is no demo: ${wordsOf(why)}`, "bad");
		}
		button.disabled = false;
	}

	const demo: HTMLButtonElement = h("button", { type: "button", class: "stage-demo", onclick: () => void play(demo) },
		icon("stage"), "Play the demo");

	return h("div", { class: "stage-welcome", hidden: true },
		h("h2", {}, "The stage is ready, and no agent is on it yet"),
		h("p", {}, "Watch your agents at work. Each session enters with its first signal: it thinks, "
			+ "goes to a place to use a tool, speaks, asks you something, and sits down when it is done."),
		h("p", {}, "Connect Claude Code with one command:"),
		h("p", { class: "stage-run" }, h("code", {}, COMMAND), h("button", { type: "button", onclick: () => void copy() }, "Copy")),
		h("p", {}, h("button", { type: "button", onclick: () => desk.go("sources") }, icon("sources"), "Connect another agent")),
		h("p", { class: "stage-run" }, "Or look around first:", demo));
}
