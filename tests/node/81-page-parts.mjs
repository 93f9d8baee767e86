/* The parts of the page that need no browser, called directly. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";
import { Place, retryDelay } from "../../clients/js/signalbox.js";

const { pretty } = await part("text/json.ts");
const { clock, colourOf, entryOf, gapEntryOf, unhidden, visible } = await part("text/signal.ts");
const { beginning, ending, graphemes, makeCutter, wholeAfter, wholeBefore } = await part("text/whole.ts");
const { makeRates, rateWords, sparkline } = await part("shell/rates.ts");
const { makeDemoWatch } = await part("shell/demo.ts");
const { codeOf, hashOf, placeBehindCode, placeOf } = await part("shell/address.ts");
const { makeMemory } = await part("link/memory.ts");
const { makePace } = await part("link/pace.ts");

function placeAt(epoch, seq) {
	return new Place(`${epoch}-${seq}`);
}

function entry(seq, more = {}) {
	return entryOf({ seq, type: "x", source: "s", timestamp: 0, payload: {}, ...more }, "{}");
}

test("what is asked, answered and controlled is a sentence in the log, and what is not as we know it no blank", async () => {
	const said = (type, payload) => entry(1, { type, payload }).summary;

	assert.equal(said("prompt", { id: "p", type: "select", prompt: "Bash: npm test\nls", options: [] }), "Bash: npm test ↵ ls");
	assert.equal(said("answer", { prompt: "p", value: ["a"], by: { user: "ann", screen: "page" } }), '["a"]  by ann at page');
	assert.equal(said("answer", { prompt: "p", value: false, by: 5 }), "false");
	assert.equal(said("answer", { prompt: "p", cancelled: true, by: { user: "ann" } }), "cancelled  by ann");
	assert.equal(said("prompt.closed", { prompt: "p", state: "expired", why: "its time is over" }), "expired  its time is over");
	assert.equal(said("prompt.settled", { prompt: "p", by: "agent", decision: "allow" }), "allow  decided there");
	assert.equal(said("prompt.settled", { prompt: "p", by: { user: "ann", screen: "page" }, decision: "deny" }), "deny  by ann at page");
	assert.equal(said("control", { run: "r", do: "step", n: 2 }), "step  2");
	assert.equal(said("source.state", { sourceId: "lab", from: "connecting", to: "error", error: "refused" }), "lab  connecting → error  refused");
	assert.equal(said("error", { reason: "odd" }), '{"reason":"odd"}');
	assert.equal(said("completion", { done: 1 }), '{"done":1}');
	assert.equal(said("text_delta", { content: "" }), "");
});

/* One character each for who reads it. */
const WHOLE = { pair: "😀", modifier: "👍🏽", family: "👩‍👩‍👧‍👦", flag: "🇩🇪", accent: "e\u0301", keycap: "1\ufe0f\u20e3", line: "\r\n" };

test("a text is cut between characters, wherever the edge falls in one", async () => {
	for (const [name, whole] of Object.entries(WHOLE))
		for (let room = 0; room <= whole.length; room++) {
			const fits = room === whole.length;

			assert.equal(beginning(`ab${whole}cd`, 2 + room), fits ? `ab${whole}` : "ab", `${name} at ${room}`);
			assert.equal(ending(`ab${whole}cd`, 2 + room), fits ? `${whole}cd` : "cd", `the end of ${name} at ${room}`);
			assert.equal(wholeAfter(`ab${whole}cd`, 2 + room), room === 0 ? 2 : 2 + whole.length, `after ${name} at ${room}`);
			assert.equal(wholeBefore(`${"x".repeat(9000)}${whole}`, 9000 + room), 9000 + (fits ? room : 0), `${name} far on`);
		}
	assert.equal(beginning(WHOLE.flag.repeat(9), 10), WHOLE.flag.repeat(2));
	assert.equal(beginning("abc", 3), "abc");
	assert.equal(beginning("abc", 0), "");
	assert.equal(graphemes(`${WHOLE.family}${WHOLE.flag}${WHOLE.pair}`, 2), WHOLE.family + WHOLE.flag);
});

test("marks without end hide nothing of a text, and without a segmenter no pair is cut", async () => {
	const heap = `e${"\u0301".repeat(1e6)}`;
	const { before, after } = makeCutter(null);

	assert.equal(beginning(heap, 100), heap.slice(0, 100));
	assert.equal(ending(heap, 100).length, 100);
	assert.equal(beginning("😀\u0301".repeat(100), 100).isWellFormed(), true);
	for (let at = 0; at <= 5; at++) {
		assert.equal(before("a😀b\ud800", at), at === 2 ? 1 : at);
		assert.equal(after("a😀b\ud800", at), at === 2 ? 3 : at);
	}
});

