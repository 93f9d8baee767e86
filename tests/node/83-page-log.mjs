/* The log view, as a person uses it: filtering, pausing, reading one signal and its episode, going
 * back through the journal, links and files. */
// long
// busy: 100

import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually, run, test } from "./lib.mjs";
import { close, faults, open, rowsInSight, stateIs, wholeLog } from "./browser.mjs";

const OLD = 2200;             /* More than the page reads by itself. */

const box = await new Box().start();
let emitted = 0;

/* Emits so many numbered signals and gives their texts. */
async function emitNumbered(count, more = {}) {
	const signals = Array.from({ length: count }, () => ({
		type: "text_delta", source: "counter", ...more,
		payload: { agentId: "a", content: `number ${++emitted};` },
	}));

	await box.emit(...signals);
	return signals.map(({ payload }) => `a${payload.content}`);
}

async function openLog(rest = "", { from = box, ...options } = {}) {
	const page = await open(from.openUrl(), options);

	await stateIs(page, "live");
	await page.goto(`${from.origin}/#/log${rest}`);
	await page.waitForSelector("#view-log #filter");
	await page.waitForSelector("#log .row:not([hidden]), #view-log .note:not([hidden])");
	return page;
}

/* The words of an element, once they are what they ought to be. */
async function says(page, selector, pattern) {
	await eventually(async () => pattern.test(await page.textContent(selector)), `${selector}: ${pattern}`);
}

/* Writes a filter, and waits until the address has it. */
async function filter(page, text) {
	await page.fill("#filter", text);
	await eventually(() => decodeURIComponent(page.url()).endsWith(text === "" ? "/log" : `f=${text}`), `the filter ${text}`);
	await page.waitForFunction(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(true)), 60)));
}

const edge = (page) => page.getAttribute("#log .edge.above", "data-edge");

/* All that pass, once the journal has been searched to its beginning. */
async function shown(page) {
	await eventually(async () => await edge(page) === "end", "the journal was searched");
	return rowsInSight(page);
}

function journalLines(data) {
	const folder = join(data, "journal");

	return readdirSync(folder).filter((name) => name.endsWith(".ndjson")).sort()
		.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter((line) => line.startsWith("{\"seq\":")));
}

/* All that there was is drawn. */
function hasNewest(page) {
	const { seq } = JSON.parse(journalLines(box.data).at(-1));

	return eventually(() => page.$$eval("#log .row:not([hidden]) .seq", (all, last) =>
		all.some(({ textContent }) => Number(textContent) === last), seq), "the newest is there");
}

test("an empty log says what to do, and the first signal takes the words away", async () => {
	const page = await openLog();

	await says(page, "#view-log .note", /No signals yet.*signalbox emit/s);
	await emitNumbered(1);
	await page.waitForSelector("#view-log .note", { state: "hidden" });
	await eventually(async () => (await rowsInSight(page)).join() === "anumber 1;", "it is there, alone");
	await page.context().close();
});

test("signals are in the log as they are emitted, after those of before", async () => {
	const before = await emitNumbered(3);
	const page = await openLog();
	const after = await emitNumbered(4);

	await eventually(async () => (await rowsInSight(page)).at(-1) === after[3], "all rows are there");
	assert.deepEqual((await rowsInSight(page)).slice(-7), [...before, ...after]);
	await says(page, "#types", /text_delta\s+8/);
	await says(page, "#sources", /counter\s+8/);
	await page.context().close();
});

test("the filter takes types, sources, correlations, words and their opposites, and the address carries it", async () => {
	await box.emit(
		{ type: "tool_call", source: "ann", correlationId: "c-1", payload: { agentId: "x", toolName: "apple" } },
		{ type: "tool_result", source: "ann", correlationId: "c-1", payload: { agentId: "x", toolName: "pear" } },
		{ type: "tool_call", source: "two words", correlationId: "c-2", payload: { agentId: "x", toolName: "plum" } },
	);
	const page = await openLog();
	const names = async () => (await shown(page)).map((text) => text.replace(/^x(-\d+)?/, "").split(/\s/)[0]).join(" ");
	const cases = {
		"type:tool_*": "apple pear plum", "type:tool_call": "apple plum", "source:ann": "apple pear",
		"correlation:c-2": "plum", 'source:"two words"': "plum", "type:tool_* -apple": "pear plum",
		"type:tool_* source:ann PEAR": "pear", "type:tool_result type:tool_call": "apple pear plum",
		"type:nothing": "",
	};

	for (const [text, expected] of Object.entries(cases)) {
		await filter(page, text);
		await eventually(async () => await names() === expected, `${text}: ${expected}`);
	}
	await says(page, "#view-log .note", /Nothing matches the filter/);
	await filter(page, "");
	await page.click("#types >> text=tool_result");
	assert.equal(await page.inputValue("#filter"), "type:tool_result");
	await eventually(async () => await names() === "pear", "only the chosen type is there");
	const other = await openLog(new URL(page.url()).hash.replace("#/log", ""));
	assert.equal(await other.inputValue("#filter"), "type:tool_result");
	const same = (await shown(page)).join();
	await eventually(async () => (await shown(other)).join() === same, "a link shows the same");
	await Promise.all([page.context().close(), other.context().close()]);
});

