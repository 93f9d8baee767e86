/* The server's time, as this page knows it. Every word about the stage says when it was true
 * (`at`), and comes a little later: so the true difference between the clocks is never less than
 * any that was seen, and the largest of the last while is the best guess. Towards the guess time
 * runs a little faster or slower; it never runs backwards, and jumps only when it is far off:
 * after a sleep, or when the server's clock was set.
 *
 * Local times are of a clock that only goes forwards (performance.now()). */

const BUCKET_MS = 5000;     /* guesses are kept in so many milliseconds together */
const BUCKETS = 12;
const FAR_MS = 750;         /* so far off it jumps */
const SLEW = 0.08;          /* else it gains or loses this share of the time that passes */

export interface Clock {
	/* Something that was true at `at` was heard now. */
	hear(at: number, localNow: number): void;
	/* Another time line begins: a server that was started anew, with its clock set back. */
	restart(): void;
	/* The server's time; NaN while nothing was heard. */
	read(localNow: number): number;
	readonly isSet: boolean;
}

interface Bucket { since: number; offset: number }

export function makeClock(): Clock {
	let buckets: Bucket[] = [];
	let offset = NaN;       /* in use: server time = local time + offset */
	let readAt = 0;
	let told = -Infinity;   /* the last time that was given */

	const best = (): number => buckets.reduce((max, bucket) => Math.max(max, bucket.offset), -Infinity);

	/* Goes towards the best guess in the time that passed. */
	function slew(localNow: number): void {
		const away = best() - offset;
		const most = Math.max(localNow - readAt, 0) * SLEW;

		offset += Math.abs(away) > FAR_MS ? away : Math.min(Math.max(away, -most), most);
		readAt = localNow;
	}

	return {
		hear(at, localNow) {
			const guess = at - localNow;
			let last = buckets.at(-1);

			if (!Number.isFinite(guess))
				return;
			/* A sleep, or a clock that was set: what was known before says nothing any more. */
			if (guess - best() > FAR_MS)
				buckets = [];
			last = buckets.at(-1);
			if (!last || localNow - last.since >= BUCKET_MS) {
				buckets.push({ since: localNow, offset: guess });
				buckets = buckets.slice(-BUCKETS);
			} else {
				last.offset = Math.max(last.offset, guess);
			}
			if (Number.isNaN(offset)) {
				offset = guess;
				readAt = localNow;
			}
		},
		restart() {
			buckets = [];
			offset = NaN;
			told = -Infinity;
		},
		read(localNow) {
			if (Number.isNaN(offset))
				return NaN;
			slew(localNow);
			told = Math.max(told, localNow + offset);
			return told;
		},
		get isSet() {
			return !Number.isNaN(offset);
		},
	};
}
