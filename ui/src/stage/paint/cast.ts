/* Everybody on the canvas: a node and a name for each actor, in the order in which they are
 * painted. Who is further down stands nearer, and covers who is behind. People who rest at one
 * spot stand side by side. */

import type { Container } from "pixi.js";
import type { Actor, Camera, StageFrame } from "../frame";
import type { Whereabouts } from "./effects";
import type { Label, Labels } from "./labels";
import { type Fate, type Node, stateOf, type Studio } from "./node";
import { makePerson } from "./person";
import { stanceOf } from "./pose";
import { makeRanks } from "./ranks";
import { makeThing } from "./thing";

const COMING_MS = 320;
const GOING_MS = 260;
const WORK_NEAR = 95;
const HOUSE = 60;
/* With more people than this, who is idle is moved in every third frame only. */
const CROWD = 60;
const FINGER = 18;
const NOWHERE = { x: 0, y: 0 };

export interface Member {
	readonly isSeen: boolean;
	readonly isBodied: boolean;          /* more than a letter: it comes and goes in a cloud */
	age(t: number): number;              /* since it came or went, in milliseconds */
	middle(): Whereabouts;
	screenBox(view: Camera): [number, number, number, number];
}

export interface Cast {
	update(frame: StageFrame, seconds: number, view: Camera, screen: { width: number; height: number }, studio: Studio): number;
	find(id: string): Member | undefined;
	all(): Iterable<Member>;
	pick(x: number, y: number, view: Camera): string | null;
	clear(): void;
}

/* `aside`: how far from where the frame has it, beside others who are there too. */
interface Part extends Member {
	actor: Actor; node: Node; label: Label; fate: Fate; isSeen: boolean; rank: number; shape: string;
	readonly aside: { x: number; y: number };
}

export function makeCast(actors: Container, signs: Labels, names: Labels): Cast {
	const parts = new Map<string, Part>();
	const ranks = makeRanks();
	let order: Part[] = [], frames = 0;

	function enter(actor: Actor, rank: number, studio: Studio): Part {
		const state = stateOf(actor), shape = state.type === "shape" ? state.shape : "picture";
		const node = shape === "person" ? makePerson(actor, studio) : makeThing(actor, studio);
		const part: Part = {
			actor, node, rank, shape, isSeen: false, aside: { x: 0, y: 0 }, isBodied: !(actor.look.tags ?? []).includes("message"),
			label: (node.isPerson ? names : signs).make(), fate: { swell: 1, flash: 0, busy: 0 },
			age: (t) => part.actor.visibleSince > 0 ? t - part.actor.visibleSince : Infinity,
			middle: () => middleOf(part),
			screenBox: (view) => screenBoxOf(part, view),
		};

		actors.addChild(node.root);
		parts.set(actor.id, part);
		order.push(part);
		return part;
	}

	function leave(part: Part): void {
		part.node.destroy();
		part.label.destroy();
		parts.delete(part.actor.id);
		order.splice(order.indexOf(part), 1);
	}

	/* Nearly sorted already: people walk slowly. */
	function sort(): void {
		let isChanged = false;

		for (let i = 1; i < order.length; i++) {
			const part = order[i]!;
			let k = i - 1;

			for (; k >= 0 && isBefore(part, order[k]!); k--)
				order[k + 1] = order[k]!;
			if (k !== i - 1)
				isChanged = true;
			order[k + 1] = part;
		}
		if (!isChanged && actors.children.length === order.length && actors.children[0] === order[0]?.node.root)
			return;
		for (const [i, part] of order.entries())
			if (actors.children[i] !== part.node.root)
				actors.setChildIndex(part.node.root, i);
	}

	function foresee(frame: StageFrame): void {
		for (const part of order)
			part.fate.swell = 1, part.fate.flash = 0, part.fate.busy = 0;
		for (const effect of frame.effects) {
			const fate = parts.get(effect.actor)?.fate;

			if (fate === undefined)
				continue;
			if (effect.kind === "pulse")
				fate.swell = effect.value;
			else if (effect.kind === "flash")
				fate.flash = Math.max(fate.flash, effect.value);
		}
		for (const part of order)
			if (part.node.isPerson && part.actor.visible && isAtWork(part.actor))
				for (const place of order)
					if (!place.node.isPerson && place.node.box[2] - place.node.box[0] > HOUSE
						&& Math.abs(place.actor.x - part.actor.x) < WORK_NEAR
						&& Math.abs(place.actor.y - part.actor.y) < WORK_NEAR)
						place.fate.busy = 1;
	}

	/* Who joins others steps aside, and back when they are gone; in the order of the scene, so that
	 * it is the same on every screen. */
	function makeRoom(frame: StageFrame, studio: Studio): void {
		ranks.begin();
		for (const actor of frame.entities) {
			const part = parts.get(actor.id)!, { aside, node } = part;
			const rests = node.isPerson && actor.visible && actor.moving === null;
			const to = rests ? ranks.next(actor.x, actor.y, (node.box[2] - node.box[0]) * Math.abs(actor.scaleX)) : NOWHERE;
			const share = studio.isCalm || !part.isSeen ? 1 : studio.haste;

			aside.x += (to.x - aside.x) * share;
			aside.y += (to.y - aside.y) * share;
		}
	}

	function draw(part: Part, frame: StageFrame, seconds: number, view: Camera, screen: { width: number; height: number },
		studio: Studio): boolean {
		const { actor, node } = part;
		const seen = presence(actor, frame.t, studio.isCalm);

		part.isSeen = actor.visible && seen.alpha > 0;
		node.root.visible = seen.alpha > 0;
		if (seen.alpha <= 0) {
			part.label.place("", 0, 0, 0, 0);
			return false;
		}
		part.fate.swell *= seen.size;
		const isQuiet = order.length > CROWD && actor.moving === null && part.fate.swell === 1 && part.fate.flash === 0;

		if (!isQuiet || (frames + part.rank) % 3 === 0)
			node.update(actor, seconds, part.fate, studio);
		node.root.position.set(actor.x + part.aside.x, actor.y + part.aside.y);
		node.root.alpha = actor.opacity * seen.alpha;
		const [left, , right, bottom] = screenBoxOf(part, view);
		const isOut = right < 0 || left > screen.width || bottom < 0 || bottom > screen.height + 200;

		part.label.place(isOut || !part.isBodied ? "" : actor.label, (left + right) / 2, bottom + (node.isPerson ? 3 : 8 * view.zoom),
			node.root.alpha, (node.isPerson ? 1000 : node.box[2] * 4) + (actor.speech === null ? 0 : 100) + actor.rank - part.rank / 100);
		return true;
	}

	return {
		update(frame, seconds, view, screen, studio) {
			let drawn = 0;

			frames++;
			for (let rank = 0; rank < frame.entities.length; rank++) {
				const actor = frame.entities[rank]!;
				let part = parts.get(actor.id);

				if (part !== undefined && (part.actor !== actor || part.shape !== shapeNow(actor))) {
					leave(part);
					part = undefined;
				}
				part ??= enter(actor, rank, studio);
				part.rank = rank;
			}
			if (order.length > frame.entities.length) {
				const ids = new Set(frame.entities.map((actor) => actor.id));

				for (const part of [...order])
					if (!ids.has(part.actor.id))
						leave(part);
			}
			foresee(frame);
			makeRoom(frame, studio);
			sort();
			for (const part of order)
				if (draw(part, frame, seconds, view, screen, studio))
					drawn++;
			return drawn;
		},
		find: (id) => parts.get(id),
		all: () => order,
		pick(x, y, view) {
			for (let i = order.length - 1; i >= 0; i--) {
				const part = order[i]!;

				if (!part.isSeen)
					continue;
				const [left, top, right, bottom] = screenBoxOf(part, view);
				const wide = Math.max(0, FINGER - (right - left) / 2), tall = Math.max(0, FINGER - (bottom - top) / 2);

				if (x >= left - wide && x <= right + wide && y >= top - tall && y <= bottom + tall)
					return part.actor.id;
			}
			return null;
		},
		clear() {
			for (const part of [...order])
				leave(part);
			order = [];
		},
	};
}

