/* Changing what an option would do before it is chosen: a text as text, an object member by
 * member, and what is neither as JSON, which has to be JSON before it is sent. */

import { h, write } from "../text/dom";
import { unhidden, visible } from "../text/signal";
import { cut } from "../talk/plain";
import type { Choice } from "./model";

const ROWS_MAX = 12;

interface Field { element: HTMLElement; read(): unknown }

export function editForm(choice: Choice, send: (edit: unknown) => void, back: () => void): HTMLElement {
	const { edit } = choice;
	const isObject = typeof edit === "object" && edit !== null && !Array.isArray(edit);
	const members = isObject ? Object.entries(edit).map(([name, value]) => [name, field(name, value)] as const) : [];
	const whole = isObject ? null : field("value", edit);
	const fault = h("p", { class: "prompt-fault", role: "alert" });
	const read = () => whole !== null ? whole.read()
		: Object.fromEntries(members.map(([name, one]) => [name, one.read()]));

	return h("form", { class: "prompt-form prompt-editing", onsubmit: (event: Event) => {
		event.preventDefault();
		try {
			send(read());
		} catch (error) {
			write(fault, visible((error as Error).message));
		}
	} },
	...members.map(([, one]) => one.element), whole?.element ?? null, fault,
	h("div", { class: "prompt-row" },
		h("button", { type: "submit", class: "primary" }, `${visible(cut(choice.label, 60))} with this`),
		h("button", { type: "button", onclick: back }, "Back")));
}

function field(name: string, value: unknown): Field {
	const isText = typeof value === "string";
	const words = isText ? value : JSON.stringify(value, null, "\t") ?? "";
	const area = h("textarea", { spellcheck: "false", rows: String(Math.min(ROWS_MAX, words.split("\n").length)) });

	const unseen = h("output", { class: "prompt-unseen" });
	const look = (): void => {
		const shown = unhidden(area.value);

		write(unseen, shown === area.value ? "" : `It has characters that cannot be seen: ${shown}`);
		unseen.hidden = unseen.textContent === "";
	};

	area.value = words;
	area.addEventListener("input", look);
	look();
	return {
		element: h("label", { class: "prompt-member" }, h("span", {}, unhidden(name)), area, unseen),
		read() {
			if (isText)
				return area.value;
			try {
				return JSON.parse(area.value);
			} catch {
				throw new Error(`${name} is not JSON.`);
			}
		},
	};
}
