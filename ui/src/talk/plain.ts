/* An agent's words for the screen: text with lines, in which nothing hides. */

import { visible } from "../text/signal";
import { beginning } from "../text/whole";

/* Like visible(), but lines and tabs stay what they are. */
export function visibleText(text: string): string {
	return text.replaceAll("\r\n", "\n").replace(/[^\n\t]+/g, visible);
}

/* So much of a text, and how much of it is not there: nothing is cut off in secret. */
export function cut(text: string, most: number): string {
	const start = beginning(text, most);

	return start === text ? text : `${start} … and ${counted(text.length - start.length, "more character")}`;
}

/* How much of a growing text can be shown now: not half of a character or of a line's end. */
export function wholeLength(text: string): number {
	const code = text.charCodeAt(text.length - 1);

	return code === 13 || (code >= 0xd800 && code < 0xdc00) ? text.length - 1 : text.length;
}

/* A length of time in words. */
export function lasted(ms: number): string {
	if (!(ms >= 0))
		return "";
	if (ms < 1000)
		return `${Math.round(ms)} ms`;
	if (ms < 60_000)
		return `${(ms / 1000).toFixed(1)} s`;
	const s = Math.round(ms / 1000);
	return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}`
		: `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

function two(n: number): string {
	return String(n).padStart(2, "0");
}

export function counted(n: number, one: string, many = `${one}s`): string {
	return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
