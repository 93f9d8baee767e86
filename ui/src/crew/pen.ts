/* Writes into rows what has changed, in slices of a frame, so that however many change the page
 * answers its keys. What is out of sight is written once, and again when it comes near. */

import type { Member } from "../desk";
import type { Row } from "./row";

const SLICE_MS = 4;           /* of writing in one frame */
const NEAR = "200px";         /* beyond what is seen, where rows are written already */

export interface Pen {
	/* A new row, and one that is gone. */
	watch(id: string, row: Row): void;
	forget(id: string, row: Row): void;
	/* These say something else. */
	touch(ids: readonly string[]): void;
	drawSoon(): void;
	tick(now: number): void;
}

export function makePen(scroller: HTMLElement, rows: ReadonlyMap<string, Row>, members: ReadonlyMap<string, Member>,
	now: () => number): Pen {
	const dirty = new Set<string>();
	const near = new Set<string>();       /* seen, or nearly */
	const made = new Set<string>();       /* written at least once */
	let frame = 0;
	const eye = new IntersectionObserver((all) => {
		for (const { target, isIntersecting } of all) {
			const id = (target as HTMLElement).dataset.id ?? "";

			if (!isIntersecting) {
				near.delete(id);
				continue;
			}
			near.add(id);
			rows.get(id)?.tick(now());
		}
		drawSoon();
	}, { root: scroller, rootMargin: NEAR });

	function isWanted(id: string): boolean {
		return near.has(id) || !made.has(id) || !rows.has(id);
	}

	function drawSlice(): void {
		const end = performance.now() + SLICE_MS;
		const time = now();

		frame = 0;
		for (const id of dirty) {
			const row = rows.get(id), member = members.get(id);

			if (!isWanted(id))
				continue;
			dirty.delete(id);
			if (row === undefined || member === undefined)
				continue;
			made.add(id);
			row.draw(member);
			row.tick(time);
			if (performance.now() > end)
				break;
		}
		drawSoon();
	}

	function drawSoon(): void {
		if (frame === 0 && [...dirty].some(isWanted))
			frame = requestAnimationFrame(drawSlice);
	}

	return {
		drawSoon,
		watch(id, row) {
			dirty.add(id);
			eye.observe(row.root);
		},
		forget(id, row) {
			eye.unobserve(row.root);
			near.delete(id);
			made.delete(id);
		},
		touch: (ids) => ids.forEach((id) => dirty.add(id)),
		tick(time) {
			for (const id of near)
				rows.get(id)?.tick(time);
		},
	};
}
