/* The way of each session across the stage: to where its state has it, on foot. Pure. */

import type { CrewState, Member } from "../desk";
import type { Moving, Scene } from "./frame";
import { makeSeats, placeOf, type Spot } from "./seating";

const STAY_MS = 5000;       /* who thinks between two tools stays where it was for so long */
const SPEED = 0.3;          /* units of the stage in a millisecond */
const WALK_MS = { least: 350, most: 1500 };
const BETWEEN: ReadonlySet<string> = new Set(["thinking", "answering", "waits"]);

export interface Posts {
	/* Where a session is at this time, whose home is there. */
	stand(who: Walker, member: Member, home: Spot, now: { t: number; calm: boolean }): void;
	forget(isGone: (id: string) => boolean): void;
}

export interface Walker extends Spot { moving: Moving | null }

interface Post {
	place: string;
	goal: Spot;
	from: Spot;
	start: number;
	duration: number;
	isForTool: boolean;     /* it came there to use one */
	leftAt: number;         /* when its state stopped asking for the place where it is; NaN: it does not */
}

const smooth = (p: number): number => p * p * (3 - 2 * p);

function spotOf({ from, goal, start, duration }: Post, t: number): Spot {
	const p = duration > 0 ? smooth(Math.min(Math.max((t - start) / duration, 0), 1)) : 1;

	return { x: from.x + (goal.x - from.x) * p, y: from.y + (goal.y - from.y) * p };
}

function timeFor(from: Spot, to: Spot): number {
	const way = Math.hypot(to.x - from.x, to.y - from.y);

	return way === 0 ? 0 : Math.min(Math.max(way / SPEED, WALK_MS.least), WALK_MS.most);
}

function walk(who: Walker, post: Post, t: number): void {
	const { from, goal, start, duration } = post;
	const progress = duration > 0 ? (t - start) / duration : 1;

	Object.assign(who, spotOf(post, t));
	if (progress >= 1 || progress < 0) {
		who.moving = null;
		return;
	}
	who.moving ??= { kind: "move", dx: 0, dy: 0, progress: 0, toX: 0, toY: 0, height: 0 };
	Object.assign(who.moving, { dx: goal.x - from.x, dy: goal.y - from.y, progress, toX: goal.x, toY: goal.y });
}

/* The place that its state wants, or where it is while it only thinks for a moment. */
function wanted(post: Post | undefined, state: CrewState, place: string, t: number): string {
	if (post === undefined || post.place === place || !post.isForTool || !BETWEEN.has(state.name))
		return place;
	if (Number.isNaN(post.leftAt))
		post.leftAt = t;
	return t - post.leftAt < STAY_MS ? post.place : place;
}

export function makePosts(scene: Scene, isTaken: (spot: Spot) => boolean): Posts {
	const posts = new Map<string, Post>();
	const seats = makeSeats(scene, isTaken);

	function find(id: string, state: CrewState, home: Spot, { t, calm }: { t: number; calm: boolean }): Post {
		const before = posts.get(id), asked = placeOf(state, scene);
		const place = wanted(before, state, asked, t);
		const goal = (place === "" ? null : seats.take(id, place)) ?? { x: home.x, y: home.y };
		const isForTool = state.name === "tool" || before !== undefined && before.isForTool && before.place === place;

		if (place === "")
			seats.leave(id);
		if (before !== undefined && before.goal.x === goal.x && before.goal.y === goal.y)
			return Object.assign(before, { place, isForTool, leftAt: asked === place ? NaN : before.leftAt });
		const from = before === undefined || calm ? goal : spotOf(before, t);
		const next = { place, goal, from, start: t, duration: timeFor(from, goal), isForTool, leftAt: NaN };

		posts.set(id, next);
		return next;
	}

	return {
		stand: (who, { id, state }, home, now) => walk(who, find(id, state, home, now), now.t),
		forget(isGone) {
			for (const id of posts.keys())
				if (isGone(id)) {
					posts.delete(id);
					seats.leave(id);
				}
		},
	};
}
