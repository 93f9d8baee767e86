/* What is worth looking at in a frame; and where other people's hands were. */

import type { Envelope } from "../desk";
import type { Actor, StageFrame } from "./frame";
import type { Spot } from "./camera";
import type { Marks } from "./marks";
import { membersOf, numberOf } from "./words";

/* Does anything happen that is seen? */
export function isBusy({ effects, entities }: StageFrame): boolean {
	return effects.length > 0 || entities.some((actor) =>
		actor.moving !== null || actor.speech?.phase === "typing" || actor.speech?.phase === "fading");
}

/* Who acts: whose state changed last. */
export function lastToAct({ entities }: StageFrame): Actor | null {
	return entities.reduce<Actor | null>((last, actor) =>
		actor.visible && actor.stateSince > (last?.stateSince ?? 0) ? actor : last, null);
}

/* The uppermost of those who are somebody, at a place of the stage: a letter that flies by, or the
 * house behind, is not what a hand is after. */
export function somebodyAt({ entities }: StageFrame, { x, y }: Spot): Actor | null {
	return entities.findLast(({ isSomebody, visible, look, scaleX, scaleY, ...actor }) => {
		const width = look.displayWidth * Math.abs(scaleX), height = look.displayHeight * Math.abs(scaleY);
		const [across, down] = look.anchor ?? [0.5, 0.5];
		const left = actor.x - width * across, top = actor.y - height * down;

		return isSomebody && visible && x >= left && x <= left + width && y >= top && y <= top + height;
	}) ?? null;
}

/* Marks what somebody else did. */
export function markOthers({ type, payload }: Envelope, frame: StageFrame | null, marks: Marks): void {
	const { position, bounds, target, entityId } = payload;
	const spot = membersOf(position), box = membersOf(bounds);
	const whom = frame?.entities.find((actor) => actor.visible && actor.semanticId === (target ?? entityId));
	const number = (value: unknown): number => numberOf(value, 0);

	if (type === "user.zone")
		marks.zone({ x: number(box.x), y: number(box.y), w: number(box.w), h: number(box.h) }, "drawn by a person").leave();
	else if (position !== undefined)
		marks.ripple({ x: number(spot.x), y: number(spot.y) }, "other");
	else if (whom)
		marks.ripple(whom, "other");
}
