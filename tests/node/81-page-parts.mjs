/* The parts of the page that need no browser, called directly. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { Place, retryDelay } from "../../ui/connection.js";
import { has, matcher, terms, toggle } from "../../ui/filter.js";
import { pretty } from "../../ui/json.js";
import { Log } from "../../ui/log.js";
import { Rates, sparkline } from "../../ui/rates.js";
import { clock, colourOf, entryOf, gapEntryOf, visible } from "../../ui/signal.js";

function placeAt(epoch, seq) {
	return Object.assign(new Place(), { epoch, seq });
}

function entry(seq, more = {}) {
	return entryOf({ seq, type: "x", source: "s", timestamp: 0, payload: {}, ...more }, "{}");
}

test("a place steps forward, drops what it has seen, and names what was passed over", async () => {
	const place = placeAt(1, 10);

	assert.deepEqual(place.take(1, 11), { fresh: true, hole: null });
	assert.deepEqual(place.take(1, 11), { fresh: false, hole: null });
	assert.deepEqual(place.take(1, 14), { fresh: true, hole: { from: 12, to: 13, why: "unexplained" } });
	assert.equal(place.duplicates, 1);
	assert.equal(String(place), "1-14");
	assert.equal(String(placeAt(7, 0)), "0");
});

test("a place keeps its epoch until something came of the next", async () => {
	const place = placeAt(1, 10);

	assert.equal(String(place), "1-10");
	place.take(2, 11);
	assert.equal(String(place), "2-11");
});

test("what the server lost takes a place back to the fork", async () => {
	const place = placeAt(1, 10);

	assert.equal(place.skip(2, { from: 8, to: 10, why: "lost" }), "lost");
	assert.equal(String(place), "2-7");
	assert.deepEqual(place.take(2, 8), { fresh: true, hole: null });
});

test("another journal at the same address is told from a loss", async () => {
	const place = placeAt("a", 10);

	assert.equal(place.skip("b", { from: 1, to: 3, why: "lost" }), "replaced");
	assert.equal(String(place), "b-3");
});

test("what the server no longer has is stepped over", async () => {
	const place = placeAt(1, 10);

	place.skip(1, { from: 11, to: 500, why: "expired" });
	assert.deepEqual(place.take(1, 501), { fresh: true, hole: null });
});

test("retries wait from a quarter of a second to five, and are spread", async () => {
	for (let failures = 0; failures < 100; failures++)
		for (const random of [0, 0.5, 1]) {
			const delay = retryDelay(failures, random);
			assert.ok(delay >= 250 && delay <= 5000, `${delay}`);
		}
	assert.equal(retryDelay(50, 1), 5000);
	assert.equal(retryDelay(50, 0), 2500);
});

test("JSON is laid out without touching a byte of its values", async () => {
	const text = '{"a":[1,-0.0,1e999,12345678901234567890],"b":{},"c":[ ],"d":"\\u00e9\\"}{","e":{"f":null}}';
	const laid = pretty(text).map(([, part]) => part).join("");

	assert.equal(laid.replace(/\s+/g, ""), text.replace(/\s+/g, ""));
	assert.equal(laid.split("\n").length, 14);
	assert.deepEqual(pretty('{"k":"v"}').map(([kind]) => kind), ["mark", "key", "mark", "string", "mark"]);
	assert.equal(pretty('"a\u202eb"')[0][1], '"a\\u202eb"');
	for (const broken of ["", "{", "]", '"', '"\\', '{"a', "]]]]"])
		pretty(broken);
});

test("filters are read as they are written", async () => {
	assert.deepEqual(terms('type:a -source:"b c" "d e" f type:'), [
		{ not: false, key: "type", value: "a" }, { not: true, key: "source", value: "b c" },
		{ not: false, key: "text", value: "d e" }, { not: false, key: "text", value: "f" },
	]);
	for (const value of ["a", "a b", "-a", "a:b", "", "*", "(", "[^", 'a"b']) {
		const filter = toggle("word", "source", value);
		assert.equal(toggle(filter, "source", value), "word", value);
	}
	assert.ok(has("type:a", "type", "a") && !has("-type:a", "type", "a") && !has("type:ab", "type", "a"));
	assert.ok(matcher("type:nothing")(gapEntryOf({ from: 1, to: 2, why: "lost" })), "a gap is never hidden");
	assert.ok(matcher("source:a.c")(entry(1, { source: "a.c" })) && !matcher("source:a.c")(entry(1, { source: "abc" })));
});

test("the log keeps the newest ten thousand, and a paused view keeps what it shows", async () => {
	const log = new Log();

	for (let seq = 1; seq <= 100; seq++)
		log.add(entry(seq));
	log.pause();
	for (let seq = 101; seq <= 25000; seq++)
		log.add(entry(seq));
	assert.equal(log.view.length, 100);
	assert.equal(log.waiting, 24900);
	log.resume();
	assert.ok(log.view.length >= 10000 && log.view.length < 10256);
	assert.deepEqual(log.view.map(({ seq }) => seq), log.view.map((_, i) => 25001 - log.view.length + i));
});

test("the log has a ceiling in characters too", async () => {
	const log = new Log();

	for (let seq = 1; seq <= 100; seq++)
		log.add({ ...entry(seq), text: "x".repeat(1024 * 1024) });
	assert.equal(log.entries.length, 32);
	assert.equal(log.view.length, 32);
	assert.equal(log.view.at(-1).seq, 100);
});

test("what was lost after it was seen is marked, and only that", async () => {
	const log = new Log();

	for (let seq = 1; seq <= 10; seq++)
		log.add(entry(seq));
	log.disown(8);
	assert.deepEqual(log.entries.filter(({ lost }) => lost).map(({ seq }) => seq), [8, 9, 10]);
});

test("rates count what is live, forget after a minute, and bound the names", async () => {
	const rates = new Rates();

	for (let i = 0; i < 1000; i++)
		rates.add({ type: `t${i}`, source: "s" }, i >= 500, 100000 + i);
	assert.equal(rates.total, 1000);
	assert.equal(rates.perSecond(101000), 250);
	assert.equal(rates.perSecond(200000), 0);
	assert.equal(rates.types.size, 201);
	assert.equal(rates.types.get("(others)"), 800);
	assert.match(sparkline(rates.history(200000), 160, 32), /^(M|L)[\d. ML]+$/);
});

test("no envelope, however odd, breaks a row", async () => {
	const odd = [null, undefined, 0, "", "x", [], {}, { toString: null }, [[[]]], true, 1e400];

	for (const type of ["task_dispatch", "tool_call", "tool_result", "token_usage", "agent_state_change", "error",
		"completion", "text_delta", "thinking", "other", "__proto__", "constructor"])
		for (const value of odd) {
			const payload = Object.fromEntries(["agentId", "from", "to", "content", "toolName", "input", "success",
				"output", "message", "promptTokens", "result"].map((key) => [key, value]));
			const { summary, who, at } = entry(1, { type, source: value, correlationId: value, timestamp: value, payload });
			assert.equal(typeof summary, "string");
			assert.equal(typeof who, "string");
			assert.equal(typeof clock(at), "string");
			assert.match(colourOf(type), /^[a-z]+$/);
		}
	assert.equal(visible("a\u0000\u202e\u{e0041}\ufeffb"), "a\\u0000\\u202e\\udb40\\udc41\\ufeffb");
	assert.equal(visible("é 👩‍💻 שלום"), "é 👩‍💻 שלום");
});

await run();
