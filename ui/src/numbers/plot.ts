/* Bars or a line, by uPlot, in the colours of the theme. What is seen in it is in the table under it,
 * too; for those who do not see, a plot is an image with a name. */

import uPlot from "uplot";
import { h, write } from "../text/dom";

const HEIGHT = 180;
const LABEL_MAX = 16;         /* characters under an axis */
const WIDTH_MIN = 200;
const FONT = "12px system-ui, sans-serif";

export interface Figures {
	labels: readonly string[];
	values: readonly (number | null)[];
}

export interface Plot {
	root: HTMLElement;
	draw(figures: Figures): void;
	/* The theme or the width is another one. */
	redraw(): void;
}

export interface PlotKind {
	title: string;
	color: string;          /* a variable of theme.css */
	shape: "bars" | "line";
	words(value: number): string;
	most?: number;          /* of the scale */
}

const cut = (label: string): string => label.length <= LABEL_MAX ? label : `${label.slice(0, LABEL_MAX - 1)}…`;

export function makePlot(kind: PlotKind): Plot {
	const paper = h("div", { class: "numbers-paper", role: "img" });
	const said = h("span", { class: "numbers-said" });
	const root = h("figure", { class: "numbers-plot" }, h("figcaption", {}, h("b", {}, kind.title), said), paper);
	let plot: uPlot | null = null;
	let figures: Figures = { labels: [], values: [] };

	const colour = (name: string): string => getComputedStyle(root).getPropertyValue(name).trim() || "gray";

	function read(at: number | null | undefined): void {
		const value = at === null || at === undefined ? undefined : figures.values[at];

		write(said, value === undefined || at === null || at === undefined ? ""
			: `${figures.labels[at]}: ${value === null ? "not known" : kind.words(value)}`);
	}

	function optionsOf(width: number): uPlot.Options {
		const line = resolved(colour("--line"), root);
		const text = resolved(colour("--dim"), root);
		const ink = resolved(colour(kind.color), root);
		const axis = { stroke: text, font: FONT, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };

		return {
			width, height: HEIGHT, legend: { show: false }, padding: [8, 8, 0, 0],
			cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
			scales: { x: { time: false, range: (_, low, high) => [low - .5, high + .5] },
				y: { range: (_, __, high) => [0, kind.most ?? (high > 0 ? high * 1.08 : 1)] } },
			axes: [
				{ ...axis, grid: { show: false }, size: 34, space: 90, incrs: [1, 2, 5, 7, 10, 14, 20, 30, 50, 60, 100],
					values: (_, splits) => splits.map((at) => Number.isInteger(at) ? cut(figures.labels[at] ?? "") : "") },
				{ ...axis, size: 64, space: 34, values: (_, splits) => splits.map((at) => kind.words(at)) },
			],
			series: [{}, kind.shape === "bars"
				? { stroke: ink, fill: ink, width: 0, points: { show: false }, ...bars() }
				: { stroke: ink, width: 2, spanGaps: true, points: { show: true, size: 5, fill: ink } }],
			hooks: { setCursor: [({ cursor }) => read(cursor.idx)] },
		};
	}

	function draw(next: Figures): void {
		figures = next;
		plot?.destroy();
		plot = null;
		read(null);
		paper.setAttribute("aria-label", `${kind.title}, ${figures.labels.length} values; the table below has them`);
		if (figures.labels.length > 0 && paper.clientWidth > 0)
			plot = new uPlot(optionsOf(Math.max(WIDTH_MIN, paper.clientWidth)),
				[figures.labels.map((_, at) => at), [...figures.values]], paper);
	}

	return { root, draw, redraw: () => draw(figures) };
}

function bars(): Pick<uPlot.Series, "paths"> {
	const paths = uPlot.paths.bars?.({ size: [.7, 56] });

	return paths === undefined ? {} : { paths };
}

/* A canvas knows no light-dark(): the browser is asked what it means here. */
function resolved(colour: string, root: HTMLElement): string {
	const probe = h("i", { hidden: true });

	probe.style.color = colour;
	root.append(probe);
	const found = getComputedStyle(probe).color;
	probe.remove();
	return found;
}
