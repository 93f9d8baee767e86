/* The list of runs: who spoke last on top, one row for each session, kept by its id so that what is
 * chosen, focused or read stays where it is while numbers change. */

import { costWords, targetWords, titleWords, tokenWords } from "../crew/words";
import type { Member, Names } from "../desk";
import { fill, h, write } from "../text/dom";
import { knownAs, visible } from "../text/signal";
import { beginning } from "../text/whole";
import { keyed } from "./keyed";
import { agoWords, chartOf, countWords, rateWords, standingOf, type Brief, type Line } from "./model";

const ROWS_MAX = 500;         /* More are counted; a filter finds them. */
const NAME_MAX = 200;

interface Shown { line: Line; questions: number; isChosen: boolean }

export interface List {
	readonly root: HTMLElement;
	draw(lines: readonly Line[], questions: ReadonlyMap<string, number>, chosen: string | null): void;
	/* Only what depends on the time. */
	tick(now: number): void;
	move(by: number): void;
	enter(): void;
}

export function list(names: Names, choose: (id: string) => void): List {
	const root = h("ul", {
		class: "runs-list", role: "listbox", tabindex: "0", "aria-label": "Runs, most recently active first",
	});
	const agos = new Map<string, { element: HTMLElement; lastMs: number }>();
	const shownRuns = new Map<string, string>();
	let order: string[] = [];
	let at: string | null = null;       /* the row that the keys stand on */
	let made = 0;

	const rows = keyed<Shown>(root, (key) => {
		const row = makeRow(`runs-row-${++made}`);
		row.root.addEventListener("click", () => {
			stand(key);
			enter();
		});
		return {
			root: row.root,
			draw(shown) {
				agos.set(key, { element: row.ago, lastMs: shown.line.run.lastMs });
				drawRow(row, shown, names);
			},
		};
	});

	function enter(): void {
		const run = at === null ? undefined : shownRuns.get(at);

		if (run !== undefined)
			choose(run);
	}

	function stand(key: string | null): void {
		if (at !== null)
			rows.get(at)?.classList.remove("at");
		at = key;
		const row = key === null ? undefined : rows.get(key);
		row?.classList.add("at");
		if (row === undefined)
			root.removeAttribute("aria-activedescendant");
		else
			root.setAttribute("aria-activedescendant", row.id);
	}

	return {
		root, enter,
		draw(lines, questions, chosen) {
			const shown = lines.slice(0, ROWS_MAX);

			order = shown.map(({ key }) => key);
			agos.clear();
			shownRuns.clear();
			shown.forEach(({ key, run }) => shownRuns.set(key, run.id));
			rows.draw(shown.map((line) => [line.key,
				{ line, questions: questions.get(line.run.id) ?? 0, isChosen: line.run.id === chosen }]));
			if (at === null || rows.get(at) === undefined)
				stand(shown.find(({ run }) => run.id === chosen)?.key ?? order[0] ?? null);
		},
		tick(now) {
			for (const { element, lastMs } of agos.values())
				write(element, agoWords(now - lastMs));
		},
		move(by) {
			const here = at === null ? -1 : order.indexOf(at);
			const next = order[Math.max(0, Math.min(order.length - 1, here + by))];

			if (next === undefined)
				return;
			stand(next);
			rows.get(next)?.scrollIntoView({ block: "nearest" });
		},
	};
}

interface Row {
	root: HTMLElement; id: HTMLElement; source: HTMLElement; state: HTMLElement; ago: HTMLElement;
	phase: HTMLElement; numbers: HTMLElement;
}

function makeRow(elementId: string): Row {
	const id = h("span", { class: "runs-id" });
	const source = h("b", { class: "runs-source" });
	const state = h("span", { class: "runs-state" });
	const ago = h("span", { class: "runs-ago" });
	const phase = h("span", { class: "runs-phase" });
	const numbers = h("span", { class: "runs-numbers" });
	const root = h("li", { id: elementId, class: "runs-row", role: "option", "aria-selected": "false" },
		h("span", { class: "runs-line" }, h("span", { class: "runs-lamp" }), source, state, ago),
		id,
		h("span", { class: "runs-line" }, phase, numbers));

	return { root, id, source, state, phase, numbers, ago };
}

function drawRow(row: Row, { line: { run, count }, questions, isChosen }: Shown, names: Names): void {
	const session = names.of(run.member ?? run.id);
	const { name, words: state } = standingOf(run, questions, session);
	const words = numbersOf(run, count, session);
	const id = visible(beginning(run.id, NAME_MAX));

	row.root.dataset.state = name;
	row.root.setAttribute("aria-selected", String(isChosen));
	write(row.id, id);
	row.id.title = id;
	write(row.source, names.who(run.member ?? run.id) ?? visible(beginning(knownAs(run.source), NAME_MAX)));
	row.source.title = visible(beginning(run.source, NAME_MAX));
	write(row.state, state);
	write(row.phase, phaseOf(run, session));
	if (row.numbers.textContent !== words.map(([text]) => text).join(""))
		fill(row.numbers, words.map(([text, kind]) => h("span", { class: kind }, text)));
}

/* Where it is in its chart; of a session on what it works, and what it is about. */
function phaseOf(run: Brief, session?: Member): string {
	const chart = chartOf(run.config, session).map((name) => visible(beginning(name, NAME_MAX))).join(" › ");

	return chart !== "" || session === undefined ? chart : targetWords(session.state) || titleWords(session);
}

function numbersOf(run: Brief, count: number, session?: Member): [string, string][] {
	const words: [string, string][] = [];

	if (count > 1)
		words.push([`${countWords(count)} runs`, ""]);
	if (run.errors > 0)
		words.push([run.errors === 1 ? "1 error" : `${countWords(run.errors)} errors`, "bad"]);
	return [...words, ...session?.usage === undefined ? workOf(run) : spentOf(session)];
}

function spentOf({ usage }: Member): [string, string][] {
	return [tokenWords(usage), costWords(usage)].filter((text) => text !== "").map((text) => [text, ""]);
}

function workOf(run: Brief): [string, string][] {
	const rate = run.live > 0 ? rateWords(run) : "";
	const words: [string, string][] = [];

	if (run.live > 0 && run.invocations > 1)
		words.push([`${run.live} of ${run.invocations} at work`, ""]);
	if (run.tokens > 0)
		words.push([`${countWords(run.tokens)} tok`, ""]);
	if (rate !== "")
		words.push([rate, "rate"]);
	return words;
}
