/* One run from its first signal on: what the journal has of it, then what comes. The two overlap,
 * and the fold passes over what it has seen, so that nothing is missing and nothing twice. */

import type { Envelope, Link, News } from "../desk";
import { createTalk, type Talk } from "./fold";

const SLICE_MS = 12;     /* of folding history, before the page gets its turn */

export interface Episode {
	readonly talk: Talk;
	readonly state: "loading" | "there" | "failed";
	readonly error: string;      /* why it failed, in words */
	reload(): void;
	end(): void;
}

/* `after` is a seq before the run's first signal, where it is known: it spares a long search. */
export function followEpisode(link: Link, correlationId: string,
	{ after = 0, changed }: { after?: number; changed: () => void }): Episode {
	const talk = createTalk();
	const live: Envelope[] = [];
	const m = { talk, state: "loading" as Episode["state"], error: "", reload, end };
	let loading: AbortController | null = null;

	const hear = ({ envelope }: News["signal"]) => {
		if (envelope.correlationId !== correlationId)
			return;
		if (m.state !== "there")
			live.push(envelope);
		else
			talk.take(envelope);
		changed();
	};
	/* What the server lost is no part of the conversation any more. */
	const hearGap = ({ why }: News["gap"]) => {
		if (why === "lost" || why === "replaced")
			reload();
	};
	/* What is on its way when the connection goes will not come; it is asked for again. */
	const hearState = ({ name }: News["state"]) => {
		if (name === "lost" && m.state === "loading")
			fail("The connection was lost.");
		else if (name === "live" && m.state === "failed")
			reload();
	};
	const ends = [link.on("signal", hear), link.on("gap", hearGap), link.on("state", hearState)];

	function settle(state: Episode["state"], error: string): void {
		live.forEach(talk.take);
		live.length = 0;
		m.state = state;
		m.error = error;
		changed();
	}

	function fail(why: string): void {
		loading?.abort();
		settle("failed", why);
	}

	function reload(): void {
		loading?.abort();
		loading = new AbortController();
		talk.clear();
		m.state = "loading";
		const { signal } = loading;
		load(link, correlationId, after, talk, signal, changed).then(
			() => signal.aborted || settle("there", ""),
			(error: Error) => signal.aborted || settle("failed", error.message));
	}

	function end(): void {
		loading?.abort();
		ends.forEach((stop) => stop());
	}

	reload();
	return m;
}

async function load(link: Link, correlationId: string, after: number, talk: Talk,
	signal: AbortSignal, changed: () => void): Promise<void> {
	const path = `/api/signals?format=ndjson&after=${after}`
		+ `&correlationId=${encodeURIComponent(correlationId)}`;
	const reader = (await link.stream(path, signal)).getReader();
	let rest = "";
	let since = performance.now();

	for (;;) {
		const { done, value } = await reader.read();
		const lines = (rest + (value ?? "")).split("\n");

		rest = done ? "" : lines.pop()!;
		for (const line of lines) {
			takeLine(talk, line);
			if (performance.now() - since > SLICE_MS) {
				changed();
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

/* A gap in the past is told where it is. */
function takeLine(talk: Talk, line: string): void {
	if (line === "")
		return;
	const value = JSON.parse(line) as Envelope & { from: number; to: number; why: string };

	/* Only the server's own word begins with op. */
	if (!line.startsWith('{"op":'))
		talk.take(value);
	else if (line.startsWith('{"op":"gap"'))
		talk.take({ seq: value.from, id: "", type: "journal.gap", source: "signalbox",
			timestamp: NaN, payload: { from: value.from, to: value.to, why: value.why } });
}
