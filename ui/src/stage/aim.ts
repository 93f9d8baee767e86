/* Pointing and drawing a zone without a mouse: a mark in the middle of the view that the arrows
 * move and, with Shift, make larger or smaller; Enter takes it, Escape gives it up. */

import type { Eye } from "./eye";
import type { Bounds } from "./hand";
import type { Mark, Marks } from "./marks";

const STEP = 10;
const FINE_STEP = 1;
const WIDE = 160, HIGH = 120;

export interface Aim {
	readonly isOn: boolean;
	begin(kind: "zone" | "point"): void;
	/* True when the key meant something. */
	key(event: KeyboardEvent): boolean;
	end(): void;
}

export function makeAim(eye: Eye, marks: Marks, take: (kind: "zone" | "point", bounds: Bounds, mark: Mark) => void): Aim {
	let aim: { kind: "zone" | "point"; bounds: Bounds; mark: Mark } | null = null;

	function end(): void {
		aim?.mark.remove();
		aim = null;
	}

	function move(dx: number, dy: number, resizes: boolean): void {
		const bounds = aim!.bounds;

		if (resizes && aim!.kind === "zone") {
			bounds.w = Math.max(bounds.w + dx, STEP);
			bounds.h = Math.max(bounds.h + dy, STEP);
		} else {
			bounds.x += dx;
			bounds.y += dy;
		}
		aim!.mark.place(bounds);
	}

	return {
		get isOn() { return aim !== null; },
		end,
		begin(kind) {
			const { x, y } = eye.middle();
			const bounds = kind === "zone" ? { x: x - WIDE / 2, y: y - HIGH / 2, w: WIDE, h: HIGH }
				: { x: x - STEP, y: y - STEP, w: 2 * STEP, h: 2 * STEP };

			end();
			aim = { kind, bounds, mark: marks.zone(bounds, kind === "zone"
				? "arrows move, Shift+arrows resize, Enter sends" : "arrows move, Enter points") };
		},
		key({ key, shiftKey, altKey }) {
			const step = altKey ? FINE_STEP : STEP;
			const steps: Record<string, [number, number]> = {
				ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step],
			};

			if (!aim)
				return false;
			if (Object.hasOwn(steps, key))
				move(...steps[key]!, shiftKey);
			else if (key === "Enter") {
				const { kind, bounds, mark } = aim;

				aim = null;
				take(kind, bounds, mark);
			} else if (key === "Escape")
				end();
			else
				return false;
			return true;
		},
	};
}
