/* Sessions on the stage, in a real browser and with a real box that hears hooks as Claude Code sends
 * them: one figure each, named by its handle, where its state has it; with three, twelve and thirty
 * of them. A picture of each is written to the directory SHOTS where one is named. */
// long
// busy: 50

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Box, eventually, PATIENCE_MS, run, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";
import { api } from "./qualities.mjs";

const { SHOTS } = process.env;
const PROJECTS = ["checkout", "billing-api", "web", "infra", "mobile-app", "docs"];
const TOOLS = [["Bash", { command: "npm test" }], ["Edit", { file_path: "src/retry.ts", old_string: "a", new_string: "b" }],
	["Read", { file_path: "README.md" }], ["WebFetch", { url: "https://example.org" }], ["mcp__db__query", { query: "select 1" }]];

if (SHOTS)
	mkdirSync(SHOTS, { recursive: true });

async function hook(box, session, name, more = {}) {
	const project = PROJECTS[Number(/\d+$/.exec(session)?.[0] ?? 0) % PROJECTS.length];
	const answer = await api(box, "POST", "/api/hooks/claude-code", { hook_event_name: name, session_id: session,
		cwd: `/home/ada/${project}`, permission_mode: "default", transcript_path: "/nowhere", ...more });

	assert.notEqual(answer.ok, false, JSON.stringify(answer));
}

async function begin(box, session) {
	await hook(box, session, "SessionStart", { source: "startup" });
	await hook(box, session, "UserPromptSubmit", { prompt: "Mend the flaky retry test" });
}

const use = (box, session, tool_name, tool_input = {}, more = {}) =>
	hook(box, session, "PreToolUse", { tool_name, tool_input, tool_use_id: `${session} ${tool_name}`, ...more });
const done = (box, session, tool_name) =>
	hook(box, session, "PostToolUse", { tool_name, tool_input: {}, tool_response: {}, tool_use_id: `${session} ${tool_name}` });
const ask = (box, session) => box.emit({ type: "prompt", source: "adapter:tap", correlationId: session,
	payload: { type: "confirm", prompt: "Shall I drop the table?" } });

/* In every state. */
async function populate(box, count) {
	for (let i = 0; i < count; i++) {
		await begin(box, `session-${i}`);
		if (i % 5 === 4)
			await hook(box, `session-${i}`, "Stop");
		else if (i % 4 !== 2)
			await use(box, `session-${i}`, ...TOOLS[i % TOOLS.length]);
	}
	for (let i = 1; i < count; i += 10)
		await ask(box, `session-${i}`);
}

const membersOf = async (box) => (await api(box, "GET", "/api/crew")).members;
const handleOf = async (box, session) => (await membersOf(box)).find(({ id }) => id === session).handle;

async function openStage(box, more = {}) {
	const page = await open(box.openUrl(), { view: "stage", width: 1440, height: 900, ...more });

	await stateIs(page, "live");
	await eventually(() => page.evaluate(() => document.querySelector(".stage-host")?.dataset.painter === "ready"
		&& Boolean(document.querySelector(".stage-host").frame?.())), "the painter is there", 3 * PATIENCE_MS);
	return page;
}

/* Those that are sessions' figures, by name. */
const figures = (page) => page.evaluate(() => Object.fromEntries(document.querySelector(".stage-host").frame().entities
	.filter((one) => one.visible && one.session !== null)
	.map(({ semanticId, label, x, y, state, moving }) => [semanticId, { label, x, y, state, isMoving: moving !== null }])));
const place = (page, name) => page.evaluate((wanted) => document.querySelector(".stage-host").frame().document.scene.positions
	.find((one) => one.name === wanted), name);
const isNear = (one, { x, y, room }) => Math.abs(one.x - x) <= room.columns * room.dx && Math.abs(one.y - y) <= room.rows * room.dy;

/* It is there, and stands still in this pose. */
const stands = (page, name, pose) => eventually(async () => {
	const one = (await figures(page))[name];

	return one && !one.isMoving && one.state === pose ? one : null;
}, `${name} stands there: ${pose}`, 3 * PATIENCE_MS);

