// long
// busy: 40
/* Numbers: what agents spent, as plots, tables and CSV, in a real browser and with a real box. A
 * picture of each size is written to the directory SHOTS where one is named. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { SHOTS } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSTILE = "=<img src=x onerror=alert(1)>\u202e\"x";
const DAY_MS = 86_400_000;
const OPUS = "claude-opus-5-5";
const { momentWords, percentWords, rateWords, resetWords, windowWords } = await part("numbers/limits.ts");
const { cacheShare, csvOf, dayBefore, dayKey, everyDay, offsets, toilCsv } = await part("numbers/model.ts");

if (SHOTS)
	mkdirSync(SHOTS, { recursive: true });

/* ---- without a browser ---- */

test("every day is there, also one without work, from the first that has some on", async () => {
	const now = new Date(2026, 10, 17, 13).getTime();
	const rows = [{ key: "2026-11-12", output: 5 }, { key: "2026-11-15", output: 7 }];
	const empty = (key) => ({ key });
	const days = everyDay(rows, dayBefore(now, 29), now, empty);

	assert.deepEqual(days.map(({ key }) => key), ["12", "13", "14", "15", "16", "17"].map((day) => `2026-11-${day}`));
	assert.deepEqual(days.map(({ output = 0 }) => output), [5, 0, 0, 7, 0, 0]);
	assert.equal(everyDay(rows, dayBefore(now, 3), now, empty)[0].key, "2026-11-14", "never before the span");
	/* Two days of the year have another length than all others, somewhere. */
	const year = everyDay([{ key: "2025-11-18" }], dayBefore(now, 364), now, empty);
	assert.equal(new Set(year.map(({ key }) => key)).size, 365);
	assert.equal(dayKey(now), "2026-11-17");
});

test("the zone is told with each of its changes, so that days of summer are days", async () => {
	const ends = 1_792_890_000_000, begins = 1_806_195_600_000;
	const berlin = (at) => at >= begins || at < ends ? 120 : 60;

	assert.equal(offsets(ends - 5 * DAY_MS, ends - 1, berlin), "120");
	assert.equal(offsets(ends - 5 * DAY_MS, ends + 5 * DAY_MS, berlin), `120,60@${ends}`);
	assert.equal(offsets(ends - 5 * DAY_MS, begins, berlin), `120,60@${ends},120@${begins}`);
	assert.match(offsets(ends, begins), /^-?\d+(,-?\d+@\d+)*$/);
	/* A zone that changes all the time is cut to what the server takes. */
	assert.equal(offsets(0, 200 * DAY_MS, (at) => Math.floor(at / DAY_MS) % 2).split(",").length, 65);
});

test("the cache's share is of all that was read, and CSV is safe in a spreadsheet", async () => {
	assert.equal(cacheShare({ input: 10, cacheRead: 80, cacheWrite: 5, cacheWrite1h: 5, output: 999 }), 80);
	assert.equal(cacheShare({ output: 5 }), null);
	assert.equal(csvOf("model", [{ key: '=a"b', input: 1, output: 2, cost: .5 }, { key: "", cost: null },
		{ key: "s1", handle: "shop-1", cost: 1, atLeast: true }, { key: "\tm", cost: 1, unknown: true }]),
	'model,input,output,cacheRead,cacheWrite,cacheWrite1h,reasoning,calls,cost,atLeast\r\n"\'=a""b",1,2,0,0,0,0,0,0.500000,false\r\n'
		+ '"not known",0,0,0,0,0,0,0,,\r\n"shop-1",0,0,0,0,0,0,0,1.000000,true\r\n"\'\tm",0,0,0,0,0,0,0,1.000000,true\r\n');
});

test("what tools took is CSV, too", async () => {
	assert.equal(toilCsv("tool", [{ key: "=x", calls: 2, failures: 1, ms: 30 }]), 'tool,calls,failures,ms\r\n"\'=x",2,1,30\r\n');
	assert.equal(toilCsv("work", [{ key: "2026-11-17", calls: 2, failures: 1, ms: 30, atOnce: 3 }]),
		'day,calls,failures,ms,atOnce\r\n"2026-11-17",2,1,30,3\r\n');
});

