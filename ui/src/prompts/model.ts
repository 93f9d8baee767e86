/* What agents ask, as the page knows it: open questions, those that are being answered, and for
 * a while those that are over, with who was first. Two things tell of an end: the prompt's own
 * frame, and the signal in the journal, which also says what was answered and reaches a page
 * that was away. Pure: whoever calls says what time it is. */

import type { Envelope, Prompt } from "../desk";
import { whoOf } from "../talk/fold";

export const OVER_MS = 8_000;        /* how long one that is over is shown */
const OVER_MAX = 20;                 /* and how many of them */
const DECIDED_THERE = "it was decided there";   /* the server's words */

export interface Item {
	readonly id: string;
	prompt: Prompt;
	state: Prompt["state"] | "gone";   /* gone: over, and nobody can say how */
	version: number;
	readonly since: number;            /* when it was first heard of */
	isSending: boolean;                /* until the server has said what it makes of our answer */
	isMine: boolean;                   /* the answer that counted was given here */
	isSure: boolean;                   /* false: the server has yet to say that it is open still */
	fault: string;                     /* why an answer was refused */
	who: string;                       /* answered or closed it, in words */
	value: unknown;                    /* the answer; undefined: not known, or none */
	settled: Settled | null;           /* what its agent did, once that is known */
	overAt: number;
}

export interface Settled { isAgents: boolean; decision: string; who: string }

export interface Prompts {
	/* The newest first. */
	open(): Item[];
	/* Over, the latest first. */
	over(): Item[];
	get(id: string): Item | undefined;
	/* Gives the item if it was not known to be open before. */
	hear(prompt: Prompt, now: number): Item | null;
	/* An answer or an end in the journal; gives whether it was of one of ours. */
	take(envelope: Envelope, now: number): boolean;
	/* All open ones will be told again. */
	forget(): void;
	/* These are open, and no others. */
	settle(open: readonly Prompt[], now: number): void;
	sending(id: string): void;
	sent(id: string, value: unknown): void;
	/* Refused: it stays open, unless the reason says that it is over. */
	refused(id: string, code: string, words: string, now: number): void;
	/* Lets go of what has been over for long; gives whether something went. */
	age(now: number, isKept: (id: string) => boolean): boolean;
}

export function createPrompts(): Prompts {
	const all = new Map<string, Item>();
	const list = (isOpen: boolean) => [...all.values()].filter(({ state }) => (state === "open") === isOpen);

	return {
		open: () => list(true).sort((a, b) => b.since - a.since),
		over: () => list(false).sort((a, b) => b.overAt - a.overAt),
		get: (id) => all.get(id),
		hear: (prompt, now) => hear(all, prompt, now),
		take: (envelope, now) => take(all, envelope, now),
		forget() {
			for (const item of all.values())
				item.isSure = false;
		},
		settle(open, now) {
			const ids = new Set(open.map(({ id }) => id));

			open.forEach((prompt) => hear(all, prompt, now));
			for (const item of all.values())
				if (item.state === "open" && !item.isSure && !ids.has(item.id))
					end(item, "gone", now);
		},
		sending: (id) => change(all.get(id), { isSending: true, fault: "" }),
		sent: (id, value) => change(all.get(id), { isSending: false, isMine: true, value }),
		refused: (id, code, words, now) => refused(all.get(id), code, words, now),
		age: (now, isKept) => age(all, now, isKept),
	};
}

function change(item: Item | undefined, to: Partial<Item>): void {
	if (item !== undefined)
		Object.assign(item, to, { version: item.version + 1 });
}

function end(item: Item, state: Item["state"], now: number): void {
	change(item, { state, overAt: Number.isNaN(item.overAt) ? now : item.overAt });
}

/* Each is later than the one before, so that the order is that in which they came. */
function after(all: Map<string, Item>, now: number): number {
	let last = 0;

	for (const { since } of all.values())
		last = Math.max(last, since);
	return Math.max(now, last + 1e-3);
}

function hear(all: Map<string, Item>, prompt: Prompt, now: number): Item | null {
	/* It is somebody else who is asked. */
	if (prompt.answerable === false)
		return null;
	const known = all.get(prompt.id);

	if (known === undefined) {
		if (prompt.state !== "open")
			return null;
		const item: Item = { id: prompt.id, prompt, state: "open", version: 1, since: after(all, now),
			isSending: false, isMine: false, isSure: true, fault: "", who: "", value: undefined, settled: null,
			overAt: NaN };
		all.set(prompt.id, item);
		return item;
	}
	known.isSure = true;
	if (prompt.state === "open")
		return null;
	known.who ||= whoOf(prompt.by) || String(prompt.why ?? "");
	end(known, prompt.state, now);
	if (prompt.settled !== undefined)
		settled(known, prompt.settled, now);
	return null;
}

/* Comes after its end, which is told anew. */
function settled(item: Item, { by, decision }: { by?: unknown; decision?: unknown }, now: number): void {
	if (item.settled === null)
		change(item, { settled: { isAgents: by === "agent", decision: String(decision), who: whoOf(by) }, overAt: now });
}