test("a pause holds the log still and counts what waits", async () => {
	const page = await openLog();
	await hasNewest(page);
	await page.focus("#log .track");
	await page.keyboard.press("Space");
	const still = await rowsInSight(page);
	const fresh = await emitNumbered(5);

	await says(page, "#waiting", /^5 waiting/);
	assert.deepEqual(await rowsInSight(page), still);
	await filter(page, "type:nothing");
	await says(page, "#waiting", /^Paused/);
	await filter(page, "");
	await says(page, "#waiting", /^5 waiting/);
	await page.keyboard.press("Escape");
	await page.click("#waiting");
	await eventually(async () => (await rowsInSight(page)).slice(-5).join() === fresh.join(), "all five are there");
	await page.context().close();
});

test("scrolling up pauses, and coming back to the end resumes", async () => {
	await emitNumbered(100);
	const page = await openLog();

	await hasNewest(page);
	await page.hover("#log");
	await page.mouse.wheel(0, -400);
	await page.waitForSelector("#waiting:not([hidden])");
	await eventually(async () => await page.$eval("#log", (box) => box.scrollTop + box.clientHeight < box.scrollHeight - 100),
		"it has scrolled");
	await emitNumbered(2);
	await says(page, "#waiting", /^2 waiting/);
	await page.mouse.wheel(0, 100000);
	await page.waitForSelector("#waiting", { state: "hidden" });
	const last = await emitNumbered(1);
	await eventually(async () => (await rowsInSight(page)).at(-1) === last[0], "it follows again");
	await page.context().close();
});

test("heartbeat and cron are hidden, counted, and shown when they are asked for", async () => {
	await box.emit(
		{ type: "event", source: "claw", payload: { beat: "one", _meta: { heartbeat: true } } },
		{ type: "event", source: "claw", payload: { job: "two", _meta: { cron: true } } },
		{ type: "text_delta", source: "claw", metadata: { _meta: { heartbeat: true } }, payload: { agentId: "a", content: "three" } },
		{ type: "event", source: "claw", payload: { none: "four" } },
		{ type: "gateway.frame", source: "claw", payload: { eventCategory: "chat" } },
	);
	const page = await openLog("/?f=source:claw");
	const counts = (many, why = `${many} are shown`) => eventually(async () => (await shown(page)).length === many, why);

	await says(page, "#background", /4 hidden/);
	await counts(1);
	await page.click("#background");
	await says(page, "#background", /shown/);
	assert.equal(await page.getAttribute("#background", "aria-pressed"), "true");
	await counts(5);
	assert.match(page.url(), /\?all&f=source:claw$/);
	await page.click("#background");
	await counts(1);
	await filter(page, "source:claw heartbeat");
	await counts(2, "a filter that names them shows them");
	await filter(page, "source:claw cron");
	await counts(1);
	await filter(page, "source:claw type:gateway.frame");
	await counts(1);
	await page.context().close();
});

