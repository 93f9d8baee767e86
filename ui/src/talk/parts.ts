/* The parts of a tool's input or output as elements. Long ones are cut, and a button shows the
 * rest, because somebody may be about to allow it; what an agent wrote is only ever text. */

import { h } from "../text/dom";
import { pretty } from "../text/json";
import { beginning } from "../text/whole";
import { unhidden } from "../text/signal";
import { counted, cut, visibleText } from "./plain";
import type { Part } from "./tool";

const SHOWN = 4000;          /* characters at first */
const SHOWN_MAX = 200_000;   /* and at most */
const LINES = 200;           /* of a diff */
const LABEL_MAX = 4096;      /* a path is no longer */
const MARKS = { same: " ", gone: "−", new: "+", skip: "⋯" } as const;

export function drawPart(part: Part): HTMLElement {
	return draw(part, READING);
}

/* The same for who decides on it: nothing in it is unseen, and the buttons show all there is.
 * While one of them is there, something is not shown (isCut). */
export function drawWhole(part: Part): HTMLElement {
	return draw(part, DECIDING);
}

export function isCut(element: Element): boolean {
	return element.querySelector(".talk-more") !== null;
}

interface Manner { most: number; show(text: string): string }

const READING: Manner = { most: SHOWN_MAX, show: visibleText };
const DECIDING: Manner = { most: Infinity, show: unhidden };

function draw(part: Part, manner: Manner): HTMLElement {
	const label = part.label === "" ? null
		: h("p", { class: "talk-label" }, manner.show(cut(part.label, manner.most === Infinity ? Infinity : LABEL_MAX)));

	return h("div", { class: `talk-part talk-${part.kind}` }, label, bodyOf(part, manner));
}

function bodyOf(part: Part, manner: Manner): HTMLElement {
	const { show } = manner;

	if (part.kind === "diff")
		return drawDiff(part.lines, LINES, manner);
	if (part.kind === "words")
		return drawLong(part.text, (text) => h("p", {}, show(text)), manner);
	return drawLong(part.text, (text) => part.kind === "json" ? drawJson(text, show) : h("pre", { tabindex: "0" }, show(text)), manner);
}

/* A text of any length: its beginning, and a button that shows more of it. */
function drawLong(text: string, draw: (text: string) => HTMLElement, { most: longest }: Manner): HTMLElement {
	if (text.length <= SHOWN)
		return draw(text);
	const start = beginning(text, SHOWN);
	const most = beginning(text, longest);
	const box = h("div", {}, draw(start));
	const more = h("button", { type: "button", class: "talk-more", onclick: () => {
		box.replaceChildren(draw(most), most === text ? ""
			: h("p", { class: "talk-label" },
				`${counted(text.length - most.length, "more character")}: see the signal in the log.`));
	} }, `Show ${counted(text.length - start.length, "more character")}`);
	box.append(more);
	return box;
}

/* Laid out and coloured; the classes are those of the log's envelope. */
function drawJson(text: string, show: Manner["show"]): HTMLElement {
	return h("pre", { tabindex: "0" },
		...pretty(text, show).map(([kind, words]) => kind === "mark" ? words : h("span", { class: kind }, words)));
}

/* A line of any length, likewise. */
function drawLine(text: string, show: Manner["show"]): Node {
	const start = beginning(text, SHOWN);
	const rest = text.slice(start.length);

	if (rest === "")
		return new Text(show(text));
	const more = h("button", { type: "button", class: "talk-more", onclick: () => more.replaceWith(show(rest)) },
		`Show ${counted(rest.length, "more character")}`);
	return h("span", {}, show(start), more);
}

function drawDiff(lines: { how: keyof typeof MARKS; text: string }[], shown: number, manner: Manner): HTMLElement {
	const rows = lines.slice(0, shown).map(({ how, text }) => h("span", { class: `diff-${how}` },
		h("i", { "aria-hidden": "true" }, MARKS[how]),
		how === "gone" ? h("span", { class: "hidden" }, "removed: ") : null,
		how === "new" ? h("span", { class: "hidden" }, "added: ") : null,
		drawLine(text, manner.show), "\n"));
	const pre = h("pre", { tabindex: "0" }, ...rows);

	if (lines.length <= shown)
		return pre;
	const box = h("div", {}, pre);
	box.append(h("button", { type: "button", class: "talk-more", onclick: () =>
		box.replaceChildren(drawDiff(lines, manner.most === Infinity ? Infinity : 20 * shown, manner)) },
	`Show ${counted(lines.length - shown, "more line")}`));
	return box;
}
