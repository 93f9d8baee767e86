/* What the server tells of runs, and what a person wants to know of it; nothing here draws.
 * Names and words in it are those of agents: who shows them makes them visible() first. */

import { stateWords } from "../crew/words";
import type { Member } from "../desk";
import { knownAs } from "../text/signal";

export interface Brief {
	id: string; source: string; member?: string;        /* the session that it is of */
	signals: number; frames: number; firstSeq: number; lastSeq: number; firstMs: number; lastMs: number;
	config: string[]; finished: boolean; paused: boolean;
	live: number; invocations: number; tokens: number; tps: number; errors: number;
}

export interface Invocation {
	invokeid: string; session: string; model: string | null;
	status: "streaming" | "waiting" | "error" | "done"; thinking: boolean;
	chunks: number; chars: number; tokens: number; tps: number; elapsedMs: number;
	firstTs: number; lastTs: number; activeTs: number;
	text: string;           /* the end of what is being said */
}

export interface Debug { paused: boolean; stepBudget: number; mode?: string | null }

export interface Run {
	id: string; source: string;
	signals: number; frames: number; firstSeq: number; lastSeq: number; firstMs: number; lastMs: number;
	session: string | null; chart?: string | null;
	config: string[]; breadcrumb: string[]; siblings: string[];
	invocations: Invocation[]; debug: Debug | null;
	finished: boolean; finalConfig?: string | null;
	events: number; errors: number; inputTokens: number; outputTokens: number;
	firstTs: number; lastTs: number;
}

const MOMENT_S = 0.25;

export type StateName = "paused" | "asks" | "failed" | "working" | "finished" | "idle";
export interface Standing { name: StateName; words: string }

const STATE_WORDS: Record<StateName, string> = {
	paused: "paused", asks: "waits for you", failed: "failed", working: "working", finished: "finished", idle: "idle",
};
const NAMES_OF: Record<Member["group"], StateName> = {
	waits: "asks", failed: "failed", work: "working", idle: "idle", over: "finished",
};
/* What a plain signal calls the states of an agent (agent_state_change). */
const PLAIN_STATES = new Set(["idle", "thinking", "acting", "waiting", "done", "error"]);

/* The session that this run is the present of: what it does is what the run does. */
export function sessionOf(member: Member | undefined, id: string): Member | undefined {
	return member !== undefined && (member.run ?? member.id) === id ? member : undefined;
}

/* Where a run stands: as the crew has it, and what is nobody's by what the run itself tells. A
 * person who paused it wants to see that. */
export function standingOf(run: { paused: boolean; live: number; finished: boolean }, questions: number, session?: Member): Standing {
	const name = session === undefined ? ownState(run, questions) : NAMES_OF[session.group];

	if (run.paused && !run.finished && (name === "working" || name === "idle"))
		return { name: "paused", words: STATE_WORDS.paused };
	if (name === "asks" && questions > 1)
		return { name, words: `${questions} questions` };
	return { name, words: session === undefined ? STATE_WORDS[name] : stateWords(session.state) };
}

function ownState(run: { live: number; finished: boolean }, questions: number): StateName {
	if (run.finished)
		return "finished";
	if (questions > 0)
		return "asks";
	return run.live > 0 ? "working" : "idle";
}

/* The states of a chart of its own; a session's plain ones are told by the crew. */
export function chartOf(config: readonly string[], session?: Member): readonly string[] {
	const isPlain = config.length === 2 && PLAIN_STATES.has(config[1] ?? "");

	return session !== undefined && isPlain ? [] : config;
}

/* Words must all be somewhere in it, whatever their case. */
export function passes(run: Brief, filter: string, handle = ""): boolean {
	const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
	const text = [handle, run.id, run.source, knownAs(run.source), ...run.config].join("\n").toLowerCase();

	return words.every((word) => text.includes(word));
}

/* Who spoke last comes first; of one moment, who has the newest signal. */
export function inOrder(runs: readonly Brief[]): Brief[] {
	return [...runs].sort((a, b) => b.lastSeq - a.lastSeq);
}

/* The run to show while nobody has chosen one, of `runs` in their order: one that asks, or else
 * the one that spoke last. The one that is shown stays until it has ended, so that nothing is
 * taken away from somebody who reads. */
