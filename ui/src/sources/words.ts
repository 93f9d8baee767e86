/* What is said of a source, in words. Pure: time is an argument. */

import type { Protocol, Source } from "../desk";
import type { Found, Recognised } from "./acts";

export const CLAUDE_CODE = "local:claude-code";

const STATES: Record<string, string> = {
	disconnected: "disconnected", connecting: "connecting", connected: "connected",
	error: "given up", unavailable: "not there now",
};
const HOOK_STATES: Record<string, string> = {
	disconnected: "hooks not installed", connected: "hooks installed",
};

export function isHook(source: Source): boolean {
	return source.id === CLAUDE_CODE;
}

/* What a source speaks; nothing when nobody here speaks it. */
export function spoken(protocols: readonly Protocol[], name: string): Protocol | undefined {
	return protocols.find((one) => one.name === name);
}

export function isListedOnly(source: Source, protocol: Protocol | undefined): boolean {
	return !isHook(source) && protocol === undefined;
}

export function takesKey(protocol: Protocol | undefined): boolean {
	return (protocol?.credential ?? null) !== null;
}

export function keyWord(protocol: Protocol | undefined): string {
	return protocol?.credential ?? "key";
}

/* Is it this machine, by its name alone? The server has the last word. */
export function isLoopback(url: string | null): boolean {
	return /^wss?:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])([:/?]|$)/i.test(url ?? "");
}

export function mayPaste(source: Source, protocol: Protocol | undefined): boolean {
	return (protocol?.ownCredential ?? null) !== null && !source.configured
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

/* What a URL was recognised as, in a sentence or two. What needs a key is, without one, the other
 * protocol: the first words of its label say what that is. */
export function recognisedWords(found: Recognised, protocols: readonly Protocol[]): string {
	const protocol = spoken(protocols, found.protocol);
	const other = found.mayBecome;
	const otherLabel = (spoken(protocols, other ?? "")?.label ?? other)?.split(",")[0];
	const first = `${found.protocol}: ${protocol?.label ?? found.protocol}.`;

	if (other === null)
		return first;
	if (protocol?.needsCredential === true)
		return `${first} It needs a ${keyWord(protocol)}; without one it is treated as ${otherLabel}.`;
	return `${first} If it lists its models without a key, the protocol is ${other}; if it requires a key, choose ${other} below.`;
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
	"local:opencode": "Its port does not respond. Run opencode serve, then rescan.",
};

/* What would make a service come back. */
export function remedy(id: string): string {
	return REMEDIES[id] ?? "It was found here before. Start it or plug it in, then rescan.";
}
