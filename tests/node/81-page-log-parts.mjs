/* The parts of the log view that need no browser, called directly. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { backgroundOf, logEntryOf, logGapOf } = await part("log/entry.ts");
const { asksFor, has, matcher, terms, toggle } = await part("log/filter.ts");
const { createLog, KEEP, VIEW_MAX } = await part("log/model.ts");
const { pageOf } = await part("log/history.ts");
const { searchOf } = await part("log/search.ts");
const { addressOf, placeOf } = await part("log/place.ts");
const { createEpisode, ITEMS_MAX, LANES_MAX } = await part("log/episode.ts");
const { linesOf, fileNameOf } = await part("log/export.ts");
const { sinceStart } = await part("log/timeline.ts");

const ODD = [null, undefined, 0, -1, NaN, 1e300, "", "x", [], {}, { toString: null }, [[[]]], true];

function envelope(seq, more = {}) {
	return { seq, id: `i${seq}`, type: "x", source: "s", timestamp: 1000 + seq, payload: {}, ...more };
}

function entry(seq, more = {}) {
	const whole = envelope(seq, more);

	return logEntryOf(whole, JSON.stringify(whole));
}

function entries(from, to, more) {
	return Array.from({ length: to - from + 1 }, (_, i) => entry(from + i, more?.(from + i)));
}

function seqs(view) {
	return view.map(({ seq }) => seq);
}

function range(from, to) {
	return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

const all = () => true;

/* ---- the filter ---- */

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
	assert.ok(matcher("type:nothing")(logGapOf({ from: 1, to: 2, why: "lost" })), "a gap is never hidden");
	assert.ok(matcher("source:a.c")(entry(1, { source: "a.c" })) && !matcher("source:a.c")(entry(1, { source: "abc" })));
});

test("heartbeat and cron are known by their marks, and shown when the filter names them", async () => {
	assert.equal(backgroundOf(envelope(1, { payload: { _meta: { heartbeat: true } } })), "heartbeat");
	assert.equal(backgroundOf(envelope(1, { metadata: { _meta: { heartbeat: true } } })), "heartbeat");
	assert.equal(backgroundOf(envelope(1, { payload: { _meta: { cron: true, cronJobId: "j" } } })), "cron");
	assert.equal(backgroundOf(envelope(1, { type: "cron" })), "cron");
	assert.equal(backgroundOf(envelope(1, { type: "gateway.frame" })), "gateway.frame");
	assert.equal(backgroundOf(envelope(1, { payload: { _meta: { heartbeat: "true" }, heartbeat: true } })), "");
	for (const odd of ODD)
		assert.equal(backgroundOf({ type: odd, payload: { _meta: odd }, metadata: odd }), "");
	assert.ok(asksFor("Heartbeat", "heartbeat") && asksFor("type:cron", "cron") && asksFor("a cronJob", "cron"));
	assert.ok(!asksFor("-heartbeat", "heartbeat") && !asksFor("cron", "heartbeat") && !asksFor("", "cron"));
});

test("the server is asked for what the filter means, or for more, never for less", async () => {
	const asked = (filter, known = {}) => String(searchOf(filter, { types: [], sources: [], ...known }));

	assert.equal(asked("type:tool_*"), "type=tool_*");
	assert.equal(asked("type:a type:b source:s"), "type=a&type=b&source=s");
	assert.equal(asked("type:TOOL_CALL"), "type=TOOL_CALL&type=tool_call", "the page minds no capitals, the server does");
	assert.equal(asked("type:Mine", { types: ["mine", "yours"] }), "type=Mine&type=mine");
	assert.equal(asked("type:t*l"), "type=t*", "a star inside is asked for as far as it goes");
	assert.equal(asked("type:*x"), "");
	assert.equal(asked("type:a,b"), "", "a comma would end the name");
	assert.equal(asked(`type:${"é".repeat(200)}`), "");
	assert.equal(asked(range(1, 65).map((n) => `type:t${n}`).join(" ")), "");
	assert.equal(asked("source:s*"), "");
	assert.equal(asked("correlation:c-1"), "correlationId=c-1");
	assert.equal(asked("correlation:c-1 correlation:c-2"), "");
	assert.equal(asked("correlation:c*"), "");
	assert.equal(asked("-type:a -word"), "");
	assert.equal(asked('one "longer words" two'), "q=longer+words");
	assert.equal(asked('say"hello'), "q=hello", "what a line may escape is not looked for");
	assert.equal(asked("naïveté"), "q=vet", "an accent may be written in two ways");
});

/* ---- the address ---- */

