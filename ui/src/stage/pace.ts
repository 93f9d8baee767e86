/* How often the stage is drawn: as often as the screen is, while something happens; every other
 * time while nothing does; ten times a second for who wants less motion. Where drawing is slow,
 * because a processor does what a graphics card ought to, half of the time is left to others. */

const IDLE_MS = 24;         /* more than one frame of a screen, less than two */
const CALM_MS = 100;
const SLOW_MS = 40;         /* from one drawing to the next frame: this is slow */
const LONGEST_MS = 500;
const WEIGHT = 0.2;         /* of the newest, in what is usual */

export interface Pace {
	/* Is it time to draw? Asked in each frame. */
	isDue(now: number, mood: "lively" | "idle" | "calm"): boolean;
}

export function makePace(): Pace {
	let drewAt = -Infinity, usual = 0, hasJustDrawn = false;

	return {
		isDue(now, mood) {
			/* A tab that was hidden says nothing about drawing. */
			if (hasJustDrawn && now - drewAt < 1000)
				usual += (now - drewAt - usual) * WEIGHT;
			hasJustDrawn = false;
			const rest = usual > SLOW_MS ? Math.min(2 * usual, LONGEST_MS) : 0;
			const least = { lively: 0, idle: IDLE_MS, calm: CALM_MS }[mood];

			if (now - drewAt < Math.max(rest, least))
				return false;
			drewAt = now;
			hasJustDrawn = true;
			return true;
		},
	};
}
