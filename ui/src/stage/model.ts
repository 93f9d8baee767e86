/* The stage, folded from the document, a snapshot and the commands after it: what the server's
 * stage is (src/stage/stage.c), again. Where something is on its way follows from the command
 * that began it and from the time, so that this page shows what every other screen shows. Pure:
 * no clock, no link, nothing drawn. */

import type { Actor, ShowDocument, StageFrame } from "./frame";
import type { Company } from "./company";
import { curveOfBinding, curveOfStep } from "./ease";
import { makePlayer, seatTween, settle, type Player } from "./player";
import { makeFrames } from "./frames";
import { makeWay, spanBetween } from "./route";
import { goOn, hush, overhear, say, type SpeechSeen } from "./speech";
import { colourOf, flightHeight, KINDS, numbersOf, passedShare, type NumberName, type Stand, type Tween } from "./tween";
import { listOf, membersOf, numberOf, textOf, type Members } from "./words";

const OF_BINDING = "perf-0";
const TWEENS_MAX = 64;      /* of one entity; what is one too many is at its end at once */
const PULSE_SIZE = 1.25;
const NUMBERS: readonly NumberName[] =
	["x", "y", "scaleX", "scaleY", "rotation", "opacity", "zIndex", "animationSpeed"];

export interface Model {
	readonly version: number;
	/* The tag of the document that it is of. */
	readonly tag: string;
	readonly isRunning: boolean;
	/* How many are at work whom nobody on the stage plays. */
	readonly offstage: number;
	/* Everything anew: a document, and how the stage of it is. */
	begin(document: ShowDocument, snapshot: Members): void;
	/* Commands come in the order of their versions. */
	fold(version: number, command: Members): void;
	/* The same object every time, changed in place. Null: nothing has begun. `calm`: nothing is
	 * on its way, everything is where it will be. */
	frame(t: number, calm?: boolean): StageFrame | null;
	actor(id: string): Actor | undefined;
}

interface Spot { x: number; y: number }

/* What a stage is made of; the functions below fold into it. */
interface Stage {
	document: ShowDocument;
	players: Player[];
	positions: Map<string, Spot>;
	serial: number;
	offstage: number;
}

/* ---- places ---- */

function findPlayer(stage: Stage, name: string, now: number): Spot | null {
	const player = name ? stage.players.find((one) => one.semantic === name) : undefined;

	return player ? player.standAt(now) : null;
}

/* Where to, if that is a name: a position; or an entity, where it is now, and for itself where
 * it is at home. Null: there is neither. */
function findSpot(stage: Stage, mover: Player, name: string, now: number): Spot | null {
	const position = stage.positions.get(name);

	if (position)
		return position;
	if (name && mover.semantic === name)
		return mover.placed;
	return findPlayer(stage, name, now);
}

function goTo(stage: Stage, player: Player, name: string, now: number): void {
	const spot = findSpot(stage, player, name, now);

	if (!spot)
		return;
	({ x: player.base.x, y: player.base.y } = spot);
}

/* ---- actions that take no time ---- */

function setNumbers(player: Player, params: Members, names: readonly NumberName[]): void {
	for (const name of names)
		player.base[name] = params.original === true ? player.original[name]
			: numberOf(params.value, player.base[name]);
}

function setProperty(player: Player, params: Members, now: number): void {
	const property = textOf(params.property), value = textOf(params.value);
	const numbers = numbersOf(property);
	const point = membersOf(params.value);

	if (numbers) {
		setNumbers(player, params, numbers);
	} else if (property === "position") {
		player.base.x = numberOf(point.x, 0);
		player.base.y = numberOf(point.y, 0);
	} else if (property === "visible") {
		const visible = typeof params.value === "boolean" ? params.value : player.base.visible;

		player.show(params.toggle === true ? !player.base.visible : visible, now);
	} else if (property === "tint" && value.length < 8) {
		player.base.tint = value || null;
	} else if (property === "animation.state") {
		player.animate(value, now);
	} else if (property === "speech" && params.append === true) {
		goOn(player.voice, value, params.thought === true, now);
	} else if (property === "speech") {
		say(player.voice, value, 0, now);
	}
}

