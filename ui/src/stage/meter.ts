/* How long our script took for the last frames, and what was in them: an overlay for who wants to
 * know. What the browser does with it afterwards is not ours and not in it. */

import type { PainterStats, StageFrame } from "./frame";
import { h, write } from "../text/dom";

const FRAMES = 240;
const EVERY_MS = 500;

export interface Meter {
	readonly element: HTMLElement;
	count(scriptMs: number, localNow: number): void;
	show(frame: StageFrame, stats: PainterStats, version: number, localNow: number): void;
	toggle(): boolean;
	/* Of the last frames: the middle one, and one that 5 in 100 are above. */
	readings(): { frames: number; median: number; p95: number; perSecond: number };
	forget(): void;
}

export function makeMeter(): Meter {
	const element = h("output", { class: "stage-meter", hidden: true, "aria-label": "Script time per frame" });
	const times: number[] = [], starts: number[] = [];
	let shownAt = -Infinity;

	function readings(): ReturnType<Meter["readings"]> {
		const sorted = times.toSorted((a, b) => a - b);
		const share = (part: number): number => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? 0;
		const span = (starts.at(-1) ?? 0) - (starts[0] ?? 0);

		return { frames: times.length, median: share(0.5), p95: share(0.95), perSecond: span > 0 ? (starts.length - 1) * 1000 / span : 0 };
	}

	return {
		element,
		readings,
		count(scriptMs, localNow) {
			times.push(scriptMs);
			starts.push(localNow);
			if (times.length > FRAMES) {
				times.shift();
				starts.shift();
			}
		},
		show(frame, stats, version, localNow) {
			if (element.hidden || localNow - shownAt < EVERY_MS)
				return;
			shownAt = localNow;
			const { median, p95, perSecond } = readings();
			const moving = frame.entities.filter((actor) => actor.moving).length;

			write(element, `script ${median.toFixed(2)} ms (95 %: ${p95.toFixed(2)}) · ${perSecond.toFixed(0)} frames/s · `
				+ `${stats.drawn} of ${frame.entities.length} drawn · ${moving} moving, ${frame.effects.length} effects · `
				+ `version ${version}`);
		},
		toggle() {
			element.hidden = !element.hidden;
			shownAt = -Infinity;
			return !element.hidden;
		},
		forget() {
			times.length = starts.length = 0;
		},
	};
}