test("limits are said in the words of the terminal", async () => {
	const at = new Date(2026, 10, 17, 13, 5).getTime();
	const minutes = (n) => at + n * 60_000;

	assert.deepEqual([0, .04, .5, 9.94, 9.96, 12.4, 98.5, 100].map(percentWords),
		["0 %", "0 %", "0.5 %", "9.9 %", "10 %", "12 %", "99 %", "100 %"]);
	assert.deepEqual([{ minutes: 300 }, { minutes: 10_080 }, { minutes: 2880 }, { minutes: 90 }, { name: "spend" }].map(windowWords),
		["5 h", "week", "2 d", "90 min", "spend"]);
	assert.equal(momentWords(minutes(60), at), "14:05");
	assert.equal(momentWords(minutes(24 * 60), at), "Wed 13:05");
	assert.equal(momentWords(minutes(7 * 24 * 60), at), "24 Nov 13:05");
	assert.equal(resetWords({ resetsAt: minutes(-5), isReset: true }, at), "was reset 13:00");
	assert.equal(resetWords({ isReset: false }, at), "–");
	assert.equal(rateWords({ used: 5 }, at), "–");
	assert.equal(rateWords({ used: 100, perHour: 5 }, at), "used up");
	assert.equal(rateWords({ used: 60, perHour: 80, usedUpAt: minutes(30), resetsAt: minutes(90) }, at), "80 % an hour: used up 13:35");
	assert.equal(rateWords({ used: 5, perHour: .5, resetsAt: minutes(90) }, at), "0.5 % an hour: lasts until the reset");
});

/* ---- in a browser ---- */

const box = await new Box().start();
const now = Date.now();
const spent = (days, session, model, output) => ({ type: "token_usage", source: "s", correlationId: session, timestamp: now - days * DAY_MS,
	payload: { agentId: "a", responseId: `${days}-${session}`, promptTokens: 1000, inputTokens: 1000, cacheReadTokens: 9000,
		completionTokens: output, model } });
let page;

test("without anything spent it says so", async () => {
	page = await open(box.openUrl(), { view: "numbers", width: 1440, height: 900 });
	await stateIs(page, "live");
	await page.getByText("Nothing was spent in this time.").waitFor();
	assert.equal(await page.locator(".numbers-sheets").isVisible(), false);
});

test("limits that agents tell are the first thing, and old ones say how old they are", async () => {
	const window = (used, hours) => ({ minutes: 300, used, resetsAt: now + hours * 3_600_000 });
	const limits = (minutes, payload) => ({ type: "agent.limits", source: "s", timestamp: now - minutes * 60_000, payload });

	assert.equal(await page.locator(".numbers-limits").isVisible(), false);
	await box.emit(limits(30, { harness: "codex", plan: "plus", windows: [window(20, 3), { minutes: 10_080, used: 5, resetsAt: now + 50 * 3_600_000 }] }),
		limits(0, { harness: "codex", plan: "plus", windows: [window(60, 3), { minutes: 10_080, used: 5.5, resetsAt: now + 50 * 3_600_000 }] }),
		limits(150, { harness: HOSTILE, windows: [window(90, -1)] }));
	await eventually(async () => {
		await page.reload();
		await page.locator(".numbers-limits").waitFor({ state: "attached" });
		return await page.locator(".numbers-limits tbody tr").count() === 3;
	});
	const rows = await page.$$eval(".numbers-limits tbody tr", (all) => all.map((row) => [...row.children].map(({ textContent }) => textContent)));
	const [evil, hours, week] = rows;

	assert.deepEqual(hours.slice(0, 4), ["codex, plus", "5 h", "60 %", "40 %"]);
	assert.match(hours[4], /\d\d:\d\d$/);
	assert.match(hours[5], /^\d\d % an hour: used up .*\d\d:\d\d$/);
	assert.equal(hours[6], "now");
	assert.equal(week[1], "week");
	assert.match(week[5], /^\d(\.\d)? % an hour: lasts until the reset$/);
	assert.deepEqual(evil.slice(1, 4), ["5 h", "0 %", "100 %"]);
	assert.match(evil[4], /^was reset /);
	assert.equal(evil[5], "–");
	assert.match(evil[6], /^2 h 3\d ago$/);
	const width = await page.$eval(".numbers-limits tr[data-short] .numbers-used b", (bar) => bar.offsetWidth / bar.parentElement.offsetWidth);
	assert.ok(Math.abs(width - .6) < .02, String(width));
	assert.equal(await page.locator(".numbers-limits tr[data-stale]").count(), 1);
	assert.equal(await page.locator(".numbers img").count(), 0);
});

