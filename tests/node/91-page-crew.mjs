// long
// busy: 40
/* The crew, in a real browser and with a real box that hears hooks as Claude Code sends them: who
 * works on what, who waits, what failed; with three, twelve and thirty sessions. A picture of each
 * is written to the directory SHOTS where one is named. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually, run, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";
import { api } from "./qualities.mjs";

const { SHOTS } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PROJECTS = ["checkout", "billing-api", "web", "infra", "mobile-app", "docs"];
const ASKED = ["Mend the flaky retry test in the payment queue", "Add pagination to the invoices endpoint and its clients",
	"Why does the build take nine minutes?", "Rename the settings store and update every import of it across all of the packages, then run the whole suite"];

if (SHOTS)
	mkdirSync(SHOTS, { recursive: true });

async function hook(box, session, name, more = {}) {
	const project = PROJECTS[Number(/\d+$/.exec(session)?.[0] ?? 0) % PROJECTS.length];
	const answer = await api(box, "POST", "/api/hooks/claude-code", { hook_event_name: name, session_id: session,
		cwd: `/home/ada/${project}`, permission_mode: "default", transcript_path: "/nowhere", ...more });

	assert.notEqual(answer.ok, false, JSON.stringify(answer));
}

/* Sessions in every state: every fifth is idle, the second asks, the third failed at something and
 * thinks on, one has ended. */
async function populate(box, count) {
	for (let i = 0; i < count; i++) {
		const session = `session-${i}`;

		await hook(box, session, "SessionStart", { source: "startup" });
		await hook(box, session, "UserPromptSubmit", { prompt: ASKED[i % ASKED.length] });
		if (i % 5 === 4)
			await hook(box, session, "Stop");
		else if (i % 3 !== 2)
			await hook(box, session, "PreToolUse", { tool_name: i % 2 ? "Bash" : "Edit", tool_use_id: `c${i}`,
				tool_input: i % 2 ? { command: "npm test -- --watch=false" } : { file_path: "src/queue/retry.ts", old_string: "a", new_string: "b" } });
	}
	for (let i = 1; i < count; i += 10)
		await ask(box, `session-${i}`, "Shall I drop the table?");
	if (count > 10)
		await hook(box, "session-9", "SessionEnd", { reason: "exit" });
}

function ask(box, session, prompt) {
	return box.emit({ type: "prompt", source: "adapter:tap", correlationId: session, payload: { type: "confirm", prompt } });
}

const crewOf = async (box) => (await api(box, "GET", "/api/crew")).members;
const handleOf = async (box, session) => (await crewOf(box)).find(({ id }) => id === session).handle;

async function openCrew(box, more = {}) {
	const page = await open(box.openUrl(), { view: "crew", width: 1440, height: 900, ...more });

	await stateIs(page, "live");
	await page.waitForSelector(".crew-row");
	return page;
}

/* The handles in sight by group, from the top. */
const shown = (page) => page.$$eval(".crew-group:not([hidden])", (all) => Object.fromEntries(all.map((group) =>
	[group.dataset.group, [...group.querySelectorAll(".crew-row .crew-handle")].map((one) => one.textContent)])));
const focused = (page) => page.evaluate(() => document.activeElement.closest(".crew-row")?.dataset.id ?? null);
const says = (page, selector, words) => eventually(async () =>
	words.test(await page.evaluate((s) => document.querySelector(s)?.innerText ?? "", selector)), `${selector} says ${words}`);

const box = await new Box().start();
await populate(box, 12);
const page = await openCrew(box);

