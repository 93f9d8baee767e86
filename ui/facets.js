/* The lists of types and sources with their counts. Each is a button that toggles
 * its term in the filter. They are in alphabetical order, so that nothing jumps
 * under the pointer while counts run. */

import { has } from "./filter.js";
import { colourOf, visible } from "./signal.js";

export class Facets {
	#list;
	#key;
	#onToggle;
	#buttons = new Map();

	constructor(list, key, onToggle) {
		this.#list = list;
		this.#key = key;
		this.#onToggle = onToggle;
	}

	draw(counts, filter) {
		for (const [name, count] of counts) {
			const button = this.#buttons.get(name) ?? this.#insert(name);
			button.lastElementChild.textContent = count.toLocaleString("en");
			button.setAttribute("aria-pressed", String(has(filter, this.#key, name)));
		}
	}

	#insert(name) {
		const item = document.createElement("li");
		const button = document.createElement("button");
		const label = document.createElement("span");
		const count = document.createElement("span");

		label.textContent = visible(name);
		label.className = this.#key === "type" ? `badge ${colourOf(name)}` : "name";
		count.className = "number";
		button.type = "button";
		button.append(label, " ", count);
		button.addEventListener("click", () => this.#onToggle(this.#key, name));
		item.append(button);
		const names = [...this.#buttons.keys(), name].sort();
		const next = names[names.indexOf(name) + 1];
		this.#list.insertBefore(item, this.#buttons.get(next)?.parentElement ?? null);
		this.#buttons.set(name, button);
		return button;
	}
}
