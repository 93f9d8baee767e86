/* The elements of the log view, and nothing of what they do. */

import { h } from "../text/dom";

export interface Screen {
	filter: HTMLInputElement;
	matches: HTMLElement;
	background: HTMLButtonElement;
	save: HTMLButtonElement;
	browse: HTMLButtonElement;
	pause: HTMLButtonElement;
	facets: HTMLElement;
	above: HTMLElement;
	below: HTMLElement;
	waiting: HTMLButtonElement;
	note: HTMLElement;
	noteTitle: HTMLElement;
	noteWords: HTMLElement;
	noteCommand: HTMLElement;
}

const HELP = "All words must be in the signal. type:, source: and correlation: compare "
	+ "a whole field; * is a wildcard; a minus in front means not.";

export function makeScreen(): Screen {
	const button = (id: string, text: string): HTMLButtonElement => h("button", { type: "button", id }, text);

	return {
		filter: h("input", {
			id: "filter", type: "search", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
			"aria-label": "Filter the log", "aria-describedby": "filter-help",
			placeholder: "Filter: any words, type:tool_*, source:claude, correlation:…, -type:thinking",
		}),
		matches: h("span", { id: "matches", class: "number", role: "status" }),
		background: h("button", { type: "button", id: "background" },
			h("span", { class: "what" }, "Background: "), h("span")),
		save: button("export", "Export"),
		browse: h("button", {
			type: "button", id: "browse", "aria-expanded": "false", "aria-controls": "facets",
		}, "Overview"),
		pause: button("pause", "Pause"),
		facets: h("nav", { id: "facets", "aria-label": "Types and sources" }),
		above: h("div", { class: "edge above" }),
		below: h("div", { class: "edge below" }),
		waiting: h("button", { type: "button", id: "waiting", hidden: true }),
		note: h("div", { class: "note", hidden: true }),
		noteTitle: h("h2"), noteWords: h("p"), noteCommand: h("code"),
	};
}

/* Puts them together. */
export function layOut(root: HTMLElement, s: Screen, list: HTMLElement, detail: HTMLElement): void {
	const copy = h("button", { type: "button", onclick: () =>
		void navigator.clipboard.writeText(s.noteCommand.textContent ?? "") }, "Copy");

	s.note.append(s.noteTitle, s.noteWords, h("p", { class: "run" }, s.noteCommand, " ", copy));
	root.append(
		h("search", { class: "bar" },
			h("span", { class: "field" }, s.filter, h("kbd", { "aria-hidden": "true" }, "/"),
				h("span", { class: "hidden", id: "filter-help" }, HELP)),
			s.matches, s.background, s.browse, s.save, s.pause),
		h("div", { class: "middle" }, s.facets,
			h("div", { class: "middle-log" }, s.note, list, s.waiting), detail));
}