const box = await new Box().start();
for (const session of ["session-0", "session-1", "session-6"])
	await begin(box, session);
const page = await openStage(box);

test("three sessions of one agent are three figures, each with its handle", async () => {
	const members = await membersOf(box);

	assert.deepEqual(new Set(members.map(({ agentId }) => agentId)), new Set(["claude"]));
	await eventually(async () => Object.keys(await figures(page)).length === 3, "three are there", 3 * PATIENCE_MS);
	const there = await figures(page);
	for (const { id, handle } of members)
		assert.equal(there[`@${id}`]?.label, handle);
	assert.deepEqual(members.map(({ handle }) => handle).sort(), ["billing-api-1", "checkout-1", "checkout-2"]);
	assert.equal(await page.evaluate(() => document.querySelector(".stage-host").frame().entities
		.find(({ semanticId }) => semanticId === "claude").visible), false, "nobody is called claude");
});

test("place and pose follow the state of the crew", async () => {
	assert.equal((await stands(page, "@session-0", "thinking")).state, "thinking");
	for (const [tool, where] of [["Bash", "lab"], ["Read", "library"]]) {
		await use(box, "session-0", tool);
		await eventually(async () => isNear(await stands(page, "@session-0", "work"), await place(page, where)), `at the ${where}`, 3 * PATIENCE_MS);
		await done(box, "session-0", tool);
		await stands(page, "@session-0", "thinking");
	}
	await ask(box, "session-1");
	await eventually(async () => isNear(await stands(page, "@session-1", "waiting"), await place(page, "gate")), "at the gate", 3 * PATIENCE_MS);
	await hook(box, "session-0", "Stop");
	await stands(page, "@session-0", "sit");
});

test("the list beside the stage says what each does, on what and since when", async () => {
	await use(box, "session-6", "Bash", { command: "make all" });
	const row = (id) => page.evaluate((which) => document.querySelector(`.stage-crowd [data-id="${which}"]`)?.innerText ?? "", id);

	await eventually(async () => /checkout-2[^]*\d:\d\d[^]*Bash\s+make all/.test(await row("session-6")), "the tool and its target", 3 * PATIENCE_MS);
	await eventually(async () => /waits for you\s+Shall I drop the table\?/.test(await row("session-1")), "the question", 3 * PATIENCE_MS);
	assert.equal(await page.getAttribute(".stage-crowd li:first-child button", "data-id"), "session-1", "who waits is first");
	assert.doesNotMatch(await page.innerText(".stage-crowd ul"), /claude/i);
	const { list, stage } = await page.evaluate(() => ({
		list: document.querySelector(".stage-crowd").getBoundingClientRect().left,
		stage: document.querySelector(".stage-host").getBoundingClientRect().right,
	}));
	assert.ok(list >= stage - 1, "beside, and not on top of it");
});

test("a subagent comes beside its session, and goes when it is done", async () => {
	const agent = { agent_id: "a1", agent_type: "Explore" };

	await hook(box, "session-0", "SubagentStart", agent);
	await use(box, "session-0", "Grep", { pattern: "retry" }, agent);
	const sub = await stands(page, "Explore#a1@session-0", "work");
	const main = (await figures(page))["@session-0"];
	assert.ok(Math.hypot(sub.x - main.x, sub.y - main.y) < 100, JSON.stringify([sub, main]));
	await eventually(async () => /Explore[^]*Grep\s+retry/.test(await page.innerText(".stage-crowd li.sub")), "and is in the list", 3 * PATIENCE_MS);
	await hook(box, "session-0", "SubagentStop", agent);
	await eventually(async () => (await figures(page))["Explore#a1@session-0"] === undefined, "it is gone", 3 * PATIENCE_MS);
});

