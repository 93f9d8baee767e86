/* An episode: everything with one correlationId, folded into a line of time. Pieces of one text
 * are one item, a tool's result knows how long its call took, and each agent has a lane. Signals
 * are taken one at a time, in the order of their seq; nothing in them is believed, and everything
 * has a ceiling. No clock, no screen. */

import type { Envelope } from "../desk";
import { brief, entryOf, oneLine } from "../text/signal";
import { beginning, wholeAfter } from "../text/whole";

export const ITEMS_MAX = 5000;         /* The oldest go first. */
export const LANES_MAX = 8;
const CALLS_MAX = 500;                 /* that wait for a result */
const TEXT_MAX = 400;
const TIME_MAX = 8.64e15;              /* beyond it there are no dates */
const OTHERS = "others";

export interface Item {
	readonly seq: number;          /* of the signal that began it */
	readonly at: number;           /* its timestamp, or NaN */
	readonly type: string;
	readonly lane: number;
	readonly isGap: boolean;
	text: string;
	hasFailed: boolean;
	count: number;                 /* signals in it */
	lastAt: number;                /* of the last of them; of a call, when its result came */
	took: number;                  /* of a call and of its result: how long; else NaN */
	version: number;               /* grows with every change */
}

export interface Episode {
	readonly items: readonly Item[];
	readonly lanes: readonly string[];
	readonly signals: number;
	readonly forgotten: number;    /* items that went because there were too many */
	readonly firstAt: number;      /* the earliest and the latest time, or NaN */
	readonly lastAt: number;
	readonly lastSeq: number;
	/* What is not newer than the last is passed over, so that history and what is live may
	 * overlap. */
	take(envelope: Envelope): void;
	gap(from: number, to: number): void;
	clear(): void;
}

interface Call { item: Item; id: string; tool: string }

interface Memory extends Episode {
	items: Item[];
	lanes: string[];
	signals: number;
	forgotten: number;
	firstAt: number;
	lastAt: number;
	lastSeq: number;
	calls: Call[];
	last: (Item | undefined)[];    /* of each lane */
}

export function createEpisode(): Episode {
	const m: Memory = {
		...empty(),
		take: (envelope) => take(m, envelope),
		gap: (from, to) => takeGap(m, from, to),
		clear: () => { Object.assign(m, empty()); },
	};

	return m;
}

function empty(): Omit<Memory, "take" | "gap" | "clear"> {
	return {
		items: [], lanes: [], signals: 0, forgotten: 0, firstAt: NaN, lastAt: NaN, lastSeq: 0,
		calls: [], last: [],
	};
}

function take(m: Memory, envelope: Envelope): void {
	if (!(envelope.seq > m.lastSeq))
		return;
	const { type, at, summary, failed } = entryOf(envelope, "");
	const time = Math.abs(at) <= TIME_MAX ? at : NaN;
	const lane = type === "gateway.frame" ? 0 : laneOf(m, agentOf(envelope));

	m.lastSeq = envelope.seq;
	m.signals++;
	if (type === "gateway.frame")       /* it tells again what was told */
		return;
	if (!Number.isNaN(time)) {
		m.firstAt = Number.isNaN(m.firstAt) ? time : Math.min(m.firstAt, time);
		m.lastAt = Number.isNaN(m.lastAt) ? time : Math.max(m.lastAt, time);
	}
	if (goesOn(m.last[lane], type))
		return join(m.last[lane]!, time, textOf(envelope, summary));
	const item = add(m, {
		seq: envelope.seq, at: time, type, lane, isGap: false,
		text: textOf(envelope, summary), hasFailed: failed,
	});
	m.last[lane] = item;
	if (type === "tool_call")
		beginCall(m, item, envelope);
	else if (type === "tool_result")
		endCall(m, item, envelope);
}

function takeGap(m: Memory, from: number, to: number): void {
	if (!(to > m.lastSeq))
		return;
	m.lastSeq = to;
	m.last = [];
	add(m, {
		seq: from, at: NaN, type: "", lane: 0, isGap: true, hasFailed: true,
		text: from === to ? `signal ${from} is missing` : `signals ${from} to ${to} are missing`,
	});
}

function add(m: Memory, begun: Pick<Item, "seq" | "at" | "type" | "lane" | "isGap" | "text" | "hasFailed">) {
	const item: Item = { ...begun, count: 1, lastAt: begun.at, took: NaN, version: 1 };

	m.items.push(item);
	if (m.items.length > ITEMS_MAX + 256) {
		m.items.splice(0, 256);
		m.forgotten += 256;
	}
	return item;
}

/* ---- who ---- */

/* The agent that did it; of a task, the one that is to do it; else whoever sent it. */
function agentOf({ type, source, payload }: Envelope): string {
	const agent = payload?.agentId ?? (type === "task_dispatch" ? payload?.to : undefined);

	return beginning(typeof agent === "string" && agent !== "" ? agent : brief(source), 200);
}

function laneOf(m: Memory, agent: string): number {
	const known = m.lanes.indexOf(agent);

	if (known >= 0)
		return known;
	if (m.lanes.length < LANES_MAX)
		return m.lanes.push(m.lanes.length === LANES_MAX - 1 ? OTHERS : agent) - 1;
	return LANES_MAX - 1;
}

/* ---- pieces of one text ---- */

function goesOn(last: Item | undefined, type: string): boolean {
	return last !== undefined && last.type === type && (type === "text_delta" || type === "thinking");
}

function join(item: Item, at: number, text: string): void {
	item.count++;
	item.version++;
	item.lastAt = Number.isNaN(at) ? item.lastAt : at;
	if (item.text.length >= TEXT_MAX)
		return;
	/* A little more rather than less: it is full then, and no later piece closes up to it. */
	const all = item.text + text;
	item.text = all.slice(0, wholeAfter(all, TEXT_MAX));
}

/* A piece of text keeps the space at its ends, which a line of its own would not show. */
function textOf({ type, payload }: Envelope, summary: string): string {
	const content = payload?.content;

	return (type === "text_delta" || type === "thinking") && typeof content === "string"
		? oneLine(content) : summary;
}

/* ---- calls and results ---- */

function beginCall(m: Memory, item: Item, { payload }: Envelope): void {
	m.calls.push({ item, id: brief(payload?.callId), tool: brief(payload?.toolName) });
	if (m.calls.length > CALLS_MAX)
		m.calls.shift();
}

/* By the name that joins the two, where they have one; else the first of this agent and tool. */
function endCall(m: Memory, item: Item, { payload }: Envelope): void {
	const id = brief(payload?.callId);
	const tool = brief(payload?.toolName);
	const at = m.calls.findIndex((call) => id !== "" && call.id !== "" ? call.id === id
		: call.item.lane === item.lane && (call.tool === tool || tool === ""));
	const call = at < 0 ? undefined : m.calls.splice(at, 1)[0]!.item;

	if (call === undefined)
		return;
	item.took = item.at - call.at;
	call.took = item.took;
	call.lastAt = Number.isNaN(item.at) ? call.lastAt : item.at;
	call.hasFailed ||= item.hasFailed;
	call.version++;
}
