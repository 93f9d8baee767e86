/* The turns of a session on the screen, one below the other: what was heard, what was answered, how it ended. */

import type { Desk } from "../desk";
import { markdown, type Markdown } from "../markdown/draw";
import { stickToEnd } from "../talk/talk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import type { Turn, Voice } from "./model";
import { wordsOfEnd } from "./words";

export interface Turns { draw(voice: Voice): void }

interface Drawn { root: HTMLElement; heard: HTMLElement; words: Markdown; tools: HTMLElement; end: HTMLElement; run: HTMLAnchorElement }

export function makeTurns(scroller: HTMLElement, desk: Desk): Turns {
	const list = h("ol", { class: "voice-turns" });
	const stick = stickToEnd(scroller);
	const drawn = new Map<number, Drawn>();

	const empty = h("div", { class: "voice-empty" }, h("h2", {}, "Talk to an agent"),
		h("p", {}, "What you say becomes text while you say it. The answer is read out, and stops as soon as you talk again."));

	scroller.append(empty, list);

	function begin(turn: Turn): Drawn {
		const heard = h("p", { class: "voice-heard" });
		const answer = h("div", { class: "voice-answer md" });
		const tools = h("p", { class: "voice-tools" });
		const end = h("span", { class: "voice-end" });
		const run = h("a", { class: "voice-run", hidden: true, onclick: (event: Event) => {
			event.preventDefault();
			desk.go(`runs/${turn.id}`);
		} }, "show the run");
		const root = h("li", { class: "voice-turn" }, heard, tools, answer, h("p", { class: "voice-line" }, end, run));

		list.append(root);
		return { root, heard, words: markdown(answer), tools, end, run };
	}

	function drawTurn(turn: Turn): void {
		const found = drawn.get(turn.number) ?? begin(turn);
		const { root, heard, words, tools, end, run } = found;

		drawn.set(turn.number, found);
		root.dataset["state"] = turn.state;
		heard.dataset["final"] = String(turn.isHeard);
		write(heard, turn.heard === "" ? turn.state === "open" ? "…" : "nothing was heard" : visible(turn.heard));
		write(tools, turn.tools.map(({ name, isDone }) => `${isDone ? "used" : "uses"} ${visible(name)}`).join(", "));
		words.draw(turn.answer);
		write(end, wordsOfEnd(turn));
		run.hidden = turn.id === null || turn.id === "";
		if (!run.hidden)
			run.setAttribute("href", `#/runs/${turn.id}`);
	}

	return {
		draw({ turns }) {
			empty.hidden = turns.length > 0;
			const kept = new Set(turns.map(({ number }) => number));

			for (const [number, { root }] of drawn)
				if (!kept.has(number)) {
					root.remove();
					drawn.delete(number);
				}
			turns.filter(({ state, number }) => state === "open" || isChanged(drawn.get(number), state)).forEach(drawTurn);
			stick.keep();
		},
	};
}

/* Of those that are over, the last sight is drawn once. */
function isChanged(found: Drawn | undefined, state: string): boolean {
	return found?.root.dataset["state"] !== state;
}
