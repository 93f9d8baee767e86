/* The conversations that there were, the newest first. Only those in sight of a reasonable
 * reader are in the document; a button shows more. */

import { clock, visible } from "../text/signal";
import { h } from "../text/dom";
import { beginning } from "../text/whole";
import { counted } from "../talk/plain";
import type { Conversation } from "./model";

const SHOWN = 60;

const WORDS = {
	running: "answering", done: "answered", failed: "failed", cancelled: "cancelled", past: "",
} as const;

export interface List { draw(conversations: Conversation[], chosen: string | null): void }

export function makeList(root: HTMLElement, choose: (conversation: Conversation) => void): List {
	let shown = SHOWN;
	let last: [Conversation[], string | null] = [[], null];
	let drawn = "";

	/* A row that is the same stays the same element, so that nobody clicks into the void. */
	function draw(conversations: Conversation[], chosen: string | null): void {
		const rest = conversations.length - shown;
		const now = JSON.stringify([shown, rest, chosen, ...conversations.slice(0, shown)
			.map(({ key, asks }) => [key, asks.length, asks.at(-1)!.run, asks.at(-1)!.state])]);

		if (now === drawn)
			return;
		drawn = now;
		redraw(conversations, chosen, rest);
	}

	function redraw(conversations: Conversation[], chosen: string | null, rest: number): void {
		const focused = root.contains(document.activeElement)
			? (document.activeElement as HTMLElement).dataset.key : undefined;

		last = [conversations, chosen];
		root.replaceChildren(...conversations.slice(0, shown).map((one) => h("li", {}, row(one, chosen))),
			...rest <= 0 ? [] : [h("li", {}, h("button", { type: "button", onclick: () => {
				shown += SHOWN;
				draw(...last);
			} }, `Show ${counted(rest, "more conversation")}`))]);
		if (focused !== undefined)
			root.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
	}

	function row(one: Conversation, chosen: string | null): HTMLElement {
		const ask = one.asks.at(-1)!;
		const words = visible(beginning(one.asks[0]!.text.trim().replace(/\s+/g, " "), 120));

		return h("button", { type: "button", class: "ask-row", "data-key": one.key,
			"data-state": ask.state, "aria-current": one.key === chosen ? "true" : null,
			onclick: () => choose(one) },
		h("b", {}, words === "" ? "(nothing)" : words),
		h("span", {}, [visible(one.source), one.asks.length > 1 ? counted(one.asks.length, "ask") : "",
			WORDS[ask.state]].filter((word) => word !== "").join(" · "),
		h("time", {}, clock(ask.at).slice(0, 5))));
	}

	return { draw };
}