test("who waits for me is on top, then who works, who is idle; and one line counts them", async () => {
	await eventually(async () => Object.values(await shown(page)).flat().length === 11, "all but who has ended");
	const members = await crewOf(box);
	const groups = await shown(page);
	const rank = (name) => members.filter(({ group }) => group === name).map(({ handle }) => handle)
		.sort(new Intl.Collator("en", { numeric: true }).compare);

	assert.deepEqual(Object.keys(groups), ["waits", "failed", "work", "idle", "over"].filter((name) => rank(name).length > 0));
	for (const name of ["waits", "work", "idle"])
		assert.deepEqual(groups[name] ?? [], rank(name), name);
	assert.equal(rank("waits").length, 2);
	assert.deepEqual(groups.over, [], "who has ended is folded away");
	assert.match(await page.textContent('.crew-tally[data-group="waits"]'), /^2 wait for you$/);
	assert.match(await page.textContent('.crew-tally[data-group="work"]'), new RegExp(`^${rank("work").length} at work$`));
	await page.click(".crew-fold");
	await eventually(async () => (await shown(page)).over.length === 1);
	await page.click(".crew-fold");
	await eventually(async () => (await shown(page)).over.length === 0);
});

test("a row says project, what was asked, what it does and since when, and the clock runs", async () => {
	const row = '.crew-row[data-id="session-0"]';

	await says(page, row, /checkout-\d+/);
	await says(page, row, /Mend the flaky retry test/);
	await says(page, row, /Edit/);
	await says(page, row, /retry\.ts/);
	const clock = () => page.textContent(`${row} .crew-clock`);
	const before = await clock();
	assert.match(before, /^\d+:\d\d$/);
	await eventually(async () => await clock() !== before, "it runs");
	await hook(box, "session-0", "PostToolUse", { tool_name: "Edit", tool_use_id: "c0", tool_input: {}, tool_response: {} });
	await says(page, row, /thinking/);
});

test("keys go through it, open a session, answer, find who waits and interrupt after a question", async () => {
	await page.evaluate(() => document.activeElement.blur());
	const order = await page.$$eval(".crew-row", (all) => all.map((one) => one.dataset.id));

	await page.keyboard.press("j");
	assert.equal(await focused(page), order[0]);
	await page.keyboard.press("j");
	await page.keyboard.press("j");
	assert.equal(await focused(page), order[2]);
	await page.keyboard.press("k");
	assert.equal(await focused(page), order[1]);
	await page.keyboard.press("n");
	const waiting = await focused(page);
	assert.equal((await crewOf(box)).find(({ id }) => id === waiting).group, "waits");
	await page.keyboard.press("n");
	assert.notEqual(await focused(page), waiting, "and the next one");
	await page.keyboard.press("a");
	await eventually(() => page.evaluate(() => document.activeElement.closest(".prompt-card") !== null), "its question has the focus");
	await page.keyboard.press("Escape");
	assert.notEqual(await focused(page), null, "and back");
	await page.keyboard.press("x");
	await page.waitForSelector(".crew-sure[open]");
	assert.match(await page.evaluate(() => document.activeElement.textContent), /Let it work/, "what is safe has the focus");
	await page.keyboard.press("Enter");
	await page.waitForSelector(".crew-sure", { state: "detached" });
	assert.equal((await api(box, "GET", "/api/signals?type=control&limit=1")).signals.length, 0);
	const id = await focused(page);
	await page.keyboard.press("Enter");
	await page.waitForSelector(".session-head");
	assert.equal(new URL(page.url()).hash, `#/crew/${await handleOf(box, id)}`);
	await page.keyboard.press("Escape");
	await page.waitForSelector(".crew-home:not([hidden])");
	await eventually(async () => await focused(page) === id, "one is where one was");
});

test("it is filtered by word, by project and by state, and that is kept", async () => {
	await page.keyboard.press("/");
	await page.keyboard.type("pagination");
	const all = (await crewOf(box)).filter(({ title, group }) => /pagination/.test(title) && group !== "over").length;
	await eventually(async () => Object.values(await shown(page)).flat().length === all, "by word");
	await says(page, ".crew-all", /Show all, \d+ hidden/);
	await page.keyboard.press("Escape");
	await page.click('.crew-tally[data-group="waits"]');
	await eventually(async () => Object.keys(await shown(page)).join() === "waits", "by state");
	await page.reload();
	await page.waitForSelector(".crew-row");
	await eventually(async () => Object.keys(await shown(page)).join() === "waits", "it was kept");
	assert.equal(await page.getAttribute('.crew-tally[data-group="waits"]', "aria-pressed"), "true");
	await page.click(".crew-all");
	await page.selectOption('.crew-filters select[aria-label="Project"]', "web");
	await eventually(async () => Object.values(await shown(page)).flat().every((handle) => handle.startsWith("web-")), "by project");
	await page.keyboard.press("Escape");
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("Escape");
	await eventually(async () => Object.values(await shown(page)).flat().length === 11, "all again");
});