test("a click opens the session, on the stage and in the list", async () => {
	const { x, y } = await page.evaluate(() => {
		const host = document.querySelector(".stage-host"), box = host.getBoundingClientRect(), camera = host.camera();
		const actor = host.frame().entities.find(({ semanticId }) => semanticId === "@session-0");

		return { x: box.left + camera.x + actor.x * camera.zoom, y: box.top + camera.y + (actor.y - 24) * camera.zoom };
	});

	await page.mouse.click(x, y);
	await eventually(async () => new URL(page.url()).hash === `#/crew/${await handleOf(box, "session-0")}`, "its page", 3 * PATIENCE_MS);
	await page.goBack();
	await page.waitForSelector('.stage-crowd [data-id="session-6"]');
	await page.click('.stage-crowd [data-id="session-6"]');
	await eventually(async () => new URL(page.url()).hash === `#/crew/${await handleOf(box, "session-6")}`, "that of the other", 3 * PATIENCE_MS);
	await page.goBack();
});

test("a session that ends leaves", async () => {
	await hook(box, "session-6", "SessionEnd", { reason: "exit" });
	await eventually(async () => (await figures(page))["@session-6"] === undefined, "it left", 3 * PATIENCE_MS);
	await eventually(() => page.evaluate(() => document.querySelector('.stage-crowd [data-id="session-6"]') === null), "the list, too", 3 * PATIENCE_MS);
	assert.equal(Object.keys(await figures(page)).length, 2);
	await page.close();
	await box.remove();
});

/* Two that meet, if any do. */
const covered = (boxes) => boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.x < b.x + b.width - 2 && b.x < a.x + a.width - 2
	&& a.y < b.y + b.height - 2 && b.y < a.y + a.height - 2).map((b) => [a, b]));
const words = (of) => of.evaluate(() => document.querySelector(".stage-host").words());

async function shoot(of, name) {
	if (SHOTS)
		await of.screenshot({ path: join(SHOTS, `stage-${name}.png`) });
}

/* Everybody, and whatever they say, at these sizes; the questions are folded away. */
async function look(crowd, count) {
	const present = (await membersOf(crowd)).filter(({ group }) => group !== "over");

	for (const [device, width, height] of [["desk", 1440, 900], ["phone", 390, 844]])
		for (const scheme of ["light", "dark"]) {
			const one = await openStage(crowd, { width, height, scheme });

			await eventually(async () => Object.keys(await figures(one)).filter((name) => name.startsWith("@")).length === count,
				`all ${count} are there`, 3 * PATIENCE_MS);
			await one.click('[aria-label="Collapse the questions"]');
			await eventually(async () => Object.values(await figures(one)).every(({ isMoving }) => !isMoving), "they stand still", 3 * PATIENCE_MS);
			if (device === "desk")
				await eventually(async () => {
					const names = (await words(one)).filter(({ kind }) => kind === "name").map(({ of }) => of);

					return present.every(({ handle }) => names.includes(handle));
				}, "every name is read", 3 * PATIENCE_MS);
			for (let i = 0; i < 3; i++)
				assert.deepEqual(covered(await words(one)), [], `${count} on a ${device}`);
			await shoot(one, `${count}-${device}-${scheme}`);
			await one.close();
		}
}

for (const count of [3, 12, 30])
	test(`${count} sessions have room: names and bubbles do not cover one another`, async () => {
		const crowd = await new Box().start();

		await populate(crowd, count);
		await look(crowd, count);
		await crowd.remove();
	});

test("thirty who speak at once are heard a few at a time", async () => {
	const crowd = await new Box().start();

	for (let i = 0; i < 30; i++)
		await begin(crowd, `session-${i}`);
	const one = await openStage(crowd);
	await eventually(async () => Object.keys(await figures(one)).length === 30, "all are there", 3 * PATIENCE_MS);
	for (let i = 0; i < 30; i++)
		await crowd.emit({ type: "text_delta", source: "adapter:tap", correlationId: `session-${i}`,
			payload: { agentId: "claude", content: `I am number ${i} of thirty, and have much to say about all of it.` } });
	const bubbles = await eventually(async () => {
		const all = (await words(one)).filter(({ kind }) => kind === "bubble");

		return all.length > 1 ? all : null;
	}, "some speak", 3 * PATIENCE_MS);
	assert.ok(bubbles.length <= 4, `${bubbles.length}`);
	for (let i = 0; i < 5; i++)
		assert.deepEqual(covered((await words(one)).filter(({ kind }) => kind === "bubble")), []);
	await shoot(one, "30-speak");
	await crowd.remove();
});

test("nothing was refused, and no script failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
});
