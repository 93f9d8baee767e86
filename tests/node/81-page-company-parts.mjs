/* The sessions of the crew on the stage, without a browser: which figure is whose, where it stands
 * and how, who leaves; with the show of the program. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { makeModel } = await part("stage/model.ts");
const { figureOf, labelOf, makeCompany } = await part("stage/company.ts");
const { isAtIt, isPresent, makeSeats, placeOf, poseOf, seatsOf } = await part("stage/seating.ts");
const { makeLines } = await part("stage/crowd.ts");
const { makeEpisodes } = await part("stage/episodes.ts");
const SHOW = JSON.parse(readFileSync(new URL("../../show/default.json", import.meta.url), "utf8"));
const STAND_INS = SHOW.scene.entities.filter(({ standIn }) => standIn);
const place = (name) => SHOW.scene.positions.find((one) => one.name === name);

const GROUP = { asks: "waits", failed: "failed", idle: "idle", finished: "over", gone: "over" };
const member = (id, name, more = {}) => ({
	id, handle: `checkout-${id}`, project: "checkout", source: "adapter:tap", figure: true, agentId: "claude", first: 1, last: 1,
	group: GROUP[name] ?? "work", state: { name, since: 1, ...more }, agents: [],
});

/* A stage on which the server gave these parts away, and a crew. */
function makeStage(document, parts, members) {
	const company = makeCompany();
	const model = makeModel(company);
	let version = 1;
	const cast = (name, id) => model.fold(++version, { kind: "execute", action: "cast", entityRef: name, at: 1, params: { id, label: name } });
	const spawn = (name) => model.fold(++version, { kind: "execute", action: "spawn", entityRef: name, at: 1, params: {} });

	model.begin(document, { version: 1, at: 0, entities: [], tweens: [] });
	parts.forEach((name, i) => { cast(name, `stand-in-${i + 1}`); spawn(name); });
	company.hear({ all: members });
	return {
		company, model, cast, spawn,
		seen: (t, calm = false) => model.frame(t, calm).entities.filter((one) => one.visible && one.session),
		actor: (name, t) => model.frame(t).entities.find((one) => one.semanticId === name),
	};
}

const isAt = (actor, spots) => spots.some(({ x, y }) => Math.hypot(actor.x - x, actor.y - y) < 0.01);
const homeOf = (actor) => STAND_INS.filter(({ id }) => id === actor.id);

test("a figure is known by its session, and a subagent by its part", async () => {
	const known = new Map([["s1", "one"], ["a@b", "two"]]);
	const of = (name) => figureOf(name, (session) => known.get(session));

	assert.deepEqual(of("@s1"), { member: "one", part: "" });
	assert.deepEqual(of("@a@b"), { member: "two", part: "" });
	assert.deepEqual(of("Explore#p1@s1"), { member: "one", part: "p1" });
	assert.deepEqual(of("x#y#p1@s1"), { member: "one", part: "p1" });
	assert.deepEqual(of("x@y#p1@a@b"), { member: "two", part: "p1" });
	assert.deepEqual(figureOf("n#a#b@s1", () => ({ agents: [{ id: "a#b" }] })).part, "a#b");
	assert.deepEqual(figureOf("n#a#b@s1", () => ({ agents: [{ id: "b" }] })).part, "b");
	assert.equal(of("@nobody"), null);
	for (const name of ["ada", "ada@s1", "", "#p", "ada#p"])
		assert.equal(of(name), undefined, name);
});

test("a figure is called by its handle, whose number is never cut off, and by the project where that is another", async () => {
	const label = (handle, project) => labelOf({ handle, project });

	assert.equal(label("checkout-2", "checkout"), "checkout-2");
	assert.equal(label("my-shop-2", "My Shop"), "my-shop-2");
	assert.equal(label("agent-2", "till"), "agent-2 · till");
	assert.match(label("a-project-with-a-long-na-1234", "A project with a long name"), /^a-project-w.*…-1234$/);
	assert.ok(label("a-project-with-a-long-na-1234", "x").length <= 18);
	assert.doesNotMatch(label("x-1", "\u202e\u0007"), /[\u202e\u0007]/);
});

test("three sessions of one agent are three figures with their handles", async () => {
	const { seen } = makeStage(SHOW, ["@1", "@2", "@3"], ["1", "2", "3"].map((id) => member(id, "thinking")));

	assert.deepEqual(seen(10).map(({ label }) => label).sort(), ["checkout-1", "checkout-2", "checkout-3"]);
	assert.equal(new Set(seen(10).map(({ id }) => id)).size, 3);
});

