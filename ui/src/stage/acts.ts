/* What can be done on the stage, whichever way it is said: by hand, by keys or by a menu. Each
 * act is seen at once where it was done, and goes to the server as a signal. */

import type { Desk, News } from "../desk";
import type { Actor, StageFrame } from "./frame";
import type { Carrying } from "./gestures";
import { boundsOf, clickOf, commandOf, moveOf, pointOf, slotAt, zoneAt, zoneOf, type Bounds, type Hand } from "./hand";
import type { Episodes } from "./episodes";
import type { Eye } from "./eye";
import type { Mark, Marks } from "./marks";
import type { Item } from "./menu";
import { placeOfLog, placeOfRun, placeOfSession } from "./card";
import { makePowers, type Power } from "./powers";
import { nameOf } from "./said";
import type { Spot } from "./camera";
import { visible } from "../text/signal";

const ZONE_LEAST = 8;       /* units of the stage; what is smaller was no zone */
const SLOTS_MAX = 16;
const PLACES_MAX = 24;      /* in a menu */

/* What can be done to whoever works, with one touch; `also` does the same where there is no other way. */
interface Deed { op: string; also?: string; words: string; hint: string; done: string }

const DEEDS: readonly Deed[] = [
	{ op: "pause", words: "Pause it", hint: "before the next action", done: "was told to pause" },
	{ op: "continue", words: "Let it go on", hint: "", done: "was told to continue" },
	{ op: "ui-interrupt", also: "cancel", words: "Interrupt it", hint: "stop the current action", done: "was interrupted" },
];
const HEARD_MS = 10000;     /* for the box to say whether somebody was told */

export interface Acts {
	click(actor: Actor, at: Spot): void;
	point(at: Spot): void;
	/* True when its agent has it: only then it is said that it was told. */
	tell(actor: Actor, words: string): Promise<boolean>;
	power(actor: Actor): Promise<Power>;
	moveTo(actor: Actor, slot: string, at: Spot): void;
	zone(bounds: Bounds, mark?: Mark): void;
	/* By hand; places of the screen. */
	carry(actor: Actor): Carrying;
	draw(from: Spot): Carrying;
	menuOf(actor: Actor): Promise<Item[]>;
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

/* Hears what the box says of what was sent by this id, which is later than that the box has it.
 * Null: it has not said so for long. */
function receiptOf({ link }: Desk, id: string): { wait(): Promise<News["told"] | null>; end(): void } {
	let settle: (found: News["told"] | null) => void;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const found = new Promise<News["told"] | null>((settled) => { settle = settled; });
	const stop = link.on("told", (news) => {
		if (news.signal === id)
			settle(news);
	});

	return {
		wait() {
			timer = setTimeout(() => settle(null), HEARD_MS);
			return found;
		},
		end() {
			clearTimeout(timer);
			stop();
		},
	};
}

export function makeActs({ desk, hand, marks, eye, episodes, frame, select }: Circumstances): Acts {
	const powers = makePowers(desk);

	function click(actor: Actor, at: Spot): void {
		marks.ripple(at, "touch");
		void hand.send(clickOf(actor, at), actor);
		if (actor.session)
			desk.go(placeOfSession(actor.session.member));
		else
			select(actor.id);
	}

	function point(at: Spot): void {
		const now = frame();

		marks.ripple(at, "point");
		if (now)
			void hand.send(pointOf(at, zoneAt(now.document, at)));
	}

	const power = (actor: Actor): Promise<Power> => powers(episodes.of(actor));

	async function tell(actor: Actor, words: string): Promise<boolean> {
		const id = crypto.randomUUID();
		const receipt = receiptOf(desk, id);

		marks.ripple(actor, "touch");
		try {
			return await hand.send({ ...commandOf(actor, words), id }, actor) && sayTold(actor, words, await receipt.wait());
		} finally {
			receipt.end();
		}
	}

	function sayTold(actor: Actor, words: string, receipt: News["told"] | null): boolean {
		if (receipt === null)
			desk.say(`It is not known whether ${nameOf(actor)} was told: the server does not report it.`, "bad");
		else if (receipt.told)
			desk.say(`${nameOf(actor)} was told: ${visible(words)}`, "good");
		else
			desk.say(`${nameOf(actor)} was not told: ${visible(receipt.why)}`, "bad");
		return receipt?.told === true;
	}

	async function steer(actor: Actor, { done, words }: Deed, op: string): Promise<void> {
		const episode = episodes.of(actor);

		if (!episode)
			return;
		marks.ripple(actor, "touch");
		try {
			await desk.link.control(episode.correlationId, op);
			desk.say(`${nameOf(actor)} ${done}.`, "good");
		} catch (error) {
			desk.say(`${words} was refused: ${visible((error as Error).message)}`, "bad");
		}
	}

	async function moveTo(actor: Actor, slot: string, at: Spot): Promise<void> {
		const now = frame();

		marks.ripple(at, "point");
		if (now && await hand.send(moveOf(actor, slot, zoneAt(now.document, at)), actor))
			desk.say(`On the stage ${nameOf(actor)} was put at ${slot}`);
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

	function deedOf(actor: Actor, deed: Deed, { can, whyNot }: Power): Item {
		const op = deed.also !== undefined && !can.has(deed.op) && can.has(deed.also) ? deed.also : deed.op;

		return { words: deed.words, hint: deed.hint, whyNot: whyNot(op), act: () => void steer(actor, deed, op) };
	}

	async function menuOf(actor: Actor): Promise<Item[]> {
		const episode = episodes.of(actor);
		const places = (frame()?.document.scene.positions ?? []).slice(0, PLACES_MAX);
		const { session } = actor;
		const items: Item[] = [session
			? { words: "Open its session", hint: "Enter", symbol: "crew", act: () => desk.go(placeOfSession(session.member)) }
			: { words: "Touch it", hint: "Enter", act: () => click(actor, actor) }];

		if (actor.isSomebody) {
			const now = await power(actor);

			items.push(...DEEDS.map((deed) => deedOf(actor, deed, now)));
			if (places.length && !session?.pose)
				items.push({ words: "Put it somewhere", more: places.map((place) =>
					({ words: place.name, act: () => void moveTo(actor, place.name, place) })) });
		}
		if (episode) {
			if (!session)
				items.push({ words: "Show its run", symbol: "runs", act: () => desk.go(placeOfRun(episode)) });
			items.push({ words: "Show its log", symbol: "log", act: () => desk.go(placeOfLog(episode)) });
		}
		return items;
	}

	return {
		click, point, tell, power, carry, draw, menuOf,
		moveTo: (actor, slot, at) => void moveTo(actor, slot, at),
		zone: (bounds, mark) => void zone(bounds, mark),
	};
}
