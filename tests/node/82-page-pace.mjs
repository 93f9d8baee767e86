/* A page that cannot keep up says so, skips to the newest, and shows at once what agents ask and that
 * they were told: that and the signals come by connections of their own. The feed is held back between the box and the page,
 * so that nothing here depends on how fast a machine is. */
// busy: 15

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Box, eventually, run, test } from "./lib.mjs";
import { Ear } from "./ear.mjs";
import { close, faults, open, rowsInSight, stateIs } from "./browser.mjs";

const box = await new Box().start();

/* Between the box and the feed of a page. */
function makeDam() {
	const waiting = [];
	let isShut = false;
	let pass = null;

	const dam = {
		shut() { isShut = true; },
		get waiting() { return waiting.length; },
		open() {
			isShut = false;
			waiting.splice(0).forEach((message) => pass(message));
		},
		prepare: (page) => page.routeWebSocket(/\/ws\?/, (socket) => {
			const server = socket.connectToServer();
			let isFeed = false;

			socket.onMessage((message) => {
				const { op, types } = JSON.parse(message);

				/* The other connection of the page names the few types that it wishes for. */
				if (op === "subscribe" && types === undefined) {
					isFeed = true;
					pass = (text) => socket.send(text);
				}
				server.send(message);
			});
			server.onMessage((message) => {
				if (isShut && isFeed)
					waiting.push(message);
				else
					socket.send(message);
			});
		}),
	};
	return dam;
}

const numbered = (from, count) => Array.from({ length: count }, (_, i) =>
	({ type: "text_delta", source: "counter", correlationId: "run", payload: { agentId: "a", content: `number ${from + i};` } }));
const state = async (page) => await page.textContent("#state-words") + await page.textContent("#state-more");

test("a page whose second connection is refused says so, and catches up when it is not", async () => {
	const narrow = new Box();

	narrow.env = { SIGNALBOX_LIMITS_CALLER_CONNECTIONS: "1" };
	await narrow.start();
	const page = await open(narrow.openUrl(), { view: "log" });
	await eventually(async () => /^catching up: the box refuses the second connection/.test(await state(page)), "it says why");
	narrow.env = {};
	await narrow.end("SIGTERM");
	await narrow.start();
	await stateIs(page, "live");
	assert.equal(await page.textContent("#state-more"), "");
	await page.close();
	await narrow.end();
});

test("a question is there while the signals before it are not", async () => {
	const dam = makeDam();
	const page = await open(box.openUrl(), { view: "log", prepare: dam.prepare });

	await stateIs(page, "live");
	await box.emit(...numbered(1, 5));
	await eventually(async () => (await rowsInSight(page)).some((row) => row.includes("number 5;")), "they come");
	dam.shut();
	await box.emit(...numbered(6, 5));
	await box.emit({ type: "prompt", source: "asker", correlationId: "asks", payload: { type: "confirm", prompt: "May I overtake?" } });
	await page.getByText("May I overtake?").first().waitFor();
	assert.ok(dam.waiting >= 5, String(dam.waiting));
	assert.ok(!(await rowsInSight(page)).some((row) => row.includes("number 6;")));
	dam.open();
	await eventually(async () => (await rowsInSight(page)).some((row) => row.includes("number 10;")), "they come after all");
	await page.close();
});

test("that an agent was told is said while the signals before it are not there", async () => {
	const dam = makeDam();
	const page = await open(box.openUrl(), { view: "stage", prepare: dam.prepare });
	const ear = await new Ear().start();

	await stateIs(page, "live");
	const added = await fetch(`${box.origin}/api/sources`, {
		method: "POST", body: JSON.stringify({ url: ear.url, name: "ear" }),
		headers: { Authorization: `Bearer ${readFileSync(join(box.data, "token"), "utf8").trim()}`, "Content-Type": "application/json" },
	});
	assert.ok(added.ok, String(added.status));
	await eventually(() => ear.isDialled, "the source is connected");
	ear.send({ type: "text_delta", correlationId: "hears", payload: { agentId: "eve", content: "I listen." } });
	/* The list is there for those who cannot see the canvas. */
	await page.locator(".stage-crowd button", { hasText: "eve" }).dispatchEvent("click");
	await page.waitForSelector(".stage-card input:enabled");
	dam.shut();
	await box.emit(...numbered(11, 5));
	await page.fill(".stage-card input", "hurry");
	await page.keyboard.press("Enter");
	await page.getByText("eve was told: hurry").waitFor();
	assert.ok(dam.waiting >= 5, String(dam.waiting));
	dam.open();
	ear.end();
	await page.close();
});

test("a page that is behind says by how much, and is live again when it is not", async () => {
	const dam = makeDam();
	const page = await open(box.openUrl(), { view: "log", prepare: dam.prepare });

	await stateIs(page, "live");
	dam.shut();
	await box.emit(...numbered(11, 5));
	await eventually(async () => /^live, \d+\.\d s behind$/.test(await state(page)), "it says so");
	dam.open();
	await eventually(async () => await state(page) === "live", "it says that it is there");
	assert.ok((await rowsInSight(page)).some((row) => row.includes("number 15;")));
	await page.close();
});

test("a page that is far behind skips to the newest, and the log says what it skipped", async () => {
	const dam = makeDam();
	const page = await open(box.openUrl(), { view: "log", prepare: dam.prepare });

	await stateIs(page, "live");
	dam.shut();
	await box.emit(...numbered(16, 5000));
	await eventually(async () => (await rowsInSight(page)).some((row) => /skipped/.test(row)), "it skips");
	dam.open();
	await eventually(async () => (await rowsInSight(page)).some((row) => row.includes("number 5015;")), "the newest is there");
	await eventually(async () => await state(page) === "live", "it is not behind");
	await page.close();
});

test("no page did what it may not", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
