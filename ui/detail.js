/* The panel that shows one signal whole: its fields, and the envelope exactly as it
 * came, laid out as text. */

import { clock, colourOf, visible } from "./signal.js";
import { pretty } from "./json.js";

const COLOURED_MAX = 5000;    /* Beyond so many tokens the envelope is shown in one colour. */

export class Detail {
	entry = null;
	#panel;
	#onFilter;

	/* `onFilter(key, value)` is asked to show only what shares a field. */
	constructor(panel, onFilter) {
		this.#panel = panel;
		this.#onFilter = onFilter;
		this.#part("copy").addEventListener("click", () => this.#copy());
	}

	show(entry) {
		const badge = this.#part("type");

		this.entry = entry;
		this.#panel.hidden = false;
		badge.textContent = visible(entry.type) || "gap";
		badge.className = `badge ${colourOf(entry.type)}`;
		this.#part("seq").textContent = entry.kind === "gap" ? "" : `#${entry.seq}`;
		this.#part("lost").hidden = !entry.lost;
		this.#part("copy").hidden = entry.kind === "gap";
		this.#part("copy").textContent = "Copy";
		this.#part("time").textContent = fullTime(entry.at);
		for (const key of ["source", "correlation", "type"])
			this.#link(key, entry);
		this.#part("envelope").replaceChildren(...envelopeOf(entry));
		this.#part("envelope").scrollTop = 0;
	}

	hide() {
		this.entry = null;
		this.#panel.hidden = true;
	}

	#part(name) {
		return this.#panel.querySelector(`[data-part="${name}"]`);
	}

	#link(key, entry) {
		const button = this.#part(`only-${key}`);

		button.hidden = entry[key] === "";
		button.textContent = visible(entry[key]);
		button.title = `Show only this ${key}`;
		button.onclick = () => this.#onFilter(key, entry[key]);
	}

	async #copy() {
		const text = pretty(this.entry.text).map(([, part]) => part).join("");
		const said = await navigator.clipboard.writeText(text).then(() => "Copied", () => "Not allowed");

		this.#part("copy").textContent = said;
	}
}

function envelopeOf({ kind, text, summary }) {
	if (kind === "gap")
		return [summary];
	const tokens = pretty(text);
	if (tokens.length > COLOURED_MAX)
		return [tokens.map(([, part]) => part).join("")];
	return tokens.map(([kind, part]) => {
		if (kind === "mark")
			return part;
		const span = document.createElement("span");
		span.className = kind;
		span.textContent = part;
		return span;
	});
}

function fullTime(at) {
	const date = new Date(at);

	if (Number.isNaN(date.getTime()))
		return String(at);
	return `${date.toLocaleDateString("en-CA")} ${clock(at)}`;
}