test("the keyboard reaches a signal, and all of it is shown exactly", async () => {
	const token = readFileSync(join(box.data, "token"), "utf8").trim();
	const answer = await fetch(`${box.origin}/api/signal`, { method: "POST",
		headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
		body: '{"type":"note","payload":{"big":12345678901234567890123,"e":1e-7,"z":1.50,"list":[],"deep":{"a":[1,null]}}}' });
	assert.equal(answer.status, 200);
	const page = await openLog();
	const line = journalLines(box.data).at(-1);

	await eventually(async () => /"big"/.test((await rowsInSight(page)).at(-1)), "it is there");
	await page.focus("#log .track");
	for (const key of ["k", "k", "j", "Enter"])
		await page.keyboard.press(key);
	await says(page, "#detail .envelope", /"big"/);
	const text = await page.textContent("#detail .envelope");
	assert.match(text, /^\{\n {2}"seq": \d+,\n/);
	assert.match(text, /\n {4}"list": \[\],\n {4}"deep": \{\n {6}"a": \[\n {8}1,\n {8}null\n {6}\]\n {4}\}\n/);
	assert.equal(text.replace(/\s+/g, ""), line.replace(/\s+/g, ""), "every digit is as it was written");
	assert.match(page.url(), new RegExp(`#/log/${/\d+/.exec(line)[0]}$`));
	await page.keyboard.press("Escape");
	await page.waitForSelector("#detail", { state: "hidden" });
	await page.keyboard.press("/");
	await page.keyboard.type('"number 1;"');
	await says(page, "#matches", /^1 shown/);
	await page.keyboard.press("Escape");
	assert.equal(await page.inputValue("#filter"), "");
	await page.context().close();
});

test("an episode is a line of time, with what is long gone from memory and what comes now", async () => {
	const at = Date.now() - 60000;
	const step = (type, ms, payload, correlationId = "ep-1") => ({ type, source: "ann", correlationId, timestamp: at + ms, payload });

	await box.emit(step("task_dispatch", 0, { from: "user", to: "lead", description: "Mend the roof" }),
		step("text_delta", 100, { agentId: "lead", content: "I will " }), step("text_delta", 200, { agentId: "lead", content: "look." }),
		step("tool_call", 1000, { agentId: "lead", callId: "1", toolName: "Bash", input: { command: "ls" } }),
		step("tool_call", 1100, { agentId: "helper", callId: "2", toolName: "Read", input: {} }),
		step("tool_result", 1500, { agentId: "helper", callId: "2", toolName: "Read", success: false, output: {} }));
	await emitNumbered(OLD);
	const { lastSeq } = await box.emit(step("tool_result", 4400,
		{ agentId: "lead", callId: "1", toolName: "Bash", success: true, output: {} }));
	const page = await openLog(`/${lastSeq}`);
	const items = () => page.$$eval(".ep-item", (all) => all.map((one) =>
		[".ep-time", ".badge", ".ep-took", ".ep-text"].map((part) => one.querySelector(part).textContent).join("|")));

	await page.click("role=tab[name=Episode]");
	await eventually(async () => (await items()).length === 6, "all of it is there");
	assert.deepEqual(await items(), [
		"+0 ms|task_dispatch||user → lead  Mend the roof",
		"+100 ms|text_delta|2 pieces, 100 ms|I will look.",
		'+1.0 s|tool_call|took 3.4 s|Bash  {"command":"ls"}',
		"+1.1 s|tool_call|took 400 ms|Read  {}",
		"+1.5 s|tool_result|after 400 ms|Read  ✗  {}",
		"+4.4 s|tool_result|after 3.4 s|Bash  ✓  {}",
	]);
	assert.deepEqual(await page.$$eval(".ep-legend li", (all) => all.map((one) => one.textContent)), ["lead", "helper"]);
	await says(page, ".ep-head", /7 signals · 2 agents · 4\.4 s/);
	await box.emit(step("completion", 5000, { agentId: "lead", success: true, result: "Done." }),
		step("completion", 5000, { agentId: "lead", success: true, result: "Another." }, "ep-2"));
	await eventually(async () => (await items()).length === 7, "what comes is put at its end");
	await page.focus(".ep-item");
	for (const key of ["End", "ArrowUp", "ArrowUp", "Home", "ArrowDown", "ArrowDown", "Enter"])
		await page.keyboard.press(key);
	await says(page, ".ep-more .envelope", /"command": "ls"/);
	await page.keyboard.press("Enter");
	await page.waitForSelector(".ep-more", { state: "detached" });
	await page.click("role=tab[name=Conversation]");
	await says(page, "#detail .panel", /Mend the roof.*I will look\..*Done\./s);
	await page.context().close();
});

test("older pages come from the journal as one scrolls up, in order, once, to the beginning", async () => {
	await emitNumbered(1);
	const page = await openLog();
	const lines = journalLines(box.data);

	await eventually(async () => (await rowsInSight(page)).at(-1) === `anumber ${emitted};`, "the newest is there");
	await page.waitForSelector("#types .number");
	await page.hover("#log");
	await page.keyboard.press("Home");
	await eventually(async () => (await page.$eval("#log", (log) => log.scrollTop)) > 5000, "what is read stays where it is");
	const anchor = await page.$eval('#log .row[aria-selected="true"]', (row) => row.querySelector(".seq").textContent);
	const rows = await wholeLog(page);
	const hidden = 4;
	assert.equal(rows.length, lines.length - hidden);
	assert.deepEqual(rows.map(({ seq }) => seq), [...new Set(rows.map(({ seq }) => seq))].sort((a, b) => a - b));
	assert.equal(rows[0].seq, 1);
	assert.ok(Number(anchor) > 1);
	await says(page, "#log .edge.above", /^The beginning of the log$/);
	await page.context().close();
});

test("what is not in memory is searched for in the journal", async () => {
	const page = await openLog("/?f=apple");

	await eventually(async () => (await rowsInSight(page)).length === 1, "it was found");
	assert.match((await rowsInSight(page))[0], /apple/);
	await filter(page, "correlation:c-2");
	await eventually(async () => /plum/.test((await shown(page)).join()) && (await shown(page)).length === 1, "one of that");
	await filter(page, '"number 7;" -type:x');
	await eventually(async () => (await shown(page)).join() === "anumber 7;", "one with these words");
	await page.context().close();
});

test("a log that gets its size after its signals is searched all the same", async () => {
	const page = await openLog("", { view: "log" });

	/* A browser that is busy measures late. */
	await page.addInitScript(() => {
		window.ResizeObserver = class extends ResizeObserver {
			constructor(hear) {
				super((...news) => setTimeout(() => hear(...news), 1500));
			}
		};
	});
	await page.goto(`${box.origin}/#/log/?f=apple`);
	await page.reload();
	await page.waitForSelector("#view-log #filter");
	await eventually(async () => (await shown(page)).length === 1, "it was found");
	await page.context().close();
});

test("a link to a signal opens it, however old it is, with what stands around it", async () => {
	const [old] = journalLines(box.data).slice(99, 100);
	const page = await openLog("/100");

	await says(page, "#detail .envelope", /"seq": 100,/);
	assert.equal((await page.textContent("#detail .envelope")).replace(/\s+/g, ""), old.replace(/\s+/g, ""));
	await page.waitForSelector('#log .row[aria-selected="true"]');
	assert.equal(await page.textContent('#log .row[aria-selected="true"] .text'), JSON.parse(old).payload.agentId
		+ JSON.parse(old).payload.content);
	await page.reload();
	await says(page, "#detail .envelope", /"seq": 100,/);
	/* The signal is there before those around it. */
	await page.waitForSelector('#log .row[aria-selected="true"]');
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: box.origin });
	await page.click("#detail >> text=Copy link");
	await says(page, "#toasts", /The link is copied/);
	assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${box.origin}/#/log/100`);
	await page.keyboard.press("Escape");
	await page.focus("#log .track");
	await page.$eval("#log", (log) => { log.scrollTop = log.scrollHeight; });
	const newest = () => page.$$eval("#log .row:not([hidden]) .seq", (all) => Math.max(...all.map((s) => Number(s.textContent))));
	await eventually(async () => await newest() > 300, "newer pages are read too");
	/* Who stays at the end while pages come is there by itself. */
	await page.$eval("#waiting", (button) => button.hidden || button.click());
	await eventually(async () => (await rowsInSight(page)).at(-1) === `anumber ${emitted};`, "and back to the present");
	await page.goto(`${box.origin}/#/log/9999999`);
	await says(page, "#detail .words", /no signal with this number yet/);
	await page.context().close();
});

