/* Follows one episode: what the journal has of it, from its first signal on, then what comes. The
 * two overlap, and the fold passes over what it has seen. */

import type { Envelope, Link, News } from "../desk";
import { createEpisode, type Episode } from "./episode";
import { wordsOf } from "./pages";

const SLICE_MS = 10;           /* of folding, before the page gets its turn */

export interface Followed {
	readonly episode: Episode;
	readonly state: "loading" | "there" | "failed";
	readonly error: string;
	reload(): void;
	end(): void;
}

/* `changed` is called whenever there is something new to draw. */
export function follow(link: Link, correlationId: string, changed: () => void): Followed {
	const episode = createEpisode();
	const early: Envelope[] = [];
	let work = new AbortController();
	const m = { episode, state: "loading" as Followed["state"], error: "", reload, end };

	const ends = [
		link.on("signal", ({ envelope }: News["signal"]) => {
			if (envelope.correlationId !== correlationId)
				return;
			if (m.state === "loading")
				early.push(envelope);
			else
				episode.take(envelope);
			changed();
		}),
		link.on("gap", ({ why }) => {
			if (why === "lost" || why === "replaced")
				reload();
		}),
		/* What is on its way when the connection goes will not come; it is asked for again. */
		link.on("state", ({ name }) => {
			if (name === "lost" && m.state === "loading")
				fail("The connection was lost.");
			else if (name === "live" && m.state === "failed")
				reload();
		}),
	];

	function settle(state: Followed["state"], error: string): void {
		early.splice(0).forEach(episode.take);
		m.state = state;
		m.error = error;
		changed();
	}

	function fail(why: string): void {
		work.abort();
		settle("failed", why);
	}

	function reload(): void {
		work.abort();
		work = new AbortController();
		episode.clear();
		m.state = "loading";
		const { signal } = work;
		load(link, correlationId, episode, signal, changed).then(
			() => signal.aborted || settle("there", ""),
			(why: unknown) => signal.aborted || settle("failed", wordsOf(why)));
	}

	function end(): void {
		work.abort();
		ends.forEach((stop) => stop());
	}

	reload();
	return m;
}

async function load(
	link: Link, correlationId: string, episode: Episode, signal: AbortSignal, changed: () => void,
): Promise<void> {
	const after = await firstOf(link, correlationId) - 1;
	const path = `/api/signals?format=ndjson&after=${Math.max(0, after)}`
		+ `&correlationId=${encodeURIComponent(correlationId)}`;
	const reader = (await link.stream(path, signal)).getReader();
	let rest = "";
	let since = performance.now();

	for (;;) {
		const { done, value } = await reader.read();
		const lines = (rest + (value ?? "")).split("\n");

		rest = done ? "" : lines.pop() ?? "";
		for (const line of lines) {
			takeLine(episode, line);
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

/* Whoever remembers the run knows where it begins, which spares a search through everything. */
async function firstOf(link: Link, correlationId: string): Promise<number> {
	const answer = await link.request<{ run?: { firstSeq?: unknown } }>("GET",
		`/api/runs/${encodeURIComponent(correlationId)}`).catch(() => null);
	const first = answer?.run?.firstSeq;

	return typeof first === "number" && first > 0 ? first : 1;
}

function takeLine(episode: Episode, line: string): void {
	if (line === "")
		return;
	const value = JSON.parse(line) as Envelope & { from: number; to: number };

	/* Only the server's own word begins with op. */
	if (line.startsWith('{"op":"gap"'))
		episode.gap(value.from, value.to);
	else
		episode.take(value);
}
