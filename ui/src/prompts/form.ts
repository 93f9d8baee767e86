/* The means to answer a question: a text, one of several, several of several, yes or no. What an
 * agent wrote is a label and never anything else. Nothing is chosen beforehand but what is safe;
 * whatever else answers it is marked `data-unsafe`, so that it can wait until all was shown. */

import type { Prompt } from "../desk";
import { h } from "../text/dom";
import { unhidden, visible } from "../text/signal";
import { cut } from "../talk/plain";
import { editForm } from "./edit";
import { choicesOf, type Choice } from "./model";

const BUTTONS_MAX = 6;       /* more options than that are a list */
const PLACEHOLDER_MAX = 200;

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
const answerButton = () => h("button", { type: "submit", "data-unsafe": "" }, "Answer");
const standardMark = (isStandard: boolean) => isStandard ? h("span", { class: "prompt-default" }, "default") : null;

function textForm(prompt: Prompt, send: Send): HTMLElement {
	const standard = typeof prompt.default === "string" ? prompt.default : null;
	const text = h("textarea", { rows: "2", "aria-label": "Your answer",
		placeholder: standard === null ? "Your answer" : visible(cut(standard, PLACEHOLDER_MAX)),
		onkeydown: (event: KeyboardEvent) => {
			if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
				event.preventDefault();
				element.requestSubmit();
			}
		} });
	const answer = answerButton();
	const element = form(() => {
		if (!answer.disabled)
			send({ value: text.value === "" && standard !== null ? standard : text.value });
	}, text, row(answer, standard === null ? null : h("span", { class: "prompt-default" }, "Empty is the default"),
		cancelButton(send))) as HTMLFormElement;

	return element;
}

/* A no is safe. */
function confirmForm(prompt: Prompt, send: Send): HTMLElement {
	const button = (value: boolean, words: string) => h("button", { type: "button",
		...value ? { "data-unsafe": "" } : { class: "primary", "data-safe": "" }, onclick: () => send({ value }) },
	words, standardMark(prompt.default === value));

	return form(() => {}, row(button(true, "Yes"), button(false, "No"), cancelButton(send)));
}

/* ---- one of several ---- */

function selectForm(prompt: Prompt, send: Send): HTMLElement {
	const choices = choicesOf(prompt);
	const host = h("div", {});
	const edits = choices.filter((choice) => choice.edit !== undefined).map((choice) =>
		h("button", { type: "button", class: "prompt-edit", "data-unsafe": "", onclick: () =>
			host.replaceChildren(editForm(choice, (edit) => send({ value: { value: choice.value, edit } }),
				() => host.replaceChildren(list))) },
		`Change, then ${labelOf(choice).toLowerCase()}…`));
	const list = choices.length <= BUTTONS_MAX ? buttons(choices, prompt, send, edits) : radios(choices, prompt, send, edits);

	host.append(list);
	return host;
}

function buttons(choices: Choice[], prompt: Prompt, send: Send, edits: HTMLElement[]): HTMLElement {
	return form(() => {}, row(...choices.map((choice) => h("button", { type: "button",
		...choice.isSafe ? { class: "primary", "data-safe": "" } : { "data-unsafe": "" },
		onclick: () => send({ value: choice.value }) },
	labelOf(choice), standardMark(isSame(choice.value, prompt.default)), ruleOf(choice))),
	...edits, cancelButton(send)));
}

function radios(choices: Choice[], prompt: Prompt, send: Send, edits: HTMLElement[]): HTMLElement {
	const { list, chosen } = boxes("radio", choices, prompt);

	return form(() => { const [value] = chosen(); send({ value: value ?? null }); }, list,
		row(answerButton(), ...edits, cancelButton(send)));
}

function multiForm(prompt: Prompt, send: Send): HTMLElement {
	const { list, chosen } = boxes("checkbox", choicesOf(prompt), prompt);

	return form(() => send({ value: chosen() }), list, row(answerButton(), cancelButton(send)));
}

function boxes(type: "radio" | "checkbox", choices: Choice[], prompt: Prompt) {
	const standard = Array.isArray(prompt.default) ? prompt.default as unknown[] : [prompt.default];
	const inputs = choices.map((choice) => h("input", { type, name: `prompt-${prompt.id}`,
		checked: type === "radio" && choice.isSafe }));
	const list = h("fieldset", { class: "prompt-options" },
		h("legend", { class: "hidden" }, type === "radio" ? "Choose one" : "Choose any"),
		...choices.map((choice, i) => h("label", {}, inputs[i]!, h("span", {}, labelOf(choice),
			standardMark(standard.some((other) => isSame(choice.value, other))), ruleOf(choice)))));

	return { list, chosen: () => choices.filter((_, i) => inputs[i]!.checked).map(({ value }) => value) };
}

function labelOf({ label }: Choice): string {
	return unhidden(label).replaceAll("\n", " ↵ ") || "(empty)";
}

/* What it would write, and where. */
function ruleOf({ rule }: Choice): HTMLElement | null {
	return rule === "" ? null : h("small", { class: "prompt-rule" }, `from now on: ${unhidden(rule)}`);
}

function isSame(a: unknown, b: unknown): boolean {
	return b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
