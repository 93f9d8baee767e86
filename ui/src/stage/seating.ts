/* Where the figure of a session stands, by its state, as the show has it; pure. A position has room
 * for so many, in rows; who finds no room there is at home. */

import type { CrewState, Member, Subagent } from "../desk";
import type { Place, Scene } from "./frame";

export interface Spot { x: number; y: number }

/* How a state looks, unless the show says another pose. */
const POSES: Readonly<Record<string, string>> = {
	thinking: "thinking", answering: "acting", tool: "work", asks: "waiting", waits: "idle", idle: "idle", failed: "error",
};
const OVER: ReadonlySet<string> = new Set(["finished", "gone"]);

/* A figure is somebody's who is still there. */
export function isPresent({ group, state }: Member): boolean {
	return group !== "over" && !OVER.has(state.name);
}

/* A subagent is there while it is at it. */
export function isAtIt({ state }: Subagent): boolean {
	return ["thinking", "answering", "tool", "asks", "waits"].includes(state.name);
}

export function poseOf(state: CrewState, scene: Scene): string {
	return ruleOf(state, scene)?.pose ?? POSES[state.name] ?? "idle";
}

/* The name of the position; "" is at home. */
export function placeOf(state: CrewState, scene: Scene): string {
	return ruleOf(state, scene)?.at ?? "";
}

function ruleOf({ name, tool }: CrewState, { crew = [] }: Scene): { at?: string; pose?: string } | undefined {
	return crew.find((rule) => rule.state === name && (rule.tools === undefined || tool !== undefined && rule.tools.includes(tool)));
}

/* From the middle of the first row to both sides, row by row. Every second one stands half a row
 * nearer, so that a long name has room beside the next. */
export function seatsOf({ x, y, room }: Place): Spot[] {
	const { columns, rows, dx, dy } = room ?? { columns: 1, rows: 1, dx: 0, dy: 0 };
	const seats: Spot[] = [];

	for (let row = 0; row < rows; row++)
		for (let i = 0; i < columns; i++) {
			const side = i % 2 === 0 ? 1 : -1, steps = Math.ceil(i / 2);

			const across = side * steps + (columns % 2 === 0 ? 0.5 : 0);

			seats.push({ x: x + across * dx, y: y + row * dy + (Math.abs(Math.floor(across)) % 2) * dy / 2 });
		}
	return seats;
}

/* Who sits where: a seat is kept until its place is left. */
export interface Seats {
	/* Null: there is no room, or no such place. */
	take(who: string, place: string): Spot | null;
	leave(who: string): void;
}

export function makeSeats(scene: Scene, isTaken: (spot: Spot) => boolean): Seats {
	const places = new Map((scene.positions ?? []).map((one) => [one.name, { spots: seatsOf(one), who: [] as (string | undefined)[] }]));
	const held = new Map<string, { place: string; seat: number }>();

	function leave(who: string): void {
		const { place, seat } = held.get(who) ?? { place: "", seat: 0 };

		if (!held.delete(who))
			return;
		places.get(place)!.who[seat] = undefined;
	}

	return {
		leave,
		take(who, place) {
			const there = places.get(place), now = held.get(who);

			if (now !== undefined && now.place === place)
				return there!.spots[now.seat]!;
			leave(who);
			const seat = there?.spots.findIndex((spot, i) => there.who[i] === undefined && !isTaken(spot)) ?? -1;

			if (there === undefined || seat < 0)
				return null;
			there.who[seat] = who;
			held.set(who, { place, seat });
			return there.spots[seat]!;
		},
	};
}