test("no row of the log ends in half a character", async () => {
	for (const whole of Object.values(WHOLE).slice(0, 6))
		for (let before = 390; before <= 400; before++)
			for (const [type, payload] of [["thinking", { content: "x".repeat(before) + whole.repeat(9) }], ["other", { a: "x".repeat(before - 6) + whole.repeat(9) }]]) {
				const { summary } = entry(1, { type, payload });
				const rest = summary.slice(summary.lastIndexOf("x") + 1);

				assert.equal(rest, whole.repeat(rest.length / whole.length), `${whole} behind ${before}`);
			}
});

test("what is made up is called so while it comes: not last week's, and not all of it beside an agent", async () => {
	const watch = makeDemoWatch();
	const signal = (source, more = {}) => ({ source, type: "x", payload: {}, ...more });

	watch.hear(signal("demo"), 1000);
	assert.equal(watch.now(600000), null);
	assert.equal(watch.now(20000), "all");
	watch.hear(signal("signalbox", { type: "source.state" }), 2000);
	watch.hear(signal("page", { type: "user.click" }), 2000);
	assert.equal(watch.now(20000), "all");
	watch.hear(signal("adapter:tap"), 3000);
	assert.equal(watch.now(20000), "some");
	watch.hear(signal("any", { metadata: { demo: true } }), 50000);
	assert.equal(watch.now(50000), "all");
	watch.hear(signal("demo"), NaN);
	assert.equal(watch.now(50000 + 30001), null);
});

test("a place steps forward, drops what it has seen, and names what was passed over", async () => {
	const place = placeAt(1, 10);

	assert.deepEqual(place.take("1", 11), { fresh: true, hole: null });
	assert.deepEqual(place.take("1", 11), { fresh: false, hole: null });
	assert.deepEqual(place.take("1", 14), { fresh: true, hole: { from: 12, to: 13, why: "unexplained" } });
	assert.equal(place.duplicates, 1);
	assert.equal(String(place), "1-14");
	assert.equal(String(placeAt(7, 0)), "0");
	assert.equal(String(new Place(12)), "12");
	assert.throws(() => new Place("a-b"), /no position/);
});

test("a place keeps its epoch until something came of the next", async () => {
	const place = placeAt(1, 10);

	assert.equal(String(place), "1-10");
	place.take("2", 11);
	assert.equal(String(place), "2-11,1-10");
	assert.equal(String(new Place(String(place))), "2-11,1-10");
});

test("a place keeps a position for each of 16 epochs", async () => {
	const place = new Place(5);

	assert.equal(String(place), "5");
	place.take("e0", 6);
	assert.equal(String(place), "e0-6", "a bare number tells nothing of its epoch");
	for (let n = 1; n < 40; n++)
		place.take(`e${n}`, 6 + n);
	const positions = String(place).split(",");
	assert.equal(positions.length, 16);
	assert.deepEqual([positions[0], positions[15]], ["e39-45", "e24-30"]);
});

test("what the server lost takes a place back to the fork", async () => {
	const place = placeAt(1, 10);

	place.skip("2", { from: 8, to: 10, why: "lost" });
	assert.equal(String(place), "2-7,1-7");
	assert.deepEqual(place.take("2", 8), { fresh: true, hole: null });
});

test("a journal of which nothing is known is read from its beginning", async () => {
	const place = placeAt("a", 10);

	place.skip("b", { from: 1, to: 10, why: "lost" });
	assert.equal(String(place), "0");
	assert.deepEqual(place.take("b", 1), { fresh: true, hole: null });
	assert.equal(String(place), "b-1");
});

test("what the server could not store is stepped over", async () => {
	const place = placeAt("a", 10);

	place.skip("a", { from: 11, to: 20, why: "lost" });
	assert.equal(String(place), "a-20");
});