test("an address carries the signal, the filter and what is shown, and survives nonsense", async () => {
	const places = [
		{ seq: null, filter: "", showsAll: false }, { seq: 4711, filter: "", showsAll: false },
		{ seq: null, filter: 'type:a "b & c" ?f=all', showsAll: false }, { seq: 1, filter: "x", showsAll: true },
		{ seq: null, filter: "", showsAll: true }, { seq: null, filter: "100% #1", showsAll: true },
	];

	for (const place of places)
		assert.deepEqual(placeOf(addressOf(place).replace(/^log\/?/, "")), place);
	assert.equal(addressOf(places[0]), "log");
	assert.equal(addressOf(places[1]), "log/4711");
	for (const nonsense of ["0", "-1", "1e9", "99999999999999999", "<script>", "?x", "1/2", "?f", "a?f=b"])
		assert.equal(placeOf(nonsense).seq, null, nonsense);
	assert.equal(placeOf(`?f=${"x".repeat(9999)}`).filter.length, 2000);
});

/* ---- the log ---- */

test("the log keeps the newest ten thousand, and a paused view keeps what it shows", async () => {
	const log = createLog();

	entries(1, 100).forEach(log.add);
	log.pause();
	entries(101, 25000).forEach(log.add);
	assert.equal(log.view.length, 100);
	assert.equal(log.waiting, 24900);
	assert.equal(log.total, 25000);
	log.resume();
	assert.ok(log.entries.length >= KEEP && log.entries.length < KEEP + 256);
	assert.deepEqual(seqs(log.view), range(25001 - log.view.length, 25000));
	assert.equal(log.types.get("x"), log.entries.length);
});

test("the log has a ceiling in characters too", async () => {
	const log = createLog();

	for (let seq = 1; seq <= 100; seq++)
		log.add({ ...entry(seq), text: "x".repeat(1024 * 1024) });
	assert.equal(log.entries.length, 32);
	assert.equal(log.view.length, 32);
	assert.equal(log.view.at(-1).seq, 100);
	log.pause();
	log.prepend(Array.from({ length: 20 }, (_, i) => ({ ...entry(i + 1), text: "x".repeat(1024 * 1024) })), 1);
	assert.equal(log.view.length, 32, "older pages do not go beyond it either");
	assert.equal(log.view[0].seq, 1);
	assert.ok(log.isApart);
});

test("names that are no longer in memory are no longer counted", async () => {
	const log = createLog();

	entries(1, 30000, (seq) => ({ type: `t${seq}`, source: `s${seq % 3}` })).forEach(log.add);
	assert.equal(log.types.size, log.entries.length);
	assert.equal(log.sources.size, 3);
});

test("what was lost after it was seen is marked, and only that, and its numbers come again", async () => {
	const log = createLog();

	entries(1, 10).forEach(log.add);
	log.gap({ from: 8, to: 10, why: "lost" });
	entries(8, 9).forEach(log.add);
	assert.deepEqual(seqs(log.view), [...range(1, 10), 8, 8, 9]);
	assert.deepEqual(seqs(log.view.filter(({ lost }) => lost)), [8, 9, 10]);
	assert.equal(log.find(8).lost, undefined, "a link means the one that is there");
	log.gap({ from: 1, to: 9, why: "lost" });
	entries(1, 2).forEach(log.add);
	assert.deepEqual(seqs(log.view.filter(({ lost, kind }) => !lost && kind === "signal")), [1, 2]);
});

test("the past fills up in front of what came meanwhile, once", async () => {
	const log = createLog();

	entries(50, 55).forEach(log.add);
	log.fill(entries(30, 52));
	entries(54, 57).forEach(log.add);
	assert.deepEqual(seqs(log.view), range(30, 57));
	assert.equal(log.top, 30);
	const other = createLog();
	other.fill(entries(1, 20));
	entries(18, 22).forEach(other.add);
	assert.deepEqual(seqs(other.entries), range(1, 22), "what comes over the link again is passed over");
});

test("older pages go in front, rows keep their numbers, and a filter is applied to them", async () => {
	const log = createLog();

	entries(101, 110).forEach(log.add);
	const numberOf = (seq) => log.base + seqs(log.view).indexOf(seq);
	const before = numberOf(105);
	log.pause();
	assert.equal(log.prepend(entries(91, 100), 91), 10);
	assert.equal(numberOf(105), before);
	assert.deepEqual(seqs(log.view), range(91, 110));
	assert.equal(log.top, 91);
	log.filter(matcher("type:even"), all);
	assert.deepEqual(seqs(log.view), []);
	assert.equal(log.top, 101, "what was loaded for another filter is loaded anew");
	assert.equal(log.prepend(entries(1, 100, (n) => n % 2 ? {} : { type: "even" }), 1), 50);
	log.resume();
	log.add(entry(111, { type: "even" }));
	assert.deepEqual(seqs(log.view), [...range(1, 50).map((n) => 2 * n), 111], "and it stays when the log goes on");
});

