/* Where a text from outside may be cut for showing: between two graphemes, which are what a person
 * takes for one character. A cut within one leaves half a surrogate pair, or an emoji without its
 * modifier, which is another one or none. */

/* Units of UTF-16. A longer grapheme is no character but marks heaped up to spoil the page. It is
 * cut between code points: otherwise all of a text could hide in it. */
const LONGEST = 32;
const BEFORE = 4096;      /* that are looked at before the place: flags count from their first */
const MARKS_FROM = 0x300; /* Before it nothing joins what is before it, but a line feed. */
const RETURN = 13;

export interface Cutter {
	/* The last place that is not after this one, and the first that is not before it. */
	before(text: string, at: number): number;
	after(text: string, at: number): number;
}

function isLow(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

function isHigh(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

/* Most places are between plain letters, and nothing has to be looked up for those. */
function isPlain(text: string, at: number): boolean {
	const last = text.charCodeAt(at - 1);

	return last < MARKS_FROM && text.charCodeAt(at) < MARKS_FROM && last !== RETURN;
}

/* null: a browser without one, where code points have to do. */
export function makeCutter(segmenter: Intl.Segmenter | null): Cutter {
	/* The beginning and the end of what is around a place; both are the place if it is between. */
	function around(text: string, at: number): [number, number] {
		if (at <= 0 || at >= text.length || isPlain(text, at))
			return [at, at];
		const from = Math.max(0, at - BEFORE);
		const found = segmenter?.segment(text.slice(from, at + LONGEST)).containing(at - from);
		const start = from + (found?.index ?? 0);
		const length = found?.segment.length ?? Infinity;

		if (length <= LONGEST)
			return start === at ? [at, at] : [start, start + length];
		return isLow(text, at) && isHigh(text, at - 1) ? [at - 1, at + 1] : [at, at];
	}

	return {
		before: (text, at) => around(text, at)[0],
		after: (text, at) => around(text, at)[1],
	};
}

const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter() : null;

export const { before: wholeBefore, after: wholeAfter } = makeCutter(segmenter);

/* At most so many units of the beginning of a text. */
export function beginning(text: string, most: number): string {
	return text.length <= most ? text : text.slice(0, wholeBefore(text, most));
}

/* And of its end. */
export function ending(text: string, most: number): string {
	return text.length <= most ? text : text.slice(wholeAfter(text, text.length - most));
}

/* The first few graphemes of a short text. */
export function graphemes(text: string, most: number): string {
	const all = segmenter === null ? [...text] : Array.from(segmenter.segment(text), (part) => part.segment);

	return all.slice(0, most).join("");
}
