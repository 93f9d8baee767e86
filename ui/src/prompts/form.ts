/* The means to answer a question: a text, one of several, several of several, yes or no. What an
 * agent wrote is a label and never anything else. */

import type { Prompt } from "../desk";
import { h } from "../text/dom";
import { visible } from "../text/signal";
import { cut, visibleText } from "../talk/plain";
import { editForm } from "./edit";
import { choicesOf, type Choice } from "./model";

const BUTTONS_MAX = 6;       /* more options than that are a list */
const LABEL_MAX = 200;

export type Send = (answer: { value: unknown } | { cancelled: true }) => void;

export function makeForm(prompt: Prompt, send: Send): HTMLElement {
	switch (prompt.type) {
	case "select": return selectForm(prompt, send);
	case "multi": return multiForm(prompt, send);
	case "confirm": return confirmForm(prompt, send);
	default: return textForm(prompt, send);
	}
}

/* Nobody here will answer: the agent is told so. */
function cancelButton(send: Send): HTMLElement {
	return h("button", { type: "button", class: "prompt-cancel bare", title: "Tell the agent that nobody will answer",
		onclick: () => send({ cancelled: true }) }, "Cancel");
}

function form(submit: () => void, ...children: (Node | null)[]): HTMLElement {
	return h("form", { class: "prompt-form", novalidate: true, onsubmit: (event: Event) => {
		event.preventDefault();
		submit();
	} }, ...children);
}

const row = (...children: (Node | null)[]) => h("div", { class: "prompt-row" }, ...children);

function textForm(prompt: Prompt, send: Send): HTMLElement {
	const standard = typeof prompt.default === "string" ? prompt.default : null;
	const text = h("textarea", { rows: "2", "aria-label": "Your answer",
		placeholder: standard === null ? "Your answer" : visible(cut(standard, LABEL_MAX)),
		onkeydown: (event: KeyboardEvent) => {
			if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
				event.preventDefault();
				element.requestSubmit();
			}
		} });
	const element = form(() => send({ value: text.value === "" && standard !== null ? standard : text.value }),
		text, row(h("button", { type: "submit", class: "primary" }, "Answer"),
			standard === null ? null : h("span", { class: "prompt-default" }, "Empty is the default"),
			cancelButton(send))) as HTMLFormElement;

	return element;
}

function confirmForm(prompt: Prompt, send: Send): HTMLElement {
	const button = (value: boolean, words: string) => h("button", { type: "button",
		class: prompt.default === value ? "primary" : null, onclick: () => send({ value }) },
	words, prompt.default === value ? h("span", { class: "prompt-default" }, "default") : null);

	return form(() => {}, row(button(true, "Yes"), button(false, "No"), cancelButton(send)));
}

/* ---- one of several ---- */

function selectForm(prompt: Prompt, send: Send): HTMLElement {
	const choices = choicesOf(prompt);
	const host = h("div", {});
	const edits = choices.filter((choice) => choice.edit !== undefined).map((choice) =>
		h("button", { type: "button", class: "prompt-edit", onclick: () => host.replaceChildren(
			editForm(choice, (edit) => send({ value: { value: choice.value, edit } }), () => host.replaceChildren(list))) },
		`Change, then ${labelOf(choice).toLowerCase()}…`));
	const list = choices.length <= BUTTONS_MAX ? buttons(choices, prompt, send, edits) : radios(choices, prompt, send, edits);

	host.append(list);
	return host;
}

function buttons(choices: Choice[], prompt: Prompt, send: Send, edits: HTMLElement[]): HTMLElement {
	return form(() => {}, row(...choices.map((choice) => h("button", { type: "button",
		class: isSame(choice.value, prompt.default) ? "primary" : null,
		onclick: () => send({ value: choice.value }) },
	labelOf(choice), isSame(choice.value, prompt.default) ? h("span", { class: "prompt-default" }, "default") : null)),
	...edits, cancelButton(send)));
}

function radios(choices: Choice[], prompt: Prompt, send: Send, edits: HTMLElement[]): HTMLElement {
	const { list, chosen } = boxes("radio", choices, prompt, (value) => isSame(value, prompt.default));

	return form(() => { const [value] = chosen(); send({ value: value ?? null }); }, list,
		row(h("button", { type: "submit", class: "primary" }, "Answer"), ...edits, cancelButton(send)));
}

function multiForm(prompt: Prompt, send: Send): HTMLElement {
	const standard = Array.isArray(prompt.default) ? prompt.default as unknown[] : [];
	const { list, chosen } = boxes("checkbox", choicesOf(prompt), prompt,
		(value) => standard.some((other) => isSame(value, other)));

	return form(() => send({ value: chosen() }), list,
		row(h("button", { type: "submit", class: "primary" }, "Answer"), cancelButton(send)));
}

function boxes(type: "radio" | "checkbox", choices: Choice[], prompt: Prompt, isChecked: (value: unknown) => boolean) {
	const inputs = choices.map((choice) => h("input", { type, name: `prompt-${prompt.id}`, checked: isChecked(choice.value) }));
	const list = h("fieldset", { class: "prompt-options" },
		h("legend", { class: "hidden" }, type === "radio" ? "Choose one" : "Choose any"),
		...choices.map((choice, i) => h("label", {}, inputs[i]!, h("span", {}, labelOf(choice)))));

	return { list, chosen: () => choices.filter((_, i) => inputs[i]!.checked).map(({ value }) => value) };
}

function labelOf({ label }: Choice): string {
	return visibleText(cut(label, LABEL_MAX)).replaceAll("\n", " ↵ ") || "(empty)";
}

function isSame(a: unknown, b: unknown): boolean {
	return b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