test("what is shown is exported byte for byte as the journal has it", async () => {
	const page = await openLog("/?f=type:tool_* source:ann");
	await shown(page);
	const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
	const file = readFileSync(await download.path(), "utf8");
	const expected = journalLines(box.data).filter((line) => /"type":"tool_/.test(line) && /"source":"ann"/.test(line));

	assert.ok(expected.length >= 6);
	assert.equal(file, `${expected.join("\n")}\n`);
	assert.match(download.suggestedFilename(), /^signalbox-\d+-\d+\.ndjson$/);
	await says(page, "#toasts", new RegExp(`Exported ${expected.length} lines`));
	await page.context().close();
});

test("a link to what retention took says so, and the log says where it begins", async () => {
	Object.assign(process.env, { SIGNALBOX_JOURNAL_SEGMENT: "64KiB", SIGNALBOX_JOURNAL_KEEP: "128KiB" });
	const small = await new Box().start();

	for (let i = 0; i < 4; i++)
		await small.emit(...Array.from({ length: 1000 }, (_, n) => ({ type: "x", source: "s", payload: { n } })));
	await small.end("SIGTERM");
	await small.start();
	delete process.env.SIGNALBOX_JOURNAL_SEGMENT;
	delete process.env.SIGNALBOX_JOURNAL_KEEP;
	const page = await openLog("/5", { from: small });
	await says(page, "#detail .words", /Retention has deleted it/);
	await page.keyboard.press("Escape");
	await page.focus("#log .track");
	await eventually(async () => {
		await page.$eval("#log", (log) => { log.scrollTop = 0; });
		return await edge(page) === "end";
	}, "the beginning is reached");
	await says(page, "#log .edge.above", /The journal begins at [\d,]+; older signals are no longer kept/);
	await page.context().close();
	await small.remove();
});

test("hostile text is text: nothing runs, nothing is hidden or reordered", async () => {
	const image = "<img src=x onerror='window.ran=1;alert(1)'>";
	const script = "<script>window.ran=1</script>";
	const bidi = "safe\u202Egnp.exe\u2066\u{E0041}\u200B\u0007\u001b[31m";
	const page = await openLog();
	const hostile = { correlationId: "javascript:window.ran=1//<svg onload=window.ran=1>" };

	await box.emit(
		{ type: image, source: script, ...hostile, payload: { agentId: script, content: image } },
		{ type: "text_delta", source: "bad", ...hostile, payload: { agentId: "a", content: bidi } },
		{ type: "tool_call", source: "bad", ...hostile,
			payload: { agentId: image, toolName: script, input: { a: "data:text/html,<script>1</script>" } } },
		{ type: "__proto__", source: "constructor", ...hostile, payload: { toString: 1, agentId: { a: [] }, success: "x" } },
		{ type: "tool_result", source: "bad", payload: { toolName: ["a"], output: 7, agentId: null } },
		{ type: "text_delta", source: "bad", ...hostile, payload: { agentId: "a", content: "w".repeat(1000000) } },
		{ type: "x", op: "gap", from: 1, to: 99999, why: image, source: "bad", timestamp: 1e300, ...hostile, payload: {} },
	);
	await eventually(() => page.$$eval("#log .row.named:not([hidden])", (all) => all.some((row) => row.textContent.includes("safe"))),
		"they are there, and their session has its name");
	const rows = await page.$$eval("#log .row:not([hidden])", (all) => all.map((row) =>
		({ text: row.querySelector(".text").textContent, source: row.querySelector(".source").textContent,
			gap: row.classList.contains("gap") })));
	assert.ok(rows.some(({ text }) => text.includes(image)), "the markup is shown as text");
	const seen = rows.find(({ text }) => text.includes("safe"));
	assert.match(seen.source, /^\S+-\d+$/, "a session is called by its handle");
	assert.equal(seen.text, "safe\\u202egnp.exe\\u2066\\udb40\\udc41\\u200b\\u0007\\u001b[31m");
	assert.ok(!rows.some(({ gap }) => gap), "a producer cannot say gap");
	await page.focus("#log .track");
	for (let i = 0; i < 7; i++) {
		await page.keyboard.press("k");
		await page.keyboard.press("Enter");
		assert.match(await page.textContent("#detail .envelope"), /^\{\n/);
		if (await page.isVisible("#log-tab-episode")) {
			await page.click("#log-tab-episode");
			await says(page, ".ep-head", /6 signals/);
			await page.click("#log-tab-conversation");
			await page.waitForSelector("#detail .talk");
			await page.click("#log-tab-envelope");
		}
	}
	await filter(page, "<img src=x onerror=alert(1)>");
	assert.equal(await page.evaluate(() => window.ran), undefined);
	assert.equal(await page.$$eval("#view-log img, #view-log script, #view-log iframe", (all) => all.length), 0);
	await page.context().close();
});

for (const [words, interrupt] of [["was killed", "SIGKILL"], ["stopped cleanly", "SIGTERM"]]) {
	test(`a server that ${words} comes back, and the log has every signal once and in order`, async () => {
		const page = await openLog("/?f=source:again");

		for (let round = 0; round < 2; round++) {
			await emitNumbered(10, { source: "again" });
			await box.end(interrupt);
			await stateIs(page, "lost");
			await box.start();
			await emitNumbered(10, { source: "again" });
			await stateIs(page, "live");
		}
		const last = await emitNumbered(1, { source: "again" });
		await eventually(async () => (await rowsInSight(page)).at(-1) === last[0], "it is live again");
		const rows = await wholeLog(page);
		const expected = journalLines(box.data).map((line) => JSON.parse(line)).filter(({ source }) => source === "again");
		assert.deepEqual(rows.map(({ seq }) => seq), expected.map(({ seq }) => seq));
		assert.ok(!rows.some(({ gap, lost }) => gap || lost));
		await page.context().close();
	});
}

test("older pages that are asked for while the server is away come when it is back", async () => {
	const page = await openLog();

	await eventually(async () => (await rowsInSight(page)).at(-1) === `anumber ${emitted};`, "it is there");
	await box.end();
	await stateIs(page, "lost");
	await page.focus("#log .track");
	await page.keyboard.press("Home");
	await says(page, "#log .edge.above", /could not be read.*Try again/);
	await box.start();
	await page.waitForFunction(() => document.querySelector("#log .edge.above").dataset.edge !== "failed");
	const rows = await wholeLog(page);
	assert.equal(rows[0].seq, 1);
	assert.deepEqual(rows.map(({ seq }) => seq), [...new Set(rows.map(({ seq }) => seq))].sort((a, b) => a - b));
	await page.context().close();
});

test("what a power loss took away is struck out, and the log goes on at the fork", async () => {
	const page = await openLog();
	const journal = `${box.data}/journal`;
	const kept = await emitNumbered(3);

	cpSync(journal, `${journal}.before`, { recursive: true });
	const lost = await emitNumbered(2);
	await eventually(async () => (await rowsInSight(page)).at(-1) === lost[1], "it saw them");
	await box.end();
	rmSync(journal, { recursive: true });
	renameSync(`${journal}.before`, journal);
	await box.start();
	const next = await emitNumbered(2);
	await eventually(async () => (await rowsInSight(page)).at(-1) === next[1], "it goes on");
	const rows = (await page.$$eval("#log .row:not([hidden])", (all) => all
		.sort((a, b) => a.getBoundingClientRect().y - b.getBoundingClientRect().y)
		.map((row) => ({ text: row.querySelector(".text").textContent, seq: row.querySelector(".seq").textContent,
			lost: row.classList.contains("lost"), gap: row.classList.contains("gap") })))).slice(-8);
	assert.deepEqual(rows.filter((row) => row.lost).map(({ text }) => text), lost);
	assert.deepEqual(rows.filter((row) => !row.lost && !row.gap).map(({ text }) => text), [...kept, ...next]);
	assert.equal(rows[6].seq, rows[3].seq, "the number is given again");
	assert.match(rows[5].text, /are missing: the server lost them/);
	await page.context().close();
});

test("a log that is opened late has what came before it was opened", async () => {
	const page = await open(box.openUrl());

	await stateIs(page, "live");
	const before = await emitNumbered(3);
	await page.goto(`${box.origin}/#/log`);
	const after = await emitNumbered(2);
	await eventually(async () => (await rowsInSight(page)).slice(-5).join() === [...before, ...after].join(), "all five are there");
	await page.context().close();
});

test("nothing is wider than a telephone, and a row opens over the whole of it", async () => {
	const page = await openLog("", { width: 390, height: 844, scheme: "light" });
	const overflow = () => page.evaluate(() => [...document.querySelectorAll("#view-log *")]
		.filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
		.filter((e) => e.closest(".hidden, .row, .what, svg") === null)
		.map((e) => e.outerHTML.slice(0, 80)));
	const scrolls = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

	await box.emit({ type: "a".repeat(190), source: "b".repeat(500), correlationId: "d".repeat(500), payload: { agentId: "c".repeat(500) } });
	const [last] = await emitNumbered(1, { correlationId: "d".repeat(500) });
	for (const act of [() => {}, () => page.click("#browse"), () => page.keyboard.press("Escape"),
		() => page.click(`#log .row:not([hidden]):has-text("${last.slice(1)}")`), () => page.click("#log-tab-episode"),
		() => page.keyboard.press("Escape")]) {
		await act();
		await sleep(150);
		assert.deepEqual(await overflow(), []);
		assert.equal(await scrolls(), false);
	}
	await page.context().close();
});

test("in all of this no page asked elsewhere, broke its policy or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