test("a view that grows too long at its front is apart from the present until it comes back to it", async () => {
	const log = createLog();

	entries(30001, 40000).forEach(log.add);
	log.pause();
	for (let top = 29501; top > 15000; top -= 500)
		log.prepend(entries(top, top + 499), top);
	assert.equal(log.view.length, VIEW_MAX);
	assert.ok(log.isApart);
	assert.equal(log.bottom, log.view.at(-1).seq);
	const bottom = log.bottom;
	assert.equal(log.append(entries(bottom + 1, bottom + 500), bottom + 500, false), 500);
	assert.ok(!log.isApart, "what is in memory goes on from there");
	assert.equal(log.waiting, 40000 - bottom - 500);
	log.resume();
	assert.equal(log.view.at(-1).seq, 40000);
	assert.deepEqual(seqs(log.view), range(log.view[0].seq, 40000), "without a hole");
});

test("a view around an old signal joins the present when its pages reach it", async () => {
	const log = createLog();

	entries(1001, 1100).forEach(log.add);
	log.stand(entries(400, 600), 400, 600);
	assert.ok(log.isPaused && log.isApart);
	entries(1101, 1110).forEach(log.add);
	assert.deepEqual(seqs(log.view), range(400, 600), "it stands still");
	log.append(entries(601, 900), 900, false);
	assert.ok(log.isApart);
	log.append(entries(901, 1105), 1105, false);
	assert.ok(!log.isApart);
	assert.equal(log.waiting, 5);
	log.resume();
	assert.deepEqual(seqs(log.view), range(400, 1110));
});

test("what comes by the clock is hidden and counted, also when it is trimmed away", async () => {
	const log = createLog();
	const quiet = ({ background }) => background === "";

	log.filter(all, quiet);
	entries(1, 9, (n) => n % 3 ? {} : { payload: { _meta: { heartbeat: true } } }).forEach(log.add);
	assert.deepEqual(seqs(log.view), [1, 2, 4, 5, 7, 8]);
	assert.equal(log.hidden, 3);
	log.filter(all, all);
	assert.equal(log.hidden, 0);
	assert.equal(log.view.length, 9);
	log.filter(all, quiet);
	entries(10, 20000).forEach(log.add);
	assert.equal(log.hidden, 0);
});

/* ---- pages of the journal ---- */

