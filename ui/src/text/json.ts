/* Lays out JSON for reading without parsing it into values: every number keeps its
 * digits, every string its escapes, every member its place. Gives [kind, text]
 * pairs; the kinds are key, string, number, word and mark. */

import { visible } from "./signal";

const INDENT = "  ";

export type Token = [kind: "key" | "string" | "number" | "word" | "mark", text: string];

/* `show` makes visible what would hide. */
export function pretty(text: string, show = visible): Token[] {
	const out: Token[] = [];
	let depth = 0;
	let i = 0;

	const line = () => "\n" + INDENT.repeat(depth);
	while ((i = skipSpace(text, i)) < text.length) {
		const c = text.charAt(i);

		if (c === "{" || c === "[") {
			const next = skipSpace(text, i + 1);
			const empty = text[next] === "}" || text[next] === "]";
			depth += empty ? 0 : 1;
			out.push(["mark", empty ? c + text.charAt(next) : c + line()]);
			i = empty ? next + 1 : i + 1;
		} else if (c === "}" || c === "]") {
			depth = Math.max(0, depth - 1);
			out.push(["mark", line() + c]);
			i++;
		} else if (c === ",") {
			out.push(["mark", c + line()]);
			i++;
		} else if (c === ":") {
			out.push(["mark", ": "]);
			i++;
		} else {
			const end = c === '"' ? stringEnd(text, i) : wordEnd(text, i);
			out.push([kindOf(text, i, end), show(text.slice(i, end))]);
			i = end;
		}
	}
	return out;
}

function kindOf(text: string, start: number, end: number): Token[0] {
	if (text[start] === '"')
		return text[skipSpace(text, end)] === ":" ? "key" : "string";
	return "-0123456789".includes(text.charAt(start)) ? "number" : "word";
}

function skipSpace(text: string, i: number): number {
	while (i < text.length && " \t\r\n".includes(text.charAt(i)))
		i++;
	return i;
}

function stringEnd(text: string, i: number): number {
	for (i++; i < text.length && text[i] !== '"'; i++)
		if (text[i] === "\\")
			i++;
	return Math.min(i + 1, text.length);
}

function wordEnd(text: string, i: number): number {
	while (i < text.length && !' \t\r\n{}[],:"'.includes(text.charAt(i)))
		i++;
	return i;
}
