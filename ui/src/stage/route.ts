/* A way across the stage, walked by its length. Corners are sharp, or smooth: then a curve
 * leads from what came before to half-way to the next point. Curves are short lines, cut just
 * as the server cuts them, so that whoever walks here is where they walk there. */

import type { Place, Route } from "./frame";

const LINE_STEP = 4;        /* of a curve, in units of the stage */
const CURVE_LINES = 1024;   /* at most, for one corner */
const CORNERS_MAX = 16384;  /* of a route; beyond that corners are sharp */

interface Corner { x: number; y: number; length: number }
interface Point { x: number; y: number }

export interface Way {
	corners: Corner[];
	/* The lengths at which named points are. */
	named: Map<string, number>;
	length: number;
}

/* Part of a way, as distances from its beginning; backwards if from > to. */
export interface Span { from: number; to: number }

export interface WayPlace extends Point { direction: 1 | -1; dx: number; dy: number }

function addCorner(corners: Corner[], x: number, y: number): void {
	const last = corners.at(-1);
	const length = last ? last.length + Math.hypot(x - last.x, y - last.y) : 0;

	corners.push({ x, y, length });
}

/* How many lines make the curve from p0 by c to p1. */
function curveLines(p0: Point, c: Point, p1: Point): number {
	const way = Math.hypot(c.x - p0.x, c.y - p0.y) + Math.hypot(p1.x - c.x, p1.y - c.y);

	return Math.min(Math.max(Math.ceil(way / LINE_STEP), 2), CURVE_LINES);
}

function addCurve(corners: Corner[], c: Point, next: Point): void {
	const { x, y } = corners.at(-1)!;
	const p1 = { x: (c.x + next.x) / 2, y: (c.y + next.y) / 2 };
	const lines = curveLines({ x, y }, c, p1);

	if (corners.length + lines > CORNERS_MAX)
		return addCorner(corners, c.x, c.y);
	for (let i = 1; i <= lines; i++) {
		const t = i / lines, u = 1 - t;

		addCorner(corners, u * u * x + 2 * u * t * c.x + t * t * p1.x,
			u * u * y + 2 * u * t * c.y + t * t * p1.y);
	}
}

/* `positions` are those of the scene: the ends of a route may be put on them. */
export function makeWay(route: Route, positions: readonly Place[] = []): Way {
	const snapped = (point: Point, id: string | undefined): Point =>
		(id ? positions.findLast((one) => one.id === id) : undefined) ?? point;
	const points = route.points.map((point, i): Point & { isSmooth: boolean; name: string } => {
		const isEnd = i === route.points.length - 1;
		let { x, y }: Point = point;

		if (i === 0)
			({ x, y } = snapped(point, route.fromPositionId));
		if (isEnd)
			({ x, y } = snapped({ x, y }, route.toPositionId));
		return { x, y, isSmooth: i > 0 && !isEnd && point.cornerStyle === "smooth", name: point.name ?? "" };
	});
	const corners: Corner[] = [];
	const named = new Map<string, number>();

	for (const [i, point] of points.entries()) {
		if (point.isSmooth)
			addCurve(corners, point, points[i + 1]!);
		else
			addCorner(corners, point.x, point.y);
		if (point.name && !named.has(point.name))
			named.set(point.name, corners.at(-1)!.length);
	}
	return { corners, named, length: corners.at(-1)?.length ?? 0 };
}

/* Between two named points; an empty or unknown name is that end of the way. */
export function spanBetween(way: Way, from: string, to: string): Span {
	return { from: way.named.get(from) ?? 0, to: way.named.get(to) ?? way.length };
}

/* The last corner that is not beyond the length, and has one after it. */
function findCorner(corners: readonly Corner[], length: number): number {
	let low = 0, high = corners.length - 1;

	while (high - low > 1) {
		const middle = (low + high) >> 1;

		if (corners[middle]!.length <= length)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* t goes from 0 to 1. */
export function placeOnWay(way: Way, span: Span, t: number): WayPlace {
	const { corners } = way;
	const length = span.from + (span.to - span.from) * t;
	const sign = span.to < span.from ? -1 : 1;

	if (corners.length < 2)
		return { x: corners[0]?.x ?? 0, y: corners[0]?.y ?? 0, direction: 1, dx: 0, dy: 0 };
	const i = findCorner(corners, length);
	const a = corners[i]!, b = corners[i + 1]!;
	const part = b.length > a.length ? (length - a.length) / (b.length - a.length) : 0;
	const share = Math.min(Math.max(part, 0), 1);
	const facing = b.x - a.x >= 0 ? 1 : -1;

	return {
		x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share,
		direction: sign * facing as 1 | -1, dx: sign * (b.x - a.x), dy: sign * (b.y - a.y),
	};
}
