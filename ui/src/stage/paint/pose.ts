/* How a person stands and moves in each state: numbers for the joints, from the state and the
 * time. Nothing here is drawn or remembered. Every state has a pose that is seen without any
 * motion, so that who wants less of it still sees who thinks, works, waits, is done or failed. */

import type { Motion } from "../frame";

export type Face = "calm" | "blink" | "think" | "focus" | "ask" | "happy" | "dizzy";
export type Prop = "none" | "hammer" | "slate";

/* Angles in radians: arms hang at 0 and go forward and up with positive numbers; the near arm
 * is the one to the right. */
export interface Pose {
	x: number;
	y: number;
	lean: number;
	stretch: number;
	nod: number;
	lift: number;
	near: number;
	far: number;
	nearReach: number;      /* shares of an arm's length: less when it is bent */
	farReach: number;
	nearLeg: number;
	farLeg: number;
	face: Face;
	prop: Prop;
	propTurn: number;
	sink: number;           /* how much nearer to the ground than one who stands */
	strike: number;         /* 0..1: how long ago a blow was struck; 1 is none */
}

export function makePose(): Pose {
	return {
		x: 0, y: 0, lean: 0, stretch: 1, nod: 0, lift: 0, near: 0, far: 0, nearReach: 1, farReach: 1, nearLeg: 0, farLeg: 0,
		face: "calm", prop: "none", propTurn: 0, sink: 0, strike: 1,
	};
}

type Stance = (pose: Pose, t: number, alive: number) => void;

const TAU = Math.PI * 2;
const wave = (t: number, period: number) => Math.sin(t * TAU / period);
const clamp = (x: number) => Math.min(Math.max(x, 0), 1);

/* `t` in seconds; `alive` is 0 for who wants no motion, else 1. */
const STANCES: Readonly<Record<string, Stance>> = {
	idle(pose, t, alive) {
		pose.near = 0.1 + wave(t, 3.6) * 0.03 * alive;
		pose.far = -0.1 - wave(t, 3.6) * 0.03 * alive;
		pose.nod = wave(t, 7.3) * 0.03 * alive;
	},
	/* On the ground, legs ahead, hands in the lap. */
	sit(pose, t, alive) {
		pose.sink = 15;
		pose.nearLeg = 1.42;
		pose.farLeg = 1.16;
		pose.near = 0.62;
		pose.far = 0.34;
		pose.nearReach = pose.farReach = 0.74;
		pose.lean = -0.05;
		pose.nod = 0.05 + wave(t, 6.1) * 0.03 * alive;
	},
	walk(pose, t, alive) {
		const stride = wave(t, 0.46) * alive;

		pose.nearLeg = stride * 0.75 + (1 - alive) * 0.45;
		pose.farLeg = -stride * 0.75 - (1 - alive) * 0.45;
		pose.near = -stride * 0.8 - (1 - alive) * 0.4;
		pose.far = stride * 0.8 + (1 - alive) * 0.4;
		pose.y = -Math.abs(wave(t, 0.46)) * 4 * alive;
		pose.lean = 0.12;
	},
	/* A hand at the chin, looking up. */
	thinking(pose, t, alive) {
		pose.near = 3.62 + wave(t, 2.8) * 0.06 * alive;
		pose.nearReach = 0.62;
		pose.far = 0.75;
		pose.farReach = 0.8;
		pose.nod = -0.13 + wave(t, 4.2) * 0.05 * alive;
		pose.lean = -0.04;
		pose.face = "think";
	},
	/* Busy on a slate that both hands hold. */
	acting(pose, t, alive) {
		const tap = Math.abs(wave(t, 0.5)) * alive;

		pose.near = -0.42 - tap * 0.14;
		pose.far = 0.55 + tap * 0.14;
		pose.nearReach = pose.farReach = 0.78;
		pose.nod = 0.12 + wave(t, 1) * 0.03 * alive;
		pose.y = -Math.abs(wave(t, 1)) * 2 * alive;
		pose.lean = 0.05;
		pose.face = "focus";
		pose.prop = "slate";
	},
	/* Hammering: a slow swing up, a quick blow. */
	work(pose, t, alive) {
		const beat = alive ? (t / 0.62) % 1 : 0.62;
		const raised = beat < 0.7 ? Math.sin(beat / 0.7 * Math.PI / 2) : 1 - clamp((beat - 0.7) / 0.12);

		pose.near = 0.75 + raised * 1.9;
		pose.far = 0.65;
		pose.lean = 0.16 - raised * 0.12;
		pose.nod = 0.14 - raised * 0.1;
		pose.stretch = 0.97 + raised * 0.04;
		pose.face = "focus";
		pose.prop = "hammer";
		pose.propTurn = 0.2 + raised * 0.3;
		pose.strike = beat > 0.82 ? (beat - 0.82) / 0.4 : clamp((beat + 0.18) / 0.4);
	},
	/* A hand in the air, waving at who looks. */
	waiting(pose, t, alive) {
		pose.near = 2.75 + wave(t, 0.7) * 0.26 * alive;
		pose.far = -0.35;
		pose.nod = wave(t, 2.8) * 0.07 * alive;
		pose.y = -Math.max(0, wave(t, 1.4)) * 2.5 * alive;
		pose.face = "ask";
	},
	done(pose, t, alive) {
		pose.near = 2.6 + wave(t, 1.1) * 0.08 * alive;
		pose.far = -2.6 - wave(t, 1.1) * 0.08 * alive;
		pose.y = -Math.max(0, wave(t, 1.1)) * 5 * alive;
		pose.stretch = 1.02;
		pose.face = "happy";
	},
	/* Bent and shaken, hands at the head. */
	error(pose, t, alive) {
		pose.x = wave(t, 0.13) * 1.6 * alive;
		pose.near = 2.98;
		pose.far = -2.98;
		pose.nearReach = pose.farReach = 0.9;
		pose.nod = 0.2 + wave(t, 0.9) * 0.09 * alive;
		pose.lean = 0.1;
		pose.stretch = 0.93;
		pose.face = "dizzy";
	},
};

