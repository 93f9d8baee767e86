/* Two texts, line by line: what went, what came, what stayed. For edits of a few hundred lines;
 * what is longer is shown as all of the old and all of the new. */

export interface DiffLine { how: "same" | "gone" | "new" | "skip"; text: string }

const LINES_MAX = 600;     /* of either text: the table has their product */
const CONTEXT = 3;         /* lines that stay around a change */

export function diff(before: string, after: string): DiffLine[] {
	const old = before === "" ? [] : before.split("\n");
	const now = after === "" ? [] : after.split("\n");

	if (old.length > LINES_MAX || now.length > LINES_MAX)
		return [...old.map(gone), ...now.map(come)];
	return fold(compare(old, now));
}

const gone = (text: string): DiffLine => ({ how: "gone", text });
const come = (text: string): DiffLine => ({ how: "new", text });
const same = (text: string): DiffLine => ({ how: "same", text });

/* The longest common subsequence, by the table of the lengths that are left. */
function compare(old: string[], now: string[]): DiffLine[] {
	const width = now.length + 1;
	const left = new Uint16Array((old.length + 1) * width);
	const out: DiffLine[] = [];
	let i = 0;
	let j = 0;

	for (let a = old.length - 1; a >= 0; a--)
		for (let b = now.length - 1; b >= 0; b--)
			left[a * width + b] = old[a] === now[b] ? left[(a + 1) * width + b + 1]! + 1
				: Math.max(left[(a + 1) * width + b]!, left[a * width + b + 1]!);
	while (i < old.length && j < now.length)
		if (old[i] === now[j]) {
			out.push(same(old[i++]!));
			j++;
		} else if (left[(i + 1) * width + j]! >= left[i * width + j + 1]!) {
			out.push(gone(old[i++]!));
		} else {
			out.push(come(now[j++]!));
		}
	return [...out, ...old.slice(i).map(gone), ...now.slice(j).map(come)];
}

/* Long stretches that stay are told in a few words. */
function fold(lines: DiffLine[]): DiffLine[] {
	const near = new Uint8Array(lines.length);
	const out: DiffLine[] = [];

	lines.forEach((line, i) => {
		if (line.how !== "same")
			near.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
	});
	for (let i = 0; i < lines.length;) {
		let end = i;
		while (end < lines.length && near[end] === 0)
			end++;
		if (end - i > 1)
			out.push({ how: "skip", text: `${end - i} lines that stay` });
		else if (end > i)
			out.push(lines[i]!);
		if (end < lines.length)
			out.push(lines[end]!);
		i = end + 1;
	}
	return out;
}

/* A patch that is one already. */
export function patchLines(text: string): DiffLine[] {
	return text.split("\n").map((line) => line.startsWith("+") ? come(line.slice(1))
		: line.startsWith("-") ? gone(line.slice(1)) : same(line.startsWith(" ") ? line.slice(1) : line));
}
