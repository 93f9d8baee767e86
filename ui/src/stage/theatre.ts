/* What the view of the stage is made of, and who on it is meant. */

import type { Desk } from "../desk";
import type { Actor, Painter, StageFrame } from "./frame";
import type { Acts } from "./acts";
import type { Aim } from "./aim";
import type { Spot } from "./camera";
import type { Card } from "./card";
import type { Crowd } from "./crowd";
import type { Episodes } from "./episodes";
import type { Eye } from "./eye";
import type { Feed } from "./feed";
import type { Hand } from "./hand";
import type { Marks } from "./marks";
import type { Menu } from "./menu";
import type { Meter } from "./meter";
import type { More } from "./more";
import type { Notes } from "./notes";
import type { Pace } from "./pace";
import { nameOf } from "./said";
import type { Tools } from "./tools";

/* The parts, each with a file of its own. */
export interface Parts {
	readonly root: HTMLElement;
	readonly host: HTMLElement;      /* what has the canvas and the focus */
	readonly desk: Desk;
	readonly feed: Feed;
	readonly episodes: Episodes;
	readonly eye: Eye;
	readonly meter: Meter;
	readonly more: More;
	readonly marks: Marks;
	readonly hand: Hand;
	readonly notes: Notes;
	readonly pace: Pace;
	readonly welcome: HTMLElement;
	readonly menu: Menu;
}

export interface Theatre extends Parts {
	/* These do something to the whole of it, so they are made last. */
	acts: Acts;
	aim: Aim;
	card: Card;
	crowd: Crowd;
	tools: Tools;
	painter: Painter | null;
	frame: StageFrame | null;
	selected: string | null;
	hovered: string | null;
	drawsZones: boolean;
	follows: boolean;
	isShown: boolean;
	wasCalm: boolean;
	isCrowdChosen: boolean;          /* a person has said whether the list is to be seen */
	legend: HTMLElement | null;
	lastAt: number;
	emptySince: number;
}

export function actorOf(theatre: Theatre, id: string | null): Actor | null {
	return id === null ? null : theatre.feed.model.actor(id) ?? null;
}

export const isThere = (actor: Actor | null): actor is Actor => actor !== null && actor.visible;

/* Where it stands is the crew's to say, and nobody puts it elsewhere. */
export const isSeated = ({ session }: Actor): boolean => session !== null && session.pose !== null;

export function select(theatre: Theatre, id: string | null): void {
	const actor = actorOf(theatre, id);

	theatre.selected = isThere(actor) ? id : null;
	theatre.crowd.select(theatre.selected);
	if (isThere(actor))
		theatre.card.show(actor, theatre.episodes.of(actor));
	else
		theatre.card.hide();
}

/* Just below an element of the view. */
export function below(theatre: Theatre, element: HTMLElement): Spot {
	const box = element.getBoundingClientRect(), mine = theatre.root.getBoundingClientRect();

	return { x: box.left - mine.left, y: box.bottom - mine.top + 4 };
}

export function openMenu(theatre: Theatre, id: string | null, at: Spot, switches: Record<"zone" | "legend", () => void>): void {
	const { acts, eye, menu } = theatre;
	const actor = actorOf(theatre, id);
	const spot = eye.spot(at);

	if (isThere(actor))
		return menu.openLater(nameOf(actor), acts.menuOf(actor), at);
	return menu.open("The stage", [
		{ words: "Point here", hint: "x", act: () => acts.point(spot) },
		{ words: "Draw a zone", hint: "z", act: switches.zone },
		{ words: "Show all of it", hint: "0", act: () => eye.fit() },
		{ words: "What is what", hint: "l", act: switches.legend },
	], at);
}
