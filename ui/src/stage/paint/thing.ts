/* Anything that is not a person: houses with their lights, posts, letters, plain shapes, and
 * pictures of our own origin. */

import { Container, Sprite } from "pixi.js";
import type { Actor, LookState, PictureState, StripState } from "../frame";
import { mix, numberOf, rgb } from "./colour";
import { colourTextOf, dress, motionOf, type Node, sprite, stateOf, type Studio } from "./node";
import { makePose, sway } from "./pose";
import { pictureOf } from "./pictures";
import { type Art, artOf } from "./shapes";
import { whole } from "./person";
import { GAUGE_SWEEP } from "./things";
import type { Wear } from "./wardrobe";
import { glyphOf, type Print, printGlyph } from "./words";

const SMOKE = 4;
const GLYPH_PIXELS = 40;

export function makeThing(actor: Actor, studio: Studio): Node {
	const { displayWidth: width, displayHeight: height, anchor = [0.5, 0.5] } = actor.look;
	const seed = numberOf(actor.id) % 997 / 997;
	const root = new Container();
	const art = new Container();
	const none = studio.kit.sheet.cel("none");
	const shadow = sprite(none), body = sprite(none), lit = sprite(none), mover = sprite(none);
	const puffs: Sprite[] = [], wings: Sprite[] = [];
	const pose = makePose();
	let picture: Sprite | null = null, shownAt = -1;
	let glyph: Sprite | null = null, printed: Print | null = null;
	let kind: Art = artOf("circle"), unit = 1, wear: Wear | null = null, generation = 0, kitGeneration = 0;
	let dressedFor: LookState | null = null, light = -1;

	art.addChild(body, mover, lit);
	root.addChild(shadow, art);

	function change(now: Actor, to: Studio): void {
		const state = stateOf(now);
		const colour = rgb(colourTextOf(now, state), 0x9aa0a6);

		dressedFor = state;
		picture?.destroy();
		picture = null;
		shownAt = -1;
		body.visible = true;
		kind = artOf(state.type === "shape" ? state.shape : "rounded");
		unit = Math.min(width / kind.width, height / kind.height);
		wear = to.wardrobe.wear(`${kind.name} ${colour} ${unit}`, unit, () => kind.cels(colour));
		generation = 0;
		sign(state.type === "shape" && kind.glyph ? glyphOf(state.glyph ?? "") : "", mix(colour, 0x14122a, 0.7));
	}

	function sign(text: string, ink: number): void {
		printed?.destroy();
		glyph?.destroy();
		printed = null;
		glyph = null;
		if (text === "")
			return;
		printed = printGlyph(text, GLYPH_PIXELS, 2, ink);
		glyph = new Sprite({ texture: printed.texture, anchor: 0.5 });
		glyph.scale.set(kind.glyph!.size / GLYPH_PIXELS);
		glyph.position.set(kind.glyph!.x, kind.glyph!.y);
		art.addChild(glyph);
	}

	function clothe(to: Studio): void {
		const { sheet } = wear!;

		generation = wear!.generation;
		kitGeneration = to.kit.generation;
		dress(body, sheet.cel("body"));
		dress(lit, sheet.cel("lit"));
		dress(mover, sheet.cel(kind.mover?.cel ?? "none"));
		dress(shadow, to.kit.sheet.cel("shadow"));
		for (const puff of puffs)
			dress(puff, to.kit.sheet.cel("puff"));
		for (const wing of wings)
			dress(wing, to.kit.sheet.cel("wing"));
		shadow.scale.set(width / 60 * 1.06, Math.min(width / 60 * 1.06, 2.2));
	}

	/* Ten times a second is enough for strips, and for what has just been loaded. */
	function show(state: PictureState | StripState, now: Actor, seconds: number): void {
		const tick = Math.floor(seconds * Math.min(state.type === "spritesheet" ? state.fps : 2, 30));

		if (tick === shownAt)
			return;
		shownAt = tick;
		const texture = pictureOf(state, Math.max(0, seconds - now.stateSince / 1000 % 7200));

		if (texture === null)
			return;
		picture ??= art.addChild(new Sprite({ anchor: 0.5 }));
		picture.texture.destroy();
		picture.texture = texture;
		picture.setSize(width / unit, height / unit);
		body.visible = false;
	}

	function smoke(seconds: number, to: Studio, busy: number): void {
		while (puffs.length < SMOKE) {
			puffs.push(sprite(to.kit.sheet.cel("puff")));
			art.addChildAt(puffs.at(-1)!, 0);
		}
		for (const [i, puff] of puffs.entries()) {
			const age = (seconds * (0.16 + busy * 0.16) + i / SMOKE + seed) % 1;

			puff.position.set(kind.smoke!.x + age * age * 26, kind.smoke!.y - age * 46);
			puff.scale.set(0.35 + age * 0.9);
			puff.alpha = Math.sin(age * Math.PI) * (to.theme.isDark ? 0.22 : 0.5) * (to.isCalm ? 0 : 1);
			puff.tint = to.theme.isDark ? 0xb9b4dc : 0xffffff;
		}
	}

	/* A letter has wings while it is on its way, and its shadow stays on the ground. */
	function flap(now: Actor, seconds: number, to: Studio): void {
		while (wings.length < 2) {
			wings.push(sprite(to.kit.sheet.cel("wing")));
			art.addChildAt(wings.at(-1)!, 0);
		}
		const beat = to.isCalm ? 0.3 : Math.sin(seconds * 22) * 0.55;

		for (const [i, wing] of wings.entries()) {
			wing.position.set(i ? 40 : -40, -18);
			wing.scale.set(i ? 2.6 : -2.6, 2.6);
			wing.rotation = (i ? -1 : 1) * (beat + 0.2);
			wing.alpha = now.moving === null ? 0 : 1;
		}
	}

	function shine(now: Actor, seconds: number, busy: number, flash: number, to: Studio): void {
		const wanted = Math.max(busy, flash, kind.burns);
		const flicker = to.isCalm ? 1 : 0.94 + 0.06 * Math.sin(seconds * 7 + seed * 9);

		light = light < 0 ? wanted : light + (wanted - light) * to.haste * 0.6;
		lit.alpha = light * flicker * (to.theme.isDark ? 1 : kind.dayLight);
		body.tint = to.theme.isDark && kind.veiled ? mix(to.theme.veil, 0xffffff, busy * 0.3) : 0xffffff;
		mover.tint = body.tint;
		shadow.alpha = to.theme.shadow * (kind.stands ? 1 : 0.55);
		shadow.position.set(art.x, kind.stands ? art.y : (now.moving?.height ?? 0) + Math.max(0, (1 - anchor[1]) * height));
	}

	return {
		root, isPerson: false,
		box: [-anchor[0] * width, -anchor[1] * height, (1 - anchor[0]) * width, (1 - anchor[1]) * height],
		update(now, seconds, fate, to) {
			if (stateOf(now) !== dressedFor)
				change(now, to);
			to.wardrobe.keep(wear!);
			if (wear!.generation !== generation || to.kit.generation !== kitGeneration)
				clothe(to);
			sway(pose, motionOf(dressedFor!), seconds * now.speed, seed, to.isCalm);
			art.scale.set(unit, unit * pose.stretch);
			art.x = (0.5 - anchor[0]) * width + pose.x;
			art.y = (0.5 - anchor[1]) * height + (kind.stands ? height / 2 : 0) + pose.y * (height / 72);
			const turn = now.rotation * Math.PI / 180;
			art.rotation = pose.lean + (kind.mover?.follows ? 0 : turn);
			if (kind.mover !== undefined) {
				mover.position.set(kind.mover.x, kind.mover.y + (to.isCalm ? 0 : Math.sin(seconds * 1.7) * (kind.mover.bob ?? 0)));
				mover.rotation = kind.mover.follows ? (turn / (Math.PI * 2) - 0.5) * GAUGE_SWEEP
					: to.isCalm ? 0
						: seconds * (kind.mover.turns ?? 0) * (0.15 + fate.busy)
							+ Math.sin(seconds * 1.3) * (kind.mover.bob ?? 0) * 0.02;
			}
			if (dressedFor!.type !== "shape")
				show(dressedFor!, now, seconds);
			if (kind.smoke !== undefined)
				smoke(seconds, to, fate.busy);
			if (kind.name === "letter")
				flap(now, seconds, to);
			shine(now, seconds, fate.busy, fate.flash, to);
			whole(root, now, fate);
		},
		destroy() {
			printed?.destroy();
			root.destroy({ children: true });
		},
	};
}
