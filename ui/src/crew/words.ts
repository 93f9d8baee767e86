/* What is shown of a session, in words and numbers. Pure; texts of agents are made visible here. */

import type { CrewState, Member, Spent } from "../desk";
import { oneLine } from "../text/signal";
import { shortened } from "../text/names";
import { beginning } from "../text/whole";

export type Group = Member["group"];

export const GROUPS: readonly Group[] = ["waits", "failed", "work", "idle", "over"];

/* Above a group; and in the line that counts them, of one and of several. */
export const GROUP_TITLES: Record<Group, string> = {
	waits: "Waits for you", failed: "Failed", work: "At work", idle: "Idle", over: "Finished",
};
const COUNTS: Record<Group, [string, string]> = {
	waits: ["waits for you", "wait for you"], failed: ["failed", "failed"], work: ["at work", "at work"],
	idle: ["idle", "idle"], over: ["finished", "finished"],
};

/* Told by shape, not by colour alone. */
export const GROUP_MARKS: Record<Group, string> = { waits: "?", failed: "✕", work: "▶", idle: "", over: "–" };

const TARGET_MAX = 160;
const TITLE_MAX = 200;

export function countWords(group: Group, count: number): string {
	return `${count} ${COUNTS[group][count === 1 ? 0 : 1]}`;
}

/* What it does now. A tool is what it does; all else has a word. */
export function stateWords(state: CrewState): string {
	const why = state.why === undefined ? "" : `: ${oneLine(beginning(state.why, TARGET_MAX))}`;

	switch (state.name) {
	case "tool": return shortened(state.tool ?? "tool");
	case "asks": return "waits for you";
	case "waits": return `waits${why}`;
	case "failed": return `failed${why || (state.exit === undefined ? "" : `: exit ${state.exit}`)}`;
	case "gone": return `gone${why}`;
	default: return shortened(state.name);
	}
}

/* On what it does it: the file, the command, the question. */
export function targetWords(state: CrewState): string {
	const target = state.name === "tool" ? state.target : state.name === "asks" ? state.question : undefined;

	return typeof target === "string" ? oneLine(beginning(target, TARGET_MAX)) : "";
}

export function titleWords(member: Member): string {
	return oneLine(beginning(member.title ?? "", TITLE_MAX));
}

/* Where it works: the project, its branch, and the machine where that is another one. */
export function placeWords({ project, branch, host }: Member): string {
	return [project, branch, host === undefined ? undefined : `on ${host}`]
		.filter((word): word is string => typeof word === "string" && word !== "").map((word) => shortened(word)).join(" · ");
}

/* A clock that is read at a glance: it runs by seconds for an hour, then by minutes. */
export function clockWords(ms: number): string {
	const s = Math.max(0, Math.floor(ms / 1000));
	const two = (n: number) => String(n).padStart(2, "0");

	if (!Number.isFinite(ms))
		return "";
	if (s < 3600)
		return `${Math.floor(s / 60)}:${two(s % 60)}`;
	return s < 86400 ? `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)}` : `${Math.floor(s / 86400)} d`;
}

/* ---- numbers: in the words that the terminal uses, too (src/crew/words.c) ---- */

export function amountWords(count: number): string {
	if (!Number.isFinite(count))
		return "";
	if (count < 1000)
		return String(Math.round(count));
	const [value, unit] = count < 999_500 ? [count / 1e3, "k"] : count < 999.5e6 ? [count / 1e6, "M"] : [count / 1e9, "G"];
	return `${value < 9.95 ? (Math.round(value * 10) / 10).toFixed(1) : Math.round(value)}${unit}`;
}

/* All tokens that were billed, whatever for. */
export function tokensOf(usage: Spent | undefined): number {
	const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 } = usage ?? {};

	return input + output + cacheRead + cacheWrite + cacheWrite1h;
}

export function tokenWords(usage: Spent | undefined): string {
	const all = tokensOf(usage);

	return all === 0 ? "" : `${amountWords(all)} tok`;
}

/* Whatever was used for an unknown price is never nothing: at least so much, or unknown. */
export function costWords(usage: Spent | undefined): string {
	if (usage === undefined)
		return "";
	const { cost, atLeast, unknown } = usage;

	if (typeof cost !== "number" || unknown === true && cost === 0)
		return tokensOf(usage) > 0 || unknown === true ? "unknown" : "";
	if (cost === 0)
		return tokensOf(usage) > 0 ? "$0.00" : "";
	return `${atLeast === true || unknown === true ? "≥ " : ""}${moneyWords(cost)}`;
}

export function moneyWords(cost: number): string {
	if (cost > 0 && cost < 0.01)
		return "< $0.01";
	const cents = Math.round(cost * 100);

	return cents < 1e5 ? `$${(cents / 100).toFixed(2)}` : `$${Math.round(cost).toLocaleString("en")}`;
}

/* How full the context is, from 0 to 1; null where that is not known. */
export function fullness(context: Member["context"]): number | null {
	const { used, window } = context ?? { used: NaN };

	return typeof window === "number" && window > 0 && used >= 0 ? Math.min(1, used / window) : null;
}

/* All of it for the pointer and for who listens. */
export function usageDetail(usage: Spent | undefined): string {
	const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0, reasoning = 0, calls = 0 } = usage ?? {};
	const rows: [string, number][] = [["input", input], ["output", output], ["of it reasoning", reasoning], ["cache read", cacheRead],
		["cache written", cacheWrite + cacheWrite1h], ["calls", calls]];

	return rows.filter(([, n]) => n > 0).map(([name, n]) => `${name} ${n.toLocaleString("en")}`).join(", ");
}
