/* What an agent wrote as Markdown: paragraphs, headings, code, lists, quotes, tables. Pure, linear
 * but for its nesting, which has an end. What is not understood stays the text that it is; HTML is
 * never anything else. Reference links and indented code, which agents do not write, are text. */

import { inlineOf, type Inline } from "./inline";

export type Block =
	| { kind: "para"; parts: Inline[] }
	| { kind: "heading"; level: number; parts: Inline[] }
	| { kind: "code"; language: string; text: string }
	| { kind: "quote"; blocks: Block[] }
	| { kind: "list"; isOrdered: boolean; start: number; items: Item[] }
	| { kind: "table"; head: Inline[][]; sides: Side[]; rows: Inline[][][] }
	| { kind: "rule" };

export interface Item { isDone: boolean | null; blocks: Block[] }
export type Side = "left" | "right" | "centre" | "";

/* A block of the top, with the text that it came from: as long as that is the same, so is the block. */
export interface Piece { source: string; blocks(): Block[] }

const DEPTH_MAX = 8;          /* quotes and lists in one another; deeper ones are text */
const COLUMNS_MAX = 40;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const MARKER = /^( {0,3})([-*+]|(\d{1,9})[.)])([ \t]+|$)/;
const TASK = /^\[([ xX])\][ \t]+/;
const CELLS = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$/;

/* The pieces of a text; each is read when it is wanted. */
export function piecesOf(text: string): Piece[] {
	const lines = text.replaceAll("\r\n", "\n").split("\n");
	const pieces: Piece[] = [];

	for (let i = 0; i < lines.length;) {
		const start = i;
		const blocks: Block[] = [];

		i = takeBlock(lines, i, 0, (block) => blocks.push(block));
		const source = lines.slice(start, i).join("\n");
		if (blocks.length > 0)
			pieces.push({ source, blocks: () => blocks });
	}
	return pieces;
}

export function blocksOf(text: string): Block[] {
	return piecesOf(text).flatMap((piece) => piece.blocks());
}

type Found = (block: Block) => void;

function takeAll(lines: string[], depth: number): Block[] {
	const blocks: Block[] = [];

	for (let i = 0; i < lines.length;)
		i = takeBlock(lines, i, depth, (block) => blocks.push(block));
	return blocks;
}

