/* What is on the screen of the view and stays there: the head, the two lists, and the cards in
 * step with the book. */

import type { Source } from "../desk";
import { h } from "../text/dom";
import type { Service } from "./acts";
import { isLocal, type Book } from "./book";
import { makeCard, makeGhost, type Card, type Hands } from "./card";

export type Frame = ReturnType<typeof makeFrame>;
export type Cards = ReturnType<typeof makeCards>;

export function makeFrame(add: () => void, rescan: () => void, telling: HTMLElement, visitors: HTMLElement) {
	const here = h("ul", { class: "cards" }), others = h("ul", { class: "cards" });
	const summary = h("p", { class: "summary" }), found = h("p", { class: "found", role: "status" });
	const scan = h("button", { type: "button", onclick: rescan }, "Rescan");
	const plus = h("button", { type: "button", class: "primary", onclick: add }, "Add a source …");
	const empty = h("div", { class: "empty" },
		h("p", {}, "No remote source yet."),
		h("p", { class: "hint" }, "Anything with a WebSocket, an event stream or a model API can be a source:"
			+ " add it by its URL. On a command line: signalbox sources add URL"));
	const section = (title: string, ...children: HTMLElement[]) =>
		h("section", { "aria-label": title }, h("h3", { class: "group" }, title), ...children);
	const scroll = h("div", { class: "scroll" },
		h("header", {}, h("h2", {}, "Sources"), summary, h("span", { class: "space" }), scan, plus),
		found, visitors, section("On this machine", here), section("From elsewhere", others, empty),
		section("Transcripts of agents", telling));

	return { scroll, here, others, summary, found, scan, plus, empty };
}

/* Elements that stay are not taken out: the focus may be in one. */
function arrange(list: HTMLElement, wanted: HTMLElement[]): void {
	const keeps = new Set<Element>(wanted);

	for (const child of [...list.children])
		if (!keeps.has(child))
			child.remove();
	wanted.forEach((element, i) => {
		if (list.children[i] !== element)
			list.insertBefore(element, list.children[i] ?? null);
	});
}

export function makeCards(frame: Frame, book: Book, hands: (id: string) => Hands) {
	const cards = new Map<string, Card>();
	const ghosts = new Map<string, HTMLElement>();

	function element({ id }: Source): HTMLElement {
		const card = cards.get(id) ?? makeCard(id, hands(id));

		cards.set(id, card);
		return card.element;
	}

	function ghost(service: Service): HTMLElement {
		const element = ghosts.get(service.id) ?? makeGhost(service);

		ghosts.set(service.id, element);
		return element;
	}

	return {
		/* Those that are there, each in its place. */
		order(): void {
			const sources = book.list();

			for (const id of [...cards.keys()])
				if (book.get(id) === undefined)
					cards.delete(id);
			arrange(frame.here, [...sources.filter(isLocal).map(element), ...book.missing().map(ghost)]);
			arrange(frame.others, sources.filter((source) => !isLocal(source)).map(element));
		},
		each: () => cards.entries(),
		element: (id: string) => cards.get(id)?.element,
	};
}

/* The focus to the next card, or the one before. */
export function step(frame: Frame, by: number): boolean {
	const all = [...frame.scroll.querySelectorAll<HTMLElement>(".card")];
	const at = all.findIndex((card) => card.contains(document.activeElement));
	const next = all[at < 0 ? by > 0 ? 0 : all.length - 1 : Math.min(all.length - 1, Math.max(0, at + by))];

	next?.focus();
	next?.scrollIntoView({ block: "nearest" });
	return next !== undefined;
}
