/* The page, in a real browser, against the real program. */
// long

import assert from "node:assert/strict";
import { cpSync, renameSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually, run, test } from "./lib.mjs";
import { close, faults, open, rowsInSight, stateIs, wholeLog } from "./browser.mjs";

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

async function openLive(options) {
	const page = await open(box.openUrl(), options);

	await stateIs(page, "live");
	return page;
}

/* The words of an element, once they are what they ought to be. */
async function says(page, selector, pattern) {
	await eventually(async () => pattern.test(await page.textContent(selector)), `${selector}: ${pattern}`);
}

async function filter(page, text) {
	await page.fill("#filter", text);
	await eventually(async () => (await page.textContent("#matches") !== "") === (text !== ""), "the filter took");
	await sleep(150);
}

test("a link signs the tab in once, and its code leaves the address bar", async () => {
	const url = box.openUrl();
	const page = await open(url);

	await stateIs(page, "live");
	assert.equal(page.url(), `${box.origin}/`);
	await page.reload();
	await stateIs(page, "live");
	const other = await open(url);
	await stateIs(other, "signed-out");
	await says(other, "#notice", /used already.*signalbox open/s);
	await other.goto(box.openUrl());
	await stateIs(other, "live");
	await Promise.all([page.context().close(), other.context().close()]);
});

test("a tab without a session, or with one that is over, says what to run", async () => {
	const page = await open(box.origin);

	await stateIs(page, "signed-out");
	await says(page, "#notice", /no session.*signalbox open/s);
	await page.evaluate(() => sessionStorage.setItem("signalbox.session", "a".repeat(43)));
	await page.reload();
	await stateIs(page, "signed-out");
	await says(page, "#notice", /session of this tab is over.*signalbox open/s);
	await page.context().close();
});

test("signals are on the page as they are emitted, after those of before", async () => {
	const before = await emitNumbered(3);
	const page = await openLive();
	const after = await emitNumbered(4);

	await eventually(async () => (await rowsInSight(page)).length >= 7, "all rows are there");
	assert.deepEqual((await rowsInSight(page)).slice(-7), [...before, ...after]);
	await eventually(async () => Number(await page.textContent("#rate")) > 0, "the rate moves");
	await says(page, "#types", /text_delta\s+7/);
	await says(page, "#sources", /counter\s+7/);
	await page.context().close();
});

test("the filter takes types, sources, correlations, words and their opposites", async () => {
	await box.emit(
		{ type: "tool_call", source: "ann", correlationId: "c-1", payload: { agentId: "x", toolName: "apple" } },
		{ type: "tool_result", source: "ann", correlationId: "c-1", payload: { agentId: "x", toolName: "pear" } },
		{ type: "tool_call", source: "two words", correlationId: "c-2", payload: { agentId: "x", toolName: "plum" } },
	);
	const page = await openLive();
	const shown = async () => (await rowsInSight(page)).map((text) => text.slice(1).split(/\s/)[0]).join(" ");
	const cases = {
		"type:tool_*": "apple pear plum", "type:tool_call": "apple plum", "source:ann": "apple pear",
		"correlation:c-2": "plum", 'source:"two words"': "plum", "type:tool_* -apple": "pear plum",
		"type:tool_* source:ann PEAR": "pear", "type:tool_result type:tool_call": "apple pear plum",
		"type:nothing": "",
	};

	for (const [text, expected] of Object.entries(cases)) {
		await filter(page, text);
		assert.equal(await shown(), expected, text);
	}
	await says(page, "#notice", /Nothing passes the filter/);
	await filter(page, "");
	await page.click("#types >> text=tool_result");
	assert.equal(await page.inputValue("#filter"), "type:tool_result");
	assert.equal(await shown(), "pear");
	await page.context().close();
});

test("a pause holds the log still and counts what waits", async () => {
	const page = await openLive();
	await page.focus("#log");
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
	await page.keyboard.press("Space");
	await eventually(async () => (await rowsInSight(page)).slice(-5).join() === fresh.join(), "all five are there");
	await page.context().close();
});

test("scrolling up pauses, and coming back to the end resumes", async () => {
	await emitNumbered(100);
	const page = await openLive();

	await page.hover("#log");
	await page.mouse.wheel(0, -400);
	await page.waitForSelector("#waiting:not([hidden])");
	await sleep(300);
	await emitNumbered(2);
	await says(page, "#waiting", /^2 waiting/);
	await page.mouse.wheel(0, 100000);
	await page.waitForSelector("#waiting", { state: "hidden" });
	const last = await emitNumbered(1);
	await eventually(async () => (await rowsInSight(page)).at(-1) === last[0], "it follows again");
	await page.context().close();
});

