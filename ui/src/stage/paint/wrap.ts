/* Words into lines, and where the letters of a line are. Pure but for the ruler. */

import { visible } from "../../text/signal";
import { beginning, wholeAfter, wholeBefore } from "../../text/whole";

const LETTERS_MAX = 1200;

export interface Line { text: string; start: number }

/* What is said, as it may be shown. Letter for letter, so that the beginning of a text stays the
 * beginning of what is shown. */
export function spoken(text: string): string {
	return beginning(text, LETTERS_MAX).split("\n").map((line) => visible(line.replace(/[\r\t]/g, " "))).join("\n");
}

export function wrap(text: string, measure: (text: string) => number, width: number): Line[] {
	const lines: Line[] = [];

	for (let start = 0; start <= text.length;) {
		const end = text.indexOf("\n", start);
		const paragraph = text.slice(start, end < 0 ? text.length : end);

		wrapParagraph(paragraph, start, measure, width, lines);
		start += paragraph.length + 1;
	}
	return lines;
}

function wrapParagraph(text: string, offset: number, measure: (text: string) => number, width: number, lines: Line[]): void {
	let start = 0, end = 0;

	for (const word of text.matchAll(/\s*\S+/gu)) {
		const until = word.index + word[0].length;

		if (measure(text.slice(start, until)) > width && end > start) {
			lines.push({ text: text.slice(start, end), start: offset + start });
			start = word.index + word[0].length - word[0].trimStart().length;
		}
		end = until;
		while (measure(text.slice(start, end)) > width) {
			const fits = longest(text.slice(start, end), measure, width);

			lines.push({ text: text.slice(start, start + fits), start: offset + start });
			start += fits;
		}
	}
	if (end > start || text === "")
		lines.push({ text: text.slice(start, end), start: offset + start });
}

/* How many letters of a word that is too long for a line are not: at least one. */
function longest(word: string, measure: (text: string) => number, width: number): number {
	let low = 1, high = word.length - 1;

	while (low < high) {
		const middle = Math.ceil((low + high) / 2);

		if (measure(word.slice(0, middle)) <= width)
			low = middle;
		else
			high = middle - 1;
	}
	return Math.max(wholeBefore(word, low), wholeAfter(word, 1));
}
