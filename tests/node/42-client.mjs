/* clients/js/signalbox.js in Node, against the real program: what it hears it hears once and in
 * order, and what it emits is stored once, whatever happens to the server meanwhile. */
// long

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually, PATIENCE_MS, run, test } from "./lib.mjs";
import { Refusal, Signalbox } from "../../clients/js/signalbox.js";

const box = await new Box().start();
const opened = [];

function token() {
	return readFileSync(join(box.data, "token"), "utf8").trim();
}

/* A client that remembers all it hears. */
function connect(options = {}) {
	const client = new Signalbox({ url: box.origin, token: token(), ...options });
	const heard = { seqs: [], gaps: [], states: [], live: [], notices: [] };

	client.on("signal", ({ envelope, live }) => { heard.seqs.push(envelope.seq); heard.live.push(live); });
	client.on("gap", (gap) => heard.gaps.push(gap));
	client.on("state", ({ name }) => heard.states.push(name));
	client.on("notice", (words) => heard.notices.push(words));
	opened.push(client);
	return { client, heard };
}

function isLive(client) {
	return eventually(() => client.state.name === "live", "it is live");
}

function inOrder(seqs, from = seqs[0]) {
	assert.deepEqual(seqs, seqs.map((_, i) => from + i));
}

async function refused(promise, code) {
	const why = await promise.then(() => assert.fail("it was not refused"), (error) => error);

	assert.ok(why instanceof Refusal, String(why));
	assert.equal(why.code, code, why.message);
	return why;
}

test("it catches up from a position, then hears what comes, and says which is which", async () => {
	await box.emit(...Array.from({ length: 50 }, (_, n) => ({ type: "past", payload: { n } })));
	const { client, heard } = connect({ after: 0 });

	await isLive(client);
	assert.equal(heard.seqs[0], 1);
	const { firstSeq } = await box.emit({ type: "present" });
	await eventually(() => heard.seqs.at(-1) === firstSeq, "the present came");
	inOrder(heard.seqs);
	assert.equal(heard.live.indexOf(true), heard.seqs.length - 1);
	assert.deepEqual(heard.states.filter((name) => name !== "connecting"), ["catching-up", "live"]);
	assert.ok(Math.abs(client.skewMs) < 1000, `${client.skewMs}`);
	client.close();
	assert.equal(client.state.name, "closed");
});

test("left to itself it begins with the present, or with a little of the past", async () => {
	const { lastSeq } = await box.emit({ type: "before" });
	const now = connect();
	const some = connect({ history: 10 });

	await Promise.all([isLive(now.client), isLive(some.client)]);
	const { firstSeq } = await box.emit({ type: "after" });
	await eventually(() => now.heard.seqs.length > 0 && some.heard.seqs.at(-1) === firstSeq, "both heard it");
	assert.deepEqual(now.heard.seqs, [firstSeq]);
	inOrder(some.heard.seqs, lastSeq - 9);
	now.client.close();
	some.client.close();
});

test("a filter is kept when it is connected again, and its holes are no gaps", async () => {
	const { client, heard } = connect({ types: ["odd*"], sources: ["me"] });
	const emit = () => box.emit({ type: "odd", source: "me" }, { type: "even", source: "me" },
		{ type: "odder", source: "me" }, { type: "odd", source: "you" });

	await isLive(client);
	await emit();
	await eventually(() => heard.seqs.length === 2, "two passed");
	await box.end();
	await eventually(() => client.state.name === "lost", "it noticed");
	await box.start();
	await emit();
	await eventually(() => heard.seqs.length === 4, "two more passed");
	assert.deepEqual(heard.gaps, []);
	client.subscribe({ types: ["even"] });
	await emit();
	await eventually(() => heard.seqs.length >= 5, "another wish");
	await sleep(50);
	assert.equal(heard.seqs.length, 5);
	client.close();
});

test("an emit is settled when it is stored, and refused with the server's words", async () => {
	const { client } = connect();
	const { id, seq } = await client.emit({ type: "x", payload: { a: 1 } });
	const answer = await client.request("GET", `/api/signals?after=${seq - 1}&limit=1`);

	assert.equal(answer.signals[0].id, id);
	assert.equal((await client.emit({ type: "x", id: "mine", timestamp: 7 })).id, "mine");
	const [first, second] = await Promise.all(Array.from({ length: 2 }, () => client.emit({ type: "same", id: "s", timestamp: 1 })));
	assert.equal(first.seq, second.seq, "the same bytes under the same id are one signal");
	await refused(client.emit({ type: "user.click", payload: { nothing: 1 } }), "invalid");
	assert.match((await refused(client.ask("nobody", "hello"), "invalid")).message, /nobody/);
	await refused(client.cancel("nothing"), "invalid");
	await refused(client.answer("nothing", { value: 1 }), "unknown_prompt");
	await refused(client.control("nothing", "pause"), "invalid");
	assert.equal((await refused(client.request("GET", "/api/runs/none"), "unknown")).status, 404);
	assert.equal((await refused(client.request("POST", "/api/sources", { url: 7 }), "invalid")).status, 400);
	let text = "";
	for await (const piece of await client.stream("/api/signals?after=0&format=ndjson"))
		text += piece;
	assert.ok(text.trim().split("\n").length >= seq);
	client.close();
	await refused(client.emit({ type: "late" }), "closed");
});

