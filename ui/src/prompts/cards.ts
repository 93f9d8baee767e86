/* The cards of the questions that are shown, in their order. Whatever somebody is about to click
 * or is writing in stays where it is, whoever else asks meanwhile. */

import type { Card } from "./card";
import type { Item } from "./model";

const EXPANDED = 3;           /* so many are opened by themselves: the newest */

export interface Cards {
	readonly size: number;
	get(id: string): Card | undefined;
	/* These are shown from now on, in this order. */
	draw(items: readonly Item[], now: number): void;
}

export function makeCards(list: HTMLElement, make: (item: Item) => Card): Cards {
	const cards = new Map<string, Card>();

	function draw(items: readonly Item[], now: number): void {
		const anchor = list.querySelector(".prompt-card:is(:hover, :focus-within)");
		const top = anchor?.getBoundingClientRect().top ?? 0;

		drop(new Set(items.map(({ id }) => id)));
		items.forEach((item, i) => {
			const card = cards.get(item.id) ?? make(item);

			cards.set(item.id, card);
			if (list.children[i] !== card.element)
				list.insertBefore(card.element, list.children[i] ?? null);
		});
		expand(items.filter(({ state }) => state === "open").map(({ id }) => cards.get(id)!));
		for (const { id } of items)
			cards.get(id)!.draw(now);
		holdAt(list, anchor, top);
	}

	function drop(kept: Set<string>): void {
		for (const [id, card] of cards)
			if (!kept.has(id)) {
				card.element.remove();
				cards.delete(id);
			}
	}

	return { get size() { return cards.size; }, get: (id) => cards.get(id), draw };
}

/* The newest are open, and whatever somebody has begun with stays as they left it. */
function expand(open: Card[]): void {
	open.forEach((card, i) => {
		if (!card.isTouched)
			card.isExpanded = i < EXPANDED;
	});
}

/* Scrolls so that it stands where it stood, and makes room for that where there is none. */
function holdAt(list: HTMLElement, anchor: Element | null, top: number): void {
	const scroll = list.parentElement!;

	if (anchor?.isConnected !== true) {
		list.style.minHeight = "";
		return;
	}
	const to = scroll.scrollTop + anchor.getBoundingClientRect().top - top;
	if (to + scroll.clientHeight > scroll.scrollHeight)
		list.style.minHeight = `${to + scroll.clientHeight}px`;
	scroll.scrollTop = to;
}
