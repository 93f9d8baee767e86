/* The top of a run: what it is, where it stands, how much of it there is, whether it is paused,
 * and what it asks. */

import { costWords, targetWords, tokenWords } from "../crew/words";
import type { Member, Names, Prompt } from "../desk";
import { fill, h, write } from "../text/dom";
import { knownAs, oneLine, visible } from "../text/signal";
import { beginning } from "../text/whole";
import { chartOf, countWords, durationWords, rateWords, sessionOf, standingOf, totalsOf, type Run } from "./model";

const NAME_MAX = 200;
const ASKED_MAX = 300;

export interface Head {
	readonly root: HTMLElement;
	draw(run: Run, prompts: readonly Prompt[]): void;
	tick(now: number): void;
}

export interface Hands { back(): void; copyId(): void; answer(question?: string): void; signals(): void }

export function head(names: Names, hands: Hands): Head {
	const title = h("h2", { class: "runs-title", tabindex: "-1" });
	const state = h("span", { class: "runs-pill", role: "status" });
	const took = h("span", { class: "runs-clock", title: "From its first signal to its last" });
	const id = h("code", { class: "runs-whole-id" });
	const path = h("ol", { class: "runs-path", "aria-label": "Where it stands" });
	const beside = h("p", { class: "runs-beside" });
	const numbers = h("dl", { class: "runs-figures" });
	const paused = h("p", { class: "runs-paused", role: "status" });
	const asked = h("p", { class: "runs-asked" });
	const root = h("header", { class: "runs-head" },
		h("div", { class: "runs-top" },
			h("button", { type: "button", class: "runs-back", onclick: hands.back }, "← Runs"),
			title, state, took),
		h("p", { class: "runs-names" }, id,
			h("button", { type: "button", class: "quiet", onclick: hands.copyId }, "Copy id"),
			h("button", { type: "button", class: "quiet", onclick: hands.signals }, "Its signals")),
		path, beside, numbers, paused, asked);
	let shown: Run | null = null;

	function tick(now: number): void {
		if (shown === null)
			return;
		const session = sessionOf(names.of(shown.id), shown.id);
		const isAtWork = session === undefined ? totalsOf(shown).live > 0 : session.group === "work" || session.group === "waits";
		const isOver = shown.finished || !isAtWork;
		const last = Math.max(shown.lastMs, shown.firstMs);
		write(took, durationWords((isOver ? last : Math.max(last, now)) - shown.firstMs));
	}

	return {
		root, tick,
		draw(run, prompts) {
			const totals = totalsOf(run);
			const session = sessionOf(names.of(run.id), run.id);
			const { name, words } = standingOf({ paused: run.debug?.paused ?? false, live: totals.live, finished: run.finished },
				prompts.length, session);

			shown = run;
			root.dataset.state = name;
			write(title, titleOf(run, names));
			title.title = visible(beginning(run.source, NAME_MAX));
			write(state, words);
			state.title = session === undefined ? "" : targetWords(session.state);
			write(id, visible(beginning(run.id, NAME_MAX * 3)));
			drawPath(path, run, session);
			drawBeside(beside, run, session);
			drawFigures(numbers, run, session);
			write(paused, pausedWords(run));
			paused.hidden = paused.textContent === "";
			drawAsked(asked, prompts, hands);
		},
	};
}

/* The session's name; what a run calls itself stands beside it. */
function titleOf(run: Run, names: Names): string {
	const own = visible(beginning(run.chart ?? "", NAME_MAX));

	return [names.who(run.id) ?? (own === "" ? visible(beginning(knownAs(run.source), NAME_MAX)) : ""), own]
		.filter((word) => word !== "").join(" · ");
}

/* Elements are made anew only when what they say is something else. */
function drawPath(path: HTMLElement, run: Run, session?: Member): void {
	const names = chartOf(run.breadcrumb.length > 0 ? run.breadcrumb : run.config, session)
		.map((name) => visible(beginning(name, NAME_MAX)));

	path.hidden = names.length === 0;
	if (path.dataset.drawn === names.join("\n"))
		return;
	path.dataset.drawn = names.join("\n");
	fill(path, names.map((name, i) => h("li", i === names.length - 1 ? { "aria-current": "step" } : {}, name)));
}

function drawBeside(beside: HTMLElement, run: Run, session?: Member): void {
	const here = new Set(run.config);
	const key = [...run.siblings, ...run.config].join("\n");

	beside.hidden = run.siblings.length === 0 || chartOf(run.config, session).length === 0;
	if (beside.dataset.drawn === key)
		return;
	beside.dataset.drawn = key;
	fill(beside, run.siblings.map((name) => {
		const words = visible(beginning(name, NAME_MAX));

		return here.has(name) ? h("b", {}, `◉ ${words}`) : h("span", {}, words);
	}));
}

function drawFigures(numbers: HTMLElement, run: Run, session?: Member): void {
	const rows: [string, string][] = [
		...session?.usage === undefined ? workOf(run) : spentOf(session),
		["in, out", run.inputTokens + run.outputTokens > 0
			? `${countWords(run.inputTokens)}, ${countWords(run.outputTokens)}` : ""],
		["errors", run.errors > 0 ? countWords(run.errors) : ""],
		["signals", countWords(run.signals)],
		["mode", run.debug?.mode === undefined || run.debug.mode === null ? ""
			: visible(beginning(run.debug.mode, NAME_MAX))],
		["ended as", run.finished && run.finalConfig ? visible(beginning(run.finalConfig, NAME_MAX)) : ""],
	];
	const shown = rows.filter(([, value]) => value !== "");

	if (numbers.dataset.drawn === String(shown))
		return;
	numbers.dataset.drawn = String(shown);
	fill(numbers, shown.map(([name, value]) => h("div", { class: `figure-${name.replace(/\W+/g, "-")}` },
		h("dt", {}, name), h("dd", {}, value))));
}

/* What a run tells of itself; of a session the crew knows how much it was in all. */
function workOf(run: Run): [string, string][] {
	const totals = totalsOf(run);

	return [["at work", `${totals.live} of ${run.invocations.length}`],
		["tokens", totals.tokens > 0 ? countWords(totals.tokens) : ""],
		["speed", totals.live > 0 ? rateWords(totals) : ""]];
}

function spentOf({ usage }: Member): [string, string][] {
	return [["tokens", tokenWords(usage).replace(/ tok$/, "")], ["cost", costWords(usage)]];
}

function pausedWords({ debug, finished }: Run): string {
	if (debug === null || finished)
		return "";
	const budget = debug.stepBudget === 1 ? "1 step" : `${debug.stepBudget} steps`;

	if (debug.paused)
		return debug.stepBudget > 0 ? `Paused, with ${budget} to go.` : "Paused. Step allows one action, Continue all.";
	return debug.stepBudget > 0 ? `It may do ${budget}, then it is paused.` : "";
}

function drawAsked(asked: HTMLElement, prompts: readonly Prompt[], { answer }: Hands): void {
	const [first] = prompts;
	const key = prompts.map(({ id }) => id).join("\n");

	asked.hidden = first === undefined;
	if (asked.dataset.drawn === key || first === undefined)
		return;
	asked.dataset.drawn = key;
	const words = oneLine(beginning(first.prompt, ASKED_MAX));
	fill(asked, [
		h("span", {}, prompts.length === 1 ? "It asks: " : `It asks ${prompts.length} things, first: `),
		h("q", {}, words),
		h("button", { type: "button", onclick: () => answer(first.id) }, "Answer"),
	]);
}
