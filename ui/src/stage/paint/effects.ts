/* What comes and goes: flashes, rings of a pulse, beams, the dots of a way, puffs of who
 * appears, lights and particles. All of it is functions of time on a pool of sprites. */

import { Container, Sprite } from "pixi.js";
import type { Actor, Effect, Emitter, Light, StageFrame } from "../frame";
import { chance } from "./backdrop";
import { rgb } from "./colour";
import { dress, type Studio } from "./node";

const WAY_DOTS = 24;
const PARTICLES_MAX = 400;

/* Sprites that are taken in turn; those not taken are not seen. */
export interface Pool {
	readonly root: Container;
	begin(): void;
	take(cel: string, studio: Studio, isLight?: boolean): Sprite;
	end(): void;
}

export function makePool(): Pool {
	const root = new Container({ isRenderGroup: true });
	const sprites: Sprite[] = [];
	let used = 0, before = 0;

	return {
		root,
		begin() { used = 0; },
		take(cel, studio, isLight = false) {
			let taken = sprites[used];

			if (taken === undefined) {
				taken = new Sprite();
				sprites.push(taken);
				root.addChild(taken);
			}
			used++;
			dress(taken, studio.kit.sheet.cel(cel));
			taken.visible = true;
			taken.rotation = 0;
			/* By day light is no brighter than what it falls on. */
			taken.blendMode = isLight && studio.theme.isDark ? "add" : "normal";
			return taken;
		},
		end() {
			for (let i = used; i < before; i++)
				sprites[i]!.visible = false;
			before = used;
		},
	};
}

/* ---- on the ground, under everybody ---- */

export function paintLights(pool: Pool, lights: readonly Light[], seconds: number, studio: Studio): void {
	for (const [i, light] of lights.entries()) {
		const halo = pool.take("glow", studio, true);
		const { speed, amount } = light.flicker ?? { speed: 0, amount: 0 };
		const flicker = studio.isCalm ? 1
			: 1 - amount * (0.5 + 0.5 * Math.sin(seconds * speed * 5 + i * 2.1 + Math.sin(seconds * speed * 3.1 + i)));

		halo.position.set(light.x, light.y);
		halo.scale.set((light.radius ?? 100) / 56);
		halo.tint = rgb(light.color, 0xffe9b0);
		halo.alpha = Math.min((light.intensity ?? 1) * flicker * 0.75 * studio.theme.glow, 1);
	}
}

/* Where somebody is going, in dots that wander there; a route is not straight, and has only its end. */
export function paintWay(pool: Pool, actor: Actor, seconds: number, studio: Studio): void {
	const { moving } = actor;

	if (moving === null || moving.kind === "fly")
		return;
	const dx = moving.toX - actor.x, dy = moving.toY - actor.y;
	const count = moving.kind === "route" ? 0 : Math.min(Math.floor(Math.hypot(dx, dy) / 16), WAY_DOTS);
	const drift = studio.isCalm ? 0 : seconds * 1.4 % 1;

	for (let i = 0; i < count; i++) {
		const share = (i + 1 - drift + (drift > 0 ? 0.5 : 0)) / (count + 0.5);
		const dot = pool.take("dot", studio);

		dot.position.set(actor.x + dx * share, actor.y + dy * share);
		dot.scale.set(0.55, 0.34);
		dot.tint = studio.theme.trail;
		dot.alpha = 0.75 * Math.min(1, (1 - share) * 4, share * 5);
	}
	const goal = pool.take("ring", studio);

	goal.position.set(moving.toX, moving.toY);
	goal.scale.set(0.34, 0.13);
	goal.tint = rgb(actor.look.fallbackColor, studio.theme.trail);
	goal.alpha = 0.9;
}

export function paintParticles(pool: Pool, emitters: readonly Emitter[], seconds: number, studio: Studio): void {
	let left = PARTICLES_MAX;

	if (studio.isCalm)
		return;
	for (const [e, emitter] of emitters.entries()) {
		const count = Math.min(emitter.count ?? 12, left);

		left -= count;
		for (let i = 0; i < count; i++)
			particle(pool, emitter, e * 1009 + i, seconds, studio);
	}
}

function particle(pool: Pool, emitter: Emitter, i: number, seconds: number, studio: Studio): void {
	const between = (range: readonly [number, number] | undefined, lack: number, salt: number) =>
		range === undefined ? lack : range[0] + (range[1] - range[0]) * chance(i + salt);
	const life = Math.max(between(emitter.lifetime, 2, 1), 0.1);
	const age = (seconds / life + chance(i)) % 1;
	const speed = between(emitter.speed, 20, 2) * life * age, angle = chance(i + 77) * Math.PI * 2;
	const way = emitter.type === "directional"
		? { x: (emitter.direction?.x ?? 0) * speed, y: (emitter.direction?.y ?? -1) * speed }
		: { x: Math.cos(angle) * speed, y: Math.sin(angle) * speed };
	const mote = pool.take(emitter.glow ? "puff" : "dot", studio, emitter.glow === true);
	const colours = emitter.colorOverLife ?? [];

	mote.position.set(
		emitter.x + way.x + between(emitter.velocity?.x, 0, 3) * life * age,
		emitter.y + way.y + between(emitter.velocity?.y, 0, 4) * life * age);
	mote.scale.set(between(emitter.size, 4, 5) / 8);
	mote.tint = rgb(colours[Math.floor(age * colours.length)], 0xffffff);
	mote.alpha = Math.sin(age * Math.PI) * 0.8;
}