test("days, projects, models, agents and sessions are plotted, and the tables have the same", async () => {
	await box.emit({ type: "session.facts", source: "s", correlationId: "s1", payload: { cwd: "/home/a/shop", harness: "codex" } },
		{ type: "session.facts", source: "s", correlationId: "s2", payload: { cwd: `/home/a/${HOSTILE}`, harness: "claude-code" } },
		spent(60, "s1", OPUS, 9000), spent(2, "s1", OPUS, 1000), spent(2, "s2", HOSTILE, 10), spent(0, "s1", OPUS, 1000));
	await page.reload();
	await page.waitForSelector(".numbers-paper canvas");
	const rows = (by) => page.$$eval(`[data-by=${by}] tbody tr`, (all) => all.map((row) => [...row.children].map(({ textContent }) => textContent)));
	const days = await rows("day");
	assert.deepEqual(days.map(([day]) => day), [0, 1, 2].map((n) => dayKey(now - n * DAY_MS)));
	assert.equal(days[0][5], "90 %");
	assert.deepEqual(days[1].slice(1, 5), ["0", "0", "0", "0"]);
	assert.equal((await rows("model")).length, 2);
	assert.deepEqual((await rows("harness")).map(([name]) => name).sort(), ["claude-code", "codex"]);
	assert.deepEqual((await rows("session")).map(([name]) => name.replace(/\d+$/, "N"))[0], "shop-N", "a session has its handle");
	const projects = (await rows("project")).map(([name]) => name).sort();
	assert.ok(projects.includes("shop") && projects.some((name) => name.includes("<img") && name.includes("\\u202e")), String(projects));
	assert.equal(await page.locator(".numbers img, .numbers script").count(), 0);
	assert.equal(await page.locator("figure canvas").count(), 3 + 2 + 2 + 2 + 1, "nobody was seen at work so far");
	assert.equal(await page.locator("[data-by=day] tfoot tr").count(), 1);
});

test("tools have their time and failures, and days the sessions that were at work at once", async () => {
	const call = (id, tool, ms, success) => [
		{ type: "tool_call", source: "s", correlationId: "s1", timestamp: now - ms, payload: { callId: id, toolName: tool, agentId: "a" } },
		{ type: "tool_result", source: "s", correlationId: "s1", timestamp: now, payload: { callId: id, toolName: tool, agentId: "a", success } }];
	const rows = (by) => page.$$eval(`[data-by=${by}] tbody tr`, (all) => all.map((row) => [...row.children].map(({ textContent }) => textContent)));

	await box.emit(...call("1", "Bash", 4000, true), ...call("2", "Bash", 2000, false), ...call("3", "Read", 200, true));
	await eventually(async () => {
		await page.reload();
		await page.waitForSelector(".numbers-paper canvas");
		return (await rows("tool")).length === 2;
	});
	assert.deepEqual(await rows("tool"), [["Bash", "2", "1", "50 %", "6.0 s", "3.0 s"], ["Read", "1", "0", "0 %", "200 ms", "200 ms"]]);
	assert.deepEqual((await rows("work"))[0], [dayKey(now), "1", "3", "1", "33 %", "6.2 s"]);
	await box.emit({ type: "task_dispatch", source: "s", correlationId: "s2", payload: { taskId: "t", from: "user", to: "b" } });
	await eventually(async () => {
		await page.reload();
		await page.waitForSelector("[data-by=work] canvas");
		return (await rows("work"))[0][1] === "2";
	});
	assert.equal(await page.locator("[data-by=tool] canvas, [data-by=work] canvas").count(), 4);
});

test("brackets change the span, which is remembered, and the pointer reads a bar", async () => {
	const count = (by) => page.locator(`[data-by=${by}] tbody tr`).count();
	const pressed = () => page.locator(".numbers-spans [aria-pressed=true]").textContent();

	await eventually(async () => await pressed() === "30 days");
	await page.keyboard.press("]");
	await eventually(async () => await count("day") === 50 && await page.locator("[data-by=day]").getByText("11 more are in the CSV.").isVisible());
	assert.equal(await pressed(), "90 days");
	await page.reload();
	await eventually(async () => await count("day") === 50);
	await page.keyboard.press("[");
	await page.keyboard.press("[");
	await eventually(async () => await pressed() === "7 days" && await count("day") === 3);
	const paper = await page.locator("[data-by=day] .numbers-paper").first().boundingBox();
	await page.mouse.move(paper.x + paper.width - 60, paper.y + 60);
	await eventually(async () => (await page.locator("[data-by=day] .numbers-said").first().textContent()).includes("$"));
});

test("CSV is a file with all rows", async () => {
	const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save by model as CSV" }).click()]);
	const text = readFileSync(await download.path(), "utf8");

	assert.equal(download.suggestedFilename(), "signalbox-model.csv");
	assert.match(text, /^model,input,output,cacheRead/);
	assert.ok(text.includes(`"${OPUS}",2000,2000,18000,`), text);
	assert.ok(text.includes(`"'=<img src=x onerror=alert(1)>`), text);
});

test("it fits a phone and both themes, and axe finds nothing", async () => {
	for (const [width, height, scheme] of [[1440, 900, "dark"], [1440, 900, "light"], [390, 844, "dark"], [390, 844, "light"]]) {
		const other = await open(box.openUrl(), { view: "numbers", width, height, scheme });

		await other.waitForSelector(".numbers-paper canvas");
		assert.ok(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}`);
		if (SHOTS)
			await other.screenshot({ path: join(SHOTS, `numbers-${width}-${scheme}.png`) });
		await other.evaluate(AXE);
		const found = await other.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
		assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], `${width} ${scheme}`);
		await other.context().close();
	}
});

test("no page asked for anything of another origin, or was refused anything", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
