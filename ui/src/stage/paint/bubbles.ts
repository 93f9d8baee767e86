/* All speech bubbles: above the heads of those who speak, inside of the stage, and not on top of
 * each other. */

import { Container } from "pixi.js";
import type { Actor } from "../frame";
import type { Mood } from "./balloon";
import { makeBubble, type BubbleSize, type SpeechBubble } from "./bubble";
import type { Studio } from "./node";
import { stanceOf } from "./pose";

const EDGE = 8;
const GAP = 6;
const TAIL = 10;
const LEAST_PIXELS = 13;
const MOST_PIXELS = 30;
const SPEAKERS_MAX = 40;
const MANY = 4;              /* who speak at once are short */
const CROWD = { people: 8, speakers: 4, narrow: 2 };   /* of so many, so many are heard at once; on a narrow stage fewer */
const NARROW = 600;

export interface Speaker { actor: Actor; headX: number; headY: number }

export interface Bubbles {
	readonly root: Container;
	/* `people`: how many are on the stage. */
	update(speakers: readonly Speaker[], people: number, screen: { width: number; height: number }, zoom: number, studio: Studio): void;
	/* Where the bubbles are, for whoever must not cover them. */
	boxes(): { id: string; x: number; y: number; width: number; height: number }[];
	destroy(): void;
}

interface Seat { bubble: SpeechBubble; headX: number; headY: number; x: number; y: number; seen: number }

export function makeBubbles(): Bubbles {
	const root = new Container({ isRenderGroup: true });
	const seats = new Map<string, Seat>();
	let frames = 0;

	return {
		root,
		update(speakers, people, screen, zoom, studio) {
			const many = people > CROWD.people ? people : speakers.length;

			frames++;
			for (const { actor, headX, headY } of heardOf(speakers, people, screen.width)) {
				let seat = seats.get(actor.id);

				if (seat === undefined) {
					seat = { bubble: makeBubble(), headX, headY, x: 0, y: 0, seen: 0 };
					seats.set(actor.id, seat);
					root.addChild(seat.bubble.root);
				}
				Object.assign(seat, { headX, headY, seen: frames });
				seat.bubble.write(actor, moodOf(actor), sizeOf(actor, screen, zoom, many), studio);
			}
			for (const [id, seat] of seats) {
				if (seat.seen === frames)
					continue;
				seat.bubble.destroy();
				seats.delete(id);
			}
			arrange([...seats.values()], screen, studio.isCalm ? 1 : studio.haste);
			part([...seats.values()]);
		},
		boxes: () => [...seats].filter(([, { bubble }]) => bubble.root.visible).map(([id, { bubble }]) => ({
			id, x: bubble.root.x, y: bubble.root.y, width: bubble.width, height: bubble.height,
		})),
		destroy() {
			for (const seat of seats.values())
				seat.bubble.destroy();
			root.destroy();
		},
	};
}

/* Those who wait for somebody or failed go first, then who spoke already, so that no bubble is cut off by the next. */
function heardOf(speakers: readonly Speaker[], people: number, width: number): readonly Speaker[] {
	if (people <= CROWD.people)
		return speakers.slice(0, SPEAKERS_MAX);
	const ranks: Record<string, number> = { fading: 3, visible: 2, typing: 1 };
	const rank = ({ actor }: Speaker): number => actor.rank + (ranks[actor.speech!.phase] ?? 0);

	return [...speakers].sort((a, b) => rank(b) - rank(a)).slice(0, width < NARROW ? CROWD.narrow : CROWD.speakers);
}

/* Where there was no room for two, the upper one is seen. */
function part(seats: readonly Seat[]): void {
	const shown: Seat[] = [];

	for (const seat of [...seats].sort((a, b) => a.y - b.y)) {
		const { root } = seat.bubble;

		root.visible = !shown.some(({ bubble: other }) => Math.abs(other.root.x + other.width / 2 - root.x - seat.bubble.width / 2)
			< (other.width + seat.bubble.width) / 2 && root.y < other.root.y + other.height && other.root.y < root.y + seat.bubble.height);
		if (root.visible)
			shown.push(seat);
	}
}

function moodOf(actor: Actor): Mood {
	if (actor.speech!.thought)
		return "think";
	return stanceOf(actor.state, "still") === "error" ? "fail" : "say";
}

function sizeOf(actor: Actor, screen: { width: number; height: number }, zoom: number, speakers: number): BubbleSize {
	const { fontSize = 13, maxWidth = 220 } = actor.bubble;

	return {
		pixels: Math.round(Math.min(Math.max(fontSize * zoom, LEAST_PIXELS), MOST_PIXELS)),
		width: Math.round(Math.min(Math.max(maxWidth * zoom, 150), screen.width * 0.56, 640)),
		lines: speakers > CROWD.people ? 2 : screen.height < 360 || screen.width < NARROW || speakers > MANY ? 3 : 5,
	};
}

/* Where each would like to be, then pushed apart, then into the stage again. */
function arrange(seats: Seat[], screen: { width: number; height: number }, haste: number): void {
	for (const seat of seats) {
		seat.x = seat.headX;
		seat.y = seat.headY - seat.bubble.height - TAIL;
		keepIn(seat, screen);
	}
	seats.sort((a, b) => a.y - b.y);
	for (let round = 0; round < 6; round++)
		for (let i = 0; i < seats.length; i++)
			for (let k = i + 1; k < seats.length; k++)
				push(seats[i]!, seats[k]!, screen);
	for (const seat of seats) {
		const { bubble } = seat, ease = bubble.isNew ? 1 : haste;

		bubble.x += (seat.x - bubble.x) * ease;
		bubble.y += (seat.y - bubble.y) * ease;
		bubble.isNew = false;
		bubble.put(bubble.x, bubble.y, seat.headX, seat.headY);
	}
}

function keepIn(seat: Seat, screen: { width: number; height: number }): void {
	const half = seat.bubble.width / 2;

	seat.x = Math.max(Math.min(seat.x, screen.width - EDGE - half), EDGE + half);
	seat.y = Math.max(Math.min(seat.y, screen.height - EDGE - seat.bubble.height), EDGE);
}

/* Along the shorter way out: aside half each, or the upper one up while there is room, since below
 * its bubble somebody has a face. */
function push(a: Seat, b: Seat, screen: { width: number; height: number }): void {
	const dx = (a.bubble.width + b.bubble.width) / 2 + GAP - Math.abs(a.x - b.x);
	const dy = (a.y < b.y ? a.bubble.height : b.bubble.height) + GAP - Math.abs(a.y - b.y);

	if (dx <= 0 || dy <= 0)
		return;
	if (dx < dy) {
		const way = a.x < b.x || a.x === b.x && a.headX <= b.headX ? 1 : -1;

		a.x -= way * dx / 2;
		b.x += way * dx / 2;
	} else {
		const [upper, lower] = a.y <= b.y ? [a, b] : [b, a];
		const rise = Math.min(dy, Math.max(upper.y - EDGE, 0));

		upper.y -= rise;
		lower.y += dy - rise;
	}
	keepIn(a, screen);
	keepIn(b, screen);
}
