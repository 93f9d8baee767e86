/* What a person's hand leaves on the stage: a ripple where something was touched, a zone, the
 * shade of somebody who is carried, and the places where they can be put. They are elements over
 * the canvas that keep their place when the stage is moved, and they go by themselves. Marks of
 * other people's hands are shown like ours. */

import type { Camera } from "./frame";
import { toScreen, type Spot } from "./camera";
import type { Bounds } from "./hand";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";

const RIPPLE_MS = 900;
const FADE_MS = 700;
const ZONE_STAYS_MS = 4000;
const MARKS_MAX = 24;

export interface Mark {
	place(bounds: Bounds): void;
	say(words: string): void;
	/* It goes, after a while. */
	leave(afterMs?: number): void;
	remove(): void;
}

export interface Marks {
	ripple(spot: Spot, kind?: "touch" | "point" | "other"): void;
	zone(bounds: Bounds, words: string): Mark;
	/* The shade of somebody in the hand, and where it would go. */
	shade(words: string, colour: string): Mark;
	slots(spots: readonly (Spot & { name: string })[]): { near(name: string): void; remove(): void };
	follow(camera: Camera): void;
	readonly element: HTMLElement;
}

interface Kept { element: HTMLElement; bounds: Bounds; isPoint: boolean }

export function makeMarks(): Marks {
	const element = h("div", { class: "stage-marks", "aria-hidden": "true" });
	const kept = new Set<Kept>();
	let camera: Camera = { x: 0, y: 0, zoom: 1 };

	function put({ element: mark, bounds, isPoint }: Kept): void {
		const { x, y } = toScreen(camera, bounds);

		mark.style.transform = `translate(${x}px, ${y}px)`;
		if (isPoint)
			return;
		mark.style.width = `${bounds.w * camera.zoom}px`;
		mark.style.height = `${bounds.h * camera.zoom}px`;
	}

	function add(mark: HTMLElement, bounds: Bounds, isPoint: boolean): Kept {
		const one = { element: mark, bounds, isPoint };

		if (kept.size >= MARKS_MAX)
			drop(kept.values().next().value!);
		kept.add(one);
		put(one);
		element.append(mark);
		return one;
	}

	function drop(one: Kept): void {
		kept.delete(one);
		one.element.remove();
	}

	function leave(one: Kept, afterMs: number): void {
		setTimeout(() => {
			one.element.classList.add("leaving");
			setTimeout(() => drop(one), FADE_MS);
		}, afterMs);
	}

	function markOf(one: Kept, label: HTMLElement): Mark {
		return {
			place(bounds) {
				one.bounds = bounds;
				put(one);
			},
			say: (words) => write(label, visible(words)),
			leave: (afterMs = ZONE_STAYS_MS) => leave(one, afterMs),
			remove: () => drop(one),
		};
	}

	return {
		element,
		ripple(spot, kind = "touch") {
			const one = add(h("div", { class: `stage-ripple ${kind}` }, h("i"), h("i")), { ...spot, w: 0, h: 0 }, true);

			setTimeout(() => drop(one), RIPPLE_MS);
		},
		zone(bounds, words) {
			const label = h("span", {}, visible(words));

			return markOf(add(h("div", { class: "stage-zone" }, label), bounds, false), label);
		},
		shade(words, colour) {
			const label = h("span", {}, visible(words));
			const mark = h("div", { class: "stage-shade" }, h("i"), label);

			mark.style.setProperty("--who", colour);
			return markOf(add(mark, { x: 0, y: 0, w: 0, h: 0 }, true), label);
		},
		slots(spots) {
			const all = spots.map((spot) => ({ name: spot.name,
				kept: add(h("div", { class: "stage-slot" }, h("span", {}, visible(spot.name))), { ...spot, w: 0, h: 0 }, true) }));

			return {
				near: (name) => all.forEach((one) => one.kept.element.classList.toggle("near", one.name === name)),
				remove: () => all.forEach((one) => drop(one.kept)),
			};
		},
		follow(next) {
			if (next.x === camera.x && next.y === camera.y && next.zoom === camera.zoom)
				return;
			camera = { ...next };
			kept.forEach(put);
		},
	};
}