test("place and pose follow the state", async () => {
	const { company, actor } = makeStage(SHOW, ["@1"], [member("1", "idle")]);
	let t = 10;
	const after = (name, more) => {
		company.hear({ changed: [member("1", name, more)] });
		for (let i = 0; i < 20; i++)
			actor("@1", t += 1000);
		return actor("@1", t);
	};

	assert.equal(actor("@1", t).state, "sit");
	assert.ok(isAt(actor("@1", t), homeOf(actor("@1", t))), "at home, at once");
	for (const [tool, where] of [["Bash", "lab"], ["Read", "library"], ["Edit", "workshop"], ["WebFetch", "harbour"], ["mcp__x", "toolbox"]]) {
		const now = after("tool", { tool });

		assert.equal(now.state, "work");
		assert.equal(now.moving, null);
		assert.ok(isAt(now, seatsOf(place(where))), `${tool} at ${where}`);
	}
	const asks = after("asks", { question: "?" });
	assert.equal(asks.state, "waiting");
	assert.ok(isAt(asks, seatsOf(place("gate"))) && !isAt(asks, [place("gate")]), "beside you, and not on top of you");
	company.hear({ changed: [member("1", "thinking")] });
	actor("@1", t += 10);
	assert.ok(isAt(actor("@1", t += 2000), homeOf(asks)), "who has an answer leaves the gate at once");
	for (const [state, pose] of [["thinking", "thinking"], ["answering", "acting"], ["waits", "idle"], ["failed", "error"], ["idle", "sit"]]) {
		const now = after(state);

		assert.equal(now.state, pose);
		assert.ok(isAt(now, homeOf(now)), `${state} at home`);
	}
});

test("one walks there, and who only thinks between two tools stays for a moment", async () => {
	const { company, actor, model } = makeStage(SHOW, ["@1"], [member("1", "idle")]);
	const home = { ...actor("@1", 1000) };

	company.hear({ changed: [member("1", "tool", { tool: "Bash" })] });
	assert.deepEqual([actor("@1", 1000).x, actor("@1", 1000).y], [home.x, home.y]);
	const under = actor("@1", 1200);
	assert.equal(under.state, "walk");
	assert.ok(under.moving.progress > 0 && under.y < home.y);
	const there = { ...actor("@1", 3000) };
	assert.ok(isAt(there, seatsOf(place("lab"))));
	company.hear({ changed: [member("1", "thinking")] });
	assert.deepEqual([actor("@1", 3100).state, actor("@1", 7000).x], ["thinking", there.x], "another pose, the same place");
	assert.deepEqual(actor("@1", 7000).moving, null);
	actor("@1", 8200);
	assert.ok(isAt(actor("@1", 12000), homeOf(there)), "then it goes home");
	company.hear({ changed: [member("1", "tool", { tool: "Bash" })] });
	model.frame(13000, true);
	assert.ok(isAt(model.frame(13001, true).entities.find(({ semanticId }) => semanticId === "@1"), seatsOf(place("lab"))),
		"at once, for who wants no motion");
});

test("a place has room for so many; the others work at home", async () => {
	const ids = Array.from({ length: 9 }, (_, i) => String(i + 1));
	const { seen, company } = makeStage(SHOW, ids.map((id) => `@${id}`), ids.map((id) => member(id, "tool", { tool: "Bash" })));
	const lab = seatsOf(place("lab"));

	seen(10);
	const all = seen(9000);
	assert.equal(all.filter((actor) => isAt(actor, lab)).length, lab.length);
	assert.equal(new Set(all.map(({ x, y }) => `${x} ${y}`)).size, 9, "nobody stands on another");
	assert.ok(all.every(({ state }) => state === "work"));
	company.hear({ changed: [member("1", "idle")] });
	seen(9010);
	assert.equal(seen(20000).filter((actor) => isAt(actor, lab)).length, lab.length, "who leaves makes room");
});

test("subagents stand beside their session while they are at it, and go with it", async () => {
	const sub = (id, name) => ({ id, name: "Explore", state: { name, since: 1, tool: "Grep" } });
	const with_ = (name, ...agents) => ({ ...member("1", name), agents });
	const { seen, company } = makeStage(SHOW, ["@1", "Explore#p1@1", "Explore#p2@1"], [with_("thinking", sub("p1", "tool"), sub("p2", "thinking"))]);
	const all = seen(10), main = all.find(({ semanticId }) => semanticId === "@1");

	assert.deepEqual(all.map(({ semanticId }) => semanticId).sort(), ["@1", "Explore#p1@1", "Explore#p2@1"]);
	for (const one of all.filter((actor) => actor !== main)) {
		assert.ok(Math.hypot(one.x - main.x, one.y - main.y) < 80, "near");
		assert.ok(one.scaleX < main.scaleX);
		assert.equal(one.label, "Explore");
	}
	company.hear({ changed: [with_("thinking", sub("p1", "finished"), sub("p2", "thinking"))] });
	assert.deepEqual(seen(20).map(({ semanticId }) => semanticId).sort(), ["@1", "Explore#p2@1"]);
	company.hear({ changed: [with_("gone", sub("p1", "finished"), sub("p2", "thinking"))] });
	assert.deepEqual(seen(30), []);
	assert.ok(!isAtIt(sub("x", "idle")) && !isPresent(member("x", "finished")));
});