test("what the server no longer has is stepped over", async () => {
	const place = placeAt(1, 10);

	place.skip("1", { from: 11, to: 500, why: "expired" });
	assert.deepEqual(place.take("1", 501), { fresh: true, hole: null });
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

test("rates count what is live, and forget after a minute", async () => {
	const rates = makeRates();

	for (let i = 0; i < 1000; i++)
		rates.add(i >= 500, 100000 + i, 1);
	assert.equal(rates.total, 1000);
	assert.equal(rates.perSecond(101000), 250);
	rates.add(true, 101000, 40);
	assert.equal(rates.total, 1040);
	assert.equal(rates.perSecond(200000), 0);
	assert.match(sparkline(rates.history(200000), 160, 32), /^(M|L)[\d. ML]+$/);
	assert.deepEqual([0, 9.94, 10, 12345].map(rateWords), ["0.0", "9.9", "10", "12,345"]);
});

test("how far behind one is, is known from when the server had what one has not", async () => {
	const pace = makePace();

	assert.equal(pace.behindMs(0, 1000), 0);
	pace.look(10, 1000);
	pace.look(10, 1100);
	pace.look(30, 1200);
	assert.equal(pace.behindMs(5, 1300), 300);
	assert.equal(pace.behindMs(10, 1300), 100);
	assert.equal(pace.behindMs(30, 1300), 0);
	assert.equal(pace.behindMs(30, 9000), 0);
	pace.clear();
	assert.equal(pace.behindMs(0, 9000), 0);
});

test("who is late by much skips to the newest; who is late by little, or by few, reads on", async () => {
	const pace = makePace();

	pace.look(5000, 1000);
	assert.equal(pace.leap(0, 1100), null);
	assert.equal(pace.leap(0, 1200), 4500);
	assert.equal(pace.leap(4001, 1200), null);
	assert.equal(pace.leap(4000, 1200), 4500);
	pace.look(9000, 1300);
	assert.equal(pace.leap(4500, 1400), 8500);
	assert.equal(pace.leap(8500, 1400), null);
});

test("an address names a view and what to show there, and comes back as it was written", async () => {
	assert.deepEqual(placeOf("#/log"), { view: "log", rest: "" });
	assert.deepEqual(placeOf("#/log/4711"), { view: "log", rest: "4711" });
	for (const rest of ["a b", "a/b?c=d&e", "100%", 'x"y', "é\u202e", "a#b"])
		assert.deepEqual(placeOf(hashOf(`runs/${rest}`)), { view: "runs", rest }, rest);
	for (const none of ["", "#", "#log", "#/", "#/Log", "#t=abc", "#//log", "#/../x"])
		assert.equal(placeOf(none), null, none);
	assert.deepEqual(placeOf("#/log/%zz"), { view: "log", rest: "%zz" });
	assert.equal(codeOf("#t=abc_-"), "abc_-");
	assert.equal(codeOf("#/t=abc"), null);
	assert.deepEqual([codeOf("#t=abc/crew/shop-1"), placeBehindCode("#t=abc/crew/shop-1")], ["abc", "crew/shop-1"]);
	assert.deepEqual(["#t=abc", "#t=abc/", "#/crew/shop-1"].map(placeBehindCode), ["", "", ""]);
});

test("who listens later hears what is open, what there is, and what came last", async () => {
	const memory = makeMemory();
	const told = (name) => {
		const all = [];
		memory.retell(name, (news) => all.push(news));
		return all;
	};

	assert.deepEqual([told("hello"), told("sources"), told("prompt")], [[], [], []]);
	memory.hear("hello", { epoch: "a", seq: 1 });
	memory.hear("sources", { all: [{ id: "a" }, { id: "b" }], protocols: [{ name: "p" }] });
	memory.hear("sources", { changed: [{ id: "b", state: "error" }, { id: "c" }], removed: ["a"] });
	assert.deepEqual(told("sources"), [{ all: [{ id: "b", state: "error" }, { id: "c" }], protocols: [{ name: "p" }] }]);
	memory.hear("prompt", { id: "1", state: "open" });
	memory.hear("prompt", { id: "2", state: "open" });
	memory.hear("prompt", { id: "1", state: "answered" });
	assert.deepEqual(told("prompt"), [{ id: "2", state: "open" }]);
	memory.hear("prompts", { forget: true });
	assert.deepEqual(told("prompt"), []);
	for (let seq = 1; seq <= 10000; seq++)
		memory.hear("signal", { text: `{"seq":${seq}}` });
	const recent = memory.recent();
	assert.ok(recent.length >= 2000 && recent.length <= 4000, `${recent.length}`);
	assert.deepEqual(recent.map(({ envelope }) => envelope.seq), recent.map((_, i) => 10001 - recent.length + i));
	for (let i = 0; i < 20; i++)
		memory.hear("signal", { text: JSON.stringify({ seq: i, x: "x".repeat(1 << 20) }) });
	assert.ok(memory.recent().length < 10, "a few large ones are all that is kept");
});

test("a gap is told in words, whatever its reason", async () => {
	assert.match(gapEntryOf({ from: 3, to: 5, why: "lost" }).summary, /^signals 3 to 5 are missing: the server lost/);
	assert.match(gapEntryOf({ from: 3, to: 3, why: "expired" }).summary, /^signal 3 is missing: older/);
	assert.match(gapEntryOf({ from: 3, to: 3, why: "\u202ex" }).summary, /\\u202ex$/);
	assert.match(gapEntryOf({ from: 3, to: 3, why: "toString" }).summary, /toString$/);
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
	assert.equal(unhidden("a\n\tb\u200d\ufe0f\u00a0\u2800\ud800\u0000"), "a\n\tb\\u200d\\ufe0f\\u00a0\\u2800\\ud800\\u0000");
	assert.equal(unhidden("日本 é 😀 שלום"), "日本 é 😀 שלום");
});

await run();