test("a server killed again and again: no hole, no duplicate, and every emit stored once", async () => {
	const { client, heard } = connect({ after: 0 });
	const acks = [];
	let timeline = [];
	let emitted = 0;
	let ends = false;

	/* What is on its way to the disk is heard already; what a kill took of it is told as lost. */
	client.on("signal", ({ envelope: { seq, id } }) => timeline.push(`${seq} ${id}`));
	client.on("gap", ({ from }) => { timeline = timeline.filter((line) => parseInt(line, 10) < from); });
	await isLive(client);
	const emitting = (async () => {
		while (!ends) {
			const n = ++emitted;
			acks.push(client.emit({ type: "counted", source: "counter", id: `n-${n}`, payload: { n } }));
			if (n % 20 === 0)
				await sleep(1);
		}
	})();
	for (let round = 0; round < 4; round++) {
		await sleep(150);
		await box.end();
		await box.start();
		client.retryNow();
		await isLive(client);
	}
	ends = true;
	await emitting;
	const seqs = (await Promise.all(acks)).map(({ seq }) => seq);
	await eventually(() => heard.seqs.at(-1) >= Math.max(...seqs), "all of it was heard");
	assert.deepEqual(heard.gaps.filter(({ why }) => why !== "lost"), []);
	assert.equal(new Set(seqs).size, emitted, "each has a number of its own");
	let text = "";
	for await (const piece of await client.stream("/api/signals?after=0&format=ndjson"))
		text += piece;
	const stored = text.trim().split("\n").map((line) => JSON.parse(line));
	assert.deepEqual(timeline, stored.map(({ seq, id }) => `${seq} ${id}`), "what was heard is what is stored");
	const counted = stored.filter(({ source }) => source === "counter").map(({ payload }) => payload.n);
	assert.deepEqual(counted.sort((a, b) => a - b), Array.from({ length: emitted }, (_, i) => i + 1));
	assert.ok(emitted > 100, `${emitted}`);
	client.close();
});

test("what is asked of a server that goes away is refused, and never done twice", async () => {
	const { client } = connect();

	await isLive(client);
	const asked = client.request("GET", "/api/status");
	await asked;
	await box.end();
	await eventually(() => client.state.name === "lost", "it noticed");
	await refused(client.ask("a", "b"), "disconnected");
	await refused(client.request("GET", "/api/status"), "unreachable");
	await eventually(() => client.state.retryAt > Date.now() - 1000, "it says when it tries again");
	await box.start();
	client.close();
});

test("a loop over signals takes each in its turn, and loses nothing by being slow", async () => {
	const from = (await box.emit({ type: "loop" })).lastSeq;
	const { client } = connect({ after: from });
	const loop = client.signals();
	const many = 25000;

	for (let done = 0; done < many; done += 5000)
		await box.emit(...Array.from({ length: 5000 }, (_, n) => ({ type: "many", payload: { n: done + n } })));
	await sleep(300);
	assert.ok(client.place.seq - from <= 10000, `the queue holds ${client.place.seq - from}`);
	let expected = 0;
	for await (const { seq, payload } of loop) {
		assert.equal(payload.n, expected++);
		assert.equal(seq, from + expected);
		/* Whoever is slow because it emits something is not kept from that. */
		if (expected % 1000 === 0 && expected < 15000)
			await client.emit({ type: "taken" });
		if (expected === many)
			break;
	}
	await isLive(client);
	client.close();
});

test("other wishes while much is on its way lose nothing, and bring nothing twice", async () => {
	const from = (await box.emit({ type: "wish" })).lastSeq;
	const { client, heard } = connect({ after: from, types: ["wished"] });
	const wishes = [{}, { types: ["wished", "many"] }, { stage: true }, { slow: "coalesce" }, {}];
	const many = 3000;

	await isLive(client);
	for (const wish of wishes) {
		const emitting = box.emit(...Array.from({ length: many }, (_, n) => ({ type: "wished", payload: { n } })));
		await sleep(5);
		client.subscribe(wish);
		await emitting;
	}
	await eventually(() => heard.seqs.length >= many * wishes.length, "all of them came");
	inOrder(heard.seqs, from + 1);
	assert.equal(client.place.duplicates, 0);
	assert.deepEqual(heard.gaps, []);
	client.close();
});

