/* Frames of a stage: what the model knows, as the painter wants it, for one moment. This runs
 * sixty times a second, so it makes nothing new: actors and effects are changed in place. */

import type { Actor, Effect, Look, ShowDocument, StageFrame } from "./frame";
import type { Player } from "./player";
import { heard } from "./speech";
import { applyEnd, applyTween, heading, passedShare, type Stand, type Tween } from "./tween";

const SOUND_MS = 900;       /* a note is seen for so long */
const CALM_FADE_MS = 250;   /* who jumps appears there in this time */

export interface Frames {
	at(t: number, calm: boolean): StageFrame;
	actor(id: string): Actor | undefined;
}

/* Who is tagged as an agent; in a document without any such, whoever has a name. */
function somebodies(document: ShowDocument): (player: Player) => boolean {
	const isAgent = (look: Look | undefined): boolean => look?.tags?.includes("agent") === true;
	const hasTags = document.scene.entities.some(({ entityId }) =>
		Object.hasOwn(document.entities, entityId) && isAgent(document.entities[entityId]));

	return ({ look, placed }) => (hasTags ? isAgent(look) : Boolean(placed.semanticId ?? placed.standIn));
}

function makeActor(player: Player, isSomebody: boolean): Actor {
	const { placed, look, layer } = player;

	return {
		id: placed.id, look, bubble: placed.speechBubble ?? {}, layer, isSomebody,
		semanticId: "", label: "", state: "idle", stateSince: 0, x: 0, y: 0, scaleX: 1, scaleY: 1,
		rotation: 0, opacity: 1, tint: null, z: 0, flipH: false, flipV: placed.flipV === true,
		visible: true, visibleSince: 0, speed: 1, moving: null, speech: null, session: null, rank: 0,
	};
}

function isMovement(tween: Tween): boolean {
	return tween.kind === "move" || tween.kind === "fly" || tween.kind === "route";
}

function showMovement(actor: Actor, tween: Tween, t: number): void {
	actor.moving ??= { kind: "move", dx: 0, dy: 0, progress: 0, toX: 0, toY: 0, height: 0 };
	actor.moving.kind = tween.kind as "move" | "fly" | "route";
	actor.moving.progress = passedShare(tween, t);
	Object.assign(actor.moving, heading(tween, t));
}

/* What is on top: of each kind the one that began last, as the stage has it. */
function showEffects(player: Player, t: number, calm: boolean, out: Effect[]): void {
	let flash: Tween | null = null, pulse: Tween | null = null, beam: Tween | null = null;

	for (const tween of player.tweens) {
		if (tween.effect)
			tween.effect.progress = passedShare(tween, t);
		if (tween.kind === "flash")
			flash = tween;
		else if (tween.kind === "pulse")
			pulse = tween;
		else if (tween.kind === "beam")
			beam = tween;
		else if (tween.effect && !calm)
			out.push(tween.effect);
	}
	if (flash?.effect?.kind === "flash") {
		const p = flash.curve(passedShare(flash, t));

		flash.effect.value = p <= 0.5 ? 2 * p : 2 * (1 - p);
		out.push(flash.effect);
	}
	if (pulse?.effect?.kind === "pulse" && !calm) {
		pulse.effect.value = 1 + (pulse.to - 1) * Math.sin(Math.PI * pulse.curve(passedShare(pulse, t)));
		out.push(pulse.effect);
	}
	if (beam?.effect)
		out.push(beam.effect);
}

function showSound(player: Player, t: number, out: Effect[]): void {
	const { sound, placed } = player;

	if (!sound)
		return;
	if (t - sound.at > SOUND_MS)
		player.sound = null;
	else
		out.push({
			kind: "sound", key: sound.key, actor: placed.id, name: sound.name,
			progress: Math.min(Math.max((t - sound.at) / SOUND_MS, 0), 1),
		});
}

/* Who wants no motion sees where it leads, and that it came there. */
function applyCalmly(tween: Tween, t: number, stand: Stand): void {
	if (!isMovement(tween))
		return applyTween(tween, t, stand);
	applyEnd(tween, stand);
	stand.opacity *= Math.min(Math.max((t - tween.start) / CALM_FADE_MS, 0), 1);
}

