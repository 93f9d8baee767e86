// long
/* The page's stage against the box's: the same commands, the same places at the same time. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually, run, SLOW, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { makeModel } = await part("stage/model.ts");
const { makeClock } = await part("stage/clock.ts");
const { boundsOf, clickOf, commandOf, moveOf, pointOf, slotAt, zoneAt, zoneOf } = await part("stage/hand.ts");
const { bounded, fit, toScreen, toStage, zoomAround } = await part("stage/camera.ts");
const { somebodyAt } = await part("stage/glance.ts");
const { spoken, wrap } = await part("stage/paint/wrap.ts");
const { makePace } = await part("stage/pace.ts");
const { makeEpisodes } = await part("stage/episodes.ts");
const box = await new Box().start();

/* ---- a show in which everything happens ---- */

const person = (id, semanticId, x, y, more = {}) =>
	({ id, entityId: "person", x, y, layerId: "l", ...semanticId ? { semanticId } : {}, ...more });
const step = (action, entity, more) => ({ action, entity, easing: "easeInOut", ...more });

const SHOW = {
	version: 1,
	entities: { person: { label: "Person", displayWidth: 40, displayHeight: 60, fallbackColor: "#ffffff" } },
	scene: {
		dimensions: { width: 900, height: 600 },
		layers: [{ id: "l", order: 0 }, { id: "under", order: -1 }],
		entities: [
			person("a", "ada", 10, 20), person("b", "bob", 500, 300, { rotation: 10, opacity: 0.8 }),
			person("t1", "twins", 100, 100), person("t2", "twins", 700, 500, { layerId: "under" }),
			person("r", "rider", 0, 0, { flipH: true }), person("w", "walker", 50, 500),
			person("s1", "", 300, 400, { standIn: true, visible: false }),
			person("s2", "", 350, 400, { standIn: true, visible: false, speechBubble: { maxChars: 20, retentionMs: 300 } }),
		],
		positions: [{ id: "p1", name: "desk", x: 800, y: 90 }, { id: "p2", name: "door", x: 20, y: 590 }],
		routes: [{
			id: "r1", name: "lane", fromPositionId: "p2", toPositionId: "p1",
			points: [{ x: 0, y: 0 }, { x: 300, y: 80, cornerStyle: "smooth", name: "bend" },
				{ x: 350, y: 500, cornerStyle: "smooth" }, { x: 600, y: 200, name: "bridge" }, { x: 1, y: 1 }],
		}],
	},
	choreographies: [
		{ id: "go", on: "go", steps: [{ action: "parallel", steps: [
			step("move", "ada", { to: "desk", duration: 900, animationDuring: "walk", animationOnArrival: "done" }),
			step("fly", "twins", { to: "bob", duration: 800, easing: "easeOut" }),
			step("followRoute", "rider", { route: "lane", duration: 1000, from: "bend", easing: "easeIn" }),
			step("flash", "bob", { color: "#ff0000", duration: 700, easing: "linear" }),
			step("pulse", "bob", { duration: 700, size: 2 }),
			step("drawBeam", "bob", { to: "ada", color: "gold", duration: 600 }),
			step("typeText", "bob", { text: "Grüße, dear 👩‍🚀 friends of the lane!", duration: 500 }),
		] }, step("fly", "twins", { to: "twins", duration: 400, easing: "arc" }),
		step("followRoute", "rider", { route: "lane", duration: 500, to: "bridge", reverse: true })] },
		{ id: "chase", on: "chase", steps: [
			step("spawn", "signal.agentId", { at: "door" }),
			step("setAnimation", "signal.agentId", { state: "thinking" }),
			step("move", "signal.agentId", { to: "ada", duration: 700, easing: "linear" }),
			step("destroy", "signal.agentId")] },
		{ id: "long", on: "long", steps: [step("move", "walker", { to: "desk", duration: 60000, easing: "linear" })] },
		{ id: "halt", on: "halt", interrupts: true, steps: [step("playSound", "walker", { sound: "bell" })] },
		{ id: "talk", on: "text_delta", steps: [] },
		{ id: "turn", on: "turn", steps: [] },
	],
	wires: [],
	bindings: [
		{ id: "b1", targetEntityId: "signal.agentId", property: "speech", sourceChoreographyId: "talk", sourceField: "content" },
		{ id: "b2", targetEntityId: "twins", property: "rotation", sourceChoreographyId: "turn",
			transition: { targetValue: 90, durationMs: 500, easing: "easeInOut", revert: true, revertDelayMs: 100 } },
		{ id: "b3", targetEntityId: "twins", property: "scale", sourceChoreographyId: "turn",
			transition: { targetValue: 3, durationMs: 800, easing: "arc" } },
		{ id: "b4", targetEntityId: "bob", property: "tint", sourceChoreographyId: "turn", sourceField: "color" },
		{ id: "b5", targetEntityId: "bob", property: "visible", sourceChoreographyId: "turn" },
		{ id: "b6", targetEntityId: "ada", property: "zIndex", sourceChoreographyId: "turn", sourceField: "z" },
		{ id: "b7", targetEntityId: "walker", property: "moveTo:waypoint", sourceChoreographyId: "turn",
			action: { waypoint: "door", duration: "auto" } },
	],
};

