/* One way to part what was spent: its plots, the table under them, and the same as CSV. */

import type { Spent } from "../desk";
import { amountWords, costWords } from "../crew/words";
import { shortened } from "../text/names";
import { fill, h, write } from "../text/dom";
import { saveFile } from "../text/save";
import { cacheShare, costOf, csvOf, nameOf, tokens, type By, type Row } from "./model";
import { makePlot, type Plot } from "./plot";

const PLOTTED = 12;           /* of those that are not days */
const LISTED = 50;            /* rows of a table; CSV has all */

export interface Section {
	root: HTMLElement;
	draw(rows: readonly Row[], total: Spent | undefined): void;
	redraw(): void;
}

const dollars = (value: number): string => value >= 1000 ? `$${amountWords(value)}` : `$${value.toFixed(value < 10 ? 2 : 0)}`;
const percent = (value: number): string => `${Math.round(value)} %`;

export function makeSection(by: By, title: string): Section {
	const cost = makePlot({ title: `Cost by ${title}`, color: "--blue", shape: "bars", words: dollars });
	const used = makePlot({ title: `Tokens by ${title}`, color: "--teal", shape: "bars", words: amountWords });
	const share = makePlot({ title: "Read from the cache", color: "--violet", shape: "line", words: percent, most: 100 });
	const plots: Plot[] = by === "day" ? [cost, used, share] : by === "session" ? [cost] : [cost, used];
	const body = h("tbody", {});
	const foot = h("tfoot", {});
	const heading = h("h2", {}, `By ${title}`);
	const note = h("p", { class: "numbers-note", hidden: true });
	const csv = h("button", { type: "button", onclick: () => saveFile(`signalbox-${by}.csv`, "text/csv;charset=utf-8", [csvOf(by, all)]) },
		"CSV");
	const table = h("div", { class: "numbers-table", tabindex: 0, role: "region", "aria-label": `Table by ${title}` },
		h("table", {}, h("thead", {}, h("tr", {}, ...[title[0]?.toUpperCase() + title.slice(1), "Input", "Cache read",
			"Cache written", "Output", "Cached", "Calls", "Cost"]
			.map((words) => h("th", { scope: "col" }, words)))), body, foot));
	let all: readonly Row[] = [];

	csv.setAttribute("aria-label", `Save by ${title} as CSV`);
	return {
		root: h("section", { class: "numbers-section", "data-by": by }, h("header", {}, heading, csv),
			h("div", { class: "numbers-plots" }, ...plots.map(({ root }) => root)), table, note),
		draw(rows, total) {
			all = rows;
			const shown = by === "day" ? rows : rows.slice(0, PLOTTED);
			const labels = shown.map((row) => by === "day" ? row.key.slice(5) : shortened(nameOf(row)));
			const listed = by === "day" ? [...rows].reverse().slice(0, LISTED) : rows.slice(0, LISTED);

			cost.draw({ labels, values: shown.map(costOf) });
			used.draw({ labels, values: shown.map(tokens) });
			if (by === "day")
				share.draw({ labels, values: shown.map(cacheShare) });
			fill(body, listed.map((row) => line(shortened(nameOf(row)), row)));
			fill(foot, [total === undefined ? null : line("total", total)]);
			write(note, rows.length > LISTED ? `${rows.length - LISTED} more are in the CSV.` : "");
			note.hidden = rows.length <= LISTED;
		},
		redraw: () => plots.forEach((plot) => plot.redraw()),
	};
}

function line(name: string, row: Spent): HTMLElement {
	const share = cacheShare(row);
	const written = (row.cacheWrite ?? 0) + (row.cacheWrite1h ?? 0);
	const cells = [amountWords(row.input ?? 0), amountWords(row.cacheRead ?? 0), amountWords(written),
		amountWords(row.output ?? 0), share === null ? "–" : percent(share), amountWords(row.calls ?? 0), costWords(row) || "–"];

	return h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((words) => h("td", {}, words)));
}
