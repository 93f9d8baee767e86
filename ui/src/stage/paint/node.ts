/* What an actor is on the canvas: sprites that are made once and then only moved. */

import { type Container, Sprite, type Texture } from "pixi.js";
import type { Actor, LookState, Motion, ShapeState } from "../frame";
import type { Theme } from "./theme";
import type { Wardrobe, Wear } from "./wardrobe";

/* What nodes need of the painter. */
export interface Studio {
	readonly wardrobe: Wardrobe;
	readonly kit: Wear;
	readonly theme: Theme;
	readonly density: number;
	readonly isCalm: boolean;
	/* Which share of its way something that follows something else goes in this frame. */
	readonly haste: number;
}

/* What happens to an actor in this frame, besides what it is. */
export interface Fate {
	swell: number;          /* its pulse; 1 without */
	flash: number;          /* 0..1 */
	busy: number;           /* 0..1: somebody is at work here */
}

export interface Node {
	readonly root: Container;
	/* Where it can be picked and where names and bubbles go, seen from its place, in units of
	 * the stage and before its scale: left, top, right, bottom. */
	readonly box: readonly [number, number, number, number];
	readonly isPerson: boolean;
	update(actor: Actor, seconds: number, fate: Fate, studio: Studio): void;
	destroy(): void;
}

const CIRCLE: ShapeState = { type: "shape", shape: "circle" };

/* How it looks in its state: a state that is missing looks like idle. */
export function stateOf(actor: Actor): LookState {
	const states = actor.look.states ?? {};

	if (Object.hasOwn(states, actor.state))
		return states[actor.state]!;
	return Object.hasOwn(states, "idle") ? states["idle"]! : CIRCLE;
}

export function motionOf(state: LookState): Motion {
	return state.type === "shape" ? state.motion ?? "still" : "still";
}

export function colourTextOf(actor: Actor, state: LookState): string {
	return state.type === "shape" ? state.color ?? actor.look.fallbackColor : actor.look.fallbackColor;
}

export function sprite(texture: Texture, x = 0, y = 0): Sprite {
	const made = new Sprite({ texture });

	if (texture.defaultAnchor)
		made.anchor.copyFrom(texture.defaultAnchor);
	made.position.set(x, y);
	return made;
}

/* The same sprite with another cel. */
export function dress(worn: Sprite, texture: Texture): void {
	if (worn.texture === texture)
		return;
	worn.texture = texture;
	if (texture.defaultAnchor)
		worn.anchor.copyFrom(texture.defaultAnchor);
}