/* ---- the box's own word ---- */

const token = () => readFileSync(join(box.data, "token"), "utf8").trim();

async function request(method, path, body) {
	const answer = await fetch(`${box.origin}${path}`, {
		method, headers: { Authorization: `Bearer ${token()}`, "Content-Type": "application/json" },
		...body === undefined ? {} : { body: JSON.stringify(body) },
	});

	assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
	return answer.json();
}

/* Follows the stage over /ws, and folds up to any version. */
async function follow() {
	const socket = new WebSocket(`ws://127.0.0.1:${box.port}/ws`, { headers: { Authorization: `Bearer ${token()}` } });
	const heard = [];
	const model = makeModel();
	let taken = 0;

	socket.onmessage = ({ data }) => {
		const message = JSON.parse(data);

		if (message.op === "hello")
			socket.send(JSON.stringify({ op: "subscribe", types: ["nothing"], stage: true }));
		else if (message.op === "stage")
			heard.push(message);
	};
	await eventually(() => heard.length, "the stage is told");
	return {
		close: () => socket.close(),
		/* The model as of this version. */
		async upTo(version, document) {
			await eventually(() => heard.at(-1).version >= version, `version ${version} is told`);
			while (taken < heard.length && heard[taken].version <= version) {
				const message = heard[taken++];

				if (message.snapshot)
					model.begin(document, message.snapshot);
				else
					model.fold(message.version, message.command);
			}
			assert.equal(model.version, version);
			return model;
		},
		count: () => heard.length,
	};
}

function near(found, wanted, words) {
	assert.ok(Math.abs(found - wanted) < 0.01, `${words}: ${found} here, ${wanted} there`);
}

/* Is what the page would show what the box says it is? */
function assertSame(model, said, words) {
	const frame = model.frame(said.at);

	assert.equal(frame.entities.length, said.entities.length);
	for (const there of said.entities) {
		const here = frame.entities.find((one) => one.id === there.id);
		const where = `${words}: ${there.id} (${there.semanticId})`;
		const effect = (kind) => frame.effects.find((one) => one.kind === kind && one.actor === there.id);

		for (const [mine, its] of [["x", "x"], ["y", "y"], ["scaleX", "scaleX"], ["scaleY", "scaleY"], ["rotation", "rotation"],
			["opacity", "opacity"], ["z", "zIndex"], ["speed", "animationSpeed"]])
			near(here[mine], there[its], `${where}.${its}`);
		assert.deepEqual([here.semanticId, here.state, here.visible, here.flipH, here.tint],
			[there.semanticId, there.activeState, there.visible, there.flipH, there.tint ?? null], where);
		if (there.label)
			assert.equal(here.label, there.label, where);
		assert.equal(here.speech?.text, there.speech?.text, `${where}: speech`);
		assert.equal(here.speech?.full, there.speech?.full, where);
		assert.equal(here.speech?.phase, there.speech?.phase, where);
		assert.equal(here.speech?.thought ?? false, there.speech?.thought ?? false, where);
		near(here.speech?.opacity ?? 0, there.speech?.opacity ?? 0, `${where}: speech.opacity`);
		assert.equal(effect("flash")?.color, there.flash?.color, where);
		near(effect("flash")?.value ?? 0, there.flash?.intensity ?? 0, `${where}: flash`);
		near(effect("pulse")?.value ?? 1, there.pulse ?? 1, `${where}: pulse`);
		assert.equal(effect("beam")?.color, there.beam?.color, where);
	}
	return frame;
}

