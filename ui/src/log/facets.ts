/* The lists of types and sources that are in memory, with their counts. Each is a button that
 * toggles its term in the filter. They are in alphabetical order, so that nothing jumps under the
 * pointer while counts run. */

import { h } from "../text/dom";
import { colourOf, visible } from "../text/signal";
import { has, type Key } from "./filter";

const SHOWN_MAX = 60;         /* A producer may invent a new type for every signal. */

export interface Facets {
	readonly element: HTMLElement;
	draw(counts: ReadonlyMap<string, number>, filter: string): void;
}

interface Facet { item: HTMLElement; button: HTMLElement; count: HTMLElement }

export function createFacets(
	title: string, key: Key, onToggle: (key: Key, value: string) => void,
): Facets {
	const list = h("ul", { id: `${key}s` });
	const more = h("p", { class: "more", hidden: true });
	const element = h("div", { hidden: true }, h("h2", {}, title), list, more);
	const facets = new Map<string, Facet>();

	const make = (name: string): Facet => {
		const count = h("span", { class: "number" });
		const label = h("span", { class: key === "type" ? `badge ${colourOf(name)}` : "name" },
			visible(name) || "(none)");
		const button = h("button", { type: "button", onclick: () => onToggle(key, name) },
			label, " ", count);
		return { item: h("li", {}, button), button, count };
	};

	return {
		element,
		draw(counts, filter) {
			const names = shownOf(counts);
			for (const [name, { item }] of facets)
				if (!names.includes(name)) {
					item.remove();
					facets.delete(name);
				}
			names.forEach((name, i) => {
				const facet = facets.get(name) ?? make(name);
				facets.set(name, facet);
				if (list.children[i] !== facet.item)
					list.insertBefore(facet.item, list.children[i] ?? null);
				const text = (counts.get(name) ?? 0).toLocaleString("en");
				if (facet.count.textContent !== text)
					facet.count.textContent = text;
				facet.button.setAttribute("aria-pressed", String(has(filter, key, name)));
			});
			element.hidden = names.length === 0;
			more.hidden = counts.size <= SHOWN_MAX;
			more.textContent = `and ${(counts.size - SHOWN_MAX).toLocaleString("en")} more`;
		},
	};
}

/* The most frequent, by name. */
function shownOf(counts: ReadonlyMap<string, number>): string[] {
	const names = counts.size <= SHOWN_MAX ? [...counts.keys()]
		: [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN_MAX).map(([name]) => name);

	return names.sort();
}
