/* How far behind the page is, and what it does about it. Somebody who is not in the crowd is asked
 * where the server stands; when the feed has come there, we know how long it took. A page that cannot
 * keep up skips to what it would draw anyway, the newest, and the rest is in the journal. Time is an
 * argument, in milliseconds. */

const KEEP = 500;             /* signals before the newest that are read all the same: a screen of any view */
const LATE_MS = 200;
const LATE_SIGNALS = 1000;    /* Fewer are read sooner than they are skipped. */
const LOOKS_MAX = 600;        /* a minute of them */

export interface Pace {
	/* The server's newest was this. */
	look(head: number, now: number): void;
	/* For how long the server has had what comes after this seq. */
	behindMs(seq: number, now: number): number;
	/* The seq to go on after, for one who stands at `seq`; null: go on as it is. */
	leap(seq: number, now: number): number | null;
	clear(): void;
}

export function makePace(): Pace {
	const looks: { head: number; at: number }[] = [];

	function behindMs(seq: number, now: number): number {
		while (looks.length > 1 && (looks[0] as { head: number }).head <= seq)
			looks.shift();
		const [first] = looks;

		return first === undefined || first.head <= seq ? 0 : now - first.at;
	}

	return {
		look(head, now) {
			/* What was there already came no later than when it was seen first. */
			if (head > (looks.at(-1)?.head ?? -1))
				looks.push({ head, at: now });
			if (looks.length > LOOKS_MAX)
				looks.shift();
		},
		behindMs,
		leap(seq, now) {
			const head = looks.at(-1)?.head ?? 0;

			return behindMs(seq, now) >= LATE_MS && head - seq >= LATE_SIGNALS ? head - KEEP : null;
		},
		clear() {
			looks.length = 0;
		},
	};
}
