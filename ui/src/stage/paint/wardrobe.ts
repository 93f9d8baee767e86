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

interface Entry { sheet: Sheet; generation: number; unit: number; cels: Cels; seen: number }

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
			if (entry.sheet.scale >= wantedOf(entry) * 0.99 && entry.sheet.scale <= wantedOf(entry) * 2.1)
				continue;
			const old = entry.sheet;

			entry.sheet = makeSheet(entry.cels, wantedOf(entry));
			entry.generation = ++generations;
			/* Whoever wears it changes in this frame or the next; then it may go. */
			setTimeout(() => old.destroy(), 500);
			left--;
		}
	}

	/* Colours come and go with shows; those that nobody wore for long are given away. */
	function tidy(): void {
		for (const [key, entry] of entries) {
			if (entries.size <= KEPT)
				return;
			if (now - entry.seen > 600) {
				entry.sheet.destroy();
				entries.delete(key);
			}
		}
	}

	return {
		wear(key, unit, cels) {
			let entry = entries.get(key);

			if (entry === undefined) {
				const drawn = cels();

				entry = { sheet: makeSheet(drawn, stepOf(pixels * unit)), generation: ++generations, unit, cels: drawn, seen: now };
				entries.set(key, entry);
			}
			entry.seen = now;
			return entry;
		},
		keep(wear) { (wear as Entry).seen = now; },
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
