/* Where one looks at the stage from: all of it, until somebody zooms or pushes; then what they
 * chose, or whoever is followed. It glides there, unless motion is unwanted. */

import type { Camera } from "./frame";
import { between, bounded, centred, fit, toStage, zoomAround, type Size, type Spot } from "./camera";

const GLIDE_MS = 110;       /* in this time it comes most of the way */
const LEAST = 0.5;          /* of the zoom at which everything fits */
const FOLLOW_ZOOM = 1.6;    /* likewise, while somebody is followed */

export interface Eye {
	readonly camera: Camera;
	readonly screen: Size;
	readonly isFitted: boolean;
	/* What is looked at, and from a window of which size. */
	see(stage: Size, screen: Size): void;
	fit(): void;
	/* Around a place of the screen, or its middle. */
	zoom(factor: number, at?: Spot): void;
	pan(dx: number, dy: number): void;
	/* Somebody who is to stay in the middle; null: nobody. */
	follow(spot: Spot | null): void;
	/* Time passed. */
	glide(milliseconds: number, isCalm: boolean): void;
	spot(at: Spot): Spot;
	middle(): Spot;
}

export function makeEye(): Eye {
	let stage: Size = { width: 1, height: 1 }, screen: Size = { width: 1, height: 1 };
	let camera: Camera = { x: 0, y: 0, zoom: 1 }, goal = camera;
	let isFitted = true, isFollowing = false;

	const whole = (): Camera => fit(stage, screen);

	/* At once: the hand is quicker than any gliding. */
	function set(next: Camera): void {
		isFitted = false;
		goal = camera = bounded(next, stage, screen);
	}

	return {
		get camera() { return camera; },
		get screen() { return screen; },
		get isFitted() { return isFitted; },
		see(nextStage, nextScreen) {
			const isSame = nextStage.width === stage.width && nextStage.height === stage.height
				&& nextScreen.width === screen.width && nextScreen.height === screen.height;

			if (isSame)
				return;
			stage = nextStage;
			screen = nextScreen;
			goal = camera = isFitted ? whole() : bounded(camera, stage, screen);
		},
		fit() {
			isFitted = true;
			goal = whole();
		},
		zoom: (factor, at = { x: screen.width / 2, y: screen.height / 2 }) =>
			set(zoomAround(camera, at, factor, whole().zoom * LEAST)),
		pan: (dx, dy) => set({ ...camera, x: camera.x + dx, y: camera.y + dy }),
		follow(spot) {
			if (!spot && isFollowing && !isFitted)
				goal = camera;
			if (spot) {
				const zoom = isFollowing ? goal.zoom : Math.max(camera.zoom, whole().zoom * FOLLOW_ZOOM);

				isFitted = false;
				goal = centred({ ...camera, zoom }, spot, screen);
			}
			isFollowing = spot !== null;
		},
		glide(milliseconds, isCalm) {
			const away = Math.abs(goal.x - camera.x) + Math.abs(goal.y - camera.y) + 200 * Math.abs(goal.zoom - camera.zoom);

			if (away === 0)
				return;
			camera = isCalm || away < 0.3 ? goal : between(camera, goal, 1 - Math.exp(-milliseconds / GLIDE_MS));
		},
		spot: (at) => toStage(camera, at),
		middle: () => toStage(camera, { x: screen.width / 2, y: screen.height / 2 }),
	};
}
