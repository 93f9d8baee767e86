/* Goes through the journal for the log: what is older as the reader comes to the top, what is
 * newer where the view is apart from the present, and one signal that a link names. One request
 * is under way at a time at each end, and each knows when it has become pointless. */

import type { Link } from "../desk";
import { wordsOf } from "../text/fault";
import type { LogEntry } from "./entry";
import { beginningOf, readPage } from "./history";
import type { Log } from "./model";

const FILL = 2000;             /* how much of the past a new page asks for */
const PAGE = 500;
const AROUND = 200;            /* on either side of a signal that is gone to */
const ENOUGH = 100;            /* rows that end a search */
const SEARCH_MS = 15_000;      /* then the reader says whether to go on */

/* What is at an end of the view. */
export interface Edge {
	name: "more" | "busy" | "end" | "stopped" | "failed";
	words: string;
}

export interface Found {
	entry: LogEntry | null;
	why: string;            /* it is not there */
}

export interface Pages {
	readonly above: Edge;
	readonly below: Edge;
	/* What the server is to look for; what was under way is given up. */
	look(query: URLSearchParams): void;
	fill(): Promise<void>;
	/* Each does nothing while it is busy, or where there is no more. `again` goes on after a
	 * failure, or when a search has stopped. */
	older(again?: boolean): void;
	newer(again?: boolean): void;
	stop(): void;
	/* Finds a signal wherever it is. */
	find(seq: number): Promise<Found>;
	/* Makes a view of the journal around a signal. */
	around(seq: number): Promise<void>;
}

interface Way {
	edge: Edge;
	work: AbortController | null;
}

const MORE: Edge = { name: "more", words: "" };

/* `changed` is called whenever there is something new to draw. */
export function createPages(link: Link, log: Log, changed: () => void): Pages {
	const above: Way = { edge: MORE, work: null };
	const below: Way = { edge: MORE, work: null };
	let query = new URLSearchParams();

	const isSearch = () => [...query.keys()].length > 0;
	const set = (way: Way, edge: Edge) => {
		way.edge = edge;
		changed();
	};

	/* Does some work at an end, unless it is busy. Whatever it learns after it was given up is
	 * stale, and is thrown away by what it calls. */
	function run(way: Way, again: boolean, work: (signal: AbortSignal) => Promise<Edge>): void {
		if (way.edge.name !== "more" && !(again && way.edge.name !== "busy" && way.edge.name !== "end"))
			return;
		const mine = new AbortController();

		way.work = mine;
		set(way, { name: "busy", words: isSearch() ? "Searching the journal" : "Reading the journal" });
		work(mine.signal).then((edge) => {
			if (way.work === mine)
				set(way, edge);
		}, (why: unknown) => {
			if (way.work === mine)
				set(way, { name: "failed", words: `The journal could not be read: ${wordsOf(why)}` });
		});
	}

	async function goBack(signal: AbortSignal): Promise<Edge> {
		const until = Date.now() + SEARCH_MS;
		let found = 0;

		while (found < ENOUGH) {
			const page = await readPage(link, { before: log.top, limit: PAGE, query }, signal);
			signal.throwIfAborted();
			found += log.prepend(page.entries, page.next ?? 1);
			if (page.next === null)
				return { name: "end", words: await beginningOf(link, signal) };
			if (found < ENOUGH && Date.now() > until)
				return { name: "stopped", words: `Searched back to ${page.next.toLocaleString("en")}` };
			above.edge = { name: "busy", words: `Searching, at ${page.next.toLocaleString("en")}` };
			changed();
		}
		return MORE;
	}

	async function goOn(signal: AbortSignal): Promise<Edge> {
		const until = Date.now() + SEARCH_MS;
		let found = 0;

		while (found < ENOUGH && log.isApart) {
			const page = await readPage(link, { after: log.bottom, limit: PAGE, query }, signal);
			signal.throwIfAborted();
			const last = page.entries.at(-1)?.seq ?? log.bottom;
			found += log.append(page.entries, page.next ?? last, page.next === null);
			if (found < ENOUGH && log.isApart && Date.now() > until)
				return { name: "stopped", words: `Searched up to ${log.bottom.toLocaleString("en")}` };
			changed();
		}
		return MORE;
	}

	async function around(seq: number): Promise<void> {
		const mine = new AbortController();

		giveUp(above);
		giveUp(below);
		above.work = mine;
		set(above, { name: "busy", words: "Reading the journal" });
		const [before, after] = await Promise.all([
			readPage(link, { before: seq + 1, limit: AROUND, query }, mine.signal),
			readPage(link, { after: seq, limit: AROUND, query }, mine.signal),
		]).catch((why: unknown) => {
			if (above.work === mine)
				set(above, { name: "failed", words: `The journal could not be read: ${wordsOf(why)}` });
			throw why;
		});
		if (above.work !== mine)
			return;
		log.stand([...before.entries, ...after.entries], before.next ?? 1,
			after.next ?? after.entries.at(-1)?.seq ?? seq);
		if (after.next === null)
			log.append([], log.bottom, true);
		set(below, MORE);
		set(above, before.next === null
			? { name: "end", words: await beginningOf(link, mine.signal) } : MORE);
	}

	return {
		/* A view that was trimmed at its front has more above it again. */
		get above() {
			if (above.edge.name === "end" && log.top > 1)
				above.edge = MORE;
			return above.edge;
		},
		get below() { return below.edge; },
		look(wanted) {
			query = wanted;
			giveUp(above);
			giveUp(below);
		},
		async fill() {
			const first = log.entries[0]?.seq;
			const wanted = { limit: FILL, ...first === undefined ? {} : { before: first } };
			const page = await readPage(link, wanted);

			log.fill(page.entries);
			changed();
		},
		older(again = false) {
			if (log.top > 0)
				run(above, again, goBack);
		},
		newer: (again = false) => run(below, again, goOn),
		stop() {
			for (const way of [above, below])
				if (way.edge.name === "busy") {
					giveUp(way);
					way.edge = { name: "stopped", words: "Stopped" };
				}
			changed();
		},
		find: (seq) => findOne(link, log, seq),
		around,
	};
}

function giveUp(way: Way): void {
	way.work?.abort();
	way.work = null;
	way.edge = MORE;
}

const REASONS: Record<string, string> = {
	expired: "Retention has deleted it: the journal no longer goes back that far.",
	damaged: "It is damaged on the disk.",
	lost: "The server lost it in a crash.",
};

async function findOne(link: Link, log: Log, seq: number): Promise<Found> {
	const known = log.find(seq);

	if (known !== null)
		return { entry: known, why: "" };
	const { entries } = await readPage(link, { after: seq - 1, before: seq + 1, limit: 1 });
	const entry = entries.find((e) => e.kind === "signal" && e.seq === seq) ?? null;
	const gap = entries.find((e) => e.gap !== undefined && e.gap.from <= seq && seq <= e.gap.to)?.gap;
	const why = gap === undefined ? "There is no signal with this number yet."
		: (Object.hasOwn(REASONS, gap.why) ? REASONS[gap.why] : undefined) ?? "It is missing.";

	return { entry, why: entry === null ? why : "" };
}
