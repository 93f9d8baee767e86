/* From an envelope to what a row of the log shows. Nothing here trusts a payload:
 * every field may be missing, of another type, or written to deceive. */

import type { Envelope, Gap } from "../desk";
import { beginning } from "./whole";

/* What is remembered of a signal, or of a hole between signals. */
export interface Entry {
	kind: "signal" | "gap";
	seq: number;
	text: string;           /* the frame as it came, byte for byte */
	type: string;
	source: string;
	correlation: string;
	at: number;             /* its timestamp, or NaN */
	demo: boolean;
	failed: boolean;
	who: string;
	agent?: string;         /* whose it is, as the signal names it */
	summary: string;
	lost?: boolean;         /* the server lost it after we had seen it */
	n?: number;             /* which one it was to come; set by the log */
}

type Payload = Record<string, unknown>;

const SUMMARY_MAX = 400;
const NAME_MAX = 200;

/* Characters that would hide, reorder or smuggle text: controls, bidi marks and overrides, line
 * separators, and all that has no shape (src/base/visible.c has the same tables). */
const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";
const SHAPELESS = "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f\\u3164"
	+ "\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
/* Joiners and selectors that scripts and emoji need, and blanks that look like a space. */
const NEEDED = "\\u200c\\u200d\\ufe0e\\ufe0f";
const BLANKS = "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800";

const DECEIVING = new RegExp(`[${CONTROLS}${SHAPELESS}]`, "gu");
const UNSEEN = new RegExp(`[${CONTROLS}${SHAPELESS}${NEEDED}${BLANKS}]|[\\ud800-\\udfff]`, "gu");

const KNOWN: Record<string, string> = {
	task_dispatch: "blue", tool_call: "violet", tool_result: "teal", token_usage: "slate",
	agent_state_change: "indigo", error: "red", completion: "green", text_delta: "slate",
	thinking: "amber", event: "slate", "journal.gap": "red",
};
const OTHERS = ["blue", "violet", "teal", "indigo", "green", "amber", "pink"];

/* A source by the name that people have for it. */
export function knownAs(source: string): string {
	return source === "adapter:tap" ? "Claude Code" : source;
}

function escaped(c: string): string {
	let escapes = "";

	for (let i = 0; i < c.length; i++)
		escapes += "\\u" + c.charCodeAt(i).toString(16).padStart(4, "0");
	return escapes;
}

/* Every deceiving character as the JSON escape that stands for it. */
export function visible(text: string): string {
	return text.replace(DECEIVING, escaped);
}

/* The same where somebody decides on it: nothing at all is unseen. Lines and tabs stay. */
export function unhidden(text: string): string {
	return text.replace(UNSEEN, (c) => c === "\n" || c === "\t" ? c : escaped(c));
}

/* A type has one colour for ever; a type we never heard of gets one by its name. */
export function colourOf(type: string): string {
	const known = Object.hasOwn(KNOWN, type) ? KNOWN[type] : undefined;

	if (known !== undefined)
		return known;
	if (type.startsWith("user."))
		return "pink";
	let sum = 0;
	for (let i = 0; i < Math.min(type.length, NAME_MAX); i++)
		sum = (sum * 31 + type.charCodeAt(i)) >>> 0;
	return OTHERS[sum % OTHERS.length] ?? "slate";
}

/* What the log keeps of a signal. `text` is the frame as it came. */
export function entryOf(envelope: Envelope, text: string): Entry {
	const { seq, type, correlationId, timestamp, metadata, payload } = envelope;
	const source = brief(envelope.source);

	return {
		kind: "signal", seq, text, source,
		type: brief(type),
		correlation: typeof correlationId === "string" ? correlationId : "",
		at: typeof timestamp === "number" ? timestamp : NaN,
		demo: source === "demo" || /^demo[:/]/.test(source) || Boolean(metadata?.demo),
		failed: type === "error" || payload?.success === false,
		...typeof payload?.agentId === "string" && payload.agentId.length <= NAME_MAX ? { agent: payload.agentId } : {},
		...words(type, payload ?? {}),
	};
}

const REASONS: Record<string, string> = {
	lost: "the server lost them in a crash, or restored an older state of its disk",
	expired: "older than the journal's retention",
	damaged: "damaged on the disk",
	skipped: "skipped, because this page was too slow",
	unexplained: "the server did not say why",
};