test("nothing moves under the pointer, and is in its group when the hand rests", async () => {
	const work = (await shown(page)).work;
	const members = await crewOf(box);
	const { id } = members.find(({ handle }) => handle === work[0]);
	const place = () => page.$eval(`.crew-row[data-id="${id}"]`, (one) => [one.closest(".crew-group").dataset.group, one.dataset.group]);
	let isMoving = true;
	const box_ = await page.locator(`.crew-row[data-id="${id}"]`).boundingBox();
	const moving = (async () => {
		for (let i = 0; isMoving; i++) {
			await page.mouse.move(box_.x + 200 + i % 50, box_.y + 10);
			await sleep(100);
		}
	})();

	await sleep(300);
	await hook(box, id, "Stop");
	await eventually(async () => (await place())[1] === "idle", "it says so at once");
	assert.deepEqual(await place(), ["work", "idle"], "and stands where it stood");
	isMoving = false;
	await moving;
	await eventually(async () => (await place())[0] === "idle", "then it goes to its group");
	await page.mouse.move(5, 5);
});

test("a session's page has its conversation as Markdown without HTML, pictures or hidden links", async () => {
	const say = (type, payload) => ({ type, source: "adapter:tap", correlationId: "session-0", payload: { agentId: "claude", ...payload } });
	const handle = await handleOf(box, "session-0");

	await box.emit(say("text_delta", { content: "# Found it\n\nIt is **here**: `retry()`.\n\n- one\n- two\n\n```js\nlet a;\n```\n\n"
		+ "<img src=x onerror=alert(1)> ![p](http://evil.example/p.png) [docs](http://docs.example/a) [bad](javascript:alert(1))" }),
	say("tool_call", { toolName: "Bash", callId: "long", input: { command: "sleep 1000" } }));
	await page.evaluate((to) => { location.hash = `#/crew/${to}`; }, handle);
	await page.waitForSelector(".session .md strong");
	assert.equal(await page.textContent(".session .md strong"), "here");
	assert.equal(await page.textContent(".session .md-heading"), "Found it");
	assert.equal(await page.locator(".session .md ul li").count(), 2);
	assert.equal(await page.textContent(".session .md-code code"), "let a;");
	assert.match(await page.textContent(".session .md"), /<img src=x onerror=alert\(1\)>/);
	assert.equal(await page.locator(".session img, .session script").count(), 0);
	assert.deepEqual(await page.$$eval(".session .md a", (all) => all.map(({ href }) => href)), ["http://evil.example/p.png", "http://docs.example/a"]);
	assert.match(await page.textContent(".session .md"), /docs \(http:\/\/docs\.example\/a\).*bad \(javascript:alert\(1\)\)/, "where they lead is seen");
	await eventually(async () => /^\d+ s$/.test(await page.textContent('.session .talk-tool[data-state="running"] .talk-took')), "a tool's time runs");
	await says(page, ".session .talk-text .talk-who", new RegExp(handle));
	await says(page, ".session-head", new RegExp(`${handle}.*checkout`, "s"));
	await says(page, ".session-facts", /Claude Code/);
});

