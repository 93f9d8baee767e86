/* Fingers, mouse and wheel over the stage, as what they mean: a click, something carried, a zone,
 * the stage itself pushed or brought nearer. Knows nothing of signals. */

import type { Spot } from "./camera";

const STILL_PX = 6;         /* who moves less has clicked */
const WHEEL_STEP = 0.0016;  /* of the zoom, for each pixel of the wheel */

export interface Carrying { move(at: Spot): void; drop(at: Spot): void; cancel(): void }

/* All places are of the host, in CSS pixels. */
export interface Meanings {
	/* Who is there, if anybody. */
	at(spot: Spot): string | null;
	click(id: string | null, at: Spot): void;
	hover(id: string | null): void;
	menu(id: string | null, at: Spot): void;
	/* Takes somebody up; null: they cannot be carried. */
	carry(id: string, from: Spot): Carrying | null;
	/* Begins a zone, if one is wanted just now. */
	zone(from: Spot): Carrying | null;
	pan(dx: number, dy: number): void;
	zoom(at: Spot, factor: number): void;
}

interface Finger { id: number; start: Spot; last: Spot; on: string | null; isStill: boolean }

export function watchGestures(host: HTMLElement, mean: Meanings): void {
	const fingers = new Map<number, Finger>();
	let carrying: Carrying | null = null;

	function spotOf(event: MouseEvent): Spot {
		const box = host.getBoundingClientRect();

		return { x: event.clientX - box.left, y: event.clientY - box.top };
	}

	function letGo(): void {
		carrying?.cancel();
		carrying = null;
		host.classList.remove("panning", "carrying");
	}

	/* Two fingers: their middle pushes, their distance brings nearer. */
	function pinch(moved: Finger, to: Spot): void {
		const other = [...fingers.values()].find((one) => one !== moved);

		if (!other)
			return;
		const middle = (a: Spot): Spot => ({ x: (a.x + other.last.x) / 2, y: (a.y + other.last.y) / 2 });
		const reach = (a: Spot): number => Math.hypot(a.x - other.last.x, a.y - other.last.y);
		const before = middle(moved.last), after = middle(to);

		mean.pan(after.x - before.x, after.y - before.y);
		if (reach(moved.last) > 1)
			mean.zoom(after, reach(to) / reach(moved.last));
	}

	/* One finger that has begun to move takes something up, or pushes the stage. */
	function begin(finger: Finger, button: number): void {
		finger.isStill = false;
		if (button === 0)
			carrying = mean.zone(finger.start) ?? (finger.on ? mean.carry(finger.on, finger.start) : null);
		host.classList.add(carrying ? "carrying" : "panning");
	}

	function move(event: PointerEvent): void {
		const finger = fingers.get(event.pointerId);
		const to = spotOf(event);

		if (!finger)
			return mean.hover(event.pointerType === "touch" ? null : mean.at(to));
		if (fingers.size > 1) {
			finger.isStill = false;
			pinch(finger, to);
		} else {
			if (finger.isStill && Math.hypot(to.x - finger.start.x, to.y - finger.start.y) > STILL_PX)
				begin(finger, event.buttons & 4 ? 1 : 0);
			if (carrying)
				carrying.move(to);
			else if (!finger.isStill)
				mean.pan(to.x - finger.last.x, to.y - finger.last.y);
		}
		finger.last = to;
	}

	function down(event: PointerEvent): void {
		const spot = spotOf(event);

		if (event.button === 2)
			return;
		if (event.button === 1)
			event.preventDefault();
		letGo();
		fingers.set(event.pointerId, {
			id: event.pointerId, start: spot, last: spot, isStill: true,
			on: event.button === 0 ? mean.at(spot) : null,
		});
		host.setPointerCapture(event.pointerId);
	}

	function up(event: PointerEvent): void {
		const finger = fingers.get(event.pointerId);
		const spot = spotOf(event);

		if (!finger)
			return;
		fingers.delete(event.pointerId);
		if (carrying) {
			const carried = carrying;

			carrying = null;
			carried.drop(spot);
		} else if (finger.isStill && event.button === 0) {
			mean.click(finger.on, spot);
		}
		letGo();
	}

	host.addEventListener("pointerdown", down);
	host.addEventListener("pointermove", move);
	host.addEventListener("pointerup", up);
	host.addEventListener("pointercancel", (event) => {
		fingers.delete(event.pointerId);
		letGo();
	});
	host.addEventListener("pointerleave", () => mean.hover(null));
	host.addEventListener("contextmenu", (event) => {
		/* The key for it has no place; the view knows who is selected. */
		if (event.button < 0 || (event.clientX === 0 && event.clientY === 0))
			return;
		const spot = spotOf(event);

		event.preventDefault();
		fingers.clear();
		letGo();
		mean.menu(mean.at(spot), spot);
	});
	host.addEventListener("wheel", (event) => {
		const factor = event.deltaMode === 1 ? 32 : event.deltaMode === 2 ? 400 : 1;

		event.preventDefault();
		if (event.shiftKey)
			mean.pan(-(event.deltaX || event.deltaY) * factor, 0);
		else
			mean.zoom(spotOf(event), Math.exp(-event.deltaY * factor * WHEEL_STEP * (event.ctrlKey ? 5 : 1)));
	}, { passive: false });
}