function take(all: Map<string, Item>, { type, source, payload }: Envelope, now: number): boolean {
	if (source !== "signalbox" || type !== "answer" && type !== "prompt.closed" && type !== "prompt.settled")
		return false;
	const item = all.get(String(payload.prompt));

	if (item === undefined)
		return false;
	if (type === "prompt.settled") {
		settled(item, payload, now);
		return true;
	}
	const state = type === "answer" ? payload.cancelled === true ? "cancelled" : "answered"
		: payload.state === "expired" ? "expired" : "cancelled";
	change(item, { value: payload.value, who: type === "answer" ? whoOf(payload.by) : String(payload.why ?? "") });
	end(item, state, now);
	return true;
}

const OVER_CODES: Record<string, Item["state"]> = {
	already_answered: "answered", expired: "expired", unknown_prompt: "gone",
};

function refused(item: Item | undefined, code: string, words: string, now: number): void {
	if (item === undefined)
		return;
	change(item, { isSending: false, fault: words });
	if (item.state === "open" && OVER_CODES[code] !== undefined)
		end(item, OVER_CODES[code], now);
}

function age(all: Map<string, Item>, now: number, isKept: (id: string) => boolean): boolean {
	const over = [...all.values()].filter(({ state }) => state !== "open").sort((a, b) => b.overAt - a.overAt);
	const gone = over.filter(({ id, overAt }, i) => (now - overAt > OVER_MS || i >= OVER_MAX) && !isKept(id));

	gone.forEach(({ id }) => all.delete(id));
	return gone.length > 0;
}

/* ---- what is asked ---- */

export interface Choice { label: string; value: unknown; edit?: unknown; rule: string; isSafe: boolean }

/* Options may be bare values. The server has made pairs of them, but nothing is believed. */
export function choicesOf({ options }: Prompt): Choice[] {
	return (Array.isArray(options) ? options : []).map((option: unknown) => {
		if (typeof option !== "object" || option === null)
			return { label: String(option), value: option, rule: "", isSafe: false };
		const { label, value, edit, rule, safe } = option as Record<string, unknown>;
		const words = typeof label === "string" && label !== "" ? label
			: typeof value === "string" ? value : JSON.stringify(value) ?? "";
		return { label: words, value, ...edit === undefined ? {} : { edit }, rule: typeof rule === "string" ? rule : "",
			isSafe: safe === true };
	});
}

/* A tool that wants to be allowed: its name, and what it would be given. The words say the same
 * in their way, so they are shown only while the input itself is not there. */
export interface Approval { tool: string; input: unknown }

export function approvalOf(prompt: Prompt): Approval | null {
	return typeof prompt.tool === "string" ? { tool: prompt.tool, input: prompt.input } : null;
}

const MISSING = " BYTES MORE THAT ARE NOT SHOWN";

/* Is there more to it than what came with it? Then how much, if that is known. */
export function missingOf(prompt: Prompt): string {
	if (prompt.tool !== undefined && prompt.input === undefined && typeof prompt.inputBytes === "number")
		return `${prompt.inputBytes.toLocaleString("en")} bytes`;
	return prompt.input === undefined && prompt.prompt.endsWith(MISSING) ? "what is missing" : "";
}

/* How long there is, in words. */
export function leftOf(deadline: number | undefined, now: number): string {
	if (typeof deadline !== "number")
		return "";
	const s = Math.ceil((deadline - now) / 1000);
	const two = (n: number) => String(n).padStart(2, "0");

	if (s <= 0)
		return "its time is over";
	if (s < 60)
		return `${s} s left`;
	return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)} left` : `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} left`;
}

const DECISIONS: Record<string, string> = {
	allow: "allowed", always: "allowed, and always from now on", deny: "denied", stop: "denied, and it was stopped",
};

export function decisionOf({ isAgents, decision, who }: Settled): string {
	const did = Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision]! : decision;

	if (decision === "gone")
		return "Its agent is gone";
	return isAgents ? `It was decided there: ${did}` : `Settled: ${did}${who === "" ? "" : `, by ${who}`}`;
}

/* How it ended, in words: what its agent did counts, whatever was answered here. */
export function endOf(item: Item): string {
	const who = item.who === "" ? "" : ` by ${item.who}`;

	if (item.settled !== null && (item.settled.isAgents || !item.isMine))
		return decisionOf(item.settled) + (item.settled.isAgents && item.state === "answered"
			? `. ${item.isMine ? "Your answer" : "The answer given here"} came too late` : "");
	switch (item.state) {
	case "answered": return item.isMine ? "You answered"
		: `${item.fault === "" ? "" : "Somebody else was first. "}Answered${who}`;
	case "cancelled": return item.isMine ? "You cancelled it" : item.who === DECIDED_THERE ? "It was decided there"
		: `Cancelled${item.who === "" ? "" : `: ${item.who}`}`;
	case "expired": return "Nobody answered in time";
	case "gone": return "It has ended while this page was disconnected";
	default: return "";
	}
}