/* A hole in the log is a row of its own. */
export function gapEntryOf({ from, to, why }: Gap): Entry {
	const which = from === to ? `signal ${from} is` : `signals ${from} to ${to} are`;
	const reason = (Object.hasOwn(REASONS, why) ? REASONS[why] : undefined) ?? visible(String(why));

	return {
		kind: "gap", seq: from, text: "", type: "", source: "", correlation: "",
		at: Date.now(), demo: false, failed: true, who: "",
		summary: `${which} missing: ${reason}`,
	};
}

/* A signal in one line: who, and what they did. */
function words(type: string, payload: Payload): { who: string; summary: string } {
	const write = Object.hasOwn(WRITERS, type) ? WRITERS[type] : undefined;

	const parts = write?.(payload) ?? [];

	/* Who has other members than we know of is not shown as a blank. */
	if (!parts.some((part) => part !== undefined && part !== null))
		return { who: "", summary: oneLine(compact(payload)) };
	return { who: oneLine(brief(payload.agentId)), summary: oneLine(join(parts)) };
}

const WRITERS: Record<string, (p: Payload) => unknown[]> = {
	task_dispatch: (p) => [arrow(p.from, p.to), p.description],
	tool_call: (p) => [p.toolName, p.input],
	tool_result: (p) => [p.toolName, mark(p.success), p.output],
	token_usage: (p) => [`${brief(p.promptTokens)} in, ${brief(p.completionTokens)} out`, p.model],
	agent_state_change: (p) => [arrow(p.from, p.to), p.reason],
	error: (p) => [p.severity, p.code, p.message],
	completion: (p) => [mark(p.success), p.result],
	text_delta: (p) => [p.content],
	thinking: (p) => [p.content],
	prompt: (p) => [p.prompt],
	answer: (p) => [p.cancelled === true ? "cancelled" : p.value, hand(p.by)],
	"prompt.closed": (p) => [p.state, p.why, p.value],
	"prompt.settled": (p) => [p.decision, p.by === "agent" ? "decided there" : hand(p.by)],
	control: (p) => [p.do, p.n, hand(p.by)],
	"session.facts": (p) => [p.title, p.model, p.branch, p.cwd, p.status, p.waitingFor],
	"session.gone": (p) => ["gone", p.why],
	"session.title": (p) => [p.title === "" ? "its own title again" : p.title, hand(p.by)],
	"session.turn": (p) => [p.state],
	"agent.plan": (p) => [planned(p.items)],
	"agent.change": (p) => [p.kind, p.path, `+${brief(p.added)} −${brief(p.removed)}`],
	"source.state": (p) => [p.sourceId, arrow(p.from, p.to), p.error],
};

/* As much of a text as a line shows, with its ends of lines as signs. */
export function oneLine(text: string): string {
	return visible(beginning(text, SUMMARY_MAX).replace(/\s*[\r\n]+\s*/g, " ↵ ").replaceAll("\t", " "));
}

function planned(items: unknown): string | undefined {
	if (!Array.isArray(items))
		return undefined;
	const now = items.find((item: unknown) => (item as Payload | null)?.status === "in_progress") as Payload | undefined;

	return [`${items.length} ${items.length === 1 ? "item" : "items"}`, brief(now?.text)].filter((word) => word !== "").join(": ");
}

function arrow(from: unknown, to: unknown): string | undefined {
	return brief(from) + brief(to) === "" ? undefined : `${brief(from)} → ${brief(to)}`;
}

function mark(success: unknown): string | undefined {
	return success === false ? "✗" : success === true ? "✓" : undefined;
}

/* Whose hand it was, and at which screen. */
function hand(by: unknown): string | undefined {
	const { user, screen } = (typeof by === "object" && by !== null ? by : {}) as Payload;

	return typeof user !== "string" ? undefined : `by ${brief(user)}${typeof screen === "string" && screen ? ` at ${brief(screen)}` : ""}`;
}

function join(parts: unknown[]): string {
	return parts.map(brief).filter((part) => part !== "").join("  ");
}

/* Whatever it is, in a few characters. */
export function brief(value: unknown): string {
	if (value === undefined || value === null)
		return "";
	return typeof value === "object" ? compact(value) : beginning(String(value), SUMMARY_MAX);
}

function compact(value: unknown): string {
	return beginning(JSON.stringify(value), SUMMARY_MAX);
}

/* Hours to milliseconds, local. A producer's clock may say anything. */
export function clock(at: number): string {
	const date = new Date(at);

	if (Number.isNaN(date.getTime()))
		return "--:--:--.---";
	const two = (n: number) => String(n).padStart(2, "0");
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
		+ `.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