export function deserving(runs: readonly Brief[], asks: (id: string) => boolean, shown: string | null): string | null {
	const isOver = !runs.some(({ id, finished }) => id === shown && !finished);

	return isOver ? (runs.find(({ id, finished }) => !finished && asks(id)) ?? runs[0])?.id ?? null : shown;
}

/* ---- invocations, by their name ---- */

export interface Group { name: string; all: Invocation[]; done: number; tokens: number; tps: number }

const RANK = { streaming: 0, waiting: 1, error: 2, done: 3 };

/* Those that stream are on top, then by who was active last; as the terminal shows them. */
export function groupsOf(invocations: readonly Invocation[]): Group[] {
	const byName = new Map<string, Group>();

	for (const one of invocations) {
		const group = byName.get(one.invokeid) ?? { name: one.invokeid, all: [], done: 0, tokens: 0, tps: 0 };
		byName.set(one.invokeid, group);
		group.all.push(one);
		group.done += one.status === "done" ? 1 : 0;
		group.tokens += one.tokens;
		group.tps += isLive(one) ? one.tps : 0;
	}
	return [...byName.values()].sort((a, b) => rankOf(a) - rankOf(b) || activeOf(b) - activeOf(a));
}

export function isLive(one: Invocation): boolean {
	return one.status === "streaming" || one.status === "waiting";
}

function rankOf(group: Group): number {
	return Math.min(...group.all.map((one) => RANK[one.status] ?? 3));
}

function activeOf(group: Group): number {
	return Math.max(...group.all.map((one) => one.activeTs));
}

/* How many work now, and how fast they are together. */
export function totalsOf(run: Run): { live: number; tokens: number; tps: number } {
	const live = run.invocations.filter(isLive);

	return {
		live: live.length,
		tokens: run.invocations.reduce((sum, one) => sum + one.tokens, 0),
		tps: live.reduce((sum, one) => sum + one.tps, 0),
	};
}

/* ---- numbers for people ---- */

export function countWords(count: number): string {
	if (!Number.isFinite(count))
		return "";
	if (count < 10000)
		return String(Math.round(count));
	return count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/* What came within a moment is no measure of a rate. */
export function rateWords({ tps, tokens }: { tps: number; tokens: number }): string {
	return tps > 0 && tokens / tps >= MOMENT_S ? `${tps.toFixed(tps < 100 ? 1 : 0)} tok/s` : "";
}

export function durationWords(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	const two = (n: number) => String(n).padStart(2, "0");

	if (!Number.isFinite(ms))
		return "";
	return seconds < 3600 ? `${Math.floor(seconds / 60)}:${two(seconds % 60)}`
		: `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

export function agoWords(ms: number): string {
	const seconds = Math.floor(ms / 1000);

	if (!Number.isFinite(ms) || seconds < 2)
		return "now";
	if (seconds < 60)
		return `${seconds} s ago`;
	if (seconds < 3600)
		return `${Math.floor(seconds / 60)} min ago`;
	return seconds < 86400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86400)} d ago`;
}

/* ---- whose a signal is ---- */

/* As the server decides it: by its correlation, and without one by its source. */
export function runOf(envelope: { correlationId?: unknown; source?: unknown }): string {
	const { correlationId, source } = envelope;

	if (typeof correlationId === "string" && correlationId !== "")
		return correlationId;
	return typeof source === "string" ? source : "";
}

/* One line of the list: a session with its runs, of which one is shown. */
export interface Line { key: string; run: Brief; count: number }

/* A session has one line, where the first of its runs stands. It shows the one that is chosen, else one that asks,
 * else the first. */
export function linesOf(runs: readonly Brief[], asks: (id: string) => boolean, chosen: string | null): Line[] {
	const lines = new Map<string, Line>();
	const worth = ({ id }: Brief): number => id === chosen ? 2 : asks(id) ? 1 : 0;

	for (const run of runs) {
		const key = run.member ?? run.id;
		const line = lines.get(key);

		if (line === undefined) {
			lines.set(key, { key, run, count: 1 });
			continue;
		}
		line.count++;
		if (worth(run) > worth(line.run))
			line.run = run;
	}
	return [...lines.values()];
}
