/* What tools took, and how many sessions were at work at once: plots, the tables under them, and CSV. */

import { amountWords } from "../crew/words";
import { fill, h, write } from "../text/dom";
import { shortened } from "../text/names";
import { saveFile } from "../text/save";
import { everyDay, toilCsv, type Toil } from "./model";
import { makePlot, type Plot, type PlotKind } from "./plot";

const PLOTTED = 12;
const LISTED = 50;

export interface ToilSection {
	root: HTMLElement;
	draw(rows: readonly Toil[]): void;
	redraw(): void;
}

const count = (value: number): string => Number.isInteger(value) ? amountWords(value) : "";

/* "850 ms", "44 s", "3.5 min", "12 h". */
export function timeWords(ms: number): string {
	if (ms < 1000)
		return `${Math.round(ms)} ms`;
	const [value, unit] = ms < 59_500 ? [ms / 1000, "s"] : ms < 3_570_000 ? [ms / 60_000, "min"] : [ms / 3_600_000, "h"];
	return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

const share = ({ calls, failures }: Toil): string => calls === 0 ? "–" : `${Math.round(failures / calls * 100)} %`;

interface Plan {
	by: "tool" | "work";
	title: string;
	heads: readonly string[];
	cells(row: Toil): string[];
	plots: readonly (PlotKind & { value(row: Toil): number })[];
}

const TOOLS: Plan = {
	by: "tool", title: "By tool", heads: ["Tool", "Calls", "Failures", "Failed", "Time", "A call"],
	cells: (row) => [amountWords(row.calls), amountWords(row.failures), share(row), timeWords(row.ms),
		row.calls === 0 ? "–" : timeWords(row.ms / row.calls)],
	plots: [{ title: "Time by tool", color: "--indigo", shape: "bars", words: timeWords, value: ({ ms }) => ms },
		{ title: "Failures by tool", color: "--red", shape: "bars", words: count, value: ({ failures }) => failures }],
};

const WORK: Plan = {
	by: "work", title: "At work", heads: ["Day", "At once, at most", "Tool calls", "Failures", "Failed", "Time in tools"],
	cells: (row) => [amountWords(row.atOnce ?? 0), amountWords(row.calls), amountWords(row.failures), share(row), timeWords(row.ms)],
	plots: [{ title: "Sessions at work at once, at most", color: "--green", shape: "bars", words: count,
		value: ({ atOnce = 0 }) => atOnce },
		{ title: "Time in tools by day", color: "--indigo", shape: "bars", words: timeWords, value: ({ ms }) => ms }],
};

export const makeTools = (): ToilSection => makeToil(TOOLS);
export const makeWork = (): ToilSection => makeToil(WORK);

/* Days that have nothing are days, too. */
export function workDays(rows: readonly Toil[], since: number, now: number): Toil[] {
	return everyDay(rows, since, now, (key) => ({ key, calls: 0, failures: 0, ms: 0, atOnce: 0 }));
}

function makeToil({ by, title, heads, cells, plots: kinds }: Plan): ToilSection {
	const plots = kinds.map((kind): Plot & { value(row: Toil): number } => ({ ...makePlot(kind), value: kind.value }));
	const body = h("tbody", {});
	const note = h("p", { class: "numbers-note", hidden: true });
	const csv = h("button", { type: "button", "aria-label": `Save ${title.toLowerCase()} as CSV`,
		onclick: () => saveFile(`signalbox-${by}.csv`, "text/csv;charset=utf-8", [toilCsv(by, all)]) }, "CSV");
	const table = h("div", { class: "numbers-table", tabindex: 0, role: "region", "aria-label": `Table ${title.toLowerCase()}` },
		h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((words) => h("th", { scope: "col" }, words)))), body));
	const root = h("section", { class: "numbers-section", "data-by": by, hidden: true }, h("header", {}, h("h2", {}, title), csv),
		h("div", { class: "numbers-plots" }, ...plots.map((plot) => plot.root)), table, note);
	let all: readonly Toil[] = [];

	return {
		root,
		draw(rows) {
			const shown = by === "work" ? rows : rows.slice(0, PLOTTED);
			const listed = (by === "work" ? [...rows].reverse() : rows).slice(0, LISTED);
			const labels = shown.map(({ key }) => by === "work" ? key.slice(5) : shortened(key));

			all = rows;
			root.hidden = rows.length === 0;
			plots.forEach((plot) => plot.draw({ labels, values: shown.map(plot.value) }));
			fill(body, listed.map((row) => h("tr", {}, h("th", { scope: "row" }, shortened(row.key)),
				...cells(row).map((words) => h("td", {}, words)))));
			write(note, rows.length > LISTED ? `${rows.length - LISTED} more are in the CSV.` : "");
			note.hidden = rows.length <= LISTED;
		},
		redraw: () => plots.forEach((plot) => plot.redraw()),
	};
}