test("a listener that fails keeps nothing from the others", async () => {
	const { client, heard } = connect();
	const caught = [];
	const catcher = (why) => caught.push(why.message);

	process.on("uncaughtException", catcher);
	await isLive(client);
	client.on("signal", () => { throw new Error("a listener's own"); });
	const later = [];
	client.on("signal", ({ envelope }) => later.push(envelope.seq));
	await box.emit({ type: "x" }, { type: "x" });
	await eventually(() => later.length === 2, "the next one hears both");
	assert.deepEqual(heard.seqs, later);
	await eventually(() => caught.length === 2, "and it is told where errors are told");
	process.off("uncaughtException", catcher);
	assert.match(caught[0], /own/);
	client.close();
});

test("closing ends every loop", async () => {
	const { client } = connect();
	const loop = (async () => {
		for await (const signal of client.signals())
			assert.ok(signal);
	})();

	await isLive(client);
	client.close();
	await loop;
});

test("the stage goes on by its version: a snapshot first, then no command twice or left out", async () => {
	const { client } = connect({ stage: true });
	const frames = [];

	client.on("stage", (frame) => frames.push(frame));
	await eventually(() => frames.length > 0, "the snapshot came");
	assert.ok(frames[0].snapshot.entities);
	await isLive(client);
	await box.emit({ type: "task_dispatch", source: "s", correlationId: "c",
		payload: { taskId: "t", from: "a", to: "b", description: "d" } });
	await sleep(200);
	client.restart();
	await isLive(client);
	await box.emit({ type: "tool_call", source: "s", correlationId: "c",
		payload: { agentId: "b", toolName: "t", callId: "1", input: {} } });
	await sleep(300);
	const versions = frames.slice(1).filter(({ command }) => command).map(({ version }) => version);
	assert.deepEqual(versions, [...new Set(versions)].sort((a, b) => a - b));
	for (const [i, { command, version }] of frames.entries())
		if (i > 0 && command)
			assert.equal(version, frames[i - 1].version + 1, "no version is left out");
	client.close();
});

test("questions and sources are told, and again after a loss, with what is over forgotten", async () => {
	const { client } = connect({ prompts: true, sourceState: true });
	const told = [];

	for (const name of ["prompt", "prompts", "sources"])
		client.on(name, (news) => told.push([name, news]));
	await isLive(client);
	await client.emit({ type: "prompt", source: "asker", correlationId: "run-1",
		payload: { type: "confirm", prompt: "Really?" } });
	const [, prompt] = await eventually(() => told.find(([name]) => name === "prompt"), "it is asked");
	assert.equal(prompt.prompt, "Really?");
	assert.ok(told.some(([name, { all }]) => name === "sources" && Array.isArray(all)));
	told.length = 0;
	client.restart();
	await eventually(() => told.some(([name]) => name === "prompt"), "it is asked again");
	assert.deepEqual(told.find(([name]) => name === "prompts"), ["prompts", { forget: true }]);
	assert.ok(told.findIndex(([name]) => name === "prompts") < told.findIndex(([name]) => name === "prompt"));
	await client.answer(prompt.id, { value: true });
	await eventually(() => told.some(([, { state }]) => state === "answered"), "it is over");
	await refused(client.answer(prompt.id, { value: false }), "already_answered");
	client.close();
});

test("a wrong token is no reason to try for ever", async () => {
	const { client, heard } = connect({ token: "wrong" });

	await eventually(() => client.state.name === "signed-out", "it says so");
	assert.ok(!heard.states.includes("lost"));
	client.close();
});

test("without a token it comes in as any program of this machine does", async () => {
	const client = new Signalbox({ url: box.origin });

	await isLive(client);
	assert.deepEqual([...client.scopes].sort(), ["emit", "observe"]);
	const { seq } = await client.emit({ type: "x" });
	assert.ok(seq > 0);
	await refused(client.ask("a", "b"), "forbidden");
	client.close();
});

test("a connection that died without a word is noticed, and gone on with", async () => {
	const { client, heard } = connect({ after: (await box.emit({ type: "x" })).lastSeq });

	await isLive(client);
	box.signal("SIGSTOP");
	client.retryNow();
	await eventually(() => client.state.name === "lost", "it gives up waiting", PATIENCE_MS * 2);
	box.signal("SIGCONT");
	const { firstSeq } = await box.emit({ type: "x" });
	await eventually(() => heard.seqs.at(-1) === firstSeq, "it goes on");
	inOrder(heard.seqs);
	assert.deepEqual(heard.gaps, []);
	client.close();
});

await run(async () => {
	for (const client of opened)
		client.close();
	await box.remove();
});
