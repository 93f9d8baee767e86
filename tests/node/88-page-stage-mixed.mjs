/* Sessions of every kind of source on the stage, in a real browser: of hooks, of OpenClaw, of a model
 * and of the run dialect, three of one agent each; then twelve and thirty of them, mixed. A picture of each
 * is written to the directory SHOTS where one is named. */
// long
// busy: 50

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "./agent.mjs";
import { Box, eventually, PATIENCE_MS, run, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";
import { api } from "./qualities.mjs";
import { Upstream } from "./upstream.mjs";

const { SHOTS } = process.env;
const up = await new Upstream().start();

if (SHOTS)
	mkdirSync(SHOTS, { recursive: true });

/* ---- sessions ---- */

async function connectModel(box) {
	const { source } = await api(box, "POST", "/api/sources", { url: up.url, protocol: "openai", name: "lab" });

	await eventually(async () => (await api(box, "GET", "/api/sources")).sources.some(({ id, state }) => id === source.id && state === "connected"),
		"the model is there", 3 * PATIENCE_MS);
	return source.id;
}

const askModel = async (box, id, prompt) => (await api(box, "POST", `/api/sources/${id}/ask`, { prompt, model: "model-a" })).run;

/* As the frames of a gateway are told. */
const claw = (box, id, type, payload = {}) => box.emit({ type, source: "claw", correlationId: id,
	payload: { agentId: "main", channel: "telegram", channelLabel: "", sessionKey: `agent:main:${id}`, ...payload } });
const clawBegins = (box, id) => claw(box, id, "agent_state_change", { from: "idle", to: "acting" });
const hook = (box, id, name, more = {}) => api(box, "POST", "/api/hooks/claude-code",
	{ hook_event_name: name, session_id: id, cwd: "/home/ada/checkout", permission_mode: "default", transcript_path: "/nowhere", ...more });

async function poet(box, id) {
	const agent = await Agent.join(box, id);

	agent.event("llm/start", { invokeid: "poet" });
	return agent;
}

/* ---- the page ---- */

async function openStage(box, more = {}) {
	const page = await open(box.openUrl(), { view: "stage", width: 1440, height: 900, ...more });

	await stateIs(page, "live");
	await eventually(() => page.evaluate(() => document.querySelector(".stage-host")?.dataset.painter === "ready"
		&& Boolean(document.querySelector(".stage-host").frame?.())), "the painter is there", 3 * PATIENCE_MS);
	return page;
}

const figures = (page) => page.evaluate(() => Object.fromEntries(document.querySelector(".stage-host").frame().entities
	.filter((one) => one.visible && one.session !== null)
	.map(({ id, semanticId, label, x, y, state, moving, speech }) =>
		[semanticId, { id, label, x, y, state, isMoving: moving !== null, words: speech?.full ?? "" }])));
const others = (page) => page.evaluate(() => document.querySelector(".stage-host").frame().entities
	.filter((one) => one.visible && one.session === null && one.isSomebody).map(({ label, semanticId }) => label || semanticId));
const membersOf = async (box) => (await api(box, "GET", "/api/crew")).members;
const until = (page, names) => eventually(async () => {
	const there = await figures(page);

	return names.every((name) => there[name] !== undefined) && there;
}, `${names} are there`, 3 * PATIENCE_MS);

/* A click on the figure, where nobody else stands before it. */
async function clickOn(page, name) {
	const { x, y } = await page.evaluate((who) => {
		const host = document.querySelector(".stage-host"), box = host.getBoundingClientRect(), camera = host.camera();
		const actor = host.frame().entities.find(({ semanticId, visible }) => visible && semanticId === who);

		return { x: box.left + camera.x + actor.x * camera.zoom, y: box.top + camera.y + (actor.y - 24) * camera.zoom };
	}, name);

	await page.mouse.click(x, y);
}

const box = await new Box().start();
const lab = await connectModel(box);
const asked = [];
const poets = [];

for (const i of [1, 2, 3]) {
	asked.push(await askModel(box, lab, "slow"));
	await clawBegins(box, `talk-${i}`);
	poets.push(await poet(box, `poem-${i}`));
}
const page = await openStage(box);
const NAMES = { model: asked.map((id) => `@${id}`), claw: [1, 2, 3].map((i) => `@talk-${i}`), poet: [1, 2, 3].map((i) => `@poem-${i}`) };
const ALL = Object.values(NAMES).flat();

test("three sessions of one agent are three figures with their handles, whichever source they are of", async () => {
	const there = await until(page, ALL);
	const members = await membersOf(box);

	assert.equal(Object.keys(there).length, 9);
	assert.equal(new Set(Object.values(there).map(({ id }) => id)).size, 9);
	for (const { id, handle } of members)
		assert.equal(there[`@${id}`]?.label, handle);
	assert.deepEqual(members.map(({ handle }) => handle).sort(), ["main", "model-a", "poet"].flatMap((name) => [1, 2, 3].map((i) => `${name}-${i}`)));
	assert.deepEqual((await others(page)).filter((name) => !/^you$/i.test(name)), [], "nobody is there under the name of an agent");
});

test("each has its own state and its own words, and who is called stands beside it", async () => {
	await claw(box, "talk-1", "tool_call", { toolName: "exec", callId: "c", input: { command: "ls" } });
	await claw(box, "talk-2", "text_delta", { content: "I am the second." });
	poets[1].event("llm/start", { invokeid: "critic" });
	poets[2].ask("p", "select", { prompt: "Which?", options: [{ label: "One", value: "1" }] });
	await eventually(async () => {
		const there = await figures(page);

		return there["@talk-1"].state === "work" && there["@talk-2"].state === "acting" && there["@talk-3"].state === "thinking"
			&& there["@poem-3"].state === "waiting" && there["@poem-1"].state === "thinking"
			&& Math.hypot(there["critic#critic@poem-2"]?.x - there["@poem-2"].x, there["critic#critic@poem-2"]?.y - there["@poem-2"].y) < 100;
	}, "five states", 3 * PATIENCE_MS);
	await eventually(async () => (await figures(page))["@talk-2"].words === "I am the second.", "its words", 3 * PATIENCE_MS);
	assert.equal((await figures(page))["@talk-1"].words, "");
});

test("a click on each opens its own session, and is told to its source", async () => {
	await page.click('[aria-label="Collapse the questions"]');
	for (const name of ["@talk-1", "@talk-2", "@poem-1", "@poem-3", NAMES.model[0], NAMES.model[1]]) {
		const member = (await membersOf(box)).find(({ id }) => `@${id}` === name);

		await eventually(async () => !(await figures(page))[name].isMoving, "it stands still", 3 * PATIENCE_MS);
		await clickOn(page, name);
		await eventually(() => new URL(page.url()).hash === `#/crew/${member.handle}`, `${member.handle}`, 3 * PATIENCE_MS);
		await eventually(async () => (await api(box, "GET", "/api/signals?type=user.click&limit=1")).signals
			.some(({ correlationId, payload }) => correlationId === member.id && payload.target === name), "a click of its run", 3 * PATIENCE_MS);
		await page.goBack();
		await until(page, [name]);
	}
});

test("one that ends leaves, with those whom it called; the others stay", async () => {
	await api(box, "POST", `/api/runs/${asked[0]}/cancel`, {});
	poets[1].event("runner/done", { "final-config": ["done"], status: "done" });
	await eventually(async () => {
		const there = await figures(page);

		return there[NAMES.model[0]] === undefined && there["@poem-2"] === undefined && there["critic#critic@poem-2"] === undefined;
	}, "they left", 3 * PATIENCE_MS);
	await claw(box, "talk-1", "completion", { taskId: "talk-1", success: true, result: "Done." });
	await eventually(async () => (await figures(page))["@talk-1"].state === "sit", "who can be asked again sits down", 3 * PATIENCE_MS);
	const there = await figures(page);
	for (const name of ["@talk-2", "@talk-3", "@poem-1", "@poem-3", NAMES.model[1], NAMES.model[2]])
		assert.ok(there[name], name);
});

test("the next run of a conversation is the same figure, and a page that comes later sees the same", async () => {
	const before = (await figures(page))["@talk-1"].id;

	await box.emit({ type: "agent_state_change", source: "claw", correlationId: "talk-1-again",
		payload: { agentId: "main", sessionKey: "agent:main:talk-1", from: "idle", to: "thinking" } });
	await eventually(async () => (await figures(page))["@talk-1"].state === "thinking", "it thinks again", 3 * PATIENCE_MS);
	assert.equal((await figures(page))["@talk-1"].id, before);
	assert.equal((await figures(page))["@talk-1-again"], undefined);
	const late = await openStage(box);
	const [there, now] = [await until(late, ["@talk-1"]), await figures(page)];
	assert.deepEqual(Object.entries(there).map(([name, { id }]) => [name, id]).sort(), Object.entries(now).map(([name, { id }]) => [name, id]).sort());
	await late.close();
	await page.close();
	poets.forEach((agent) => agent.leave());
	await box.remove();
});

/* ---- many ---- */

const covered = (boxes) => boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.x < b.x + b.width - 2 && b.x < a.x + a.width - 2
	&& a.y < b.y + b.height - 2 && b.y < a.y + a.height - 2).map((b) => [a, b]));
