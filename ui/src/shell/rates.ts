/* How much is coming. Counting is kept apart from time: whoever calls says what time it is, in
 * milliseconds. */

const SLOT_MS = 500;
const SLOTS = 120;            /* One minute of sparkline. */
const MEAN_SLOTS = 4;         /* A rate is the mean of two seconds. */

export interface Rates {
	readonly total: number;
	/* The past that a new page asks for is counted, but was not a rate. */
	add(live: boolean, now: number, count: number): void;
	/* Signals per second at each slot, oldest first: the mean of that slot and those shortly
	 * before it. The slot that is still filling is left out. */
	history(now: number): number[];
	perSecond(now: number): number;
}

export function makeRates(): Rates {
	const slots = new Uint32Array(SLOTS);
	let slot = 0;
	let total = 0;

	const at = (i: number): number => slots[i % SLOTS] ?? 0;
	const advance = (now: number): void => {
		const next = Math.floor(now / SLOT_MS);

		if (next - slot >= SLOTS)
			slots.fill(0);
		else
			for (let s = slot + 1; s <= next; s++)
				slots[s % SLOTS] = 0;
		slot = Math.max(slot, next);
	};
	const history = (now: number): number[] => {
		const series: number[] = [];
		let sum = 0;

		advance(now);
		for (let i = 1; i < SLOTS; i++) {
			sum += at(slot + i) - (i > MEAN_SLOTS ? at(slot + i - MEAN_SLOTS) : 0);
			series.push(sum * 1000 / (SLOT_MS * MEAN_SLOTS));
		}
		return series;
	};

	return {
		get total() { return total; },
		add(live, now, count) {
			total += count;
			advance(now);
			if (live)
				slots[slot % SLOTS] = at(slot) + count;
		},
		history,
		perSecond: (now) => history(now).at(-1) ?? 0,
	};
}

/* The line of a sparkline in a box of that size, as the d of an SVG path. */
export function sparkline(series: readonly number[], width: number, height: number): string {
	const most = Math.max(1, ...series);
	const step = width / (series.length - 1);

	return series.map((value, i) => {
		const y = height - 1 - (value / most) * (height - 2);
		return `${i === 0 ? "M" : "L"}${(i * step).toFixed(1)} ${y.toFixed(1)}`;
	}).join("");
}

export function rateWords(rate: number): string {
	return rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en");
}
