// exclusive: it takes the time.
/* The log with more than ten thousand entries, and more that come in on top of them: nothing is
 * missing in sight, and neither memory nor document grow with them. bench/page.mjs says how fast. */

import assert from "node:assert/strict";
import { Box, eventually, PATIENCE_MS, run, test } from "./lib.mjs";
import { close, faults, open, rowsInSight, stateIs } from "./browser.mjs";

const ROWS_MAX = 200;
const GROWTH_MAX = 12e6;      /* bytes of memory, by thirty thousand more signals */

const box = await new Box().start();
let emitted = 0;

/* Its number stands in its row, whatever it is. */
function next() {
	const n = ++emitted;
	const isCall = n % 9 === 0;

	return {
		type: isCall ? "tool_call" : "text_delta", source: `counter-${n % 5}`, correlationId: `run-${n % 20}`,
		payload: { agentId: "a", [isCall ? "toolName" : "content"]: `number ${n}; ${"word ".repeat(30)}` },
	};
}

async function emit(batches) {
	for (let i = 0; i < batches; i++)
		await box.emit(...Array.from({ length: 500 }, next));
}

async function openLog(rest = "") {
	const page = await open(box.openUrl());

	await stateIs(page, "live");
	await page.goto(`${box.origin}/#/log${rest}`);
	await page.waitForSelector("#view-log #filter");
	return page;
}

async function memory(session) {
	await session.send("HeapProfiler.collectGarbage");
	const { metrics } = await session.send("Performance.getMetrics");

	return metrics.find(({ name }) => name === "JSHeapUsedSize").value;
}

async function isAtLast(page) {
	await eventually(async () => (await rowsInSight(page)).at(-1)?.includes(`number ${emitted};`), "the last one is there",
		2 * PATIENCE_MS);
}

test("with ten thousand entries and thirty thousand more, memory and document stay bounded", async () => {
	const page = await openLog();
	const session = await page.context().newCDPSession(page);

	await session.send("Performance.enable");
	await emit(24);
	await isAtLast(page);
	const before = await memory(session);
	await emit(60);
	await isAtLast(page);
	const growth = await memory(session) - before;
	console.log(`# memory: ${(before / 1e6).toFixed(1)} MB, ${(growth / 1e6).toFixed(1)} MB more after ${emitted} signals`);
	assert.ok(growth <= GROWTH_MAX, `${growth} bytes more`);
	assert.ok(await page.$$eval("#log .row", (rows) => rows.length) <= ROWS_MAX);
	await page.context().close();
});

test("with a filter, a pause and an episode open, what comes in waits and is there when it is wanted", async () => {
	const page = await openLog("/?f=type:tool_call");

	await page.waitForSelector("#log .row:not([hidden])");
	await page.click("#log .row:not([hidden]) >> nth=3");
	await page.click("#log-tab-episode");
	await page.waitForSelector(".ep-item");
	await emit(12);
	await page.waitForFunction(() => /[\d,]+ waiting/.test(document.getElementById("waiting").textContent));
	await page.click("#waiting");
	await page.waitForSelector("#waiting", { state: "hidden" });
	await page.context().close();
});

test("scrolling through ten thousand entries never shows a hole", async () => {
	const page = await openLog();

	await isAtLast(page);
	const holes = await page.evaluate(async () => {
		const log = document.getElementById("log");
		const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		let holes = 0;

		for (let i = 0; i < 60; i++) {
			log.scrollTop = Math.max(3000, log.scrollTop - 700 - 37 * i);
			await frame();
			const { top, bottom } = log.getBoundingClientRect();
			const rows = [...document.querySelectorAll("#log .row:not([hidden])")].map((row) => row.getBoundingClientRect());
			holes += Math.min(...rows.map((row) => row.top)) > top || Math.max(...rows.map((row) => row.bottom)) < bottom ? 1 : 0;
		}
		return holes;
	});
	assert.equal(holes, 0);
	assert.deepEqual(faults, []);
	await page.context().close();
});

await run(async () => {
	await close();
	await box.remove();
});
