/* The parts of the sources view that need no browser: what is said, the book of sources and
 * their minute, and the lines of a diff. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { makeBook } = await part("sources/book.ts");
const { diffLines } = await part("sources/tap.ts");
const { pathsOf } = await part("sources/spark.ts");
const words = await part("sources/words.ts");

const SOURCE = {
	id: "a", name: "A", url: "ws://h/", protocol: "websocket", category: "remote", color: "#5B8DEF",
	state: "connected", error: null, enabled: true, configured: false, hasCredential: false, credentialFrom: null,
	models: [], model: null, can: [], attempt: 0, retryAt: null, eventsPerSecond: 0, signals: 0, bytes: 0,
	badFrames: 0, dropped: 0, connects: 0, lastSignalAt: null, lastError: null,
};
const T = 1_700_000_000_000;
const sum = (list) => list.reduce((a, b) => a + b, 0);

test("every signal that is told of is in the minute once, whatever beat it is told in", async () => {
	for (const beat of [400, 1000, 1037, 1800]) {
		const book = makeBook();
		let told = 0, now = T;

		book.hear({ all: [SOURCE] }, now);
		for (let i = 0; i < 20; i++) {
			now += beat;
			told += 10;
			book.hear({ changed: [{ ...SOURCE, signals: told }] }, now);
		}
		now += 1000;
		const pulse = book.pulse("a", now);
		assert.equal(Math.round(sum(pulse)), told, `beat ${beat}`);
		if (beat < 1500)
			assert.ok(pulse.slice(-Math.floor(20 * beat / 1000), -2).every((n) => n > 0), `no holes at ${beat}: ${pulse}`);
	}
});

test("what is quiet is zero, what is older than a minute is gone, and another life of the server counts anew", async () => {
	const book = makeBook();

	book.hear({ all: [{ ...SOURCE, signals: 1000 }] }, T);
	assert.equal(sum(book.pulse("a", T + 1000)), 0, "what came before we looked is not of this minute");
	book.hear({ changed: [{ ...SOURCE, signals: 1060 }] }, T + 1000);
	assert.ok(book.rate("a", T + 1500) > 0);
	assert.equal(book.rate("a", T + 9000), 0);
	assert.equal(sum(book.pulse("a", T + 70000)), 0);
	book.hear({ all: [{ ...SOURCE, signals: 5 }] }, T + 71000);
	assert.equal(Math.round(sum(book.pulse("a", T + 72000))), 5);
	book.hear({ removed: ["a"] }, T + 73000);
	assert.equal(book.get("a"), undefined);
});

test("those of this machine come first, and what was never there is missing", async () => {
	const book = makeBook();
	const service = { id: "local:ollama", label: "Ollama", protocol: "openai", url: "", available: false, models: [] };

	book.hear({ all: [SOURCE, { ...SOURCE, id: "local:x", category: "local" }] }, T);
	assert.deepEqual(book.list().map(({ id }) => id), ["local:x", "a"]);
	book.find([service, { ...service, id: "local:x" }, { ...service, id: "local:y", available: true }]);
	assert.deepEqual(book.missing().map(({ id }) => id), ["local:ollama"]);
});

test("a state is told in words, with the seconds until it is tried again", async () => {
	const say = (more) => words.stateWords({ ...SOURCE, ...more }, T);

	assert.equal(say({}), "connected");
	assert.equal(say({ state: "connecting" }), "connecting");
	assert.equal(say({ state: "connecting", retryAt: T + 3100 }), "tries again in 4 s");
	assert.equal(say({ state: "connecting", retryAt: T - 5 }), "tries again now");
	assert.equal(say({ state: "connecting", retryAt: T + 600000 }), "tries again in 10 min");
	assert.equal(say({ state: "error" }), "given up");
	assert.equal(say({ id: "local:claude-code", state: "disconnected" }), "hooks not installed");
	assert.equal(words.agoWords(null, T), "never");
	assert.equal(words.agoWords(T - 300000, T), "5 min ago");
	assert.equal(words.sizeWords(12345), "12.3 KB");
});

const PROTOCOL = {
	name: "plain", label: "lines, or more", schemes: ["http"], can: [],
	credential: null, needsCredential: false, ownCredential: null, mainSession: false,
};
const THING = { ...PROTOCOL, name: "thing", label: "Thing", credential: "pass", needsCredential: true, ownCredential: "Maker" };

test("what is said of a protocol is what the server told, and nothing is known before", async () => {
	const all = [PROTOCOL, THING];
	const say = (protocol, mayBecome = null, told = all) => words.recognisedWords({ protocol, mayBecome }, told);

	assert.equal(say("thing"), "thing: Thing.");
	assert.equal(say("thing", "plain"), "thing: Thing. It needs a pass; without one it is treated as lines.");
	assert.equal(say("plain", "thing"), "plain: lines, or more. If it lists its models without a key, the protocol is thing;"
		+ " if it requires a key, choose thing below.");
	assert.equal(say("other"), "other: other.");
	assert.equal(words.spoken(all, "thing"), THING);
	assert.equal(words.spoken([], "thing"), undefined);
	assert.equal(words.takesKey(THING), true);
	assert.deepEqual([words.takesKey(PROTOCOL), words.takesKey(undefined)], [false, false]);
	assert.deepEqual([words.keyWord(THING), words.keyWord(PROTOCOL)], ["pass", "key"]);
	assert.equal(words.isListedOnly(SOURCE, undefined), true);
	assert.equal(words.isListedOnly(SOURCE, PROTOCOL), false);
	assert.equal(words.isListedOnly({ ...SOURCE, id: "local:claude-code" }, undefined), false);
});

test("the book keeps what can be spoken until it is told anew", async () => {
	const book = makeBook();

	assert.deepEqual(book.protocols(), []);
	book.hear({ all: [SOURCE], protocols: [PROTOCOL, THING] }, T);
	book.hear({ changed: [SOURCE] }, T);
	assert.deepEqual(book.protocols(), [PROTOCOL, THING]);
	book.hear({ all: [], protocols: [THING] }, T);
	assert.deepEqual(book.protocols(), [THING]);
});

test("a producer's own token is offered to one of this machine only", async () => {
	const may = (url, { protocol = THING, ...more } = {}) => words.mayPaste({ ...SOURCE, url, ...more }, protocol);

	assert.ok(may("ws://127.0.0.1:18789") && may("ws://localhost/x") && may("ws://[::1]:9"));
	for (const url of ["wss://gateway.example", "ws://127.0.0.1.evil.example", "ws://localhost.evil", "http://127.0.0.1", null])
		assert.equal(may(url), false, url);
	assert.equal(may("ws://localhost", { protocol: PROTOCOL }), false);
	assert.equal(may("ws://localhost", { configured: true }), false);
});

test("a diff is read line by line, and a line that looks like a head is none", async () => {
	const kinds = (diff) => diffLines(diff).map(({ kind }) => kind).join(" ");

	assert.equal(kinds("--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"), "name name place same removed added");
	assert.equal(kinds("--- a\n+++ b\n@@ -1 +1 @@\n--- not a head\n+++ nor this\n"), "name name place removed added");
	assert.equal(kinds(""), "");
});

test("the minute is drawn within its frame", async () => {
	const { line } = pathsOf([0, 5, 10]);

	assert.match(line, /^M0\.0 26\.5L60\.0 14\.5L120\.0 2\.5$/);
	assert.match(pathsOf([0, 0]).line, /26\.5.*26\.5/);
});

await run();