test("who is over leaves, whoever the server still shows; and nobody plays a session that nobody knows", async () => {
	const { seen, company, actor } = makeStage(SHOW, ["@1", "@2", "@3"], [member("1", "idle"), member("2", "gone")]);

	assert.deepEqual(seen(10).map(({ label }) => label), ["checkout-1"]);
	assert.equal(actor("@3", 10).visible, false);
	company.hear({ changed: [member("1", "finished")] });
	assert.deepEqual(seen(20), []);
	company.hear({ changed: [member("2", "thinking")] });
	assert.deepEqual(seen(30).map(({ label }) => label), ["checkout-2"], "and back");
	company.hear({ removed: ["2"] });
	assert.deepEqual(seen(40), []);
});

test("an agent whose name looks like a session's is on the stage, when no session turns out to have it", async () => {
	const { model, company, actor } = makeStage(SHOW, ["@alice", "team#1@host", "@1"], [member("1", "idle")]);

	assert.equal(actor("@alice", 10).visible, false, "the crew may be late");
	model.frame(10000);
	for (const name of ["@alice", "team#1@host"])
		assert.equal(actor(name, 10010).visible, true, name);
	company.hear({ removed: ["1"] });
	assert.equal(actor("@1", 20000).visible, false, "a session that is gone is no agent");
	assert.equal(actor("@1", 30000).visible, false);
});

test("a session that was never on the stage gets a figure that is free, until there are none", async () => {
	const many = Array.from({ length: STAND_INS.length + 2 }, (_, i) => member(String(i + 1), "idle"));
	const { seen, company, cast, spawn } = makeStage(SHOW, ["@1"], many.slice(0, 2));

	assert.deepEqual(seen(10).map(({ semanticId }) => semanticId).sort(), ["@1", "@2"]);
	const lent = seen(10).find(({ semanticId }) => semanticId === "@2").id;
	cast("ada", lent);
	spawn("ada");
	assert.equal(seen(20).length, 2, "it gives way to whom the server casts");
	assert.notEqual(seen(20).find(({ semanticId }) => semanticId === "@2").id, lent);
	company.hear({ all: many });
	assert.equal(seen(30).length, STAND_INS.length - 1);
	assert.equal(company.missing, 0, "who is idle is not missed");
	company.hear({ changed: many.slice(-2).map(({ id }) => member(id, "thinking")) });
	seen(40);
	assert.equal(company.missing, 2, "who is at work is counted");
});

test("a session of several runs is one figure, and so is a subagent of several names", async () => {
	const agents = [{ id: "p1", name: "Explore", state: { name: "thinking", since: 1 } }];
	const { seen } = makeStage(SHOW, ["@1", "@r2", "Explore#p1@1", "subagent#p1@1"], [{ ...member("1", "idle"), run: "r2", agents }]);

	assert.deepEqual(seen(10).map(({ semanticId }) => semanticId).sort(), ["@1", "Explore#p1@1"]);
});

test("sessions of any source are figures, and one that is called by its own name within is itself", async () => {
	const of = (id, name) => ({ ...member(id, name), handle: `poet-${id}`, project: undefined, source: "hub", agentId: "poet" });
	const { seen, company } = makeStage(SHOW, ["@1", "@2", "poet#poet@3", "critic#critic@2"], [of("1", "thinking"), of("2", "asks"), of("3", "idle")]);

	company.hear({ changed: [{ ...of("2", "asks"), agents: [{ id: "critic", name: "critic", state: { name: "thinking", since: 1 } }] }] });
	assert.deepEqual(seen(10).map(({ semanticId, label, state }) => [semanticId, label, state]).sort(), [
		["@1", "poet-1", "thinking"], ["@2", "poet-2", "waiting"], ["critic#critic@2", "critic", "thinking"], ["poet#poet@3", "poet-3", "sit"]]);
	company.hear({ changed: [of("2", "finished")] });
	assert.deepEqual(seen(20).map(({ semanticId }) => semanticId).sort(), ["@1", "poet#poet@3"], "who is called leaves with who called");
});

