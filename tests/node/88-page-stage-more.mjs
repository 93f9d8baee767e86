/* More agents are at work than the stage has figures for, and the page says so. */
// long
// busy: 10

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Box, eventually, PATIENCE_MS, run, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";
import { part } from "./ui.mjs";

const FIGURES = 10;         /* so many the show has, for who is not known by name */
const SIZES = [[1280, 800, "light"], [720, 560, "dark"], [390, 780, "light"]];
const { makeModel } = await part("stage/model.ts");
const box = await new Box().start();
const token = () => readFileSync(join(box.data, "token"), "utf8").trim();

async function request(method, path, body) {
	const answer = await fetch(`${box.origin}${path}`, {
		method, headers: { Authorization: `Bearer ${token()}`, "Content-Type": "application/json" },
		...body === undefined ? {} : { body: JSON.stringify(body) },
	});

	assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
	return answer.json();
}

const becomes = (n, to) => request("POST", "/api/signal",
	{ type: "agent_state_change", source: "crew", correlationId: `job-${n}`, payload: { agentId: `agent-${n}`, from: "idle", to } });

const show = await request("GET", "/api/show");
const spare = show.scene.entities.filter(({ standIn }) => standIn).slice(FIGURES);
await request("PUT", "/api/show", { ...show, scene: { ...show.scene, entities: show.scene.entities.filter((one) => !spare.includes(one)) } });
const page = await open(box.openUrl(), { width: 720, height: 560, view: "stage" });
await stateIs(page, "live");
await eventually(() => page.evaluate(() => Boolean(document.querySelector(".stage-host")?.frame?.())), "a frame is drawn", 3 * PATIENCE_MS);

/* What stands at the edge; "" while it is hidden. */
const edge = () => page.evaluate(() => {
	const note = document.querySelector(".stage-more");

	return note.checkVisibility() ? note.textContent : "";
});

const says = (words) => eventually(async () => await edge() === words, `the edge says "${words}"`, 3 * PATIENCE_MS);

const shown = () => page.evaluate(() => document.querySelector(".stage-host").frame().entities
	.filter((one) => one.visible && one.semanticId.startsWith("agent-")).map((one) => one.semanticId).sort());

/* Is all of it in sight, and nothing else of the page below or above it? */
const standsAlone = () => page.evaluate(() => {
	const note = document.querySelector(".stage-more"), box = note.getBoundingClientRect();
	const others = [".stage-tools", ".stage-meter", "#views", "#top", ".stage-card"];
	const meets = others.filter((one) => {
		const other = document.querySelector(one);
		const b = other?.checkVisibility() ? other.getBoundingClientRect() : null;

		return b && b.width && b.left < box.right && b.right > box.left && b.top < box.bottom && b.bottom > box.top;
	});
	const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);

	return [...meets, ...top === note ? [] : [`below ${top?.className}`],
		...box.left < 0 || box.right > innerWidth || box.bottom > innerHeight ? ["out of sight"] : []];
});

test("with a figure for everybody nothing is said", async () => {
	for (let n = 0; n < FIGURES; n++)
		await becomes(n, "thinking");
	await eventually(async () => (await shown()).length === FIGURES, "ten are on stage", 3 * PATIENCE_MS);
	assert.equal(await edge(), "");
	assert.equal((await request("GET", "/api/stage")).offstage, 0);
});

test("whoever has none is counted at the edge, in every size and theme, and hides nothing", async () => {
	for (let n = FIGURES; n < FIGURES + 3; n++)
		await becomes(n, "thinking");
	assert.equal((await request("GET", "/api/stage")).offstage, 3);
	await says("and 3 more at work");
	await page.keyboard.press("o");
	await eventually(() => page.evaluate(() => document.querySelector(".stage-meter").textContent !== ""), "the meter is there",
		3 * PATIENCE_MS);
	for (const [width, height, colorScheme] of SIZES) {
		await page.setViewportSize({ width, height });
		await page.emulateMedia({ colorScheme });
		await eventually(() => page.evaluate((wanted) => document.querySelector(".stage-host").clientWidth <= wanted, width), "it has that size");
		assert.equal(await edge(), "and 3 more at work");
		assert.deepEqual(await standsAlone(), [], `at ${width} x ${height}`);
	}
});

test("it follows as agents come and go, and a place that became free is given to the next", async () => {
	await says("and 3 more at work");
	await becomes(FIGURES + 3, "acting");
	await says("and 4 more at work");
	await becomes(3, "done");
	await eventually(async () => (await request("GET", "/api/stage")).entities
		.find((one) => one.semanticId === "agent-3")?.activeState === "idle", "agent-3 is at home");
	await becomes(FIGURES, "acting");
	await says("and 3 more at work");
	await eventually(async () => (await shown()).includes(`agent-${FIGURES}`), "the eleventh is on stage", 3 * PATIENCE_MS);
	assert.equal((await shown()).includes("agent-3"), false);
	for (const n of [1, 2])
		await becomes(FIGURES + n, "done");
	await says("and 1 more at work");
	await becomes(FIGURES + 3, "done");
	await says("");
});

test("it leads to the crew, where all of them are; and the list of who is there says it too", async () => {
	await becomes(FIGURES + 1, "thinking");
	await says("and 1 more at work");
	await eventually(() => page.evaluate(() => document.querySelector(".stage-crowd-more").textContent === "and 1 more at work"),
		"the list says so", 3 * PATIENCE_MS);
	await page.click(".stage-more");
	await eventually(() => page.evaluate((last) => location.hash === "#/crew"
		&& document.querySelector(`#view-crew [data-id="${last}"]`) !== null, `job-${FIGURES + 1}`), "the crew has it", 3 * PATIENCE_MS);
});

test("who comes when a place is free is seen as they are", async () => {
	const model = makeModel();
	const document = {
		entities: {}, scene: { dimensions: { width: 9, height: 9 }, layers: [{ id: "l", order: 0 }],
			entities: [{ id: "s1", entityId: "e", standIn: true, x: 1, y: 2, layerId: "l", visible: false }] },
	};
	const tell = (version, action, entityRef, params) =>
		model.fold(version, { kind: "execute", at: version, performanceId: "perf-1", action, entityRef, params });

	model.begin(document, { version: 1, at: 1, show: "x", running: true, offstage: 2, entities: [], tweens: [] });
	assert.equal(model.offstage, 2);
	tell(2, "cast", "ada", { id: "s1", label: "ada", state: "work" });
	tell(3, "offstage", "", { count: 1 });
	assert.equal(model.offstage, 1);
	const [ada] = model.frame(4).entities;
	assert.deepEqual([ada.semanticId, ada.visible, ada.state], ["ada", true, "work"]);
	tell(5, "cast", "bela", { id: "s1", label: "bela" });
	const [bela] = model.frame(6).entities;
	assert.deepEqual([bela.semanticId, bela.visible, bela.state], ["bela", false, "idle"]);
});

test("nothing was refused by the page's own rules, and nothing left the origin", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
