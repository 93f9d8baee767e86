/* Where people stand who rest at the same spot: the first there, the next to the right of it, the
 * next to the left, and so on; who finds no room in the row stands in the next one, a step
 * nearer. Pure, and nothing new is made for a frame. */

const ROW = 4;
const CLOSE = 0.95;          /* of their width: shoulder to shoulder */
const STEP = 20;             /* from row to row */
const SPAN = 1 << 20;        /* more than a stage is wide */

export interface Ranks {
	/* Nobody is anywhere yet. */
	begin(): void;
	/* How far aside the next one of this width stands who rests there. The same object every time. */
	next(x: number, y: number, width: number): { readonly x: number; readonly y: number };
}

export function makeRanks(): Ranks {
	const counts = new Map<number, number>();
	const place = { x: 0, y: 0 };

	return {
		begin: () => counts.clear(),
		next(x, y, width) {
			const key = Math.round(y) * SPAN + Math.round(x);
			const n = counts.get(key) ?? 0;
			const seat = n % ROW, row = Math.floor(n / ROW);

			counts.set(key, n + 1);
			place.x = (seat % 2 === 1 ? 1 : -1) * Math.ceil(seat / 2) * width * CLOSE + (row % 2) * width * CLOSE / 2;
			place.y = row * STEP;
			return place;
		},
	};
}
