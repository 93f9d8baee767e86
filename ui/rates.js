/* How much is coming, and from whom. Counting is kept apart from time: whoever calls
 * says what time it is, in milliseconds. */

const SLOT_MS = 500;
const SLOTS = 120;            /* One minute of sparkline. */
const MEAN_SLOTS = 4;         /* A rate is the mean of two seconds. */
const NAMES_MAX = 200;        /* A producer may invent a new type for every signal. */
const OTHERS = "(others)";

export class Rates {
	total = 0;
	types = new Map();
	sources = new Map();
	#slots = new Array(SLOTS).fill(0);
	#slot = 0;

	/* The past that a new page asks for is counted, but was not a rate. */
	add({ type, source }, live, now) {
		this.total++;
		bump(this.types, type);
		bump(this.sources, source);
		this.#advance(now);
		if (live)
			this.#slots[this.#slot % SLOTS]++;
	}

	/* Signals per second at each slot, oldest first: the mean of that slot and those
	 * shortly before it. The slot that is still filling is left out. */
	history(now) {
		const series = [];
		let sum = 0;

		this.#advance(now);
		for (let i = 1; i < SLOTS; i++) {
			sum += this.#slots[(this.#slot + i) % SLOTS];
			if (i > MEAN_SLOTS)
				sum -= this.#slots[(this.#slot + i - MEAN_SLOTS) % SLOTS];
			series.push(sum * 1000 / (SLOT_MS * MEAN_SLOTS));
		}
		return series;
	}

	perSecond(now) {
		return this.history(now).at(-1);
	}

	#advance(now) {
		const slot = Math.floor(now / SLOT_MS);

		if (slot - this.#slot >= SLOTS)
			this.#slots.fill(0);
		else
			for (let s = this.#slot + 1; s <= slot; s++)
				this.#slots[s % SLOTS] = 0;
		this.#slot = Math.max(this.#slot, slot);
	}
}

function bump(counts, name) {
	const key = counts.has(name) || counts.size < NAMES_MAX ? name : OTHERS;

	counts.set(key, (counts.get(key) ?? 0) + 1);
}

/* The line of a sparkline in a box of that size, as the d of an SVG path. */
export function sparkline(series, width, height) {
	const most = Math.max(1, ...series);
	const step = width / (series.length - 1);

	return series.map((value, i) => {
		const y = height - 1 - (value / most) * (height - 2);
		return `${i === 0 ? "M" : "L"}${(i * step).toFixed(1)} ${y.toFixed(1)}`;
	}).join("");
}

export function rateWords(rate) {
	return rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en");
}