test("a page of the journal has every line byte for byte, whatever is in it", async () => {
	const lines = [
		'{"seq":1,"id":"a","type":"x","source":"s","timestamp":1,"payload":{"n":12345678901234567890,"e":1e-7}}',
		'{"seq":2,"id":"b","type":"x","source":"s","timestamp":2.50,"payload":{"t":"]}\\\\\\"],[{\\"","u":"\\u00e9"}}',
		'{"seq":4,"id":"c","type":"x","source":"s","timestamp":3,"payload":{ "a" : [ [ ], { } ] , "b":"\\\\"}}',
	];
	const answer = (signals, gaps, next) =>
		`{"ok":true,"epoch":"e1","signals":[${signals.join(",")}],"gaps":[${gaps}],"next":${next}}\n`;
	const page = pageOf(answer(lines, '{"from":3,"to":3,"why":"damaged"}', '"e1-77"'));

	assert.deepEqual(seqs(page.entries), [1, 2, 3, 4]);
	assert.deepEqual(page.entries.filter(({ kind }) => kind === "signal").map(({ text }) => text), lines);
	assert.equal(page.entries[2].kind, "gap");
	assert.equal(page.next, 77);
	assert.deepEqual(pageOf(answer([], "", "null")), { entries: [], next: null });
	for (let cut = 0; cut < answer(lines, "", "null").length - 2; cut += 7)
		assert.throws(() => pageOf(answer(lines, "", "null").slice(0, cut)), /the server's response/);
});

test("an export has the lines as they came, holes as the server writes them, and nothing that was lost", async () => {
	const view = [entry(1), logGapOf({ from: 2, to: 3, why: "expired" }), { ...entry(4), lost: true }, entry(5)];

	assert.deepEqual(linesOf(view), [view[0].text, '{"op":"gap","from":2,"to":3,"why":"expired"}', view[3].text]);
	assert.equal(fileNameOf(view), "signalbox-1-5.ndjson");
	assert.equal(fileNameOf([]), "signalbox-.ndjson");
});

/* ---- an episode ---- */

function episodeOf(...signals) {
	const episode = createEpisode();

	signals.forEach((signal, i) => episode.take(envelope(i + 1, { correlationId: "c", ...signal })));
	return episode;
}

const call = (agentId, at, more) => ({ type: "tool_call", timestamp: at, payload: { agentId, toolName: "Bash", ...more } });
const result = (agentId, at, more) =>
	({ type: "tool_result", timestamp: at, payload: { agentId, toolName: "Bash", success: true, ...more } });
const delta = (agentId, at, content) => ({ type: "text_delta", timestamp: at, payload: { agentId, content } });

test("an episode joins pieces, pairs calls with results, and gives each agent a lane", async () => {
	const { items, lanes, signals, firstAt, lastAt } = episodeOf(
		{ type: "task_dispatch", timestamp: 100, payload: { from: "user", to: "a", description: "go" } },
		delta("a", 110, "Hello "), delta("b", 115, "other "), delta("a", 120, "world"),
		call("a", 200, { callId: "1" }), call("b", 210, { callId: "2" }),
		result("b", 250, { callId: "2", success: false }), result("a", 900, { callId: "1" }),
		{ type: "completion", timestamp: 1000, payload: { agentId: "a", success: true } });

	assert.deepEqual(lanes, ["a", "b"]);
	assert.deepEqual(items.map(({ type, lane }) => `${type} ${lane}`), ["task_dispatch 0", "text_delta 0", "text_delta 1",
		"tool_call 0", "tool_call 1", "tool_result 1", "tool_result 0", "completion 0"]);
	assert.deepEqual([signals, firstAt, lastAt], [9, 100, 1000]);
	assert.deepEqual([items[1].text, items[1].count, items[1].lastAt], ["Hello world", 2, 120]);
	assert.deepEqual(items.slice(3, 7).map(({ took, hasFailed }) => [took, hasFailed]),
		[[700, false], [40, true], [40, true], [700, false]]);
});

test("calls without a name are paired in their order, and results without a call stand alone", async () => {
	const { items } = episodeOf(call("a", 0), call("a", 10), result("a", 50), result("a", 90), result("a", 99));

	assert.deepEqual(items.map(({ took }) => took), [50, 80, 50, 80, NaN]);
});

test("an episode passes over what it has seen, and tells what is missing", async () => {
	const episode = episodeOf(delta("a", 1, "x"), delta("a", 2, "y"));

	episode.take(envelope(2, delta("a", 2, "y")));
	assert.equal(episode.signals, 2);
	episode.gap(3, 5);
	episode.gap(3, 5);
	episode.take(envelope(6, delta("a", 9, "z")));
	assert.deepEqual(episode.items.map(({ isGap, text }) => [isGap, text]),
		[[false, "xy"], [true, "signals 3 to 5 are missing"], [false, "z"]]);
	episode.clear();
	assert.deepEqual([episode.items.length, episode.signals, episode.lastSeq], [0, 0, 0]);
});

test("an episode has a ceiling, however long it is and however many take part", async () => {
	const episode = createEpisode();

	for (let seq = 1; seq <= 2 * ITEMS_MAX; seq++)
		episode.take(envelope(seq, call(`agent ${seq}`, seq)));
	assert.ok(episode.items.length <= ITEMS_MAX + 256);
	assert.equal(episode.items.length + episode.forgotten, 2 * ITEMS_MAX);
	assert.equal(episode.lanes.length, LANES_MAX);
	for (let seq = 2 * ITEMS_MAX + 1; seq <= 2 * ITEMS_MAX + 100; seq++)
		episode.take(envelope(seq, delta("agent 1", seq, "x".repeat(100))));
	assert.equal(episode.items.at(-1).count, 100);
	assert.ok(episode.items.at(-1).text.length <= 400);
});

test("no envelope, however odd, breaks an episode or a row of the log", async () => {
	const episode = createEpisode();
	const log = createLog();
	let seq = 0;

	for (const type of ["task_dispatch", "tool_call", "tool_result", "text_delta", "thinking", "error", "completion",
		"token_usage", "agent_state_change", "other", "__proto__", "constructor"])
		for (const odd of ODD) {
			const payload = Object.fromEntries(["agentId", "to", "from", "content", "toolName", "callId", "success", "_meta"]
				.map((name) => [name, odd]));
			const whole = envelope(++seq, { type, source: odd, timestamp: odd, correlationId: odd, payload, metadata: odd });
			episode.take(whole);
			episode.take(envelope(++seq, { type, payload: odd, timestamp: odd }));
			log.add(logEntryOf(whole, "{}"));
		}
	assert.equal(log.view.length, seq / 2);
	assert.ok(episode.lanes.every((name) => typeof name === "string"));
	assert.ok(episode.items.every(({ text }) => typeof text === "string"));
	assert.equal(sinceStart(NaN), "");
	assert.equal(sinceStart(0), "+0 ms");
	assert.equal(sinceStart(-2500), "−2.5 s", "a producer's clock may go backwards");
});

await run();