/* Reads the block that begins here; gives the line after it. */
function takeBlock(lines: string[], i: number, depth: number, found: Found): number {
	const line = lines[i]!;
	const heading = HEADING.exec(line);

	if (isBlank(line))
		return i + 1;
	if (heading !== null) {
		found({ kind: "heading", level: heading[1]!.length, parts: inlineOf((heading[2] ?? "").replace(/[ \t]#+[ \t]*$/, "").trim()) });
		return i + 1;
	}
	if (RULE.test(line)) {
		found({ kind: "rule" });
		return i + 1;
	}
	if (FENCE.test(line))
		return takeFence(lines, i, found);
	if (depth < DEPTH_MAX && QUOTE.test(line))
		return takeQuote(lines, i, depth, found);
	if (depth < DEPTH_MAX && MARKER.test(line))
		return takeList(lines, i, depth, found);
	if (isTable(lines, i))
		return takeTable(lines, i, found);
	return takePara(lines, i, depth, found);
}

function isBlank(line: string): boolean {
	return line.trim() === "";
}

/* Would this line end a paragraph? A number other than 1 does not begin a list in a sentence. */
function interrupts(lines: string[], i: number, depth: number): boolean {
	const line = lines[i]!;
	const marker = depth < DEPTH_MAX ? MARKER.exec(line) : null;

	return isBlank(line) || HEADING.test(line) || RULE.test(line) || FENCE.test(line)
		|| depth < DEPTH_MAX && QUOTE.test(line)
		|| marker !== null && marker[4] !== "" && (marker[3] === undefined || Number(marker[3]) === 1)
		|| isTable(lines, i);
}

function takePara(lines: string[], i: number, depth: number, found: Found): number {
	const said = [outdented(lines[i]!)];
	let end = i + 1;

	for (; end < lines.length; end++) {
		const under = UNDERLINE.exec(lines[end]!);

		if (under !== null) {
			found({ kind: "heading", level: under[1]!.startsWith("=") ? 1 : 2, parts: inlineOf(said.join("\n")) });
			return end + 1;
		}
		if (interrupts(lines, end, depth))
			break;
		said.push(outdented(lines[end]!));
	}
	found({ kind: "para", parts: inlineOf(said.join("\n")) });
	return end;
}

/* What is far in is meant so. */
function outdented(line: string): string {
	return line.replace(/^ {1,3}(?! )/, "").trimEnd();
}

function takeFence(lines: string[], i: number, found: Found): number {
	const [, fence, language = ""] = FENCE.exec(lines[i]!)!;
	const indent = indentOf(lines[i]!);
	let end = i + 1;

	while (end < lines.length && !isFenceEnd(lines[end]!, fence!))
		end++;
	found({ kind: "code", language, text: lines.slice(i + 1, end).map((line) => stripped(line, indent)).join("\n") });
	return Math.min(lines.length, end + 1);
}

function isFenceEnd(line: string, fence: string): boolean {
	const text = line.trim();

	return text.length >= fence.length && indentOf(line) < 4 && text === fence.charAt(0).repeat(text.length);
}

function takeQuote(lines: string[], i: number, depth: number, found: Found): number {
	let end = i;

	while (end < lines.length && QUOTE.test(lines[end]!))
		end++;
	found({ kind: "quote", blocks: takeAll(lines.slice(i, end).map((line) => line.replace(QUOTE, "")), depth + 1) });
	return end;
}

/* ---- lists ---- */

function takeList(lines: string[], i: number, depth: number, found: Found): number {
	const [, , sign, number] = MARKER.exec(lines[i]!)!;
	const isOrdered = number !== undefined;
	const items: Item[] = [];
	let at = i;

	for (;;) {
		const marker = at < lines.length && !RULE.test(lines[at]!) ? MARKER.exec(lines[at]!) : null;

		if (marker === null || (marker[3] !== undefined) !== isOrdered || !isOrdered && marker[2] !== sign)
			break;
		const end = itemEnd(lines, at, marker[0].length, depth);
		items.push(itemOf(lines.slice(at, end), marker[0].length, depth));
		at = end;
		while (at < lines.length && isBlank(lines[at]!) && MARKER.test(lines[at + 1] ?? ""))
			at++;
	}
	found({ kind: "list", isOrdered, start: isOrdered ? Number(number) : 1, items });
	return at;
}

/* What is further in than its mark belongs to it, and the rest of its sentence. */
function itemEnd(lines: string[], at: number, width: number, depth: number): number {
	const least = Math.min(width, indentOf(lines[at]!) + 2);
	let end = at + 1;

	for (; end < lines.length; end++) {
		const line = lines[end]!;

		if (isBlank(line)) {
			const next = lines[end + 1] ?? "";
			if (isBlank(next) || indentOf(next) < least)
				break;
		} else if (indentOf(line) < least && (isBlank(lines[end - 1]!) || MARKER.test(line) || interrupts(lines, end, depth))) {
			break;
		}
	}
	return end;
}

function itemOf(lines: string[], width: number, depth: number): Item {
	const first = lines[0]!.slice(width);
	const task = TASK.exec(first);
	const rest = lines.slice(1).map((line) => stripped(line, width));

	return {
		isDone: task === null ? null : task[1] !== " ",
		blocks: takeAll([task === null ? first : first.slice(task[0].length), ...rest], depth + 1),
	};
}

function indentOf(line: string): number {
	const indent = /^[ \t]*/.exec(line)![0];

	return indent.replaceAll("\t", "    ").length;
}

function stripped(line: string, width: number): string {
	let i = 0;

	if (line.startsWith("\t"))
		return line.slice(1);
	while (i < width && line[i] === " ")
		i++;
	return line.slice(i);
}

/* ---- tables ---- */

function isTable(lines: string[], i: number): boolean {
	const [head, under] = [lines[i]!, lines[i + 1]];

	return under !== undefined && head.includes("|") && under.includes("-") && under.includes("|")
		&& under.length < 2000 && CELLS.test(under) && cellsOf(head).length === cellsOf(under).length;
}

function takeTable(lines: string[], i: number, found: Found): number {
	const head = cellsOf(lines[i]!);
	const sides = cellsOf(lines[i + 1]!).map((cell): Side => cell.startsWith(":")
		? cell.endsWith(":") ? "centre" : "left" : cell.endsWith(":") ? "right" : "");
	let end = i + 2;

	while (end < lines.length && !isBlank(lines[end]!) && lines[end]!.includes("|"))
		end++;
	const rows = lines.slice(i + 2, end).map((line) => {
		const cells = cellsOf(line);

		return head.map((_, column) => inlineOf(cells[column] ?? ""));
	});
	found({ kind: "table", head: head.map(inlineOf), sides, rows });
	return end;
}

/* A bar in code or after a backslash parts nothing. */
function cellsOf(line: string): string[] {
	const cells: string[] = [];
	const text = line.trim().replace(/^\|/, "");
	let cell = "", isCode = false;

	for (let i = 0; i < text.length; i++) {
		const c = text.charAt(i);

		if (c === "\\" && text[i + 1] === "|") {
			cell += "|";
			i++;
		} else if (c === "|" && !isCode) {
			cells.push(cell.trim());
			cell = "";
		} else {
			isCode = c === "`" ? !isCode : isCode;
			cell += c;
		}
	}
	if (cell.trim() !== "")
		cells.push(cell.trim());
	return cells.slice(0, COLUMNS_MAX);
}
