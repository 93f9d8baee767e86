/* How much is coming, and from whom. Counting is kept apart from time: whoever calls
 * says what time it is, in milliseconds. */

const SLOT_MS = 500;
const SLOTS = 120;            /* One minute of sparkline. */
const NOW_SLOTS = 4;          /* "Now" is the mean of the last two seconds. */
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

	/* Signals per second, oldest first; the slot that is still filling is left out. */
	history(now) {
		const series = [];

		this.#advance(now);
		for (let i = 1; i < SLOTS; i++)
			series.push(this.#slots[(this.#slot + i) % SLOTS] * 1000 / SLOT_MS);
		return series;
	}

	perSecond(now) {
		const recent = this.history(now).slice(-NOW_SLOTS);

		return recent.reduce((a, b) => a + b, 0) / NOW_SLOTS;
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
