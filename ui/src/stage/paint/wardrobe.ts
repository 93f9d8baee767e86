/* Where sheets are kept: one for each kind of art and colour, however many wear it. Sheets are
 * drawn for the zoom at hand. When that changes they are drawn again, one or two a frame, and
 * the old ones stay in use until then. */

import { type Cels, makeSheet, type Sheet, stepOf } from "./sheet";

const A_FRAME = 2;
const KEPT = 160;

export interface Wear {
	readonly sheet: Sheet;
	readonly generation: number;    /* another one when it was drawn again */
}

/* `step` is the resolution that was wanted; what does not fit into a texture has less. */
interface Entry { key: string; step: number; sheet: Sheet; generation: number; unit: number; cels: Cels; seen: number }

export interface Wardrobe {
	/* `unit` is how many units of the stage a unit of the art is. */
	wear(key: string, unit: number, cels: () => Cels): Wear;
	/* It is still worn. */
	keep(wear: Wear): void;
	/* How many pixels a unit of the stage has; called once a frame. */
	attend(pixels: number): void;
	destroy(): void;
}

export function makeWardrobe(): Wardrobe {
	const entries = new Map<string, Entry>();
	let pixels = 1, stable = 0, now = 0, generations = 0;

	const wantedOf = (entry: Entry) => stepOf(pixels * entry.unit);

	function redraw(): void {
		let left = A_FRAME;

		for (const entry of entries.values()) {
			if (left === 0)
				return;
			const wanted = wantedOf(entry), old = entry.sheet;

			if (entry.step >= wanted * 0.99 && entry.step <= wanted * 2.1)
				continue;
			entry.step = wanted;
			entry.sheet = makeSheet(entry.cels, wanted);
			entry.generation = ++generations;
			/* Whoever wears it changes when they are painted next, and nobody knows when that is:
			 * the page may be out of sight, or a frame take long. */
			setTimeout(() => old.rest(), 500);
			left--;
		}
	}

	/* Colours come and go with shows; those that nobody wore for long are given away. */
	function tidy(): void {
		for (const [key, entry] of entries) {
			if (entries.size <= KEPT)
				return;
			if (now - entry.seen > 600) {
				entry.sheet.rest();
				entries.delete(key);
			}
		}
	}

	return {
		wear(key, unit, cels) {
			let entry = entries.get(key);

			if (entry === undefined) {
				const drawn = cels(), step = stepOf(pixels * unit);

				entry = { key, step, sheet: makeSheet(drawn, step), generation: ++generations, unit, cels: drawn, seen: now };
				entries.set(key, entry);
			}
			entry.seen = now;
			return entry;
		},
		keep(wear) {
			const entry = wear as Entry;

			entry.seen = now;
			/* Somebody who was out of sight for long still had it on. */
			if (!entries.has(entry.key))
				entries.set(entry.key, entry);
		},
		attend(wanted) {
			now++;
			stable = Math.abs(wanted / pixels - 1) < 0.001 ? stable + 1 : 0;
			pixels = wanted;
			if (stable >= 4)
				redraw();
			if (now % 300 === 0)
				tidy();
		},
		destroy() {
			for (const entry of entries.values())
				entry.sheet.destroy();
			entries.clear();
		},
	};
}
