/* How often the stage is drawn: as often as the screen is, while something happens; every other
 * time while nothing does; ten times a second for who wants less motion. */

const LEAST_MS = {
	lively: 0,
	idle: 24,               /* more than one frame of a screen, less than two */
	calm: 100,
} as const;

export interface Pace {
	/* Is it time to draw? Asked in each frame. */
	isDue(now: number, mood: keyof typeof LEAST_MS): boolean;
}

export function makePace(): Pace {
	let drewAt = -Infinity;

	return {
		isDue(now, mood) {
			if (now - drewAt < LEAST_MS[mood])
				return false;
			drewAt = now;
			return true;
		},
	};
}