const words = (of) => of.evaluate(() => document.querySelector(".stage-host").words());

/* By turns of hooks, OpenClaw, the run dialect and a model, in many states. */
async function populate(crowd, count) {
	const id = await connectModel(crowd), agents = [];

	for (let i = 0; i < count; i++) {
		const name = `session-${i}`;

		if (i % 4 === 0) {
			await hook(crowd, name, "SessionStart", { source: "startup" });
			await hook(crowd, name, "UserPromptSubmit", { prompt: "Mend the flaky retry test" });
			await (i % 8 === 0 ? hook(crowd, name, "PreToolUse", { tool_name: "Bash", tool_input: { command: "npm test" }, tool_use_id: name })
				: hook(crowd, name, "Stop"));
		} else if (i % 4 === 1) {
			await clawBegins(crowd, name);
			if (i % 8 === 1)
				await claw(crowd, name, "tool_call", { toolName: "web_search", callId: "c", input: { query: "weather" } });
			else
				await claw(crowd, name, "completion", { taskId: name, success: true, result: "Done." });
		} else if (i % 4 === 2) {
			const agent = await poet(crowd, name);

			agents.push(agent);
			if (i % 8 === 6)
				agent.event("llm/start", { invokeid: "critic" });
		} else {
			await askModel(crowd, id, "slow");
		}
	}
	agents[0]?.ask("p", "select", { prompt: "Which of the two?", options: [{ label: "One", value: "1" }] });
	return agents;
}

