/* The signals of one run: what the journal has of it, what comes, and older ones when somebody
 * wants them. They go into a talk, which makes a conversation of them. History and what is live
 * overlap; a signal's number tells whether it is there already. */

import type { Envelope, Link } from "../desk";
import { createTalk, type Talk } from "../talk/fold";
import { runOf, type Run } from "./model";

const PAGE = 2000;
const ROUNDS = 20;            /* of a search that takes long, in one go */
const KEPT_MAX = 20000;       /* signals, to fold them again when older ones come */
const KEPT_CHARS = 16_000_000; /* of all of them, about */
const FAR = 5000;             /* signals since the run spoke: begin there, not at the end */

const ELSEWHERE = new Set(["debug", "phase"]);   /* the head and the states show them */

interface History { signals: Envelope[]; next: string | null }

export interface Episode {
	readonly talk: Talk;
	readonly envelopes: readonly Envelope[];
	readonly state: "empty" | "loading" | "there" | "failed";
	readonly why: string;
	readonly hasOlder: boolean;
	readonly isFull: boolean;     /* no older ones are taken any more */
	/* All begins anew with this run; `seq` is how far the server has folded its journal. */
	choose(run: Run | null, seq: number): void;
	older(): Promise<void>;
	/* Only what this one says goes into the talk; null: what all say. */
	only(who: string | null): void;
	/* Every signal that comes, of whatever run; true when it is of this one. */
	hear(envelope: Envelope): boolean;
	/* Signals that were seen are not there any more: all is read again. */
	again(): void;
}

export function episode(link: Link, changed: () => void, elsewhere: ReadonlySet<string> = ELSEWHERE): Episode {
	const talk = createTalk();
	let run: Run | null = null;
	let folded = 0;
	let all: Envelope[] = [];
	let early: Envelope[] = [];           /* came while history was on its way */
	let weight = 0;
	let hasForgotten = false;             /* the server lost signals that we had heard */
	let turn = 0;
	let whose: string | null = null;
	const me = {
		talk, state: "empty" as Episode["state"], why: "",
		get envelopes() { return all; },
		get hasOlder() {
			const first = all[0];
			return run !== null && me.state === "there" && first !== undefined && first.seq > run.firstSeq;
		},
		get isFull() { return all.length >= KEPT_MAX || weight >= KEPT_CHARS; },
		choose, older, only, hear, again,
	};

	function choose(now: Run | null, seq: number): void {
		turn++;
		run = now;
		folded = seq;
		all = [];
		early = [];
		weight = 0;
		whose = null;
		talk.clear();
		me.state = now === null ? "empty" : "loading";
		me.why = "";
		/* What was heard just now may not be in the history yet. */
		if (now !== null && !hasForgotten)
			early = link.recent().map(({ envelope }) => envelope).filter((one) => runOf(one) === now.id);
		if (now !== null)
			void begin(now);
		changed();
	}

	function again(): void {
		hasForgotten = true;
		choose(run, 0);
	}

	async function begin(now: Run): Promise<void> {
		const mine = turn;
		const from = folded > now.lastSeq + FAR ? now.lastSeq + 1 : null;

		try {
			const found = await read(now, from, Math.min(PAGE, Math.max(1, now.signals)), () => mine === turn);
			if (mine !== turn)
				return;
			refold(found);
			me.state = "there";
			early.splice(0).forEach(append);
		} catch (error) {
			if (mine !== turn)
				return;
			me.state = "failed";
			me.why = (error as Error).message;
		}
		changed();
	}

	/* The newest that are older than `before`, oldest first. */
	async function read(now: Run, before: number | null, wanted: number, isWanted: () => boolean): Promise<Envelope[]> {
		let found: Envelope[] = [];
		let at = before === null ? null : String(before);

		for (let round = 0; round < ROUNDS && isWanted(); round++) {
			const { signals, next } = await link.request<History>("GET", pathOf(now, at, wanted - found.length));
			found = [...signals.filter((one) => runOf(one) === now.id), ...found];
			const first = found[0];
			if (next === null || found.length >= wanted || (first !== undefined && first.seq <= now.firstSeq))
				break;
			at = next;
		}
		return found;
	}

	async function older(): Promise<void> {
		const first = all[0];
		const mine = turn;

		if (run === null || first === undefined || !me.hasOlder || me.isFull)
			return;
		const found = await read(run, first.seq, PAGE, () => mine === turn);
		if (mine !== turn)
			return;
		refold([...found, ...all]);
		if (found.length === 0)
			run = { ...run, firstSeq: first.seq };      /* the journal has no more of it */
		changed();
	}

	function refold(now: Envelope[]): void {
		all = now;
		weight = 0;
		talk.clear();
		for (const one of all) {
			weight += weigh(one.payload);
			say(one);
		}
	}

	function say(one: Envelope): void {
		if (!elsewhere.has(one.type) && (whose === null || whoOf(one) === whose))
			talk.take(one);
	}

	function only(who: string | null): void {
		whose = who;
		refold(all);
		changed();
	}

	/* Half of what is too much goes at once, so that it goes seldom. */
	function append(one: Envelope): void {
		const last = all.at(-1);

		if (last !== undefined && one.seq <= last.seq)
			return;
		all.push(one);
		weight += weigh(one.payload);
		if (all.length > KEPT_MAX || weight > KEPT_CHARS) {
			all = all.slice(all.length / 2);
			weight = all.reduce((sum, { payload }) => sum + weigh(payload), 0);
		}
		say(one);
	}

	function hear(one: Envelope): boolean {
		if (run === null || runOf(one) !== run.id)
			return false;
		if (me.state === "loading")
			early.push(one);
		else if (me.state === "there")
			append(one);
		changed();
		return true;
	}

	return me;
}

/* Whose words they are, as the server names invocations. */
function whoOf({ payload, source }: Envelope): string {
	const { agentId, to } = payload;

	return typeof agentId === "string" && agentId !== "" ? agentId : typeof to === "string" && to !== "" ? to : source;
}

/* About how many characters it keeps. */
function weigh(value: unknown, depth = 0): number {
	if (typeof value === "string")
		return value.length;
	if (typeof value !== "object" || value === null || depth > 64)
		return 8;
	let sum = 16;
	for (const part of Object.values(value))
		sum += weigh(part, depth + 1);
	return sum;
}

/* A run without a correlation has the name of its source. A comma would part its name in two. */
function pathOf(run: Run, before: string | null, limit: number): string {
	const query = new URLSearchParams({ limit: String(limit) });

	if (run.id !== run.source)
		query.set("correlationId", run.id);
	else if (run.id.includes(","))
		query.set("q", JSON.stringify(run.id));
	else
		query.set("source", run.id);
	if (before !== null)
		query.set("before", before);
	return `/api/signals?${query}`;
}
