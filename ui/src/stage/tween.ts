/* How an entity is apart from what is under way, and what changes that over time. A tween is put
 * on top of the base in the order in which they began, and becomes part of it when it ends. What
 * a flash, a pulse or a beam does leaves no trace. All of this is the server's stage again
 * (src/stage/tween.c): the same commands give the same places. */

import type { Effect, Moving } from "./frame";
import { placeOnWay, type Span, type Way } from "./route";
import type { Curve } from "./ease";

export type NumberName =
	"x" | "y" | "scaleX" | "scaleY" | "rotation" | "opacity" | "zIndex" | "animationSpeed";

/* The numbers of a property: one, or two that go together. */
const PROPERTIES: Record<string, readonly [NumberName, NumberName]> = {
	"position.x": ["x", "x"],
	"position.y": ["y", "y"],
	"scale": ["scaleX", "scaleY"],
	"scale.x": ["scaleX", "scaleX"],
	"scale.y": ["scaleY", "scaleY"],
	"rotation": ["rotation", "rotation"],
	"opacity": ["opacity", "opacity"],
	"zIndex": ["zIndex", "zIndex"],
	"animation.speed": ["animationSpeed", "animationSpeed"],
};

export function numbersOf(property: unknown): readonly [NumberName, NumberName] | null {
	return typeof property === "string" && Object.hasOwn(PROPERTIES, property) ? PROPERTIES[property]! : null;
}

export interface Stand extends Record<NumberName, number> {
	visible: boolean;
	flipped: boolean;
	tint: string | null;
}

export type TweenKind = "move" | "fly" | "route" | "number" | "flash" | "pulse" | "beam" | "other";

export interface Tween {
	kind: TweenKind;
	performance: string;
	action: string;
	start: number;
	duration: number;
	curve: Curve;
	fromX: number;
	fromY: number;
	toX: number;
	toY: number;
	way: Way | null;
	span: Span;
	number: NumberName;
	twin: NumberName;
	from: number;
	to: number;             /* of a number; of a pulse how large it grows */
	color: string;
	target: string;         /* where it goes, by name */
	onArrival: string;
	effect: Effect | null;  /* how it is told in frames */
}

const FLY_HEIGHT = 0.3;     /* of the way across */

export const KINDS: Record<string, TweenKind> = {
	move: "move", fly: "fly", followRoute: "route", set: "number",
	flash: "flash", pulse: "pulse", drawBeam: "beam",
};

/* By time alone, from 0 to 1. */
export function passedShare(tween: Tween, now: number): number {
	const raw = tween.duration > 0 ? (now - tween.start) / tween.duration : 1;

	return Math.min(Math.max(raw, 0), 1);
}

/* How high a flight is there. */
export function flightHeight(p: number, dx: number): number {
	return p < 1 ? Math.sin(Math.PI * p) * FLY_HEIGHT * Math.abs(dx) : 0;
}

function applyAt(tween: Tween, p: number, stand: Stand): void {
	const dx = tween.toX - tween.fromX, dy = tween.toY - tween.fromY;

	switch (tween.kind) {
	case "move":
		stand.x = tween.fromX + dx * p;
		stand.y = tween.fromY + dy * p;
		break;
	case "fly":
		stand.x = tween.fromX + dx * p;
		stand.y = tween.fromY + dy * p - flightHeight(p, dx);
		break;
	case "route": {
		const at = placeOnWay(tween.way!, tween.span, p);

		stand.x = at.x;
		stand.y = at.y;
		stand.flipped = at.direction < 0;
		break;
	}
	case "number":
		stand[tween.number] = stand[tween.twin] = tween.from + (tween.to - tween.from) * p;
		break;
	}
}

export function applyTween(tween: Tween, now: number, stand: Stand): void {
	applyAt(tween, tween.curve(passedShare(tween, now)), stand);
}

/* Where it leads to, whatever the time is: for who wants no motion. */
export function applyEnd(tween: Tween, stand: Stand): void {
	applyAt(tween, 1, stand);
}

/* What it did stays: to its end, or as far as it came. */
export function settleTween(tween: Tween, now: number, isComplete: boolean, base: Stand): void {
	const { flipped } = base;

	if (isComplete)
		applyAt(tween, 1, base);
	else
		applyTween(tween, now, base);
	base.flipped = flipped;
}

/* The direction in which it goes, where that ends, and how high it is. */
export function heading(tween: Tween, now: number): Omit<Moving, "kind" | "progress"> {
	const p = tween.curve(passedShare(tween, now));

	if (tween.kind === "route") {
		const { dx, dy } = placeOnWay(tween.way!, tween.span, p), end = placeOnWay(tween.way!, tween.span, 1);

		return { dx, dy, toX: end.x, toY: end.y, height: 0 };
	}
	const { toX, toY } = tween, dx = toX - tween.fromX, dy = toY - tween.fromY;

	return { dx, dy, toX, toY, height: tween.kind === "fly" ? flightHeight(p, dx) : 0 };
}

/* Names of colours and the like are no #RRGGBB: then it is the editor's gold. */
export function colourOf(value: unknown): string {
	return typeof value === "string" && /^#.{0,6}$/.test(value)
		? `#${value.slice(1).replace(/[^0-9a-fA-F]/g, "0")}` : "#E8A851";
}