/* ---- over everybody ---- */

export interface Whereabouts { x: number; y: number; size: number }

export function paintEffect(pool: Pool, effect: Effect, seconds: number, at: (id: string) => Whereabouts | null, studio: Studio): void {
	if (effect.kind === "beam") {
		beam(pool, effect, seconds, at, studio);
		return;
	}
	const place = at(effect.actor);

	if (place === null)
		return;
	if (effect.kind === "flash")
		flash(pool, effect, place, studio);
	else if (effect.kind !== "sound")
		ring(pool, place, effect.progress, effect.kind === "pulse" ? 0.5 : 0.35, studio.theme.isDark ? 0xffffff : 0x5a4f86, studio);
	else
		for (const lag of [0, 0.2])
			ring(pool, place, Math.max(effect.progress - lag, 0), 0.3, 0x9fd0ff, studio);
}

function flash(pool: Pool, effect: Extract<Effect, { kind: "flash" }>, place: Whereabouts, studio: Studio): void {
	const halo = pool.take("glow", studio, true);
	const colour = rgb(effect.color, 0xffffff);

	halo.position.set(place.x, place.y);
	halo.scale.set(place.size / 42);
	halo.tint = colour;
	halo.alpha = Math.min(Math.max(effect.value, 0), 1) * (studio.theme.isDark ? 0.6 : 0.7);
	ring(pool, place, effect.progress, 0.9, colour, studio);
}

function ring(pool: Pool, place: Whereabouts, progress: number, strength: number, colour: number, studio: Studio): void {
	const wave = pool.take("ring", studio);
	const grown = 1 - (1 - progress) ** 2;

	wave.position.set(place.x, place.y);
	wave.scale.set(Math.min(place.size, 110) / 60 * (studio.isCalm ? 0.9 : 0.45 + grown * 0.75));
	wave.tint = colour;
	wave.alpha = (1 - progress) * strength;
}

function beam(pool: Pool, effect: Extract<Effect, { kind: "beam" }>, seconds: number,
	at: (id: string) => Whereabouts | null, studio: Studio): void {
	const from = at(effect.actor), to = effect.to === null ? null : at(effect.to);
	const x1 = from?.x ?? effect.x1, y1 = from?.y ?? effect.y1, x2 = to?.x ?? effect.x2, y2 = to?.y ?? effect.y2;
	const length = Math.hypot(x2 - x1, y2 - y1), colour = rgb(effect.color, 0xffffff);
	const seen = Math.min(1, effect.progress * 6, (1 - effect.progress) * 4);
	const light = pool.take("streak", studio, true);
	const tint = studio.theme.isDark ? colour : deeper(colour);

	light.position.set(x1, y1);
	light.rotation = Math.atan2(y2 - y1, x2 - x1);
	light.scale.set(length / 64, 0.9);
	light.tint = tint;
	light.alpha = seen * 0.6;
	for (let i = 0; i < Math.min(Math.floor(length / 26), 40); i++) {
		const share = (i + (studio.isCalm ? 0.5 : seconds * 2.2 % 1)) * 26 / length;

		if (share > 1)
			continue;
		const dot = pool.take("dot", studio);

		dot.position.set(x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
		dot.scale.set(0.42);
		dot.tint = tint;
		dot.alpha = seen * Math.min(1, share * 6, (1 - share) * 6);
	}
}

/* Pale colours cannot be seen on a pale ground. */
function deeper(colour: number): number {
	return (colour >> 1 & 0x7f7f7f) + (colour >> 3 & 0x1f1f1f);
}

/* A cloud where somebody came or went; `age` 0..1. */
export function paintPuff(pool: Pool, place: Whereabouts, age: number, studio: Studio): void {
	if (studio.isCalm)
		return;
	for (let i = 0; i < 6; i++) {
		const puff = pool.take("puff", studio), angle = i / 6 * Math.PI * 2 + 0.4;
		const reach = place.size * 0.62 * (1 - (1 - age) ** 2);

		puff.position.set(place.x + Math.cos(angle) * reach, place.y + place.size * 0.35 + Math.sin(angle) * reach * 0.42);
		puff.scale.set(place.size / 70 * (0.5 + age * 0.6));
		puff.tint = 0xffffff;
		puff.alpha = (1 - age) * 0.55;
	}
}

export function lightsOf(frame: StageFrame): readonly Light[] {
	return (frame.lights.sources ?? []).slice(0, 64);
}
