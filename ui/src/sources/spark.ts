/* A small picture of a minute: an area and the line above it. */

import { svg } from "../text/dom";

const WIDTH = 120;
const HEIGHT = 28;

export interface Spark {
	readonly element: SVGSVGElement;
	draw(values: readonly number[]): void;
}

/* The paths of the line and of the area below it; pure. */
export function pathsOf(values: readonly number[]): { line: string; area: string } {
	const top = Math.max(1, ...values);
	const step = WIDTH / Math.max(1, values.length - 1);
	const points = values.map((value, i) =>
		`${(i * step).toFixed(1)} ${(HEIGHT - 1.5 - value / top * (HEIGHT - 4)).toFixed(1)}`);
	const line = `M${points.join("L")}`;

	return { line, area: `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` };
}

export function makeSpark(label: string): Spark {
	const area = svg("path", { class: "area" });
	const line = svg("path", { class: "line" });
	const element = svg("svg", {
		class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none",
		role: "img", "aria-label": label,
	}, area, line);
	let drawn = "";

	return {
		element,
		draw(values) {
			const paths = pathsOf(values);

			if (paths.line === drawn)
				return;
			drawn = paths.line;
			element.classList.toggle("still", values.every((value) => value === 0));
			line.setAttribute("d", paths.line);
			area.setAttribute("d", paths.area);
		},
	};
}
