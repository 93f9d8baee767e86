// long
// busy: 30
/* A session is one row on every list of the page, however many runs it has: the crew, the runs, the numbers; in a
 * real browser and with a real box, as it is told and when the page is opened after that. */

import assert from "node:assert/strict";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";
import { api } from "./qualities.mjs";
import { part } from "./ui.mjs";

const { linesOf } = await part("runs/model.ts");
const RUNS = { main: ["m-1", "m-2", "m-3", "m-4"], desk: ["d-1", "d-2"], alone: ["a-1"] };
const box = await new Box().start();
let page;

/* A run as a gateway tells it, or one that is of no conversation. */
function tell(session, id, ...signals) {
	const metadata = session === "alone" ? {} : { metadata: { session } };

	return box.emit(...signals.map(([type, payload]) =>
		({ type, source: "claw", correlationId: id, payload: { agentId: "bot", ...payload }, ...metadata })));
}

async function work(session, id) {
	await tell(session, id, ["task_dispatch", { taskId: id, to: "bot", description: `Do ${id}` }],
		["text_delta", { content: "I do." }],
		["token_usage", { responseId: id, promptTokens: 1000, completionTokens: 50, model: "claude-opus-5-5" }],
		["completion", { taskId: id, success: true, result: "Done." }]);
}

const texts = (selector) => page.$$eval(selector, (all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent.trim()));
const handles = async () => (await api(box, "GET", "/api/crew")).members.map(({ handle }) => handle).sort();

async function go(place) {
	await page.evaluate((hash) => { location.hash = hash; }, `#/${place}`);
}

async function everyListHasOneRowEach() {
	const wanted = await handles();
	const is = (found) => JSON.stringify(found.sort()) === JSON.stringify(wanted);

	assert.equal(wanted.length, 3, wanted.join());
	await go("crew");
	await eventually(() => page.$(".crew-fold"), "the fold is there");
	if ((await page.getAttribute(".crew-fold", "aria-expanded")) !== "true")
		await page.click(".crew-fold");
	await eventually(async () => is(await texts(".crew-row .crew-handle")), "the crew has each once");
	await go("runs");
	await eventually(async () => is(await texts(".runs-row .runs-source")), "the runs have each once");
	await go("numbers");
	await eventually(async () => is(await texts("[data-by=session] tbody tr > :first-child")), "the numbers have each once");
}

test("a line of the runs shows the run that is chosen, else one that asks, else the newest", async () => {
	const runs = [["m-3", "m"], ["x"], ["m-2", "m"], ["m-1", "m"]].map(([id, member]) => ({ id, member }));
	const lines = (asks, chosen) => linesOf(runs, (id) => id === asks, chosen).map(({ key, run, count }) => `${key}:${run.id}:${count}`);

	assert.deepEqual(lines(null, null), ["m:m-3:3", "x:x:1"]);
	assert.deepEqual(lines("m-1", null), ["m:m-1:3", "x:x:1"]);
	assert.deepEqual(lines("m-1", "m-2"), ["m:m-2:3", "x:x:1"]);
	assert.deepEqual(lines("m-1", "x"), ["m:m-1:3", "x:x:1"]);
});

test("each session is one row while its runs come", async () => {
	page = await open(box.openUrl(), { view: "runs", width: 1440, height: 900 });
	await stateIs(page, "live");
	for (const [session, runs] of Object.entries(RUNS))
		for (const id of runs)
			await work(session, id);
	await everyListHasOneRowEach();
});

test("and after the page was opened again, also with the names of runs that are neither first nor last", async () => {
	await page.reload();
	await stateIs(page, "live");
	await everyListHasOneRowEach();
});

test("an older run of a session is found by its id, chosen, and shown in the row of its session", async () => {
	const [main] = (await api(box, "GET", "/api/crew")).members.filter(({ id }) => id === "m-1").map(({ handle }) => handle);

	await go("runs");
	await page.fill(".runs-filter", "m-2");
	await eventually(async () => JSON.stringify(await texts(".runs-row .runs-id")) === '["m-2"]', "the filter finds it");
	assert.deepEqual(await texts(".runs-row .runs-source"), [main]);
	await page.click(".runs-row");
	await eventually(() => page.evaluate(() => location.hash.endsWith("/m-2")), "it is chosen");
	await page.fill(".runs-filter", "");
	await eventually(async () => (await texts(".runs-row")).length === 3, "all sessions are there");
	assert.deepEqual(await texts('.runs-row[aria-selected="true"] .runs-id'), ["m-2"]);
	assert.match((await texts('.runs-row[aria-selected="true"] .runs-numbers'))[0], /4 runs/);
});

test("no page asked for anything of another origin, or was refused anything", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
