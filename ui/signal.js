/* From an envelope to what a row of the log shows. Nothing here trusts a payload:
 * every field may be missing, of another type, or written to deceive. */

const SUMMARY_MAX = 400;
const NAME_MAX = 200;

/* Characters that would hide, reorder or smuggle text: controls, bidi marks and
 * overrides, zero-width spaces, line separators, tag characters. The joiners that
 * scripts and emoji need are not among them. */
const DECEIVING = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b"
	+ "\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"
	+ "\\u{e0000}-\\u{e007f}]", "gu");

const KNOWN = {
	task_dispatch: "blue", tool_call: "violet", tool_result: "teal", token_usage: "slate",
	agent_state_change: "indigo", error: "red", completion: "green", text_delta: "slate",
	thinking: "amber", event: "slate", "journal.gap": "red",
};
const OTHERS = ["blue", "violet", "teal", "indigo", "green", "amber", "pink"];

/* Every deceiving character as the JSON escape that stands for it. */
export function visible(text) {
	return text.replace(DECEIVING, (c) => {
		let escapes = "";

		for (let i = 0; i < c.length; i++)
			escapes += "\\u" + c.charCodeAt(i).toString(16).padStart(4, "0");
		return escapes;
	});
}

/* A type has one colour for ever; a type we never heard of gets one by its name. */
export function colourOf(type) {
	if (Object.hasOwn(KNOWN, type))
		return KNOWN[type];
	if (type.startsWith("user."))
		return "pink";
	let sum = 0;
	for (let i = 0; i < Math.min(type.length, NAME_MAX); i++)
		sum = (sum * 31 + type.charCodeAt(i)) >>> 0;
	return OTHERS[sum % OTHERS.length];
}

/* What the log keeps of a signal. `text` is the frame as it came. */
export function entryOf(envelope, text) {
	const { seq, type, correlationId, timestamp, metadata, payload } = envelope;
	const source = brief(envelope.source);

	return {
		kind: "signal", seq, text, source,
		type: brief(type),
		correlation: typeof correlationId === "string" ? correlationId : "",
		at: typeof timestamp === "number" ? timestamp : NaN,
		demo: source === "demo" || /^demo[:/]/.test(source) || Boolean(metadata?.demo),
		failed: type === "error" || payload?.success === false,
		...words(type, payload ?? {}),
	};
}

const REASONS = {
	lost: "the server lost them when it was cut off",
	replaced: "the server has another journal now",
	expired: "older than what the journal keeps",
	damaged: "damaged on the disk",
	skipped: "skipped, because this page was too slow",
	unexplained: "the server did not say why",
};

/* A hole in the log is a row of its own. */
export function gapEntryOf({ from, to, why }) {
	const which = from === to ? `signal ${from} is` : `signals ${from} to ${to} are`;
	const reason = Object.hasOwn(REASONS, why) ? REASONS[why] : visible(String(why));

	return {
		kind: "gap", seq: from, text: "", type: "", source: "", correlation: "",
		at: Date.now(), demo: false, failed: true, who: "",
		summary: `${which} missing: ${reason}`,
	};
}

/* A signal in one line: who, and what they did. */
function words(type, payload) {
	if (!Object.hasOwn(WRITERS, type))
		return { who: "", summary: oneLine(compact(payload)) };
	return { who: oneLine(brief(payload.agentId)), summary: oneLine(join(WRITERS[type](payload))) };
}

const WRITERS = {
	task_dispatch: (p) => [arrow(p.from, p.to), p.description],
	tool_call: (p) => [p.toolName, p.input],
	tool_result: (p) => [p.toolName, mark(p.success), p.output],
	token_usage: (p) => [`${brief(p.promptTokens)} in, ${brief(p.completionTokens)} out`, p.model],
	agent_state_change: (p) => [arrow(p.from, p.to), p.reason],
	error: (p) => [p.severity, p.code, p.message],
	completion: (p) => [mark(p.success), p.result],
	text_delta: (p) => [p.content],
	thinking: (p) => [p.content],
};

function oneLine(text) {
	return visible(text.slice(0, SUMMARY_MAX).replace(/\s*[\r\n]+\s*/g, " ↵ ").replaceAll("\t", " "));
}

function arrow(from, to) {
	return `${brief(from)} → ${brief(to)}`;
}

function mark(success) {
	return success === false ? "✗" : success === true ? "✓" : "";
}

function join(parts) {
	return parts.map(brief).filter((part) => part !== "").join("  ");
}

function brief(value) {
	if (value === undefined || value === null)
		return "";
	return typeof value === "object" ? compact(value) : String(value).slice(0, SUMMARY_MAX);
}

function compact(value) {
	return JSON.stringify(value).slice(0, SUMMARY_MAX);
}

/* Hours to milliseconds, local. A producer's clock may say anything. */
export function clock(at) {
	const date = new Date(at);

	if (Number.isNaN(date.getTime()))
		return "--:--:--.---";
	const two = (n) => String(n).padStart(2, "0");
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
		+ `.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
