/* A menu at a place of the stage: real menu items, walked with the arrows, closed by Escape, by a
 * click elsewhere, or by choosing. One may lead to another list. */

import type { Spot } from "./camera";
import { h, icon } from "../text/dom";
import { visible } from "../text/signal";

export interface Item {
	words: string;
	hint?: string;
	symbol?: string;
	act?(): void;
	/* It cannot be done, for this reason: it is there, and grey. */
	whyNot?: string;
	/* Another list in its place. */
	more?: readonly Item[];
}

export interface Menu {
	open(title: string, items: readonly Item[], at: Spot): void;
	/* When the items are there, unless another menu or a touch came before them. */
	openLater(title: string, items: Promise<readonly Item[]>, at: Spot): void;
	close(): void;
	readonly isOpen: boolean;
}

export function makeMenu(host: HTMLElement, giveBack: () => void): Menu {
	const element = h("div", { class: "stage-menu", role: "menu", hidden: true, tabindex: "-1" });
	let place: Spot = { x: 0, y: 0 };
	let turn = 0;               /* whatever waits for an earlier one is too late */

	const items = (): HTMLElement[] => [...element.querySelectorAll<HTMLElement>("[role=menuitem]")];

	function close(): void {
		turn++;
		if (element.hidden)
			return;
		const hadFocus = element.contains(document.activeElement);

		element.hidden = true;
		if (hadFocus)
			giveBack();
	}

	function choose(title: string, item: Item): void {
		if (item.whyNot)
			return;
		if (item.more)
			return draw(title, item.more);
		close();
		item.act?.();
	}

	function draw(title: string, list: readonly Item[]): void {
		element.setAttribute("aria-label", visible(title));
		element.replaceChildren(
			h("p", { class: "stage-menu-title", role: "presentation" }, visible(title)),
			...list.map((item) => h("button", {
				type: "button", role: "menuitem", tabindex: "-1",
				...item.more ? { "aria-haspopup": "menu" } : {}, ...item.whyNot ? { "aria-disabled": "true" } : {},
				onclick: () => choose(`${title}: ${item.words}`, item),
			}, item.symbol ? icon(item.symbol) : null, h("span", {}, visible(item.words)),
			item.whyNot || item.hint ? h("small", {}, visible(item.whyNot || item.hint!)) : item.more ? h("small", {}, "›") : null)));
		element.hidden = false;
		put();
		items()[0]?.focus();
	}

	/* Wholly in sight. */
	function put(): void {
		const { width, height } = host.getBoundingClientRect();
		const x = Math.max(Math.min(place.x, width - element.offsetWidth - 8), 8);
		const y = Math.max(Math.min(place.y, height - element.offsetHeight - 8), 8);

		element.style.transform = `translate(${x}px, ${y}px)`;
	}

	function walk(event: KeyboardEvent): void {
		const all = items();
		const now = all.indexOf(document.activeElement as HTMLElement);
		const steps: Record<string, number> = {
			ArrowDown: now + 1, ArrowUp: now < 0 ? all.length - 1 : now - 1, Home: 0, End: all.length - 1,
		};

		if (event.key === "Escape" || event.key === "Tab") {
			close();
		} else if (Object.hasOwn(steps, event.key)) {
			all.at(steps[event.key]! % all.length)?.focus();
		} else {
			const letter = event.key.toLowerCase();
			const found = letter.length === 1 ? [...all.slice(now + 1), ...all]
				.find((item) => item.textContent?.toLowerCase().startsWith(letter)) : undefined;

			if (!found)
				return;
			found.focus();
		}
		event.preventDefault();
		event.stopPropagation();
	}

	element.addEventListener("keydown", walk);
	element.addEventListener("contextmenu", (event) => event.preventDefault());
	document.addEventListener("pointerdown", (event) => {
		if (!element.contains(event.target as Node))
			close();
	}, true);
	host.append(element);
	function open(title: string, list: readonly Item[], at: Spot): void {
		turn++;
		place = at;
		draw(title, list);
	}

	return {
		open,
		openLater(title, list, at) {
			const mine = ++turn;

			void list.then((found) => {
				if (mine === turn)
					open(title, found, at);
			});
		},
		close,
		get isOpen() { return !element.hidden; },
	};
}
