/* What can be done on the stage, whichever way it is said: by hand, by keys or by a menu. Each
 * act is seen at once where it was done, and goes to the server as a signal. */

import type { Desk } from "../desk";
import type { Actor, StageFrame } from "./frame";
import type { Carrying } from "./gestures";
import { boundsOf, clickOf, commandOf, moveOf, pointOf, slotAt, zoneAt, zoneOf, type Bounds, type Hand } from "./hand";
import type { Episodes } from "./episodes";
import type { Eye } from "./eye";
import type { Mark, Marks } from "./marks";
import type { Item } from "./menu";
import { placeOfLog, placeOfRun } from "./card";
import { nameOf } from "./said";
import type { Spot } from "./camera";

const ZONE_LEAST = 8;       /* units of the stage; what is smaller was no zone */
const SLOTS_MAX = 16;
const PLACES_MAX = 24;      /* in a menu */

/* What somebody can be told with one touch. */
const COMMANDS: readonly { action: string; words: string; hint: string }[] = [
	{ action: "report", words: "Tell it to report", hint: "how far is it?" },
	{ action: "wait", words: "Tell it to wait", hint: "and ask before it goes on" },
	{ action: "continue", words: "Tell it to go on", hint: "" },
	{ action: "stop", words: "Tell it to stop", hint: "and leave things as they are" },
];

export interface Acts {
	click(actor: Actor, at: Spot): void;
	point(at: Spot): void;
	/* True when the server has it. */
	command(actor: Actor, action: string): Promise<boolean>;
	moveTo(actor: Actor, slot: string, at: Spot): void;
	zone(bounds: Bounds, mark?: Mark): void;
	/* By hand; places of the screen. */
	carry(actor: Actor): Carrying;
	draw(from: Spot): Carrying;
	menuOf(actor: Actor): Item[];
}

export interface Circumstances {
	desk: Desk;
	hand: Hand;
	marks: Marks;
	eye: Eye;
	episodes: Episodes;
	frame(): StageFrame | null;
	select(id: string | null): void;
}

export function makeActs({ desk, hand, marks, eye, episodes, frame, select }: Circumstances): Acts {
	function click(actor: Actor, at: Spot): void {
		marks.ripple(at, "touch");
		select(actor.id);
		void hand.send(clickOf(actor, at), actor);
	}

	function point(at: Spot): void {
		const now = frame();

		marks.ripple(at, "point");
		if (now)
			void hand.send(pointOf(at, zoneAt(now.document, at)));
	}

	async function command(actor: Actor, action: string): Promise<boolean> {
		marks.ripple(actor, "touch");
		const isSent = await hand.send(commandOf(actor, action), actor);

		if (isSent)
			desk.say(`You told ${nameOf(actor)}: ${action}`);
		return isSent;
	}

	async function moveTo(actor: Actor, slot: string, at: Spot): Promise<void> {
		const now = frame();

		marks.ripple(at, "point");
		if (now && await hand.send(moveOf(actor, slot, zoneAt(now.document, at)), actor))
			desk.say(`You put ${nameOf(actor)} at ${slot}`);
	}

	async function zone(bounds: Bounds, mark = marks.zone(bounds, "")): Promise<void> {
		mark.say(`${Math.round(bounds.w)} × ${Math.round(bounds.h)}`);
		if (await hand.send(zoneOf(bounds, ""))) {
			mark.say("zone sent");
			mark.leave();
		} else {
			mark.remove();
		}
	}

	/* Somebody in the hand: their shade goes along, and the places are shown. */
	function carry(actor: Actor): Carrying {
		const shade = marks.shade(nameOf(actor), actor.look.fallbackColor);
		const slots = marks.slots((frame()?.document.scene.positions ?? []).slice(0, SLOTS_MAX));
		const slotOf = (spot: Spot): string => {
			const now = frame();

			return now ? slotAt(now.document, now.entities, actor, spot) : "";
		};
		const end = (): void => {
			slots.remove();
			shade.leave(0);
		};

		return {
			move(at) {
				const spot = eye.spot(at);
				const slot = slotOf(spot);

				shade.place({ ...spot, w: 0, h: 0 });
				shade.say(`${nameOf(actor)} → ${slot}`);
				slots.near(slot);
			},
			drop(at) {
				const spot = eye.spot(at);

				end();
				void moveTo(actor, slotOf(spot), spot);
			},
			cancel: end,
		};
	}

	function draw(from: Spot): Carrying {
		const corner = eye.spot(from);
		const mark = marks.zone({ ...corner, w: 0, h: 0 }, "");
		const boundsTo = (at: Spot): Bounds => boundsOf(corner, eye.spot(at));

		return {
			move(at) {
				const bounds = boundsTo(at);

				mark.place(bounds);
				mark.say(`${Math.round(bounds.w)} × ${Math.round(bounds.h)}`);
			},
			drop(at) {
				const bounds = boundsTo(at);

				if (Math.min(bounds.w, bounds.h) < ZONE_LEAST)
					return mark.remove();
				mark.place(bounds);
				return void zone(bounds, mark);
			},
			cancel: () => mark.remove(),
		};
	}

	function menuOf(actor: Actor): Item[] {
		const episode = episodes.of(actor.semanticId);
		const places = (frame()?.document.scene.positions ?? []).slice(0, PLACES_MAX);
		const items: Item[] = [{ words: "Touch it", hint: "Enter", act: () => click(actor, actor) }];

		if (actor.isSomebody) {
			for (const { action, words, hint } of COMMANDS)
				items.push({ words, hint, act: () => void command(actor, action) });
			if (places.length)
				items.push({ words: "Put it somewhere", more: places.map((place) =>
					({ words: place.name, act: () => void moveTo(actor, place.name, place) })) });
		}
		if (episode) {
			items.push({ words: "Show its run", symbol: "runs", act: () => desk.go(placeOfRun(episode)) });
			items.push({ words: "Show its log", symbol: "log", act: () => desk.go(placeOfLog(episode)) });
		}
		return items;
	}

	return {
		click, point, command, carry, draw, menuOf,
		moveTo: (actor, slot, at) => void moveTo(actor, slot, at),
		zone: (bounds, mark) => void zone(bounds, mark),
	};
}
