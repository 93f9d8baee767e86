/* A person: the parts of the figure, joined, in the pose of their state, with a badge that says
 * the state in a glyph. */

import { Container, type Sprite } from "pixi.js";
import type { Actor, LookState } from "../frame";
import { makeBadge } from "./badge";
import { mix, numberOf, rgb } from "./colour";
import { FIGURE_HEIGHT, figureCels, HEADGEAR, HEADSET, JOINTS } from "./figure";
import { colourTextOf, dress, type Fate, motionOf, type Node, sprite, stateOf, type Studio } from "./node";
import { makePose, type Pose, stanceOf, strike } from "./pose";
import type { Wear } from "./wardrobe";

const SPARKS = 3;

export function makePerson(actor: Actor, studio: Studio): Node {
	const { displayWidth: width, displayHeight: height, anchor = [0.5, 0.5] } = actor.look;
	const unit = Math.min(height / FIGURE_HEIGHT, width / 62);
	const foot = { x: (0.5 - anchor[0]) * width, y: (1 - anchor[1]) * height };
	const seed = numberOf(actor.id) % 997 / 997;
	const root = new Container();
	const parts = build(studio);
	const pose = makePose();
	const badge = makeBadge(studio);
	let wear: Wear | null = null, generation = 0, kitGeneration = 0, dressedFor: LookState | null = null;
	let stance = "idle", facing = 1, colour = -1;

	parts.figure.position.set(foot.x, foot.y);
	parts.shadow.position.set(foot.x, foot.y);
	parts.shadow.scale.set(unit * 0.95);
	root.addChild(parts.shadow, parts.figure, badge.root);

	/* Art and badge of a state that it was not in before. */
	function change(now: Actor, to: Studio): void {
		const state = stateOf(now), own = rgb(now.look.fallbackColor, 0x9aa0a6);
		const wanted = mix(own, rgb(colourTextOf(now, state), own), 0.45);

		stance = stanceOf(now.state, motionOf(state));
		badge.say(state.type === "shape" ? state.glyph ?? "" : "", stance, to);
		dressedFor = state;
		if (wanted !== colour || wear === null) {
			const headgear = headgearOf(now.id);

			colour = wanted;
			wear = to.wardrobe.wear(`person ${colour} ${headgear} ${unit}`, unit, () => figureCels(colour, headgear));
			generation = 0;
		}
	}

	return {
		root, isPerson: true,
		box: [foot.x - 27 * unit, foot.y - 108 * unit, foot.x + 27 * unit, foot.y + 2],
		update(now, seconds, fate, to) {
			const wasIn = stance;

			if (stateOf(now) !== dressedFor || stanceOf(now.state, motionOf(dressedFor)) !== stance)
				change(now, to);
			if (now.moving !== null && wasIn !== "walk" && now.moving.kind !== "fly" && stance === "idle")
				stance = "walk";
			to.wardrobe.keep(wear!);
			if (wear!.generation !== generation || to.kit.generation !== kitGeneration) {
				generation = wear!.generation;
				kitGeneration = to.kit.generation;
				clothe(parts, wear!, to);
			}
			if (now.moving !== null && Math.abs(now.moving.dx) > 2)
				facing = now.moving.dx > 0 ? 1 : -1;
			strike(pose, stance, seconds * now.speed, seed, to.isCalm);
			bend(parts, pose, wear!, to);
			parts.figure.scale.set(unit * facing, unit);
			parts.shadow.alpha = to.theme.shadow * (1 + pose.y / 30);
			badge.update(seconds, unit, foot, pose, to);
			whole(root, now, fate);
		},
		destroy() { root.destroy({ children: true }); },
	};
}

/* You have a headset: you are the one who is talked to. */
function headgearOf(id: string): number {
	return id === "you" ? HEADSET : numberOf(id) % HEADGEAR;
}

interface Parts {
	figure: Container; torso: Container;
	shadow: Sprite; farLeg: Sprite; nearLeg: Sprite; farArm: Sprite; body: Sprite;
	head: Sprite; face: Sprite; prop: Sprite; nearArm: Sprite; sparks: Sprite[];
}