function execute(stage: Stage, player: Player, command: Members, params: Members, at: number): void {
	switch (command.action) {
	case "set":
		setProperty(player, params, at);
		break;
	case "spawn":
		player.show(true, at);
		goTo(stage, player, textOf(params.at), at);
		break;
	case "destroy":
		player.show(false, at);
		break;
	case "setAnimation":
		player.animate(textOf(params.state), at);
		break;
	case "move":
	case "fly":
		goTo(stage, player, textOf(params.to), at);
		player.animate(textOf(params.animationOnArrival), at);
		break;
	case "typeText":
		say(player.voice, textOf(params.text), 0, at);
		break;
	case "playSound":
		player.sound = { name: textOf(params.sound), at, key: `sound-${stage.serial++}` };
		break;
	}
}

/* ---- actions that take time ---- */

function makeTween(command: Members, params: Members, at: number): Tween {
	const action = textOf(command.action);
	const kind = Object.hasOwn(KINDS, action) ? KINDS[action]! : "other";
	const curve = kind === "number" ? curveOfBinding : curveOfStep;

	return {
		kind, action, performance: textOf(command.performanceId),
		start: at - numberOf(command.elapsed, 0), duration: numberOf(command.duration, 0),
		curve: curve(command.easing), fromX: 0, fromY: 0, toX: 0, toY: 0, way: null,
		span: { from: 0, to: 0 }, number: "x", twin: "x", from: 0,
		to: numberOf(params.size, PULSE_SIZE), color: colourOf(params.color),
		target: textOf(params.to), onArrival: textOf(params.animationOnArrival), effect: null,
	};
}

function aimRoute(stage: Stage, tween: Tween, params: Members): void {
	const { routes = [], positions = [] } = stage.document.scene;
	const route = routes.find((one) => one.name === params.route);

	if (!route) {
		tween.kind = "other";
		return;
	}
	tween.way = makeWay(route, positions);
	const { from, to } = spanBetween(tween.way, textOf(params.from), textOf(params.to));
	tween.span = params.reverse === true ? { from: to, to: from } : { from, to };
}

function aim(stage: Stage, tween: Tween, player: Player, params: Members, at: { stand: Stand; now: number }): void {
	const { stand, now } = at;

	if (tween.kind === "move" || tween.kind === "fly") {
		({ x: tween.fromX, y: tween.fromY } = stand);
		const spot = findSpot(stage, player, tween.target, now) ?? stand;
		({ x: tween.toX, y: tween.toY } = spot);
	} else if (tween.kind === "route") {
		aimRoute(stage, tween, params);
	} else if (tween.kind === "number") {
		const numbers = numbersOf(params.property);

		if (!numbers) {
			tween.kind = "other";
			return;
		}
		[tween.number, tween.twin] = numbers;
		tween.from = stand[tween.number];
		tween.to = params.original === true ? player.original[tween.number]
			: numberOf(params.value, tween.from);
	}
}

function isSame(tween: Tween, command: Members, params: Members): boolean {
	if (tween.performance !== command.performanceId || tween.action !== command.action)
		return false;
	if (tween.kind !== "number")
		return true;
	const numbers = numbersOf(params.property);

	return numbers !== null && numbers[0] === tween.number && numbers[1] === tween.twin;
}

