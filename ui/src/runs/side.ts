/* The list of runs with its filter, kept fresh while somebody looks. */

import type { Link, Names, Prompt } from "../desk";
import { fill, h, write } from "../text/dom";
import { visible } from "../text/signal";
import { keeper } from "./keeper";
import { list } from "./list";
import { deserving, inOrder, linesOf, passes, type Brief } from "./model";

export const REST_MS = 500;   /* between two questions for the same thing */
const CREW_MS = 100;          /* in which news of the crew are gathered */
const FEW = 100;
const ALL = 4096;

const STEPS: Record<string, number> = {
	j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -ALL, End: ALL,
};

export interface Side {
	readonly root: HTMLElement;
	/* How far the server had folded its journal when it was asked last. */
	readonly folded: number;
	look(isSeen: boolean): void;
	/* A signal came; 0: all that was heard is of no account. */
	hear(seq: number): void;
	hearPrompt(prompt: Prompt | null): void;
	choose(id: string | null): void;
	/* Which run to show while nobody has chosen one, and this one is shown. */
	offer(shown: string | null): string | null;
	tick(now: number): void;
	key(key: string): boolean;
}

/* `go` is told what a person chose, `fresh` that the list is a newer one. */
export function side(link: Link, names: Names, go: (id: string) => void, now: () => number, fresh: () => void): Side {
	const open = new Map<string, Prompt>();
	const rows = list(names, go);
	const parts = makeParts(rows.root);
	let runs: Brief[] | null = null;
	let folded = 0;
	let heard = 0;
	let limit = FEW;
	let chosen: string | null = null;
	let isSeen = false;
	let due: number | undefined;

	const keep = keeper({ restMs: REST_MS, async ask() {
		try {
			const answer = await link.request<{ seq: number; runs: Brief[] }>("GET", `/api/runs?limit=${limit}`);
			runs = inOrder(answer.runs);
			folded = answer.seq;
			parts.tell("");
		} catch (error) {
			parts.tell(`The runs could not be read: ${(error as Error).message}`);
			return false;
		}
		fresh();
		draw();
		return folded < heard;
	} });

	function draw(): void {
		const some = (runs ?? []).filter((run) => passes(run, parts.filter.value, names.who(run.member ?? run.id)));
		const questions = countOf(open);

		if (!isSeen)
			return;
		rows.draw(linesOf(some, (id) => questions.has(id), chosen), questions, chosen);
		rows.tick(now());
		parts.more.hidden = limit === ALL || runs === null || runs.length < limit;
		rows.root.hidden = some.length === 0;
		drawNone(parts.none, some.length, runs);
	}

	function wantAll(): void {
		if (limit === ALL)
			return;
		limit = ALL;
		keep.touch();
	}

	/* Sessions that stand otherwise than they did, several at a time. */
	function drawSoon(): void {
		due ??= window.setTimeout(() => {
			due = undefined;
			draw();
		}, CREW_MS);
	}

	link.on("crew", drawSoon);
	parts.more.addEventListener("click", wantAll);
	parts.filter.addEventListener("input", () => {
		if (parts.filter.value !== "")
			wantAll();
		draw();
	});
	return {
		root: parts.root,
		get folded() { return folded; },
		look(seen) {
			isSeen = seen;
			keep.look(seen);
			draw();
		},
		hear(seq) {
			heard = seq;
			keep.touch();
		},
		hearPrompt(prompt) {
			hearPrompt(open, prompt);
			draw();
		},
		choose(id) {
			chosen = id;
			draw();
		},
		offer: (shown) => deserving(runs ?? [], (id) => countOf(open).has(id), shown),
		tick: rows.tick,
		key: (key) => press(key, parts.filter, rows),
	};
}

function makeParts(rows: HTMLElement) {
	const filter = h("input", {
		type: "search", class: "runs-filter", placeholder: "Filter by name, id, source or phase", "aria-label": "Filter the runs",
		autocomplete: "off", spellcheck: "false",
	});
	const failed = h("p", { class: "runs-failed", role: "status", hidden: true });
	const none = h("div", { class: "runs-empty", hidden: true });
	const more = h("button", { type: "button", class: "quiet runs-all", hidden: true }, "Show older runs");

	return {
		filter, none, more,
		root: h("nav", { class: "runs-side", "aria-label": "Runs" },
			h("div", { class: "runs-search" }, filter), failed, none, rows, more),
		tell(words: string): void {
			write(failed, visible(words));
			failed.hidden = words === "";
		},
	};
}

function press(key: string, filter: HTMLElement, rows: { move(by: number): void; enter(): void }): boolean {
	if (key === "/")
		filter.focus();
	else if (key === "Enter" || key === " ")
		rows.enter();
	else if (Object.hasOwn(STEPS, key))
		rows.move(STEPS[key] ?? 0);
	else
		return false;
	return true;
}

/* Null: all open ones are told again. */
function hearPrompt(open: Map<string, Prompt>, prompt: Prompt | null): void {
	if (prompt === null)
		open.clear();
	else if (prompt.state === "open")
		open.set(prompt.id, prompt);
	else
		open.delete(prompt.id);
}

function countOf(open: ReadonlyMap<string, Prompt>): Map<string, number> {
	const counts = new Map<string, number>();

	for (const { run } of open.values())
		counts.set(run, (counts.get(run) ?? 0) + 1);
	return counts;
}

function drawNone(none: HTMLElement, count: number, runs: readonly Brief[] | null): void {
	none.hidden = count > 0 || runs === null;
	if (none.hidden)
		return;
	if (runs !== null && runs.length > 0)
		fill(none, [h("p", {}, "No run matches these words.")]);
	else
		fill(none, [h("h2", {}, "No runs yet"),
			h("p", {}, "A run is one piece of an agent's work: a session of Claude Code, an answer, a program."),
			h("p", {}, "Ask a source something, or start a run in a terminal:"),
			h("p", {}, h("code", {}, "signalbox run -- your-agent"))]);
}