/* What the crew says of a session goes before what was played. */
function disguise(actor: Actor, { guise, isVacant }: Player, calm: boolean): void {
	actor.session = guise;
	actor.rank = guise?.rank ?? 0;
	if (isVacant)
		actor.visible = false;
	if (guise === null)
		return;
	actor.semanticId = guise.name;
	actor.label = guise.label;
	actor.visible = guise.visible && (guise.pose !== null || actor.visible);
	if (guise.pose === null)
		return;
	actor.visibleSince = guise.visibleSince;
	actor.x = guise.x;
	actor.y = guise.y;
	actor.scaleX = actor.scaleY = guise.scale;
	actor.moving = calm ? null : guise.moving;
	actor.state = actor.moving === null ? guise.pose : "walk";
	actor.stateSince = guise.sub?.state.since ?? guise.member.state.since;
}

function fill(actor: Actor, player: Player, stand: Stand, t: number, calm: boolean): void {
	let movement: Tween | null = null;

	Object.assign(stand, player.base);
	for (const tween of player.tweens) {
		if (calm)
			applyCalmly(tween, t, stand);
		else
			applyTween(tween, t, stand);
		if (isMovement(tween))
			movement = tween;
	}
	actor.semanticId = player.semantic;
	actor.label = player.part || player.look.label || player.semantic;
	actor.state = player.state;
	actor.stateSince = player.stateSince;
	actor.x = stand.x;
	actor.y = stand.y;
	actor.scaleX = stand.scaleX;
	actor.scaleY = stand.scaleY;
	actor.rotation = stand.rotation;
	actor.opacity = stand.opacity;
	actor.tint = stand.tint;
	actor.z = stand.zIndex;
	actor.flipH = stand.flipped;
	actor.visible = stand.visible;
	actor.visibleSince = player.visibleSince;
	actor.speed = stand.animationSpeed;
	actor.speech = heard(player.voice, t, calm);
	if (movement && !calm)
		showMovement(actor, movement, t);
	else
		actor.moving = null;
	disguise(actor, player, calm);
}

/* By layer, z and place in the scene; mostly they are in order already. */
function sort(entities: Actor[], rank: ReadonlyMap<string, number>): void {
	const isBehind = (a: Actor, b: Actor): boolean =>
		a.layer - b.layer < 0 || (a.layer === b.layer && (a.z < b.z
		|| (a.z === b.z && rank.get(a.id)! < rank.get(b.id)!)));

	for (let i = 1; i < entities.length; i++) {
		const one = entities[i]!;
		let j = i;

		for (; j > 0 && isBehind(one, entities[j - 1]!); j--)
			entities[j] = entities[j - 1]!;
		entities[j] = one;
	}
}

/* `before`: frames of the same document, whose actors go on. */
export function makeFrames(document: ShowDocument, players: readonly Player[], before: Frames | null): Frames {
	const { scene } = document;
	const isSomebody = somebodies(document);
	const actors = new Map(players.map((player) =>
		[player.placed.id, before?.actor(player.placed.id) ?? makeActor(player, isSomebody(player))]));
	const rank = new Map(players.map((player, i) => [player.placed.id, i]));
	const places = new Map((scene.positions ?? []).map((one) => [one.name, one]));
	const entities = [...actors.values()];
	const effects: Effect[] = [];
	const stand = players[0] ? { ...players[0].base } : null;
	const frame: StageFrame = {
		t: 0, width: scene.dimensions.width, height: scene.dimensions.height,
		background: scene.background?.color ?? "#1a1a2e", lights: scene.lighting ?? {},
		document, entities, effects,
	};

	/* To an entity that has this name, or else to the position. */
	function aimBeam(effect: Extract<Effect, { kind: "beam" }>, target: string): void {
		const from = actors.get(effect.actor)!;
		const player = target ? players.find((one) => one.semantic === target) : undefined;
		const to = player ? actors.get(player.placed.id)! : places.get(target);

		effect.x1 = from.x;
		effect.y1 = from.y;
		effect.x2 = to?.x ?? from.x;
		effect.y2 = to?.y ?? from.y;
		effect.to = player?.placed.id ?? null;
	}

	return {
		actor: (id) => actors.get(id),
		at(t, calm) {
			frame.t = t;
			effects.length = 0;
			for (const player of players) {
				fill(actors.get(player.placed.id)!, player, stand!, t, calm);
				showEffects(player, t, calm, effects);
				showSound(player, t, effects);
			}
			for (const player of players)
				for (const tween of player.tweens)
					if (tween.effect?.kind === "beam")
						aimBeam(tween.effect, tween.target);
			sort(entities, rank);
			return frame;
		},
	};
}
