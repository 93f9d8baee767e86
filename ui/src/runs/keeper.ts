/* Keeps something of the server's fresh: it is asked for when it was touched, only while
 * somebody looks, and never sooner than `restMs` after the last time. */

export interface Keeper {
	/* It is another one by now. */
	touch(): void;
	/* Somebody looks, or nobody does any more. */
	look(isSeen: boolean): void;
	/* What is on its way is of no interest any more. */
	drop(): void;
}

export interface Wish {
	restMs: number;
	/* Asks and takes the answer; true: it is not the newest yet. Never throws. */
	ask(isWanted: () => boolean): Promise<boolean>;
}

const STALE_MAX = 20;         /* Whoever is still behind after so many answers stays there. */

export function keeper({ restMs, ask }: Wish): Keeper {
	let isSeen = false;
	let isTouched = true;
	let askedAt = -Infinity;
	let timer: number | undefined;
	let turn = 0;               /* of asking; an answer to an older one is dropped */
	let isAsking = false;
	let stale = 0;

	function soon(): void {
		if (!isSeen || !isTouched || isAsking || timer !== undefined)
			return;
		timer = window.setTimeout(now, Math.max(0, askedAt + restMs - performance.now()));
	}

	async function now(): Promise<void> {
		const mine = ++turn;

		timer = undefined;
		if (!isSeen)
			return;
		isTouched = false;
		isAsking = true;
		askedAt = performance.now();
		const isBehind = await ask(() => mine === turn);
		if (mine !== turn)
			return;
		isAsking = false;
		stale = isBehind ? stale + 1 : 0;
		if (isBehind && stale < STALE_MAX)
			isTouched = true;
		soon();
	}

	return {
		touch() {
			isTouched = true;
			stale = 0;
			soon();
		},
		look(seen) {
			isSeen = seen;
			if (!seen) {
				clearTimeout(timer);
				timer = undefined;
			}
			soon();
		},
		drop() {
			turn++;
			isAsking = false;
			isTouched = true;
			stale = 0;
			askedAt = -Infinity;
			clearTimeout(timer);
			timer = undefined;
			soon();
		},
	};
}
