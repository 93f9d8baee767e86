/* Markdown as elements, made of text and nothing else: no HTML, no picture, no address that is not
 * shown. A text that grows is drawn anew from its first other piece on, so that what somebody reads
 * or has selected stays. */

import { visibleText } from "../talk/plain";
import { h } from "../text/dom";
import { unhidden } from "../text/signal";
import { beginning } from "../text/whole";
import type { Inline } from "./inline";
import { piecesOf, type Block, type Item } from "./parse";

const MOST = 64_000;          /* characters; a longer text is shown as it is */
const TARGET_SHOWN = 200;
const HREF = /^(https?:\/\/|mailto:)/i;

export interface Markdown { draw(text: string): void }

export function markdown(root: HTMLElement): Markdown {
	let drawn: { source: string; elements: HTMLElement[] }[] = [];

	return {
		draw(text) {
			const pieces = text.length <= MOST ? piecesOf(text) : [{ source: text, blocks: () => [plain(text)] }];
			let same = 0;

			while (same < pieces.length && pieces[same]?.source === drawn[same]?.source)
				same++;
			for (const { elements } of drawn.splice(same))
				elements.forEach((one) => one.remove());
			for (const { source, blocks } of pieces.slice(same)) {
				const elements = blocks().map(drawBlock);

				root.append(...elements);
				drawn.push({ source, elements });
			}
		},
	};
}

const plain = (text: string): Block => ({ kind: "para", parts: [{ kind: "text", text }] });

function drawBlock(block: Block): HTMLElement {
	switch (block.kind) {
	case "para": return h("p", {}, ...block.parts.map(drawInline));
	/* No heading of the page: an agent does not lay out the document. */
	case "heading": return h("p", { class: "md-heading", "data-level": block.level }, ...block.parts.map(drawInline));
	case "code": return drawCode(block.language, block.text);
	case "quote": return h("blockquote", {}, ...block.blocks.map(drawBlock));
	case "list": return drawList(block);
	case "table": return drawTable(block);
	case "rule": return h("hr");
	}
}

function drawCode(language: string, text: string): HTMLElement {
	return h("div", { class: "md-code" },
		language === "" ? null : h("p", { class: "md-language" }, visibleText(beginning(language, 40))),
		h("pre", { tabindex: "0" }, h("code", {}, visibleText(text))));
}

function drawList({ isOrdered, start, items }: Extract<Block, { kind: "list" }>): HTMLElement {
	return isOrdered ? h("ol", { start }, ...items.map(drawItem)) : h("ul", {}, ...items.map(drawItem));
}

/* What is done is said in a word too. */
function drawItem({ isDone, blocks }: Item): HTMLElement {
	const mark = isDone === null ? null : h("span", { class: "md-task" }, isDone ? "☑" : "☐",
		h("span", { class: "hidden" }, isDone ? "done: " : "to do: "));

	return h("li", { class: isDone === null ? "" : "md-todo" }, mark, h("div", {}, ...blocks.map(drawBlock)));
}

function drawTable({ head, sides, rows }: Extract<Block, { kind: "table" }>): HTMLElement {
	const cell = (parts: Inline[], column: number, isHead: boolean) => isHead && parts.length > 0
		? h("th", { scope: "col", "data-side": sides[column] || null }, ...parts.map(drawInline))
		: h("td", { "data-side": sides[column] || null }, ...parts.map(drawInline));

	return h("div", { class: "md-table", tabindex: "0", role: "group", "aria-label": "Table" }, h("table", {},
		h("thead", {}, h("tr", {}, ...head.map((parts, i) => cell(parts, i, true)))),
		h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((parts, i) => cell(parts, i, false)))))));
}

function drawInline(part: Inline): Node {
	switch (part.kind) {
	case "text": return new Text(visibleText(part.text));
	case "code": return h("code", {}, visibleText(part.text));
	case "strong": return h("strong", {}, ...part.parts.map(drawInline));
	case "em": return h("em", {}, ...part.parts.map(drawInline));
	case "gone": return h("s", {}, ...part.parts.map(drawInline));
	case "link": return drawLink(part);
	}
}

/* Where it leads stands beside it, unless that is what it says. Only what a browser opens on its own
 * origin's behalf is a link; all else is words. */
function drawLink({ href, parts, isImage }: Extract<Inline, { kind: "link" }>): Node {
	const target = unhidden(beginning(href, TARGET_SHOWN)) + (href.length > TARGET_SHOWN ? "…" : "");
	const words = isImage ? [`image: `, ...parts.map(drawInline)] : parts.map(drawInline);
	const isSaid = !isImage && parts.length === 1 && parts[0]?.kind === "text" && parts[0].text === href;
	const label = parts.length === 0 && !isImage ? [target] : isSaid ? [target] : words;
	const where = isSaid || parts.length === 0 && !isImage || href === "" ? null : h("span", { class: "md-target" }, ` (${target})`);

	if (!HREF.test(href) || !URL.canParse(href))
		return h("span", { class: "md-link" }, ...label, where);
	return h("span", { class: "md-link" },
		h("a", { href, target: "_blank", rel: "noopener noreferrer", title: target }, ...label), where);
}