/* Looks at both, again and again for a while, with one who was there from the beginning and one
 * who comes just then. Gives how many things were on their way. */
async function compare(viewer, document, milliseconds) {
	let moving = 0;

	for (const end = Date.now() + milliseconds; Date.now() < end; await sleep(40)) {
		const said = await request("GET", "/api/stage");
		const late = makeModel();

		assertSame(await viewer.upTo(said.version, document), said, "from the beginning");
		late.begin(document, said);
		moving += assertSame(late, said, "just come").entities.filter((one) => one.moving).length;
	}
	return moving;
}

test("what moves, flies, follows, flashes and speaks is where the box says it is, also for who comes late", async () => {
	await request("PUT", "/api/show", SHOW);
	const document = await request("GET", "/api/show");
	const viewer = await follow();
	const emit = (type, payload = {}, more = {}) => box.emit({ type, source: "tester", payload, ...more });
	const compared = compare(viewer, document, 3500 * SLOW);

	await emit("go", {}, { correlationId: "c1" });
	await emit("chase", { agentId: "ghost" });
	await emit("text_delta", { agentId: "newcomer", content: "one two three " });
	await emit("thinking", { agentId: "ada", content: "Who is there?" });
	await emit("text_delta", { agentId: "ada", content: "Hello there, " });
	await sleep(250 * SLOW);
	await emit("turn", { color: "#00ff00", z: 7 });
	await emit("long", {}, { correlationId: "c2" });
	await emit("text_delta", { agentId: "ada", content: "and \u202e more \u0007 of it" });
	await sleep(400 * SLOW);
	await emit("halt", {}, { correlationId: "c2" });
	await emit("turn", { color: "#0f0", z: 1 });
	await emit("go", {}, { correlationId: "c1" });
	await sleep(300 * SLOW);
	await emit("chase", { agentId: "third" });
	assert.ok(await compared > 20, "much was on its way");
	await eventually(() => viewer.count() > 40, "many commands were told");
	viewer.close();
});

test("who came late stays with the others to the end of what was under way", async () => {
	const document = await request("GET", "/api/show");
	const viewer = await follow();

	await box.emit({ type: "go", source: "tester", payload: {} }, { type: "turn", source: "tester", payload: {} },
		{ type: "long", source: "tester", payload: {} },
		{ type: "text_delta", source: "tester", payload: { agentId: "ada", content: "What goes on here?" } });
	const first = await eventually(async () => {
		const stage = await request("GET", "/api/stage");

		return stage.tweens.length >= 6 ? stage : null;
	}, "much is under way");
	await sleep(300 * SLOW);
	const late = await follow();
	for (let i = 0; i < 12; i++) {
		const said = await request("GET", "/api/stage");

		assertSame(await late.upTo(said.version, document), said, "late");
		assertSame(await viewer.upTo(said.version, document), said, "early");
		await sleep(150 * SLOW);
	}
	const last = await request("GET", "/api/stage");
	assert.ok(last.tweens.length < first.tweens.length, "some of it is over");
	viewer.close();
	late.close();
});

test("a show that is stopped is as it was before it began", async () => {
	const document = await request("GET", "/api/show");
	const viewer = await follow();

	await request("POST", "/api/show/stop");
	const said = await request("GET", "/api/stage");
	const model = await viewer.upTo(said.version, document);
	assertSame(model, said, "stopped");
	assert.equal(model.isRunning, false);
	assert.equal(model.frame(said.at).effects.length, 0);
	await request("POST", "/api/show/start");
	viewer.close();
});

test("the demo in the show of the program is the same here and there", async () => {
	const demo = box;
	await demo.end("SIGTERM");
	await demo.start("--demo");
	demo.cli("show", "use", "--default");
	const document = await request("GET", "/api/show");
	const viewer = await follow();
	const states = new Set();
	let moved = 0;

	for (const end = Date.now() + 4000 * SLOW; Date.now() < end; await sleep(100)) {
		const said = await request("GET", "/api/stage");
		const frame = assertSame(await viewer.upTo(said.version, document), said, "demo");

		for (const actor of frame.entities) {
			states.add(actor.state);
			moved += actor.moving ? 1 : 0;
		}
	}
	assert.ok(states.size > 1 && moved > 0, `${[...states]}, ${moved} moved`);
	viewer.close();
});

