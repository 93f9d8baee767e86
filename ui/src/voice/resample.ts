/* Sound of one rate as sound of another, piece by piece; pure. A windowed sinc, its phases made once:
 * what is above half of the lower rate is gone, and nothing else. */

const CROSSINGS = 24;        /* of zero, on each side: a transition of a tenth of the band */
const CUTOFF = 0.9;          /* of half the lower rate: the transition ends about there */
export const RATE_MIN = 8000;
export const RATE_MAX = 192000;

export function canResample(rate: number): boolean {
	return Number.isInteger(rate) && rate >= RATE_MIN && rate <= RATE_MAX;
}

export interface Resampler {
	push(samples: Float32Array): Float32Array;
	/* What is left of the sound; then it begins anew. */
	end(): Float32Array;
}

export function makeResampler(from: number, to: number): Resampler {
	if (from === to)
		return { push: (samples) => samples, end: () => new Float32Array(0) };
	const divisor = commonDivisor(from, to);
	const phases = to / divisor;
	const step = from / divisor;
	const half = Math.ceil(CROSSINGS * Math.max(1, from / to));
	const taps = 2 * half;
	const table = makeTable(phases, half, CUTOFF * Math.min(1, to / from));
	let held = new Float32Array(half - 1);
	let phase = 0;

	function push(samples: Float32Array): Float32Array {
		const all = joined(held, samples);
		const out = new Float32Array(Math.max(0, Math.ceil(((all.length - taps + 1) * phases - phase) / step)));
		let base = 0;

		for (let n = 0; n < out.length; n++) {
			const row = phase * taps;
			let sum = 0;

			for (let k = 0; k < taps; k++)
				sum += all[base + k]! * table[row + k]!;
			out[n] = sum;
			phase += step;
			base += Math.floor(phase / phases);
			phase %= phases;
		}
		held = all.slice(base);
		return out;
	}

	return {
		push,
		end() {
			const rest = push(new Float32Array(half));

			held = new Float32Array(half - 1);
			phase = 0;
			return rest;
		},
	};
}

export function joined(one: Float32Array, other: Float32Array): Float32Array<ArrayBuffer> {
	const both = new Float32Array(one.length + other.length);

	both.set(one);
	both.set(other, one.length);
	return both;
}

function commonDivisor(a: number, b: number): number {
	return b === 0 ? a : commonDivisor(b, a % b);
}

/* A row for each place between two samples; each row adds up to one, so silence stays silence and
 * a constant stays as loud as it was. */
function makeTable(phases: number, half: number, cutoff: number): Float32Array {
	const taps = 2 * half;
	const table = new Float32Array(phases * taps);

	for (let phase = 0; phase < phases; phase++) {
		const row = table.subarray(phase * taps, (phase + 1) * taps);
		let sum = 0;

		for (let k = 0; k < taps; k++) {
			const distance = k - (half - 1) - phase / phases;
			row[k] = sinc(cutoff * distance) * blackman(distance / half);
			sum += row[k]!;
		}
		row.forEach((tap, k) => { row[k] = tap / sum; });
	}
	return table;
}

function sinc(x: number): number {
	return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/* From -1 to 1. */
function blackman(x: number): number {
	return Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x);
}