/* Other names that agents and shows give the same. */
const NAMES: Readonly<Record<string, string>> = {
	sitting: "sit", resting: "sit", walking: "walk", run: "walk", think: "thinking", planning: "thinking", reading: "acting",
	act: "acting", active: "acting", speaking: "acting", working: "work", busy: "work", running: "work",
	wait: "waiting", blocked: "waiting", listening: "waiting", success: "done", completed: "done",
	failed: "error", failure: "error", crashed: "error",
};

export function stanceOf(state: string, motion: Motion): string {
	if (Object.hasOwn(STANCES, state))
		return state;
	if (Object.hasOwn(NAMES, state))
		return NAMES[state]!;
	return motion === "walk" ? "walk" : motion === "shake" ? "error" : "idle";
}

/* `seed` is 0..1: so that not everybody breathes and blinks together. */
export function strike(pose: Pose, stance: string, t: number, seed: number, isCalm: boolean): void {
	const alive = isCalm ? 0 : 1;
	const own = t + seed * 17;

	pose.x = pose.y = pose.lean = pose.nod = pose.lift = 0;
	pose.near = pose.far = pose.nearLeg = pose.farLeg = pose.propTurn = pose.sink = 0;
	pose.stretch = pose.nearReach = pose.farReach = 1;
	pose.face = "calm";
	pose.prop = "none";
	pose.strike = 1;
	STANCES[stance]!(pose, own, alive);
	if (alive === 0)
		return;
	pose.stretch += wave(own, 3.6) * 0.012;
	pose.lift += wave(own + 0.4, 3.6) * 0.6;
	if ((pose.face === "calm" || pose.face === "ask") && (own + seed * 5) % (3.1 + seed * 2) < 0.13)
		pose.face = "blink";
}

/* What a document's motion does to anything that is not a person. Gives the turn in radians,
 * and puts the rest into `pose`. */
export function sway(pose: Pose, motion: Motion, t: number, seed: number, isCalm: boolean): void {
	const own = t + seed * 17;

	pose.x = pose.y = pose.lean = 0;
	pose.stretch = 1;
	if (isCalm)
		return;
	switch (motion) {
	case "breathe": pose.stretch = 1 + wave(own, 3.6) * 0.025; break;
	case "bob": pose.y = wave(own, 1.1) * 4; break;
	case "walk": pose.y = -Math.abs(wave(own, 0.46)) * 6; pose.lean = wave(own, 0.46) * 0.08; break;
	case "shake": pose.x = wave(own, 0.13) * 2.5; break;
	case "spin": pose.lean = own * 1.6 % TAU; break;
	case "still": break;
	}
}