test("who wants no motion sees where it leads, and whole sentences", async () => {
	const model = makeModel();
	const at = 1000;

	model.begin(SHOW, { version: 1, at, show: "x", running: true, entities: [], tweens: [] });
	model.fold(2, { kind: "start", at, performanceId: "perf-1", action: "move", entityRef: "ada",
		params: { to: "desk" }, duration: 500, easing: "linear" });
	model.fold(3, { kind: "execute", at, performanceId: "perf-0", action: "set", entityRef: "ada",
		params: { property: "speech", value: "All of it" } });
	const ada = model.frame(at + 250, true).entities.find((one) => one.id === "a");
	assert.deepEqual([ada.x, ada.y, ada.moving, ada.speech.text, ada.opacity], [800, 90, null, "All of it", 1]);
	assert.ok(model.frame(at + 100, true).entities.find((one) => one.id === "a").opacity < 1);
	assert.equal(model.frame(at + 250).entities.find((one) => one.id === "a").x, 405);
});

test("what is on its way has a goal that stays where it is, and flies above the ground that leads there", async () => {
	const model = makeModel();
	const go = (action) => ({ kind: "start", at: 0, performanceId: `perf-${action}`, action, entityRef: action === "fly" ? "bob" : "ada",
		params: { to: "desk" }, duration: 1000, easing: "easeInOut" });

	model.begin(SHOW, { version: 1, at: 0, entities: [], tweens: [] });
	const [from] = model.frame(0).entities.filter((one) => one.id === "b").map(({ x, y }) => ({ x, y }));
	model.fold(2, go("move"));
	model.fold(3, go("fly"));
	for (const t of [100, 400, 900]) {
		const { entities } = model.frame(t);
		const [ada, bob] = ["a", "b"].map((id) => entities.find((one) => one.id === id));

		assert.deepEqual([ada.moving.toX, ada.moving.toY, ada.moving.height], [800, 90, 0]);
		assert.deepEqual([bob.moving.toX, bob.moving.toY], [800, 90]);
		const share = (bob.x - from.x) / (800 - from.x);
		near(bob.y + bob.moving.height, from.y + (90 - from.y) * share, `the ground at ${t}`);
	}
});

test("who comes in the first moment of a walk to somebody who walks away sees it lead where it leads", async () => {
	const walk = { kind: "start", at: 1000, performanceId: "perf-1", action: "move", entityRef: "ada", params: { to: "bob" },
		duration: 1000, easing: "linear", elapsed: 1, from: { x: 10, y: 20 } };
	const model = makeModel();

	/* Bob stood at 410, 20 when she set out, and is elsewhere by now. */
	model.begin(SHOW, { version: 1, at: 1000, tweens: [walk],
		entities: [{ id: "a", x: 10.4, y: 20 }, { id: "b", x: 600, y: 300 }] });
	const { moving } = model.frame(1500).entities.find((one) => one.id === "a");
	near(moving.toX, 410, "x");
	near(moving.toY, 20, "y");
});

test("thoughts go on by themselves, and give way to the answer", async () => {
	const model = makeModel();
	const set = (value, more) => ({ kind: "execute", at: 0, performanceId: "perf-0", action: "set", entityRef: "ada",
		params: { property: "speech", value, append: true, ...more } });
	const said = () => (({ full, thought }) => ({ full, thought }))(model.frame(9).entities.find((one) => one.id === "a").speech);

	model.begin(SHOW, { version: 1, at: 0, entities: [], tweens: [] });
	model.fold(2, set("Where is ", { thought: true }));
	model.fold(3, set("it?", { thought: true }));
	assert.deepEqual(said(), { full: "Where is it?", thought: true });
	model.fold(4, set("Here "));
	model.fold(5, set("it is."));
	assert.deepEqual(said(), { full: "Here it is.", thought: false });
	model.fold(6, set("x".repeat(500)));
	const { full, cut } = model.frame(9).entities.find((one) => one.id === "a").speech;
	assert.deepEqual([full.length, cut], [200, true], "what is too long is said to be");
});