function shapeNow(actor: Actor): string {
	const state = stateOf(actor);

	/* Things change their art by themselves; only a person is built otherwise. */
	return state.type !== "shape" ? "picture" : state.shape;
}

function isBefore(a: Part, b: Part): boolean {
	if (a.actor.layer !== b.actor.layer)
		return a.actor.layer < b.actor.layer;
	if (a.actor.z !== b.actor.z)
		return a.actor.z < b.actor.z;
	const nearer = a.actor.y + a.aside.y - b.actor.y - b.aside.y;

	return nearer !== 0 ? nearer < 0 : a.rank < b.rank;
}

function isAtWork(actor: Actor): boolean {
	return actor.moving === null && stanceOf(actor.state, "still") === "work";
}

/* Who comes pops up, who goes fades. */
function presence(actor: Actor, t: number, isCalm: boolean): { alpha: number; size: number } {
	const age = actor.visibleSince > 0 ? t - actor.visibleSince : Infinity;

	if (!actor.visible)
		return age >= 0 && age < GOING_MS ? { alpha: 1 - age / GOING_MS, size: 1 } : { alpha: 0, size: 1 };
	if (age >= COMING_MS || age < 0 || isCalm)
		return { alpha: 1, size: 1 };
	const share = age / COMING_MS, back = share - 1;

	return { alpha: Math.min(1, share * 3), size: 1 + 2.7 * back ** 3 + 1.7 * back ** 2 };
}

function middleOf({ actor, aside, node: { box } }: Part): Whereabouts {
	return {
		x: actor.x + aside.x + (box[0] + box[2]) / 2 * actor.scaleX, y: actor.y + aside.y + (box[1] + box[3]) / 2 * actor.scaleY,
		size: Math.min(Math.max((box[2] - box[0]) * Math.abs(actor.scaleX), (box[3] - box[1]) * Math.abs(actor.scaleY)), 400),
	};
}

function screenBoxOf({ actor, aside, node: { box } }: Part, view: Camera): [number, number, number, number] {
	const sx = Math.abs(actor.scaleX) * view.zoom, sy = Math.abs(actor.scaleY) * view.zoom;
	const x = view.x + (actor.x + aside.x) * view.zoom, y = view.y + (actor.y + aside.y) * view.zoom;

	return [x + box[0] * sx, y + box[1] * sy, x + box[2] * sx, y + box[3] * sy];
}