function build(studio: Studio): Parts {
	const empty = studio.kit.sheet.cel("none");
	const make = () => sprite(empty);
	const parts: Parts = {
		figure: new Container(), torso: new Container(), shadow: make(), farLeg: make(), nearLeg: make(),
		farArm: make(), body: make(), head: make(), face: make(), prop: make(), nearArm: make(), sparks: [],
	};

	parts.farLeg.position.set(-JOINTS.leg.x, JOINTS.leg.y);
	parts.nearLeg.position.set(JOINTS.leg.x, JOINTS.leg.y);
	parts.torso.position.set(JOINTS.body.x, JOINTS.body.y);
	parts.farArm.position.set(-JOINTS.arm.x, JOINTS.arm.y);
	parts.nearArm.position.set(JOINTS.arm.x, JOINTS.arm.y);
	parts.torso.addChild(parts.farArm, parts.body, parts.head, parts.face, parts.prop, parts.nearArm);
	parts.figure.addChild(parts.farLeg, parts.nearLeg, parts.torso);
	return parts;
}

function clothe(parts: Parts, wear: Wear, studio: Studio): void {
	const { sheet } = wear;

	dress(parts.shadow, studio.kit.sheet.cel("shadow"));
	dress(parts.farLeg, sheet.cel("leg"));
	dress(parts.nearLeg, sheet.cel("leg"));
	dress(parts.farArm, sheet.cel("arm"));
	dress(parts.nearArm, sheet.cel("arm"));
	dress(parts.body, sheet.cel("body"));
	dress(parts.head, sheet.cel("head"));
	for (const spark of parts.sparks)
		dress(spark, studio.kit.sheet.cel("spark"));
}

/* From the numbers of the pose to the joints. */
function bend(parts: Parts, pose: Pose, wear: Wear, studio: Studio): void {
	const { torso, head, face, nearArm, farArm, prop } = parts;

	torso.position.set(JOINTS.body.x + pose.x, JOINTS.body.y + pose.y + pose.sink);
	torso.scale.y = pose.stretch;
	torso.rotation = pose.lean;
	head.position.set(JOINTS.head.x, JOINTS.head.y + pose.lift);
	head.rotation = pose.nod;
	face.position.copyFrom(head.position);
	face.rotation = pose.nod;
	dress(face, wear.sheet.cel(pose.face));
	nearArm.rotation = -pose.near;
	nearArm.scale.y = pose.nearReach;
	farArm.rotation = -pose.far;
	farArm.scale.y = pose.farReach;
	parts.nearLeg.rotation = -pose.nearLeg;
	parts.farLeg.rotation = -pose.farLeg;
	parts.nearLeg.y = parts.farLeg.y = JOINTS.leg.y + Math.min(pose.y, 0) + pose.sink;
	dress(prop, pose.prop === "none" ? studio.kit.sheet.cel("none") : studio.kit.sheet.cel(pose.prop));
	if (pose.prop === "slate") {
		prop.position.set(2, -12);
		prop.rotation = -0.06;
	} else if (pose.prop === "hammer") {
		prop.position.set(JOINTS.arm.x + Math.sin(pose.near) * 25, JOINTS.arm.y + Math.cos(pose.near) * 25);
		prop.rotation = Math.PI / 2 - pose.near + pose.propTurn;
	}
	if (pose.prop === "hammer" || parts.sparks.length > 0)
		fly(parts, pose, studio);
}

/* A blow of the hammer. */
function fly(parts: Parts, pose: Pose, studio: Studio): void {
	while (parts.sparks.length < SPARKS) {
		const spark = sprite(studio.kit.sheet.cel("spark"));

		spark.tint = 0xffd67a;
		parts.sparks.push(spark);
		parts.torso.addChild(spark);
	}
	const age = pose.prop === "hammer" ? pose.strike : 1;

	for (let i = 0; i < parts.sparks.length; i++) {
		const spark = parts.sparks[i]!;
		const angle = -0.5 - i * 0.8;

		spark.alpha = age >= 1 ? 0 : 1 - age;
		spark.position.set(46 + Math.cos(angle) * age * 22, -12 + Math.sin(angle) * age * 24 + age * age * 14);
		spark.scale.set(0.9 - age * 0.4);
	}
}

/* What the stage says of the whole actor. */
export function whole(root: Container, actor: Actor, fate: Fate): void {
	root.position.set(actor.x, actor.y);
	root.scale.set(actor.scaleX * fate.swell * (actor.flipH ? -1 : 1), actor.scaleY * fate.swell * (actor.flipV ? -1 : 1));
	root.tint = actor.tint === null ? 0xffffff : rgb(actor.tint, 0xffffff);
}