test("what the server did not say, or said wrongly, breaks nothing", async () => {
	const model = makeModel();

	model.begin(SHOW, { version: 1, at: 1, entities: [{ id: "a", x: "wide", speech: { full: "x", text: "" } }, null, 7],
		tweens: [null, { entityRef: "ada" }] });
	for (const command of [{}, { kind: "start", entityRef: "ada" },
		{ kind: "start", action: "followRoute", entityRef: "ada", params: { route: "none" }, duration: 5 },
		{ kind: "execute", action: "set", entityRef: "ada", params: { property: "toString", value: 3 } },
		{ kind: "start", action: "set", entityRef: "ada", params: 7 },
		{ kind: "start", action: "constructor", entityRef: "ada", easing: "toString", duration: 10 },
		{ kind: "complete", action: "fly", entityRef: "nobody" },
		{ kind: "execute", action: "cast", entityRef: "x", params: { id: "a" } }])
		model.fold(model.version + 1, command);
	assert.equal(model.frame(5).entities.length, SHOW.scene.entities.length);
	assert.equal(model.version, 9);
});

/* ---- the clock ---- */

test("time follows the server's, from words that come late, and never runs backwards", async () => {
	const clock = makeClock();
	const ahead = 5_000_000;
	let last = -Infinity, worst = 0;

	assert.ok(Number.isNaN(clock.read(0)));
	for (let local = 0; local < 20000; local += 16) {
		/* Now and then a word, 5 to 200 ms after it was true. */
		if (local % 160 === 0)
			clock.hear(local + ahead - 5 - (local * 7919 % 196), local);
		const t = clock.read(local);

		assert.ok(t >= last, "backwards");
		if (local > 6000)
			worst = Math.max(worst, Math.abs(t - (local + ahead)));
		last = t;
	}
	assert.ok(worst < 15, `${worst} ms off`);
});

test("time does not jump for one late word, and does jump after a sleep", async () => {
	const clock = makeClock();

	clock.hear(1000, 0);
	const before = clock.read(100);
	clock.hear(200, 200);                  /* it was 800 ms on its way */
	assert.ok(Math.abs(clock.read(216) - before - 116) < 12);
	clock.hear(90_000, 300);               /* the machine slept for a minute and a half */
	assert.ok(Math.abs(clock.read(300) - 90_000) < 2);
	clock.restart();
	clock.hear(50, 400);
	assert.equal(clock.read(400), 50, "another time line");
});

/* ---- the hand, the eye and the pace ---- */

test("what a person does is one of the five signals, with just the members of its schema", async () => {
	const schema = JSON.parse(readFileSync(new URL("../../schema/signal.schema.json", import.meta.url), "utf8"));
	const { default: Ajv } = await import("ajv/dist/2020.js");
	const isValid = new Ajv({ strict: false }).compile(schema);
	const ada = { semanticId: "ada", id: "a" };

	for (const signal of [clickOf(ada, { x: 1.234, y: 2 }), moveOf(ada, "desk", null), moveOf(ada, "desk", "sacred"),
		zoneOf(boundsOf({ x: 9, y: 9 }, { x: 1, y: 2 }), ""),
		zoneOf(boundsOf({ x: 0, y: 0 }, { x: 1, y: 2 }), "keep out"), commandOf(ada, "stop"),
		commandOf(ada, "go", { fast: true }), pointOf({ x: 1, y: 2 }, null), pointOf({ x: 1, y: 2 }, "sacred")])
		assert.ok(isValid({ id: "x", source: "stage", timestamp: 1, ...signal }), `${JSON.stringify(signal)}: ${JSON.stringify(isValid.errors)}`);
	assert.deepEqual(boundsOf({ x: 9, y: 9 }, { x: 1, y: 2 }), { x: 1, y: 2, w: 8, h: 7 });
	assert.equal(isValid({ id: "x", source: "stage", timestamp: 1, type: "user.click", payload: {} }), false);
});

test("somebody is put at the position that is near, with who stands there, or at the place itself", async () => {
	const zoned = { ...SHOW, scene: { ...SHOW.scene, zoneGrid: { cellSize: 100, cols: 2, rows: 1, cells: [null, "sacred"] } } };
	const model = makeModel();

	model.begin(SHOW, { version: 1, at: 1, entities: [], tweens: [] });
	const { entities } = model.frame(1);
	const ada = entities.find((one) => one.id === "a");
	assert.equal(slotAt(SHOW, entities, ada, { x: 790, y: 100 }), "desk");
	assert.equal(slotAt(SHOW, entities, ada, { x: 505, y: 310 }), "bob");
	assert.equal(slotAt(SHOW, entities, entities.find((one) => one.id === "b"), { x: 505.4, y: 310 }), "505,310", "not with himself");
	assert.equal(zoneAt(zoned, { x: 150, y: 50 }), "sacred");
	for (const [document, x] of [[zoned, 50], [zoned, 250], [zoned, -1], [SHOW, 150]])
		assert.equal(zoneAt(document, { x, y: 50 }), null);
});