for (const count of [3, 12, 30])
	test(`${count} sessions of all kinds have room`, async () => {
		const crowd = await new Box().start();
		const agents = await populate(crowd, count);

		for (const [device, width, height] of [["desk", 1440, 900], ["phone", 390, 844]])
			for (const scheme of ["light", "dark"]) {
				const one = await openStage(crowd, { width, height, scheme });

				await eventually(async () => Object.keys(await figures(one)).filter((name) => name.startsWith("@")).length === count,
					`all ${count} are there`, 3 * PATIENCE_MS);
				await one.click('[aria-label="Collapse the questions"]');
				for (let i = 0; i < 3; i++)
					assert.deepEqual(covered((await words(one)).filter(({ kind }) => kind === "name")), [], `${count} on a ${device}`);
				if (count > 8) {
					const most = device === "phone" ? 2 : 4;
					const bubbles = await eventually(async () => {
						const all = (await words(one)).filter(({ kind }) => kind === "bubble");

						return all.length > 0 ? all : null;
					}, "some speak", 3 * PATIENCE_MS);

					assert.ok(bubbles.length <= most, `${bubbles.length} speak on a ${device}`);
				}
				if (SHOTS)
					await one.screenshot({ path: join(SHOTS, `mixed-${count}-${device}-${scheme}.png`) });
				await one.close();
			}
		agents.forEach((agent) => agent.leave());
		await crowd.remove();
	});

test("nothing was refused, and no script failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	up.end();
});
