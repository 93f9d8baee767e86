/* Sound that waits to be played; pure. It is kept as it came and made to fit the loudspeaker a
 * little ahead, so that it takes little memory and can be emptied at once: what was cleared is
 * faded out in milliseconds, because a cut in the middle of a wave is heard as a crack. */

import { joined, makeResampler, type Resampler } from "./resample";
import { toFloats } from "./sound";

const SECONDS_MAX = 600;     /* of sound that waits; an answer is not that long */
const AHEAD_SECONDS = 0.06;  /* before it begins: what comes late must not be heard as a gap */
const FADE_SECONDS = 0.003;
const PIECE = 2048;          /* samples made to fit at once */

interface Piece { pcm: Int16Array; rate: number }

export interface Ring {
	/* False: it is full, and this was not taken. */
	add(pcm: Int16Array, rate: number): boolean;
	clear(): void;
	/* Fills it; false: with silence alone. */
	pull(out: Float32Array): boolean;
	/* Samples that were given to the loudspeaker and were sound. */
	readonly played: number;
}

export function makeRing(rate: number): Ring {
	const waiting: Piece[] = [];
	let fitting: { rate: number; resampler: Resampler } | null = null;
	let ready = new Float32Array(0);
	let seconds = 0;             /* of what waits */
	let patience = 0;            /* samples of silence until it begins in any case */
	let isPlaying = false;
	let played = 0;

	function add(pcm: Int16Array, rateOfIt: number): boolean {
		if (seconds + pcm.length / rateOfIt > SECONDS_MAX)
			return false;
		if (!isPlaying && waiting.length === 0)
			patience = AHEAD_SECONDS * rate;
		for (let i = 0; i < pcm.length; i += PIECE)
			waiting.push({ pcm: pcm.subarray(i, i + PIECE), rate: rateOfIt });
		seconds += pcm.length / rateOfIt;
		return true;
	}

	/* The end of one sound is waited for by its filter, so it is asked for before another begins. */
	function fit(): Float32Array {
		const [next] = waiting;

		if (fitting !== null && fitting.rate !== next?.rate) {
			const rest = fitting.resampler.end();

			fitting = null;
			return rest;
		}
		if (next === undefined)
			return new Float32Array(0);
		waiting.shift();
		seconds -= next.pcm.length / next.rate;
		fitting ??= { rate: next.rate, resampler: makeResampler(next.rate, rate) };
		return fitting.resampler.push(toFloats(next.pcm));
	}

	function makeReady(count: number): void {
		while (ready.length < count && (waiting.length > 0 || fitting !== null))
			ready = joined(ready, fit());
	}

	function begins(count: number): boolean {
		patience -= count;
		return waiting.length > 0 && (seconds >= AHEAD_SECONDS || patience <= 0);
	}

	return {
		add,
		get played() { return played; },
		clear() {
			const fade = Math.min(ready.length, Math.ceil(FADE_SECONDS * rate));

			waiting.length = 0;
			seconds = 0;
			fitting = null;
			ready = ready.slice(0, fade).map((sample, i) => sample * (1 - (i + 1) / fade));
		},
		pull(out) {
			out.fill(0);
			isPlaying ||= begins(out.length);
			if (!isPlaying)
				return false;
			makeReady(out.length);
			const now = ready.subarray(0, out.length);

			out.set(now);
			ready = ready.slice(now.length);
			played += now.length;
			isPlaying = now.length === out.length;
			return now.length > 0;
		},
	};
}