test("a hand finds somebody, and not the letter that flies by them", async () => {
	const look = (tags) => ({ tags, displayWidth: 40, displayHeight: 60, fallbackColor: "#ffffff", anchor: [0.5, 1] });
	const show = { version: 1, entities: { one: look(["agent"]), letter: look(["message"]) }, scene: {
		dimensions: { width: 100, height: 100 }, layers: [{ id: "l", order: 0 }],
		entities: [person("a", "ada", 50, 90, { entityId: "one" }), person("b", "bob", 50, 90, { entityId: "one", visible: false }),
			person("t", "letter", 50, 90, { entityId: "letter", zIndex: 9 })] } };
	const model = makeModel();

	model.begin(show, { version: 1, at: 1, entities: [], tweens: [] });
	const at = (x, y) => somebodyAt(model.frame(1), { x, y })?.semanticId;
	assert.deepEqual([at(50, 60), at(31, 31), at(50, 91), at(75, 60)], ["ada", "ada", undefined, undefined]);
});

test("an episode is that of the last signal that spoke of somebody", async () => {
	const episodes = makeEpisodes();
	const hear = (type, correlationId, payload) => episodes.hear({ type, correlationId, payload, source: "s", seq: 1 });

	hear("task_dispatch", "c1", { from: "you", to: "ada" });
	hear("agent_state_change", "c2", { agentId: "bob", from: "idle", to: "ada" });
	hear("user.click", "c3", { target: "ada", agentId: "ada" });
	hear("text_delta", undefined, { agentId: "ada" });
	assert.equal(episodes.of({ semanticId: "ada", session: null }).correlationId, "c1");
	assert.equal(episodes.of({ semanticId: "bob", session: null }).correlationId, "c2");
	assert.equal(episodes.of({ semanticId: "idle", session: null }), undefined);
	for (let i = 0; i < 600; i++)
		hear("text_delta", `c${i}`, { agentId: `n${i}` });
	assert.equal(episodes.of({ semanticId: "ada", session: null }), undefined, "there is a ceiling");
});

test("the stage fits the window, and stays under the pointer when it comes nearer", async () => {
	const stage = { width: 960, height: 640 }, screen = { width: 390, height: 780 };
	const camera = fit(stage, screen);
	const at = { x: 100, y: 300 };
	const near = zoomAround(camera, at, 3, 0.1);

	assert.ok(camera.x >= 0 && toScreen(camera, { x: 960, y: 0 }).x <= 390);
	assert.deepEqual(Object.values(toStage(near, at)).map(Math.round), Object.values(toStage(camera, at)).map(Math.round));
	assert.ok(bounded({ ...camera, x: 1e6 }, stage, screen).x < 390, "some of it is always in sight");
	assert.equal(zoomAround(camera, at, 1e9, 0.1).zoom, 8);
});

test("a word that is too long for a line is broken between characters, and nothing of it is lost", async () => {
	for (const whole of ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301"])
		for (let width = 1; width <= 2 * whole.length; width++) {
			const word = whole.repeat(7);
			const lines = wrap(word, (text) => text.length, width).map(({ text }) => text);

			assert.equal(lines.join(""), word);
			assert.ok(lines.every((line) => line === whole.repeat(line.length / whole.length)), `${whole} in ${width}: ${lines}`);
			assert.equal(spoken("x".repeat(1200 - whole.length + 1) + whole), "x".repeat(1200 - whole.length + 1));
		}
});

test("it is drawn as often as something happens", async () => {
	const count = (mood) => {
		const pace = makePace();

		return Array.from({ length: 600 }, (_, i) => pace.isDue(i * 16.7, mood)).filter(Boolean).length;
	};

	assert.deepEqual([count("lively"), count("idle"), count("calm")], [600, 300, 100]);
});

await run(() => box.remove());
