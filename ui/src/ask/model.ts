/* What was asked, and of whom: every ask that the journal tells of, whoever asked it, grouped
 * into conversations. An ask is a task_dispatch of the source `user` that says which source it
 * went to; those of one session of one source belong together. Pure. */

import type { Envelope, Protocol, Source } from "../desk";
import { beginning } from "../text/whole";

export interface Ask {
	run: string;
	seq: number;
	at: number;
	source: string;
	session: string;
	model: string;
	text: string;
	state: "running" | "done" | "failed" | "cancelled" | "past";   /* past: nobody looked */
}

export interface Conversation {
	key: string;
	source: string;
	session: string;
	asks: Ask[];       /* the oldest first */
}

const ASKS_MAX = 2000;
const NAME_MAX = 200;
const TEXT_MAX = 2000;

export interface Asks {
	/* Gives whether there is something new to show. */
	take(envelope: Envelope, live: boolean): boolean;
	/* The newest first. */
	conversations(): Conversation[];
	conversationOf(run: string): Conversation | null;
	ask(run: string): Ask | null;
	/* One that was just sent: its signal may be on its way yet. */
	sent(ask: Ask): void;
	/* The connection was away: nobody knows whether what ran still runs. */
	doubt(): void;
	clear(): void;
}

export function createAsks(): Asks {
	const all = new Map<string, Ask>();

	/* The oldest go first; the map is in the order of what was heard of first. */
	const keep = (ask: Ask) => {
		const known = all.get(ask.run);

		all.set(ask.run, known === undefined ? ask : { ...ask, state: known.state });
		if (all.size > ASKS_MAX)
			all.delete([...all.values()].reduce((a, b) => a.seq < b.seq ? a : b).run);
	};
	const conversations = () => group([...all.values()]);

	return {
		take(envelope, live) {
			const ask = askOf(envelope, live);
			const asked = ask ?? all.get(envelope.correlationId ?? "");

			if (ask !== null)
				keep(ask);
			else if (asked !== undefined)
				return settle(asked, envelope);
			return ask !== null;
		},
		conversations,
		conversationOf: (run) => conversations()
			.find(({ asks }) => asks.some((ask) => ask.run === run)) ?? null,
		ask: (run) => all.get(run) ?? null,
		sent: (ask) => { if (!all.has(ask.run)) keep(ask); },
		doubt() {
			for (const ask of all.values())
				if (ask.state === "running")
					ask.state = "past";
		},
		clear: () => all.clear(),
	};
}

function askOf({ type, source, correlationId, seq, timestamp, metadata, payload }: Envelope,
	live: boolean): Ask | null {
	const sourceId = name(metadata?.sourceId);

	if (type !== "task_dispatch" || source !== "user" || sourceId === ""
		|| typeof correlationId !== "string")
		return null;
	return {
		run: correlationId, seq, at: timestamp, source: sourceId, session: name(metadata?.session),
		model: name(payload.to), text: beginning(String(payload.description ?? ""), TEXT_MAX),
		state: live ? "running" : "past",
	};
}

function settle(ask: Ask, { type, payload }: Envelope): boolean {
	if (type !== "completion" && type !== "error" || payload.severity === "warning")
		return false;
	ask.state = type === "error" ? "failed" : payload.success !== false ? "done"
		: payload.result === "cancelled" ? "cancelled" : "failed";
	return true;
}

function group(asks: Ask[]): Conversation[] {
	const found = new Map<string, Conversation>();

	for (const ask of asks.sort((a, b) => a.seq - b.seq)) {
		const key = ask.session === "" ? ask.run : `${ask.source}\n${ask.session}`;
		const conversation = found.get(key);

		if (conversation === undefined)
			found.set(key, { key, source: ask.source, session: ask.session, asks: [ask] });
		else
			conversation.asks.push(ask);
	}
	return [...found.values()].sort((a, b) => b.asks.at(-1)!.seq - a.asks.at(-1)!.seq);
}

function name(value: unknown): string {
	return typeof value === "string" ? beginning(value, NAME_MAX) : "";
}

/* ---- who can be asked ---- */

export function canAnswer(source: Source): boolean {
	return source.can.includes("ask");
}

/* Connected ones first, then by name. */
export function answerers(sources: Iterable<Source>): Source[] {
	const rank = ({ state }: Source) => state === "connected" ? 0 : state === "unavailable" ? 2 : 1;

	return [...sources].filter(canAnswer)
		.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/* A name for a session that nobody else has. Some have a main session, which is what is meant
 * there unless somebody says otherwise. */
export function newSession(protocol: Protocol | undefined, random = crypto.randomUUID()): string {
	return protocol?.mainSession === true ? "" : `page-${random.slice(0, 8)}`;
}