function start(stage: Stage, player: Player, command: Members, params: Members, at: number): Tween {
	const tween = makeTween(command, params, at);
	const old = tween.performance === OF_BINDING
		? player.tweens.find((one) => isSame(one, command, params)) : undefined;

	/* Of what is one too many nobody sees where it begins. */
	const stand = old || player.tweens.length < TWEENS_MAX ? player.standAt(at) : player.base;

	aim(stage, tween, player, params, { stand, now: at });
	if (old)
		settle(player, old, at, false);
	if (tween.action === "typeText" && tween.duration > 0)
		say(player.voice, textOf(params.text), tween.duration, tween.start);
	player.animate(textOf(params.animationDuring), at);
	seatTween(player, tween, stage.serial++);
	if (player.tweens.length > TWEENS_MAX)
		settle(player, tween, at, true);
	return tween;
}

/* ---- commands ---- */

function foldInto(stage: Stage, player: Player, command: Members, at: number): void {
	const params = membersOf(command.params);

	switch (command.kind) {
	case "start":
		start(stage, player, command, params, at);
		break;
	case "complete": {
		const tween = player.tweens.find((one) => isSame(one, command, params));

		if (tween)
			settle(player, tween, at, true);
		break;
	}
	case "execute":
		execute(stage, player, command, params, at);
		break;
	case "interrupt":
		for (const tween of [...player.tweens])
			if (tween.performance === command.performanceId)
				settle(player, tween, at, false);
		break;
	}
}

/* A stand-in is given a part, and begins anew; or as who was at work before anybody was free. */
function cast(stage: Stage, command: Members, at: number): void {
	const { id, state } = membersOf(command.params);
	const player = stage.players.find((one) => one.placed.standIn === true && one.placed.id === id);

	if (!player)
		return;
	player.part = player.semantic = textOf(command.entityRef);
	Object.assign(player.base, player.original);
	player.animate(textOf(state) || player.placed.activeState || "idle", at);
	if (textOf(state))
		player.show(true, at);
	hush(player.voice);
}

function foldCommand(stage: Stage, command: Members): void {
	const at = numberOf(command.at, 0);
	const entity = textOf(command.entityRef);

	if (command.kind === "execute" && command.action === "cast")
		cast(stage, command, at);
	if (command.kind === "execute" && command.action === "offstage")
		stage.offstage = numberOf(membersOf(command.params).count, 0);
	for (const player of stage.players)
		if (command.kind === "interrupt" || (entity && player.semantic === entity))
			foldInto(stage, player, command, at);
}

/* ---- coming late ---- */

function takeEntity(player: Player, seen: Members, at: number): void {
	for (const name of NUMBERS)
		player.base[name] = numberOf(seen[name], NaN);
	player.base.visible = seen.visible !== false;
	player.base.tint = textOf(seen.tint) || null;
	player.state = textOf(seen.activeState) || "idle";
	if (player.placed.standIn === true && textOf(seen.semanticId))
		player.part = player.semantic = textOf(seen.semanticId);
	if (seen.speech)
		overhear(player.voice, seen.speech as SpeechSeen, at);
}

/* Where a movement that is under way came from and where it leads follows from where it is. Only
 * the first of a name is told its `from`; that of the others is computed backwards. */
function resumeMove(tween: Tween, seen: Spot, from: Members | null, spot: Spot | null, now: number): void {
	const p = tween.curve(passedShare(tween, now));
	const flies = tween.kind === "fly";

	if (from) {
		tween.fromX = numberOf(from.x, seen.x);
		tween.fromY = numberOf(from.y, seen.y);
		tween.toX = tween.fromX + (p > 0 ? (seen.x - tween.fromX) / p : 0);
		const height = flies ? flightHeight(p, tween.toX - tween.fromX) : 0;
		tween.toY = tween.fromY + (p > 0 ? (seen.y + height - tween.fromY) / p : 0);
	} else if (spot && p < 1) {
		tween.fromX = (seen.x - spot.x * p) / (1 - p);
		const height = flies ? flightHeight(p, spot.x - tween.fromX) : 0;
		tween.fromY = (seen.y + height - spot.y * p) / (1 - p);
	}
	/* At its very beginning nothing can be told from where it is. */
	if (spot && p < 1e-6)
		({ x: tween.toX, y: tween.toY } = spot);
}

