/* Markdown of agents as the page reads it, without a browser. Hostile texts must not take long. */

import assert from "node:assert/strict";
import { run, SLOW, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { blocksOf, piecesOf } = await part("markdown/parse.ts");

/* Blocks as a short text: what tests compare. */
const inline = (parts) => parts.map((one) => {
	switch (one.kind) {
	case "text": return one.text;
	case "code": return `{code ${one.text}}`;
	case "link": return `{${one.isImage ? "image" : "link"} ${one.href}|${inline(one.parts)}}`;
	default: return `{${one.kind} ${inline(one.parts)}}`;
	}
}).join("");
const block = (one) => {
	switch (one.kind) {
	case "para": return inline(one.parts);
	case "heading": return `h${one.level}(${inline(one.parts)})`;
	case "code": return `code:${one.language}(${one.text})`;
	case "quote": return `quote(${blocks(one.blocks)})`;
	case "list": return `${one.isOrdered ? `ol${one.start}` : "ul"}(${one.items.map(({ isDone, blocks: inside }) =>
		`${isDone === null ? "" : isDone ? "[x]" : "[ ]"}${blocks(inside)}`).join(", ")})`;
	case "table": return `table(${[one.head, ...one.rows].map((row) => row.map(inline).join("|")).join(" / ")} ${one.sides})`;
	default: return one.kind;
	}
};
const blocks = (all) => all.map(block).join("; ");
const read = (text) => blocks(blocksOf(text));

const CASES = [
	["one\ntwo\n\nthree", "one\ntwo; three"],
	["# A #\n## B\nC\n===\nD\n---\n####### no", "h1(A); h2(B); h1(C); h2(D); ####### no"],
	["a **b _c_** `d*e*` ~~f~~", "a {strong b {em c}} {code d*e*} {gone f}"],
	["***a*** **a*b** __c__ d_e_f 2 * 3 * 4", "{em {strong a}} {strong a*b} {strong c} d_e_f 2 * 3 * 4"],
	["**open and *shut*", "**open and {em shut}"],
	["`` a`b `` and ` c", "{code a`b} and ` c"],
	["\\*a\\* \\q &lt;b&gt; &copy;", "*a* \\q <b> &copy;"],
	["<b onclick=x>html</b> <script>", "<b onclick=x>html</b> <script>"],
	["[a *b*](http://c 'd') ![e](http://f) [g]", "{link http://c|a {em b}} {image http://f|e} [g]"],
	["[a [b](c) d](e)", "[a {link c|b} d](e)"],
	["see https://a.b/c_(d), and (http://e.f). xhttp://g", "see {link https://a.b/c_(d)|https://a.b/c_(d)}, and ({link http://e.f|http://e.f}). xhttp://g"],
	["<https://a.b> <javascript:x>", "{link https://a.b|https://a.b} <javascript:x>"],
	["```ts\na\n  b\n```\nc", "code:ts(a\n  b); c"],
	["~~~\n```\n~~~", "code:(```)"],
	["```\nnever closed\n# no", "code:(never closed\n# no)"],
	["- a\n- b\n  c\n\n  d\n- [x] e\n- [ ] f", "ul(a, b\nc; d, [x]e, [ ]f)"],
	["1. a\n   - b\n   - c\n2. d\n\n5) e", "ol1(a; ul(b, c), d, e)"],
	["1. a\n  - b", "ol1(a; ul(b))"],
	["- a\nstill a\n\nnot a", "ul(a\nstill a); not a"],
	["In 2024.\n2024. was no list", "In 2024.\n2024. was no list"],
	["> a\n> > b\n> - c\n\nd", "quote(a; quote(b); ul(c)); d"],
	["| a | b |\n|:-|-:|\n| 1 | `x|y` |\n| 2 \\| 3 |\nend", "table(a|b / 1|{code x|y} / 2 | 3| left,right); end"],
	["a | b\nno | table", "a | b\nno | table"],
	["---\n* * *\n--", "rule; rule; --"],
	["- a\n\n```\nx\n```", "ul(a); code:(x)"],
	["- a\n  ```\n  x\n  ```", "ul(a; code:(x))"],
	["", ""], ["\n\n", ""], ["   ", ""],
];

test("Markdown that agents write is read as they mean it, and all else is text", async () => {
	for (const [text, wanted] of CASES)
		assert.equal(read(text), wanted, JSON.stringify(text));
});

test("a piece that does not change has the same source while a text grows", async () => {
	const text = "# A\n\nfirst\n\n- b\n- c\n\n```\ncode\n```\n\nlast words";
	const whole = piecesOf(text).map(({ source }) => source);

	for (let length = 0; length <= text.length; length++) {
		const pieces = piecesOf(text.slice(0, length)).map(({ source }) => source);
		const kept = pieces.slice(0, -1).filter((source, i) => source === whole[i]);
		assert.ok(pieces.length <= 1 || kept.length >= pieces.length - 2, text.slice(0, length));
	}
	assert.equal(whole.length, 5);
});

const N = 8000;
const HOSTILE = {
	stars: "*a ".repeat(N / 3), brackets: "[".repeat(N), quotes: "> ".repeat(N / 2), ticks: "`".repeat(N),
	manyTicks: Array.from({ length: 120 }, (_, i) => "`".repeat(i)).join(" "), links: "[a](".repeat(N / 4), angles: "<".repeat(N),
	bars: "|".repeat(N), under: "a_".repeat(N / 2), mixed: "**a_".repeat(N / 4), nested: `${"*".repeat(N)}a${"*".repeat(N)}`,
	images: "![".repeat(N / 2), address: `http://a.b/${")".repeat(N)}`, dots: `http://${"a.".repeat(N / 2)}`, blanks: `${" ".repeat(N)}a`,
	hashes: "# ".repeat(N / 2), dashes: "- ".repeat(N / 2), numbers: "1. ".repeat(N / 3), lines: "\n".repeat(N), lists: "- a\n\n".repeat(N / 5),
	deep: Array.from({ length: 126 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n").slice(0, N), tables: "a|b\n-|-\n".repeat(N / 8),
	row: `|${" :-".repeat(N / 3)}\n|${"-|".repeat(N / 2)}`, titles: '[a](b "'.repeat(N / 7), tabs: `${"\t".repeat(N)}- a`, h: "http".repeat(N / 4),
};

test("no text of a block's length takes long, nests deep or loses what it says", async () => {
	const depthOf = (value) => typeof value !== "object" || value === null ? 0
		: 1 + Math.max(0, ...Object.values(value).map(depthOf));

	for (const [name, text] of Object.entries(HOSTILE)) {
		const since = performance.now();
		const found = blocksOf(text);
		const ms = performance.now() - since;

		/* Where it is not linear it takes seconds. */
		assert.ok(ms < 1000 * SLOW, `${name} took ${ms} ms`);
		assert.ok(depthOf(found) < 200, `${name}: ${depthOf(found)}`);
	}
	assert.equal(read(HOSTILE.brackets), HOSTILE.brackets);
	assert.equal(read(HOSTILE.angles), HOSTILE.angles);
});

await run();
