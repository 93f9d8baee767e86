/* What is said of a source, in words. Pure: time is an argument. */

import type { Source } from "../desk";
import type { Found, Recognised } from "./acts";

export const CLAUDE_CODE = "local:claude-code";

/* The protocols that can be chosen, and what each of them is. */
export const PROTOCOLS: readonly (readonly [string, string])[] = [
	["websocket", "a WebSocket, one signal per message"],
	["sse", "an event stream, or one signal per line"],
	["openai", "a server like OpenAI's, with a list of models"],
	["responses", "OpenAI's Responses"],
	["anthropic", "Anthropic's models"],
	["ollama", "Ollama's own protocol"],
	["openclaw", "an OpenClaw gateway"],
	["run", "a hub of runs, such as Escapement's"],
	["scenario", "a recording to play"],
	["midi", "a MIDI port"],
];

const STATES: Record<string, string> = {
	disconnected: "disconnected", connecting: "connecting", connected: "connected",
	error: "given up", unavailable: "not there now",
};
const HOOK_STATES: Record<string, string> = {
	disconnected: "hooks not installed", connected: "hooks installed",
};

/* Only listed: nobody here speaks it. */
export function isListedOnly(source: Source): boolean {
	return source.protocol === "codex";
}

export function isHook(source: Source): boolean {
	return source.id === CLAUDE_CODE;
}

export function takesKey(source: Source): boolean {
	return !["hook", "codex", "midi", "scenario", "ollama"].includes(source.protocol);
}

/* Is it this machine, by its name alone? The server has the last word. */
export function isLoopback(url: string | null): boolean {
	return /^wss?:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])([:/?]|$)/i.test(url ?? "");
}

export function mayPaste(source: Source): boolean {
	return source.protocol === "openclaw" && !source.configured
		&& (source.category === "local" || isLoopback(source.url));
}

export function stateWords(source: Source, now: number): string {
	if (source.state === "connecting" && source.retryAt !== null)
		return `tries again ${inSeconds(source.retryAt - now)}`;
	const own = isHook(source) ? HOOK_STATES[source.state] : undefined;
	return own ?? STATES[source.state] ?? source.state;
}

/* Which try comes next; nothing for the first. */
export function tryWords(source: Source): string {
	return source.state === "connecting" && source.attempt > 0 ? `${source.attempt} failed so far` : "";
}

function inSeconds(ms: number): string {
	const seconds = Math.ceil(ms / 1000);

	if (seconds <= 0)
		return "now";
	return seconds < 120 ? `in ${seconds} s` : `in ${Math.round(seconds / 60)} min`;
}

export function agoWords(at: number | null, now: number): string {
	if (at === null)
		return "never";
	const seconds = Math.max(0, Math.floor((now - at) / 1000));

	if (seconds < 2)
		return "now";
	if (seconds < 120)
		return `${seconds} s ago`;
	if (seconds < 7200)
		return `${Math.floor(seconds / 60)} min ago`;
	return seconds < 172800 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86400)} days ago`;
}

export function sizeWords(bytes: number): string {
	const units = ["B", "KB", "MB", "GB", "TB"];
	let n = bytes, i = 0;

	for (; n >= 1000 && i < units.length - 1; i++)
		n /= 1000;
	return `${i === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[i]}`;
}

export function countWords(n: number): string {
	return n < 1e6 ? n.toLocaleString("en") : `${(n / 1e6).toFixed(n < 1e7 ? 2 : 1)} M`;
}

function protocolWords(protocol: string): string {
	return PROTOCOLS.find(([name]) => name === protocol)?.[1] ?? protocol;
}

/* What a URL was recognised as, in a sentence or two. */
export function recognisedWords(found: Recognised): string {
	const first = `${found.protocol}: ${protocolWords(found.protocol)}.`;

	if (found.mayBecome === "openai")
		return `${first} If it lists its models without a key, the protocol is openai; if it requires a key, choose openai below.`;
	if (found.mayBecome === "sse")
		return `${first} It needs a key; without one it is treated as an event stream.`;
	return first;
}

/* What a look at this machine came to. */
export function foundWords({ services, midi }: Found): string {
	const name = (list: string[]) => new Intl.ListFormat("en").format(list);
	const there = services.filter((s) => s.available)
		.map((s) => s.models.length > 0 ? `${s.label} (${s.models.length} models)` : s.label);
	const away = services.filter((s) => !s.available).map((s) => s.label);
	const ports = midi.length === 1 ? "1 MIDI port" : `${midi.length} MIDI ports`;
	const found = midi.length > 0 ? [...there, ports] : there;

	return [
		found.length > 0 ? `Found ${name(found)}.` : "Nothing was found on this machine.",
		away.length > 0 ? `Not there: ${name(away)}.` : "",
	].join(" ").trim();
}

const REMEDIES: Record<string, string> = {
	[CLAUDE_CODE]: "There is no claude on the PATH and no ~/.claude. Install Claude Code, then rescan.",
	"local:openclaw": "Its port does not respond. Start the gateway, then rescan.",
	"local:lm-studio": "Its port does not respond. Start LM Studio's server, then rescan.",
	"local:ollama": "Its port does not respond. Run ollama serve, then rescan.",
	"local:codex": "Its port does not respond. Start Codex's app server, then rescan.",
};

/* What would make a service come back. */
export function remedy(id: string): string {
	return REMEDIES[id] ?? "It was found here before. Start it or plug it in, then rescan.";
}