test("plan, files and subagents stand beside it, and a person may give it another title", async () => {
	const handle = await handleOf(box, "session-0");

	await box.emit({ type: "agent.plan", source: "adapter:tap", correlationId: "session-0", payload: { agentId: "claude", whole: true,
		items: [{ text: "Read the queue", status: "completed" }, { text: "Write a test", status: "in_progress" }] } },
	{ type: "agent.change", source: "adapter:tap", correlationId: "session-0",
		payload: { agentId: "claude", path: "/home/ada/checkout/src/a.ts", kind: "update", added: 7, removed: 2 } },
	{ type: "token_usage", source: "adapter:transcript", correlationId: "session-0",
		payload: { agentId: "claude", model: "claude-opus-5-5", responseId: "priced", promptTokens: 1000000, completionTokens: 0 } });
	await says(page, ".session-side", /Cost by model.*claude-opus-5-5.*\$\d/s);
	await says(page, ".session-side", /Plan\s+1 of 2.*Read the queue.*Write a test/s);
	await says(page, ".session-side", /Files\s+1, \+7 −2.*a\.ts/s);
	await page.click(".session-rename");
	await page.fill(".session-input", "The queue <b>again</b>");
	await page.keyboard.press("Enter");
	await says(page, ".session-title", /The queue <b>again<\/b>/);
	await eventually(async () => (await crewOf(box)).find((one) => one.handle === handle).titleFrom === "person");
	await page.keyboard.press("Escape");
	await says(page, '.crew-row[data-id="session-0"]', /The queue <b>again<\/b>.*1 of 2/s);
	await page.evaluate(() => { location.hash = "#/crew/nobody-7"; });
	await says(page, ".session", /There is no session nobody-7/);
	await page.evaluate(() => { location.hash = "#/crew"; });
});

test("signalbox open HANDLE leads to the page of the session, and the code leaves the address", async () => {
	const handle = await handleOf(box, "session-2");
	const at = await open(box.cli("open", handle, "--print").trim());

	await stateIs(at, "live");
	await eventually(async () => (await at.evaluate(() => location.hash)) === `#/crew/${handle}`, "it is there");
	await eventually(async () => (await at.locator("h1, h2").allInnerTexts()).some((words) => words.includes(handle)), "its page is shown");
	await at.context().close();
});

test("a session has one name: in its question, the log and the runs", async () => {
	const handle = await handleOf(box, "session-1");

	await says(page, ".prompt-card", /-\d+ asks/);
	assert.match((await page.locator(".prompt-card").allInnerTexts()).join("\n"), new RegExp(`${handle} asks.*billing-api.*Add pagination`, "s"));
	await page.evaluate(() => { location.hash = '#/log/?f=correlation:session-1'; });
	await page.waitForSelector("#log .row:not([hidden])");
	await eventually(() => page.$$eval("#log .row.named:not([hidden]) .source", (all, name) => all.some((one) => one.textContent === name), handle), "in the log");
	await page.evaluate(() => { location.hash = "#/runs/session-1"; });
	await says(page, ".runs-title", new RegExp(`^${handle}$`));
	await eventually(() => page.$$eval(".runs-source", (all, name) => all.some((one) => one.textContent === name), handle), "in the list of runs");
	await page.context().close();
});

/* Every rule that axe has. */
async function violations(at) {
	const found = await at.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));

	return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}

for (const count of [3, 12, 30]) {
	test(`with ${count} sessions it is whole and accessible, at a desk and on a telephone, light and dark`, async () => {
		const own = await new Box().start();

		await populate(own, count);
		for (const [width, height] of [[1440, 900], [390, 844]])
			for (const scheme of ["light", "dark"]) {
				const at = await openCrew(own, { width, height, scheme });
				const waits = await at.textContent('.crew-tally[data-group="waits"]');

				await at.evaluate(AXE);
				if (SHOTS)
					await at.screenshot({ path: join(SHOTS, `crew-${count}-${width}-${scheme}.png`) });
				assert.match(waits, /^\d+ waits? for you$/);
				assert.equal(await at.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "it is not too wide");
				assert.ok(await at.isVisible('.crew-row[data-group="waits"]'), "who waits is in sight");
				assert.deepEqual(await violations(at), [], `${count} ${width} ${scheme}`);
				await at.context().close();
			}
		await own.remove();
	});
}

test("in all of this no page asked elsewhere, broke its policy or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
