/* Markdown within a line: code, emphasis, links. Pure, and linear in the length of what an agent
 * wrote: what is open is a short stack, and the oldest of too many is only text. HTML is text. */

export type Inline =
	| { kind: "text" | "code"; text: string }
	| { kind: "strong" | "em" | "gone"; parts: Inline[] }
	/* An image is a link too: nothing is loaded. */
	| { kind: "link"; href: string; parts: Inline[]; isImage: boolean };

const OPEN_MAX = 32;          /* marks that wait for their end, and so the deepest that parts are nested */
const TARGET_MAX = 2048;      /* characters of a link's target */
const TICKS_MAX = 32;         /* of a run of back ticks */
const MARKS_MAX = 6;          /* of a run of others: each may nest what is in it once more */

const PUNCTUATION = /[!-/:-@[-`{-~\u2010-\u2027\u3001-\u3003\u2030-\u205e]/;
const BARE = /https?:\/\/[^\s<>"'`\\]{1,2048}/y;
const IN_ANGLES = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2048})>/y;
const TARGET = /\(\s{0,8}(?:<([^<>\n]*)>|((?:[^\s<>()]|\([^\s<>()]*\))*))(?:\s{1,8}(?:"[^"\n]*"|'[^'\n]*'))?\s{0,8}\)/y;
const ENTITY = /&(amp|lt|gt|quot|nbsp|#39);/y;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };
const PLAIN = /[^\\`*_~[\]!<&h]+|./ys;

/* `run` is how many marks it was of, and `isBoth` that it could have been an end as well. */
interface Open { mark: "*" | "_" | "~" | "[" | "!"; at: number; count: number; run: number; isBoth: boolean }

interface Reading {
	text: string; at: number;
	parts: Inline[];
	open: Open[];
	ticks: Map<number, number[]> | null;     /* by their number, where runs of back ticks begin; the last first */
}

export function inlineOf(text: string): Inline[] {
	const r: Reading = { text, at: 0, parts: [], open: [], ticks: null };

	while (r.at < text.length)
		step(r);
	return joined(r.parts);
}

function step(r: Reading): void {
	const c = r.text.charAt(r.at);

	switch (c) {
	case "\\": return takeEscape(r);
	case "`": return takeCode(r);
	case "*": case "_": case "~": return takeMarks(r, c);
	case "!": return r.text.charAt(r.at + 1) === "[" ? begin(r, "!", "![") : say(r, c);
	case "[": return begin(r, "[", c);
	case "]": return takeBracket(r);
	case "<": return takeAddress(r, IN_ANGLES, 1);
	case "h": return takeAddress(r, BARE, 0);
	case "&": return takeEntity(r);
	default: return say(r, matched(PLAIN, r)?.[0] ?? c);
	}
}

/* What is there at this place; sticky expressions go on from nowhere else. */
function matched(expression: RegExp, { text, at }: Reading): RegExpExecArray | null {
	expression.lastIndex = at;
	return expression.exec(text);
}

function say(r: Reading, text: string, length = text.length): void {
	const last = r.parts.at(-1);

	/* A mark that is open is a text of its own. */
	if (last?.kind === "text" && r.open.at(-1)?.at !== r.parts.length - 1)
		last.text += text;
	else
		r.parts.push({ kind: "text", text });
	r.at += length;
}

function takeEscape(r: Reading): void {
	const next = r.text.charAt(r.at + 1);

	if (/[!-/:-@[-`{-~]/.test(next))
		say(r, next, 2);
	else
		say(r, "\\");
}

function takeEntity(r: Reading): void {
	const found = matched(ENTITY, r);

	if (found === null)
		say(r, "&");
	else
		say(r, ENTITIES[found[1]!] ?? found[0], found[0].length);
}

/* ---- code ---- */

function takeCode(r: Reading): void {
	const length = runLength(r.text, r.at);
	const ends = ticksOf(r).get(length) ?? [];

	while (ends.length > 0 && ends.at(-1)! <= r.at)
		ends.pop();
	const end = ends.at(-1);
	if (end === undefined || length > TICKS_MAX)
		return say(r, r.text.slice(r.at, r.at + length));
	const code = r.text.slice(r.at + length, end).replaceAll("\n", " ");
	const isPadded = /^ .*[^ ].* $/s.test(code);
	r.parts.push({ kind: "code", text: isPadded ? code.slice(1, -1) : code });
	r.at = end + length;
}

function ticksOf(r: Reading): Map<number, number[]> {
	if (r.ticks !== null)
		return r.ticks;
	r.ticks = new Map();
	for (let i = r.text.lastIndexOf("`"); i >= 0; i = i === 0 ? -1 : r.text.lastIndexOf("`", i - 1)) {
		let start = i;

		while (start > 0 && r.text[start - 1] === "`")
			start--;
		const length = i - start + 1;
		const known = r.ticks.get(length) ?? [];
		r.ticks.set(length, known);
		known.push(start);
		i = start;
	}
	return r.ticks;
}

function runLength(text: string, at: number): number {
	let end = at + 1;

	while (end < text.length && text[end] === text[at])
		end++;
	return end - at;
}

/* ---- emphasis ---- */

function takeMarks(r: Reading, mark: "*" | "_" | "~"): void {
	const length = runLength(r.text, r.at);
	const [canOpen, canClose] = flanks(r.text, r.at, length, mark);
	let left = length;

	if (length > MARKS_MAX)
		return say(r, mark.repeat(length));
	r.at += length;
	while (canClose && left > 0) {
		const used = closed(r, mark, left, { run: length, isBoth: canOpen });

		if (used === 0)
			break;
		left -= used;
	}
	if (left === 0)
		return;
	r.parts.push({ kind: "text", text: mark.repeat(left) });
	if (canOpen && !(mark === "~" && left !== 2))
		push(r, { mark, at: r.parts.length - 1, count: left, run: length, isBoth: canClose });
}

/* Joins what is between the newest such mark and here; gives how many marks that took. */
function closed(r: Reading, mark: Open["mark"], left: number, end: Pick<Open, "run" | "isBoth">): number {
	const which = r.open.findLastIndex((one) => one.mark === mark && areTwo(one, end));
	const opener = r.open[which];

	if (opener === undefined || mark === "~" && left < 2)
		return 0;
	const used = mark === "~" || (opener.count >= 2 && left >= 2) ? 2 : 1;
	const parts = joined(r.parts.splice(opener.at + 1));
	opener.count -= used;
	r.open.length = which + 1;
	if (opener.count === 0) {
		r.open.pop();
		r.parts.pop();
	} else {
		r.parts[opener.at] = { kind: "text", text: mark.repeat(opener.count) };
	}
	r.parts.push({ kind: mark === "~" ? "gone" : used === 2 ? "strong" : "em", parts });
	return used;
}

/* A mark in the middle of a word, which could be either, ends none whose length with its own is a
 * multiple of three: CommonMark's way to tell **a*b** from the others. */
function areTwo(start: Pick<Open, "run" | "isBoth">, end: Pick<Open, "run" | "isBoth">): boolean {
	return !(start.isBoth || end.isBoth) || (start.run + end.run) % 3 !== 0 || start.run % 3 === 0 && end.run % 3 === 0;
}

/* May it begin, may it end? As CommonMark has it: _ is no mark within a word. */
function flanks(text: string, at: number, length: number, mark: string): [boolean, boolean] {
	const before = at === 0 ? " " : text.charAt(at - 1);
	const after = text.charAt(at + length) || " ";
	const [spaceBefore, spaceAfter] = [/\s/.test(before), /\s/.test(after)];
	const [signBefore, signAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
	const left = !spaceAfter && (!signAfter || spaceBefore || signBefore);
	const right = !spaceBefore && (!signBefore || spaceAfter || signAfter);

	return mark === "_" ? [left && (!right || signBefore), right && (!left || signAfter)] : [left, right];
}

function push(r: Reading, open: Open): void {
	if (r.open.length >= OPEN_MAX)
		r.open.shift();
	r.open.push(open);
}

/* ---- links ---- */

function begin(r: Reading, mark: "[" | "!", text: string): void {
	r.parts.push({ kind: "text", text });
	r.at += text.length;
	push(r, { mark, at: r.parts.length - 1, count: 1, run: 1, isBoth: false });
}

function takeBracket(r: Reading): void {
	const which = r.open.findLastIndex(({ mark }) => mark === "[" || mark === "!");
	const opener = r.open[which];

	r.at++;
	if (opener === undefined)
		return void (r.at--, say(r, "]"));
	const found = r.text.charAt(r.at) === "(" ? matched(TARGET, r) : null;
	const href = found?.[1] ?? found?.[2];
	if (found === null || href === undefined || href.length > TARGET_MAX) {
		r.open.length = which;
		return void (r.at--, say(r, "]"));
	}
	const parts = joined(r.parts.splice(opener.at).slice(1));
	/* A link has no link in it. */
	r.open.length = which;
	if (opener.mark === "[")
		r.open = r.open.filter(({ mark }) => mark !== "[");
	r.parts.push({ kind: "link", href, parts, isImage: opener.mark === "!" });
	r.at += found[0].length;
}

function takeAddress(r: Reading, expression: RegExp, group: 0 | 1): void {
	const isWithin = group === 0 && /\w/.test(r.text.charAt(r.at - 1));
	const found = isWithin ? null : matched(expression, r);

	if (found === null)
		return say(r, group === 1 ? "<" : matched(/h[^\\`*_~[\]!<&h]*/y, r)?.[0] ?? "h");
	const href = group === 1 ? found[1]! : trimmed(found[0]);
	r.parts.push({ kind: "link", href, parts: [{ kind: "text", text: href }], isImage: false });
	r.at += group === 1 ? found[0].length : href.length;
}

/* What ends a sentence does not end an address; nor does a bracket that began before it. */
function trimmed(address: string): string {
	let left = address.split(")").length - address.split("(").length;
	let end = address.length;

	for (; end > 0; end--) {
		const c = address.charAt(end - 1);

		if (c === ")" && left > 0)
			left--;
		else if (!".,:;!?*_~".includes(c))
			break;
	}
	return address.slice(0, end);
}

/* Texts side by side are one. */
function joined(parts: Inline[]): Inline[] {
	const all: Inline[] = [];

	for (const part of parts) {
		const last = all.at(-1);

		if (part.kind === "text" && last?.kind === "text")
			last.text += part.text;
		else
			all.push(part.kind === "text" ? { ...part } : part);
	}
	return all;
}