test("the keyboard reaches a signal, and all of it is shown exactly", async () => {
	await box.emit({ type: "note", payload: { big: 12345678901234567890123, e: 1e-7, list: [], deep: { a: [1, null] } } });
	const page = await openLive();

	for (const key of ["k", "k", "j", "Enter"])
		await page.keyboard.press(key);
	const text = await page.textContent("#detail pre");
	assert.match(text, /^\{\n {2}"seq": \d+,\n/);
	assert.match(text, /\n {4}"list": \[\],\n {4}"deep": \{\n {6}"a": \[\n {8}1,\n {8}null\n {6}\]\n {4}\}\n/);
	assert.equal(JSON.parse(text).type, "note");
	await page.keyboard.press("Escape");
	await page.waitForSelector("#detail", { state: "hidden" });
	await page.keyboard.press("/");
	await page.keyboard.type('"number 1;"');
	await says(page, "#matches", /^1 of /);
	await page.keyboard.press("Escape");
	assert.equal(await page.inputValue("#filter"), "");
	await page.context().close();
});

test("hostile text is text: nothing runs, nothing is hidden or reordered", async () => {
	const image = "<img src=x onerror='window.ran=1;alert(1)'>";
	const script = "<script>window.ran=1</script>";
	const bidi = "safe\u202Egnp.exe\u2066\u{E0041}\u200B\u0007\u001b[31m";
	const page = await openLive();

	await box.emit(
		{ type: image, source: script, correlationId: "javascript:window.ran=1", payload: { agentId: script, content: image } },
		{ type: "text_delta", source: "bad", payload: { agentId: "a", content: bidi } },
		{ type: "__proto__", source: "constructor", payload: { toString: 1, agentId: { a: [] }, success: "x" } },
		{ type: "tool_result", source: "bad", payload: { toolName: ["a"], output: 7, agentId: null } },
		{ type: "x", op: "gap", from: 1, to: 99999, why: image, source: "bad", timestamp: 1e300, payload: {} },
	);
	await eventually(async () => (await rowsInSight(page)).length >= 5, "they are there");
	const rows = await wholeLog(page);
	assert.ok(rows.some(({ text }) => text.includes(image)), "the markup is shown as text");
	const seen = rows.find(({ text }) => text.includes("safe")).text;
	assert.equal(seen, "asafe\\u202egnp.exe\\u2066\\udb40\\udc41\\u200b\\u0007\\u001b[31m");
	assert.ok(!rows.some(({ gap }) => gap), "a producer cannot say gap");
	for (let i = 0; i < 5; i++) {
		await page.keyboard.press("k");
		await page.keyboard.press("Enter");
		assert.match(await page.textContent("#detail pre"), /^\{\n/);
	}
	assert.equal(await page.evaluate(() => window.ran), undefined);
	assert.equal(await page.$$eval("img, script", (all) => all.length), 2);
	await page.context().close();
});

test("nothing in the URL makes the page connect elsewhere", async () => {
	const url = box.openUrl().replace("/#", "/?gatewayUrl=ws://127.0.0.1:9&ws=ws://127.0.0.1:9&url=//127.0.0.1:9#");
	const page = await open(url);

	await stateIs(page, "live");
	await page.context().close();
});

for (const [words, interrupt] of [["was killed", "SIGKILL"], ["stopped cleanly", "SIGTERM"]]) {
	test(`a server that ${words} comes back, and the page has every signal once and in order`, async () => {
		const page = await openLive();

		for (let round = 0; round < 3; round++) {
			await emitNumbered(20);
			await box.end(interrupt);
			await stateIs(page, "lost");
			await says(page, "#state", /lost, retrying/);
			await box.start();
			await emitNumbered(20);
			await stateIs(page, "live");
		}
		const last = await emitNumbered(1);
		await eventually(async () => (await rowsInSight(page)).at(-1) === last[0], "it is live again");
		const rows = await wholeLog(page);
		assert.deepEqual(rows.map(({ seq }) => seq), rows.map((_, i) => rows[0].seq + i));
		assert.ok(!rows.some(({ gap, lost }) => gap || lost));
		assert.equal(rows.filter(({ text }) => /number \d+;/.test(text)).length, emitted);
		assert.doesNotMatch(await page.textContent("#place"), /duplicates/);
		await page.context().close();
	});
}

test("what a power loss took away is struck out, and the page goes on at the fork", async () => {
	const page = await openLive();
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
	const rows = (await wholeLog(page)).slice(-8);
	assert.deepEqual(rows.filter((row) => row.lost).map(({ text }) => text), lost);
	assert.deepEqual(rows.filter((row) => !row.lost && !row.gap).map(({ text }) => text), [...kept, ...next]);
	assert.equal(rows[6].seq, rows[3].seq, "the number is given again");
	assert.match(rows[5].text, /are missing: the server lost them/);
	await page.context().close();
});

test("signals of a demo are clearly labelled", async () => {
	const page = await openLive();

	assert.ok(await page.isHidden("#demo"));
	await box.emit({ type: "x", source: "someone", metadata: { demo: true } });
	await page.waitForSelector("#demo:not([hidden])");
	await says(page, "#demo", /demo/i);
	await page.context().close();
});

test("nothing is wider than a telephone, and a row opens over the whole of it", async () => {
	const page = await openLive({ width: 390, height: 844, scheme: "light" });
	const overflow = () => page.evaluate(() => [...document.querySelectorAll("body *")]
		.filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
		.filter((e) => e.closest(".hidden, .row") === null)
		.map((e) => e.outerHTML.slice(0, 80)));
	const scrolls = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

	await box.emit({ type: "a".repeat(190), source: "b".repeat(500), payload: { agentId: "c".repeat(500) } });
	await emitNumbered(3);
	for (const act of [() => {}, () => page.click("#browse"), () => page.keyboard.press("Escape"),
		() => page.click(`.row:not([hidden]):has-text("number ${emitted};")`), () => page.keyboard.press("Home")]) {
		await act();
		await sleep(100);
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
