/* The parts of a tool's input or output as elements. Long ones are cut, and a button shows the
 * rest; what an agent wrote is only ever text. */

import { h } from "../text/dom";
import { pretty } from "../text/json";
import { counted, visibleText } from "./plain";
import type { Part } from "./tool";

const SHOWN = 4000;          /* characters at first */
const SHOWN_MAX = 200_000;   /* and at most */
const LINES = 200;           /* of a diff */
const MARKS = { same: " ", gone: "−", new: "+", skip: "⋯" } as const;

export function drawPart(part: Part): HTMLElement {
	const label = part.label === "" ? null
		: h("p", { class: "talk-label" }, visibleText(part.label).slice(0, 400));

	return h("div", { class: `talk-part talk-${part.kind}` }, label, bodyOf(part));
}

function bodyOf(part: Part): HTMLElement {
	if (part.kind === "diff")
		return drawDiff(part.lines, LINES);
	if (part.kind === "words")
		return h("p", {}, visibleText(part.text).slice(0, SHOWN));
	return drawLong(part.text, part.kind === "json" ? drawJson : drawCode);
}

/* A text of any length: its beginning, and a button that shows more of it. */
function drawLong(text: string, draw: (text: string) => HTMLElement): HTMLElement {
	const cut = (length: number) => text.slice(0, length);

	if (text.length <= SHOWN)
		return draw(text);
	const box = h("div", {}, draw(cut(SHOWN)));
	const more = h("button", { type: "button", class: "talk-more", onclick: () => {
		box.replaceChildren(draw(cut(SHOWN_MAX)), text.length <= SHOWN_MAX ? ""
			: h("p", { class: "talk-label" },
				`${counted(text.length - SHOWN_MAX, "more character")}: see the signal in the log.`));
	} }, `Show ${counted(text.length - SHOWN, "more character")}`);
	box.append(more);
	return box;
}

function drawCode(text: string): HTMLElement {
	return h("pre", { tabindex: "0" }, visibleText(text));
}

/* Laid out and coloured; the classes are those of the log's envelope. */
function drawJson(text: string): HTMLElement {
	return h("pre", { tabindex: "0" },
		...pretty(text).map(([kind, words]) => kind === "mark" ? words : h("span", { class: kind }, words)));
}

function drawDiff(lines: { how: keyof typeof MARKS; text: string }[], shown: number): HTMLElement {
	const rows = lines.slice(0, shown).map(({ how, text }) => h("span", { class: `diff-${how}` },
		h("i", { "aria-hidden": "true" }, MARKS[how]),
		how === "gone" ? h("span", { class: "hidden" }, "removed: ") : null,
		how === "new" ? h("span", { class: "hidden" }, "added: ") : null,
		`${visibleText(text).slice(0, SHOWN)}\n`));
	const pre = h("pre", { tabindex: "0" }, ...rows);

	if (lines.length <= shown)
		return pre;
	const box = h("div", {}, pre);
	box.append(h("button", { type: "button", class: "talk-more", onclick: () =>
		box.replaceChildren(drawDiff(lines, 20 * shown)) },
	`Show ${counted(lines.length - shown, "more line")}`));
	return box;
}