function resumeNumber(tween: Tween, from: number, now: number): void {
	const p = tween.curve(passedShare(tween, now));

	if (Number.isFinite(from))
		tween.from = from;
	else if (p < 1)
		tween.from = (tween.from - tween.to * p) / (1 - p);
}

/* A place that does not move is known better than it can be computed. */
function fixedSpot(stage: Stage, player: Player, name: string): Spot | null {
	return stage.positions.get(name) ?? (name && player.semantic === name ? player.placed : null);
}

/* `isFirst`: what is told of where it began is told of this one. */
function resume(stage: Stage, player: Player, command: Members, isFirst: boolean): void {
	const at = numberOf(command.at, 0);
	const params = membersOf(command.params);
	const seen = { x: player.base.x, y: player.base.y };
	const { state, stateSince } = player;
	const hasFrom = isFirst && command.from !== undefined;
	const voice = { ...player.voice };
	const tween = start(stage, player, command, params, at);

	Object.assign(player, { state, stateSince });
	Object.assign(player.voice, voice);     /* the snapshot has what was said */
	if (tween.kind === "number")
		resumeNumber(tween, hasFrom ? numberOf(command.from, NaN) : NaN, at);
	if (tween.kind !== "move" && tween.kind !== "fly")
		return;
	const { toX, toY } = tween;
	resumeMove(tween, seen, hasFrom ? membersOf(command.from) : null, { x: toX, y: toY }, at);
	const fixed = fixedSpot(stage, player, tween.target);
	if (fixed)
		({ x: tween.toX, y: tween.toY } = fixed);
}

/* What is under way is told by where it began, performances first and then bindings; on the
 * stage it is in the order in which it began. */
function takeTweens(stage: Stage, snapshot: Members): void {
	const began = (command: Members): number => numberOf(command.at, 0) - numberOf(command.elapsed, 0);
	const commands = listOf(snapshot.tweens).map(membersOf).sort((a, b) => began(a) - began(b));

	for (const command of commands) {
		let isFirst = true;

		for (const player of stage.players) {
			if (!player.semantic || player.semantic !== command.entityRef)
				continue;
			resume(stage, player, command, isFirst);
			isFirst = false;
		}
	}
}

function makeStage(document: ShowDocument, snapshot: Members): Stage {
	const { scene } = document;
	const seen = new Map(listOf(snapshot.entities).map(membersOf).map((one) => [textOf(one.id), one]));
	const players = scene.entities.map((placed) => makePlayer(document, placed));
	const stage = {
		document, players, serial: 0, offstage: numberOf(snapshot.offstage, 0),
		positions: new Map((scene.positions ?? []).map((one) => [one.name, one])),
	};
	const at = numberOf(snapshot.at, 0);

	for (const player of players)
		if (seen.has(player.placed.id))
			takeEntity(player, seen.get(player.placed.id)!, at);
	takeTweens(stage, snapshot);
	return stage;
}

export function makeModel(company: Company | null = null): Model {
	let stage: Stage | null = null;
	let frames: ReturnType<typeof makeFrames> | null = null;
	let version = 0, tag = "", isRunning = true;

	return {
		get version() { return version; },
		get tag() { return tag; },
		get isRunning() { return isRunning; },
		get offstage() { return stage?.offstage ?? 0; },
		begin(document, snapshot) {
			const isSame = stage?.document === document;

			stage = makeStage(document, snapshot);
			version = numberOf(snapshot.version, 0);
			tag = textOf(snapshot.show);
			isRunning = snapshot.running !== false;
			frames = makeFrames(document, stage.players, isSame ? frames : null);
		},
		fold(next, command) {
			version = next;
			if (stage)
				foldCommand(stage, command);
		},
		frame(t, calm = false) {
			if (stage)
				company?.arrange(stage.document, stage.players, t, calm);
			return frames?.at(t, calm) ?? null;
		},
		actor: (id) => frames?.actor(id),
	};
}
