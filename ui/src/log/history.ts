/* Pages of the journal, as GET /api/signals gives them. The lines are taken out of the answer as
 * they stand, so that a signal from the journal is byte for byte what it would have been live. */

import type { Envelope, Gap, Link } from "../desk";
import { type LogEntry, logEntryOf, logGapOf } from "./entry";

export interface Page {
	entries: LogEntry[];    /* in order, holes among them */
	next: number | null;    /* where to go on, or that there is no more */
}

export interface Wanted {
	after?: number;
	before?: number;
	limit: number;
	query?: URLSearchParams;
}

const START = '"signals":[';

/* An answer that is no answer. */
class Unreadable extends Error {}

export async function readPage(link: Link, wanted: Wanted, signal?: AbortSignal): Promise<Page> {
	const query = new URLSearchParams(wanted.query);

	if (wanted.after !== undefined)
		query.set("after", String(wanted.after));
	if (wanted.before !== undefined)
		query.set("before", String(wanted.before));
	query.set("limit", String(wanted.limit));
	return pageOf(await textOf(await link.stream(`/api/signals?${query}`, signal)));
}

async function textOf(stream: ReadableStream<string>): Promise<string> {
	const reader = stream.getReader();
	const parts: string[] = [];

	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			return parts.join("");
		parts.push(value);
	}
}

export function pageOf(text: string): Page {
	const at = text.indexOf(START);

	if (at < 0)
		throw new Unreadable("the server's response has no signals");
	const [lines, end] = elements(text, at + START.length);
	const rest = parse(`{"none":[${text.slice(end)}`) as { gaps?: Gap[]; next?: string | null };
	const entries = lines.map((line) => logEntryOf(parse(line) as Envelope, line));
	const next = rest.next === null || rest.next === undefined ? null
		: Number(rest.next.slice(rest.next.lastIndexOf("-") + 1));

	for (const gap of rest.gaps ?? [])
		entries.push(logGapOf(gap));
	entries.sort((a, b) => a.seq - b.seq);
	return { entries, next };
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new Unreadable("the server's response is incomplete");
	}
}

/* The texts of the objects in an array, and where its closing bracket stands. Strings are
 * stepped over, whatever is in them. */
function elements(text: string, from: number): [string[], number] {
	const mark = /["{}[\]]/g;
	const found: string[] = [];
	let depth = 0;
	let start = from;

	for (mark.lastIndex = from; ;) {
		const hit = mark.exec(text);
		if (hit === null)
			throw new Unreadable("the server's response is incomplete");
		const c = hit[0];
		if (c === '"')
			mark.lastIndex = stringEnd(text, hit.index + 1);
		else if (c === "{" || c === "[")
			start = depth++ === 0 ? hit.index : start;
		else if (depth === 0)
			return [found, hit.index];
		else if (--depth === 0)
			found.push(text.slice(start, hit.index + 1));
	}
}

/* Behind the quote that ends a string: the first that has no odd number of backslashes before. */
function stringEnd(text: string, from: number): number {
	for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
		let slashes = 0;

		while (text[end - 1 - slashes] === "\\")
			slashes++;
		if (slashes % 2 === 0)
			return end + 1;
	}
	return text.length;
}

/* What stands before the first signal that the journal has. */
export async function beginningOf(link: Link, signal?: AbortSignal): Promise<string> {
	const { entries } = await readPage(link, { after: 0, limit: 1 }, signal);
	const first = entries.find(({ kind }) => kind === "signal")?.seq ?? 1;

	return first <= 1 ? "The beginning of the log"
		: `The journal begins at ${first.toLocaleString("en")}; older signals are no longer kept`;
}
