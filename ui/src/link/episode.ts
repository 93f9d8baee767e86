/* Follows one episode, everything that has a correlationId: what the journal has of it, from its
 * first signal on, then what comes. The two overlap, and whoever folds it passes over what it has
 * seen, so that nothing is missing and nothing twice. */

import type { Envelope, Link, News } from "../desk";

const FILL_MS = 500;     /* before what was skipped is read */
const SLICE_MS = 10;     /* of folding history, before the page gets its turn */

/* Who folds it. */
export interface Fold {
	take(envelope: Envelope): void;
	gap(from: number, to: number, why: string): void;   /* in the past, where it is */
	clear(): void;                                       /* it is told again from the beginning */
}

export interface Followed {
	readonly state: "loading" | "there" | "failed";
	readonly error: string;      /* why it failed, in words */
	reload(): void;
	end(): void;
}

/* `after` gives a seq before the first signal, where that is known: it spares a search through
 * everything. `changed` is called whenever there is something new to draw. */
export function followEpisode(link: Link, correlationId: string, fold: Fold,
	{ after, changed }: { after?: () => number | Promise<number>; changed: () => void }): Followed {
	const early: Envelope[] = [];
	let missing: number | null = null;     /* Everything after this seq. */
	let isFilling = false;
	const m = { state: "loading" as Followed["state"], error: "", reload, end };
	let work = new AbortController();

	const hear = ({ envelope }: News["signal"]) => {
		if (envelope.correlationId !== correlationId)
			return;
		if (m.state === "loading" || isFilling)
			early.push(envelope);
		else
			fold.take(envelope);
		changed();
	};
	/* What the server lost is no part of it any more. What the page skipped is read from the journal,
	 * and so is all that came after it: whoever folds it wants it in order. */
	const hearGap = ({ from, why }: News["gap"]) => {
		if (why === "lost")
			reload();
		else if (why === "skipped")
			fillSoon(from - 1);
	};
	/* What is on its way when the connection goes will not come; it is asked for again. */
	const hearState = ({ name }: News["state"]) => {
		if (name === "lost" && (m.state === "loading" || isFilling))
			fail("The connection was lost.");
		else if (name === "live" && m.state === "failed")
			reload();
	};
	const ends = [link.on("signal", hear), link.on("gap", hearGap), link.on("state", hearState)];

	function settle(state: Followed["state"], error: string): void {
		const held = early.splice(0);

		/* What came after a hole is read again with what is in it. */
		held.filter(({ seq }) => missing === null || seq <= missing).forEach((envelope) => fold.take(envelope));
		isFilling = false;
		m.state = state;
		m.error = error;
		changed();
		if (missing !== null)
			fillSoon(missing);
	}

	/* One at a time, and not as often as the page skips. */
	function fillSoon(after: number): void {
		const { signal } = work;

		missing = Math.min(missing ?? after, after);
		if (m.state === "loading" || isFilling)
			return;
		isFilling = true;
		setTimeout(() => {
			if (signal.aborted || missing === null)
				return;
			const from = missing;
			missing = null;
			read(from, signal);
		}, FILL_MS);
	}

	function read(from: number | undefined, signal: AbortSignal): void {
		load(from, signal).then(
			() => signal.aborted || settle("there", ""),
			(why: unknown) => signal.aborted || settle("failed", why instanceof Error ? why.message : String(why)));
	}

	function fail(why: string): void {
		work.abort();
		settle("failed", why);
	}

	function reload(): void {
		work.abort();
		work = new AbortController();
		fold.clear();
		missing = null;
		isFilling = false;
		m.state = "loading";
		read(undefined, work.signal);
	}

	async function load(from: number | undefined, signal: AbortSignal): Promise<void> {
		const path = `/api/signals?format=ndjson&after=${from ?? await after?.() ?? 0}`
			+ `&correlationId=${encodeURIComponent(correlationId)}`;

		await eachLine(await link.stream(path, signal), signal, (line) => takeLine(fold, line), changed);
	}

	function end(): void {
		work.abort();
		ends.forEach((stop) => stop());
	}

	reload();
	return m;
}

/* In slices, so that a long history does not hold the page up. */
async function eachLine(stream: ReadableStream<string>, signal: AbortSignal,
	take: (line: string) => void, rest: () => void): Promise<void> {
	const reader = stream.getReader();
	let begun = "";
	let since = performance.now();

	for (;;) {
		const { done, value } = await reader.read();
		const lines = (begun + (value ?? "")).split("\n");

		begun = done ? "" : lines.pop() ?? "";
		for (const line of lines) {
			take(line);
			if (performance.now() - since > SLICE_MS) {
				rest();
				await new Promise((go) => setTimeout(go));
				since = performance.now();
			}
			if (signal.aborted)
				return;
		}
		if (done)
			return;
	}
}

/* Only the server's own word begins with op. */
function takeLine(fold: Fold, line: string): void {
	if (line === "")
		return;
	const value = JSON.parse(line) as Envelope & { from: number; to: number; why: string };

	if (!line.startsWith('{"op":'))
		fold.take(value);
	else if (line.startsWith('{"op":"gap"'))
		fold.gap(value.from, value.to, value.why);
}