test("agents without sessions, and shows without a crew, are as the choreographies have them", async () => {
	const { crew, ...scene } = SHOW.scene;
	const other = makeStage(SHOW, ["ada"], [{ ...member("1", "tool", { tool: "Bash" }), source: "http", figure: false }]);
	const plain = makeStage({ ...SHOW, scene }, ["@1"], [member("1", "tool", { tool: "Bash" })]);

	assert.ok(crew.length > 0);
	assert.deepEqual(other.seen(10), []);
	assert.equal(other.actor("ada", 10).visible, true);
	assert.deepEqual(plain.seen(10).map(({ label, state }) => [label, state]), [["checkout-1", "idle"]]);
	assert.ok(isAt(plain.seen(10000)[0], homeOf(plain.seen(10000)[0])));
});

test("a letter flies to where a session stands", async () => {
	const { model, actor } = makeStage(SHOW, ["@1"], [member("1", "tool", { tool: "Bash" })]);

	model.frame(10);
	const { x, y } = actor("@1", 5000);
	model.fold(90, { kind: "execute", action: "spawn", entityRef: "letter", at: 5000, params: { at: "@1" } });
	const letter = model.frame(5001).entities.find(({ id }) => id === "letter");
	assert.deepEqual([letter.x, letter.y], [x, y]);
});

test("the list has every session with what it does, those that wait first, and then the others", async () => {
	const sub = { id: "p1", name: "Explore", state: { name: "tool", since: 1, tool: "Grep", target: "retry" } };
	const members = [member("1", "idle"), { ...member("2", "tool", { tool: "Bash", target: "make" }), agents: [sub] }, member("3", "asks", { question: "May I?" })];
	const { model, company, cast, spawn } = makeStage(SHOW, ["@1", "@2"], members);

	cast("ada", "stand-in-9");
	spawn("ada");
	const lines = makeLines({ frame: model.frame(10), members: company.members() });
	assert.deepEqual(lines.map(({ name, state, target, isSub }) => [name, state, target, isSub]), [
		["checkout-3", "waits for you", "May I?", false], ["checkout-2", "Bash", "make", false], ["Explore", "Grep", "retry", true],
		["checkout-1", "idle", "", false], ["ada", "is idle", "", false], ["You", "is idle", "", false]]);
	const about = (more) => makeLines({ frame: model.frame(10), members: [{ ...member("9", "idle"), title: "Mend it", ...more }] })[0].place;
	assert.equal(about({}), "Mend it", "the handle has the project");
	assert.equal(about({ handle: "shop-9", branch: "main" }), "checkout · main");
	assert.equal(about({ handle: "model-a-9", project: undefined }), "Mend it", "a model works in no folder");
});

test("seats are kept, taken from the middle, and not where somebody stands", async () => {
	const spot = { id: "p", name: "desk", x: 100, y: 50, room: { columns: 3, rows: 2, dx: 10, dy: 20 } };
	const seats = makeSeats({ positions: [spot] }, ({ x, y }) => x === 100 && y === 50);

	assert.deepEqual(seatsOf({ ...spot, room: undefined }), [{ x: 100, y: 50 }]);
	assert.deepEqual(seatsOf(spot).slice(0, 4), [{ x: 100, y: 50 }, { x: 90, y: 60 }, { x: 110, y: 60 }, { x: 100, y: 70 }]);
	const first = seats.take("a", "desk");
	assert.deepEqual([first, seats.take("a", "desk")], [{ x: 90, y: 60 }, { x: 90, y: 60 }]);
	assert.equal(seats.take("a", "nowhere"), null);
	assert.deepEqual(seats.take("b", "desk"), first, "it was left");
	for (const who of "cdef")
		assert.ok(seats.take(who, "desk"));
	assert.equal(seats.take("g", "desk"), null);
	assert.deepEqual([placeOf({ name: "tool", tool: "Bash" }, SHOW.scene), poseOf({ name: "odd" }, SHOW.scene)], ["lab", "idle"]);
});

test("what is done to a figure goes to its session", async () => {
	const { of, hear } = makeEpisodes();
	const session = { member: { ...member("s1", "idle"), run: "r2" } };

	hear({ type: "text_delta", source: "s", seq: 1, correlationId: "c", payload: { agentId: "ada" } });
	assert.equal(of({ semanticId: "@s1", session }).correlationId, "r2", "its newest run");
	assert.equal(of({ semanticId: "Explore#p1@s1", session: { member: member("s1", "idle") } }).correlationId, "s1");
	assert.equal(of({ semanticId: "ada", session: null }).correlationId, "c");
	assert.equal(of({ semanticId: "@s1", session: null }), undefined);
});

await run();
