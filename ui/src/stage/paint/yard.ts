/* The ground between the houses: a paved place in the middle, a path to every destination,
 * tufts of grass, and the zones and routes of the document. Drawn once for a show. */

import type { StageFrame } from "../frame";
import { chance, HORIZON } from "./backdrop";
import { css, mix, rgb } from "./colour";
import { ellipse, glow, type Ink } from "./sheet";
import type { Theme } from "./theme";

export const YARD_MARGIN = 260;
const RINGS = 6;

/* The ink's origin is a margin to the left of the stage, at the horizon. */
export function paintYard(ink: Ink, frame: StageFrame, theme: Theme): void {
	const { width, height } = frame;
	const top = height * HORIZON;

	ink.translate(YARD_MARGIN, -top);
	const middle = { x: width / 2, y: top + (height - top) * 0.56 };

	sheen(ink, middle, frame, theme);
	paths(ink, middle, frame, theme);
	plaza(ink, middle, frame, theme);
	tufts(ink, frame, theme);
	zones(ink, frame);
	routes(ink, frame, theme);
}

function sheen(ink: Ink, middle: { x: number; y: number }, { width, height }: StageFrame, theme: Theme): void {
	ink.save();
	ink.translate(middle.x, middle.y);
	ink.scale(1, 0.42);
	const light = theme.isDark ? mix(theme.ground[0], 0xffcf96, 0.4) : 0xffffff;

	ink.fillStyle = glow(ink, 0, 0, width * 0.62, css(light, 0.55), css(light, 0.24), css(light, 0));
	ellipse(ink, 0, 0, width * 0.62, height);
	ink.restore();
}

function paths(ink: Ink, middle: { x: number; y: number }, frame: StageFrame, theme: Theme): void {
	const places = (frame.document.scene.positions ?? []).filter((place) => place.typeHint === "destination").slice(0, 32);

	for (const [wide, alpha] of [[34, 0.22], [24, 0.5]] as const) {
		ink.strokeStyle = css(theme.path, alpha);
		ink.lineWidth = wide;
		ink.beginPath();
		for (const place of places) {
			ink.moveTo(place.x, place.y - 18);
			ink.bezierCurveTo(place.x, place.y + 40, (place.x + middle.x * 2) / 3, middle.y - 60, middle.x, middle.y);
		}
		ink.stroke();
	}
	for (const place of places) {
		ink.fillStyle = css(theme.path, 0.55);
		ellipse(ink, place.x, place.y, 46, 13);
		ink.fillStyle = css(mix(theme.path, rgb(place.color, theme.path), 0.35), 0.5);
		ellipse(ink, place.x, place.y, 38, 10);
	}
}

/* Rings of flat stones, as they are seen from a little above. */
function plaza(ink: Ink, middle: { x: number; y: number }, { width, height }: StageFrame, theme: Theme): void {
	const rx = width * 0.37, ry = height * 0.18;
	const joint = css(theme.isDark ? mix(theme.ground[1], 0, 0.25) : 0x9a8a66, 0.26);

	ink.fillStyle = css(mix(theme.path, theme.ground[1], 0.35), 0.55);
	ellipse(ink, middle.x, middle.y + 5, rx * 1.02, ry * 1.03);
	ink.fillStyle = css(theme.path, 0.62);
	ellipse(ink, middle.x, middle.y, rx, ry);
	for (let ring = 0; ring < RINGS; ring++) {
		const stones = 8 + ring * 8, inner = ring / RINGS, outer = (ring + 1) / RINGS;

		for (let i = 0; i < stones; i++) {
			const from = (i + ring * 0.37) / stones * Math.PI * 2, to = from + Math.PI * 2 / stones;
			const light = chance(ring * 41 + i * 3);

			ink.beginPath();
			ink.ellipse(middle.x, middle.y, rx * outer, ry * outer, 0, from, to);
			ink.ellipse(middle.x, middle.y, rx * inner, ry * inner, 0, to, from, true);
			ink.closePath();
			ink.fillStyle = css(light > 0.5 ? 0xffffff : theme.ground[1], Math.abs(light - 0.5) * (theme.isDark ? 0.16 : 0.34));
			ink.fill();
			ink.strokeStyle = joint;
			ink.lineWidth = 1.3;
			ink.stroke();
		}
	}
}

function tufts(ink: Ink, { width, height }: StageFrame, theme: Theme): void {
	const top = height * HORIZON;

	ink.lineWidth = 1.6;
	for (let i = 0; i < 150; i++) {
		const x = -YARD_MARGIN + 20 + chance(i) * (width + YARD_MARGIN * 2 - 40);
		const y = top + 26 + chance(i + 500) * (height - top);
		const dx = (x - width / 2) / (width * 0.38), dy = (y - top - (height - top) * 0.56) / (height * 0.2);

		if (dx * dx + dy * dy < 1 || y > height + YARD_MARGIN * 0.6)
			continue;
		const size = 3 + (y - top) / height * 8;

		ink.strokeStyle = css(mix(theme.trees[0], theme.ground[0], 0.25), 0.75);
		for (const lean of [-0.6, 0, 0.6]) {
			ink.beginPath();
			ink.moveTo(x + lean * 2, y);
			ink.quadraticCurveTo(x + lean * 2, y - size * 0.6, x + lean * size, y - size);
			ink.stroke();
		}
	}
}

function zones(ink: Ink, { document: { scene } }: StageFrame): void {
	const grid = scene.zoneGrid;

	if (grid === undefined)
		return;
	const colours = new Map((scene.zoneTypes ?? []).map((zone) => [zone.id, rgb(zone.color, 0x9aa0a6)]));

	for (let i = 0; i < Math.min(grid.cells.length, grid.cols * grid.rows, 20000); i++) {
		const colour = colours.get(grid.cells[i] ?? "");

		if (colour === undefined)
			continue;
		ink.fillStyle = css(colour, 0.16);
		ink.fillRect(i % grid.cols * grid.cellSize, Math.floor(i / grid.cols) * grid.cellSize, grid.cellSize, grid.cellSize);
	}
}

function routes(ink: Ink, { document: { scene } }: StageFrame, theme: Theme): void {
	for (const route of (scene.routes ?? []).slice(0, 256)) {
		ink.strokeStyle = css(rgb(route.color, theme.path), 0.6);
		ink.lineWidth = 3;
		ink.setLineDash(route.style === "dashed" ? [2, 9] : []);
		ink.beginPath();
		for (const point of route.points)
			ink.lineTo(point.x, point.y);
		ink.stroke();
	}
	ink.setLineDash([]);
}
