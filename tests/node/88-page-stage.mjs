/* The stage in a real browser: what is seen and what can be done. */
// long
// busy: 65

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually, PATIENCE_MS, run, SLOW, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Agent } from "./agent.mjs";
import { Ear } from "./ear.mjs";
import { crowdShow, LONG_MS } from "./crowd.mjs";

const SMALL = { width: 720, height: 560 };
const box = await new Box().start();
const ear = await new Ear().start();
const token = () => readFileSync(join(box.data, "token"), "utf8").trim();
const DEFAULT = await request("GET", "/api/show");

async function request(method, path, body) {
	const answer = await fetch(`${box.origin}${path}`, {
		method, headers: { Authorization: `Bearer ${token()}`, "Content-Type": "application/json" },
		...body === undefined ? {} : { body: JSON.stringify(body) },
	});

	assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
	return answer.json();
}

/* The last signal of a type in the journal, once there is one that is newer. */
async function stored(type, after) {
	return eventually(async () => {
		const found = await request("GET", `/api/signals?type=${type}&limit=50`);

		return found.signals.find((signal) => signal.seq > after);
	}, `${type} is in the journal`);
}

async function newest() {
	const { signals } = await request("GET", "/api/signals?limit=1");

	return signals[0]?.seq ?? 0;
}

/* ---- what the page shows ---- */

async function openStage(options = {}) {
	const page = await open(box.openUrl(), { ...SMALL, view: "stage", ...options });

	await stateIs(page, "live");
	await eventually(() => page.evaluate(() => Boolean(document.querySelector(".stage-host")?.frame?.())),
		"a frame is drawn", 3 * PATIENCE_MS);
	return page;
}

async function painted(page) {
	await eventually(() => page.evaluate(() => document.querySelector(".stage-host").dataset.painter === "ready"),
		"the painter is there", 3 * PATIENCE_MS);
	return page;
}

/* Somebody as the page shows them now, and where that is on the screen. */
function seen(page, name) {
	return page.evaluate((who) => {
		const host = document.querySelector(".stage-host");
		const actor = host.frame()?.entities.find((one) => one.visible && (one.semanticId === who || one.id === who));
		const { x, y, zoom } = host.camera();
		const box = host.getBoundingClientRect();

		return actor ? {
			x: actor.x, y: actor.y, state: actor.state, moving: actor.moving, label: actor.label,
			words: actor.speech?.text, full: actor.speech?.full, thought: actor.speech?.thought, opacity: actor.opacity,
			screen: {
				x: box.left + x + actor.x * zoom,
				y: box.top + y + (actor.y - actor.look.displayHeight * ((actor.look.anchor?.[1] ?? 0.5) - 0.5)) * zoom,
			},
		} : null;
	}, name);
}

const appears = (page, name) => eventually(() => seen(page, name), `${name} is on the stage`);

/* Where somebody is who is not on their way. */
const stands = (page, name) => eventually(async () => {
	const actor = await seen(page, name);

	return actor?.moving === null ? actor : null;
}, `${name} stands somewhere`, 3 * PATIENCE_MS);

/* A place of the stage on the screen. */
function onScreen(page, x, y) {
	return page.evaluate(([sx, sy]) => {
		const host = document.querySelector(".stage-host");
		const camera = host.camera(), box = host.getBoundingClientRect();

		return { x: box.left + camera.x + sx * camera.zoom, y: box.top + camera.y + sy * camera.zoom };
	}, [x, y]);
}

/* All places as the page has them for this time. */
function places(page, t) {
	return page.evaluate((at) => document.querySelector(".stage-host").at(at).entities
		.map(({ id, x, y, state, visible, speech }) => ({ id, x, y, state, visible, text: speech?.text ?? "" }))
		.sort((a, b) => (a.id < b.id ? -1 : 1)), t);
}

function assertSamePlaces(found, wanted, words) {
	assert.equal(found.length, wanted.length);
	for (const [i, one] of found.entries()) {
		assert.ok(Math.hypot(one.x - wanted[i].x, one.y - wanted[i].y) < 0.5, `${words}: ${JSON.stringify([one, wanted[i]])}`);
		assert.deepEqual({ ...one, x: 0, y: 0 }, { ...wanted[i], x: 0, y: 0 }, words);
	}
}

/* What the box says of itself, in the shape of places(). */
async function said() {
	const stage = await request("GET", "/api/stage");

	return { ...stage, places: stage.entities
		.map(({ id, x, y, activeState, visible, speech }) => ({ id, x, y, state: activeState, visible, text: speech?.text ?? "" }))
		.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

const versionOf = (page) => page.evaluate(() => document.querySelector(".stage-host").version());

/* The words of an element that may not be there yet. */
async function says(page, selector, pattern) {
	let words = null;

	await eventually(async () => {
		words = await page.evaluate((which) => document.querySelector(which)?.textContent ?? null, selector);
		return words !== null && pattern.test(words);
	}, `${selector} says ${pattern}`, 3 * PATIENCE_MS).catch((why) => assert.fail(`${why.message}, but ${words}`));
}

/* Words that came up lie over the stage for a while, and longer under a pointer. */
async function quiet(page) {
	await page.mouse.move(1, 1);
	await page.waitForSelector(".toast", { state: "detached" });
}

/* Remembers what is seen on the page from now on, however short it lasts: the kinds of effects
 * with whom they are on, and who is on their way. */
const watchFor = (page) => page.evaluate(() => {
	const host = document.querySelector(".stage-host");

	window.glimpsed = new Set();
	clearInterval(window.watching);
	new MutationObserver((news) => news.forEach(({ addedNodes }) => addedNodes.forEach(({ classList }) =>
		classList?.forEach((name) => window.glimpsed.add(name))))).observe(document.body, { childList: true, subtree: true });
	window.watching = setInterval(() => {
		const { entities, effects } = host.at(host.time());
		const names = new Map(entities.map((one) => [one.id, one.semanticId]));

		for (const { kind, actor } of effects)
			window.glimpsed.add(`${kind} ${names.get(actor)}`);
		for (const one of entities)
			if (one.visible && one.moving)
				window.glimpsed.add(`${one.moving.kind} ${one.semanticId}`);
	}, 15);
});
const isGlimpsed = (page, what) => page.evaluate((one) => window.glimpsed.has(one), what);

/* What a signal makes is short, and a busy browser may miss it: then the same is said once more. */
function makes({ type, payload, correlationId }, ...all) {
	let looks = 0;

	return eventually(async () => {
		if (++looks % 100 === 0)
			await box.emit({ type, payload, correlationId });
		return (await Promise.all(all.map((what) => isGlimpsed(page, what)))).every((is) => is);
	}, `${all} is seen`);
}

/* ---- the first sight ---- */

test("an empty crew leads to the stage, and an empty stage says what it is and how somebody comes onto it", async () => {
	const page = await open(box.openUrl(), SMALL);

	await stateIs(page, "live");
	await says(page, ".crew-none:not([hidden])", /Nobody is at work yet.*signalbox tap install.*demo/s);
	await page.click(".crew-none a[href='#/stage']");
	await says(page, ".stage-welcome:not([hidden])", /agents at work.*signalbox tap install.*Play the demo/s);
	assert.match(page.url(), /#\/stage$/);
	await page.click(".stage-welcome button:has-text('Connect another agent')");
	assert.match(page.url(), /#\/sources/);
	await page.context().close();
});

test("a button of the empty stage plays the demo in the box that runs, and one that was ended once more", async () => {
	const own = await new Box().start();
	const page = await open(own.openUrl(), { ...SMALL, view: "stage" });
	const sources = () => JSON.parse(own.cli("sources", "--json"));
	const plays = () => eventually(() => sources()[0]?.state === "connected", "it plays");

	await page.click(".stage-welcome button:has-text('Play the demo')");
	await plays();
	await appears(page, "ada");
	await eventually(() => page.isHidden(".stage-welcome"), "the words give way");
	await eventually(() => page.isVisible("#demo"), "the page says that it is a demo");
	own.cli("sources", "disconnect", sources()[0].id);
	/* It would be long until all of them have left. */
	await page.$eval(".stage-welcome .stage-demo", (button) => button.click());
	await plays();
	assert.equal(sources().length, 1);
	await page.context().close();
	await own.remove();
});

const page = await painted(await openStage());

test("an agent walks in with its first signal, thinks, uses a tool and speaks", async () => {
	await request("POST", "/api/sources", { url: ear.url, name: "ear" });
	await eventually(() => ear.isDialled, "the source is connected");
	ear.send({ type: "agent_state_change", correlationId: "run:7", payload: { agentId: "ada", from: "idle", to: "thinking" } });
	await appears(page, "ada");
	await eventually(async () => (await seen(page, "ada")).state === "thinking", "she thinks");
	assert.equal(await page.isVisible(".stage-welcome"), false);
	ear.send({ type: "tool_call", correlationId: "run:7", payload: { agentId: "ada", toolName: "Read", callId: "c1", input: {} } });
	const start = await seen(page, "ada");
	await eventually(async () => Math.abs((await seen(page, "ada")).x - start.x) > 20, "she goes to the library");
	ear.send({ type: "thinking", correlationId: "run:7", payload: { agentId: "ada", content: "What does it say?" } });
	await eventually(async () => (await seen(page, "ada")).thought === true, "she thinks about it");
	ear.send({ type: "text_delta", correlationId: "run:7", payload: { agentId: "ada", content: "I read it." } });
	await eventually(async () => (await seen(page, "ada")).words === "I read it.", "she says it, letter by letter, and thinks no more");
	assert.equal((await seen(page, "ada")).thought, false);
});

test("who cannot see the canvas has a list of who is there, what they do and what they say", async () => {
	await page.keyboard.press("w");
	await eventually(async () => /ada.*(uses a tool|thinks|is idle)/s.test(await page.innerText(".stage-crowd ul")), "ada is in the list");
	await eventually(async () => /I read it\./.test(await page.innerText(".stage-crowd ul")), "and so is what she says");
	assert.equal(await page.getAttribute(".stage-crowd ul", "aria-live"), "polite");
	assert.doesNotMatch(await page.innerText(".stage-crowd ul"), /Library|Alarm/);
	await page.keyboard.press("w");
	await eventually(() => page.evaluate(() => document.querySelector(".stage-crowd").getBoundingClientRect().width <= 1),
		"it is out of the way again");
});

/* ---- what can be done ---- */

test("a click on somebody is a user.click of their episode, is seen, and reaches the source", async () => {
	const before = await newest();
	const { screen } = await seen(page, "ada");

	await watchFor(page);
	await page.mouse.click(screen.x, screen.y);
	await eventually(() => isGlimpsed(page, "stage-ripple"), "a ripple");
	const signal = await stored("user.click", before);
	assert.equal(signal.payload.target, "ada");
	assert.equal(signal.correlationId, "run:7");
	assert.equal(signal.source, "stage");
	await eventually(() => ear.heard.find((one) => one.type === "user.click" && one.payload.target === "ada"), "the source hears it");
	await makes(signal, "flash ada");
});

test("the card says who it is, and leads to their run and their log", async () => {
	await says(page, ".stage-card:not([hidden])", /ada.*I read it\./s);
	await page.click(".stage-card button:has-text('Its run')");
	assert.match(decodeURIComponent(page.url()), /#\/runs\/run:7$/);
	await page.keyboard.press("2");
	await page.click(".stage-card button:has-text('Its log')");
	assert.match(decodeURIComponent(page.url()), /#\/log\/\?f=correlation:"run:7"$/);
	await page.keyboard.press("2");
	await page.fill(".stage-card input", "say it again");
	const before = await newest();
	await page.keyboard.press("Enter");
	const signal = await stored("user.command", before);
	assert.deepEqual(signal.payload, { entityId: "ada", action: "say it again" });
	assert.equal(signal.correlationId, "run:7");
	await eventually(() => ear.heard.find((one) => one.type === "user.command" && one.payload.action === "say it again"),
		"the source hears it");
	await says(page, "#said", /ada was told: say it again/);
	const receipt = await stored("command.told", before);
	assert.deepEqual(receipt.payload, { signal: signal.id, told: true });
	await makes(signal, "fly letter", "flash ada");
	await page.keyboard.press("Escape");
	await page.waitForSelector(".stage-card", { state: "hidden" });
});

test("somebody is carried to a place: a user.move with its name, and a shade while it lasts", async () => {
	const before = await newest();
	const { screen } = await seen(page, "ada");
	const toolbox = DEFAULT.scene.positions.find((one) => one.name === "toolbox");
	const to = await onScreen(page, toolbox.x, toolbox.y);

	await page.mouse.move(screen.x, screen.y);
	await page.mouse.down();
	await page.mouse.move((screen.x + to.x) / 2, (screen.y + to.y) / 2, { steps: 3 });
	await page.mouse.move(to.x, to.y, { steps: 3 });
	await says(page, ".stage-shade", /ada → toolbox/);
	await page.mouse.up();
	const signal = await stored("user.move", before);
	assert.deepEqual(signal.payload, { entityId: "ada", toSlot: "toolbox" });
	assert.equal(signal.correlationId, "run:7");
	await says(page, "#said", /On the stage ada was put at toolbox/);
	await eventually(async () => Math.abs((await seen(page, "ada")).x - toolbox.x) < 0.5, "she goes there");
});

test("an empty click is a user.point, with a ripple there", async () => {
	const before = await newest();
	const at = await onScreen(page, 140, 500);

	await watchFor(page);
	await page.mouse.click(at.x, at.y);
	await eventually(async () => await isGlimpsed(page, "stage-ripple") && await isGlimpsed(page, "point"), "a ripple");
	assert.equal(await page.isVisible(".stage-card"), false);
	const { payload } = await stored("user.point", before);
	assert.ok(Math.hypot(payload.position.x - 140, payload.position.y - 500) < 2, JSON.stringify(payload));
});

test("a zone is drawn by hand: a user.zone, seen until it fades, and by others too", async () => {
	const other = await openStage();
	const before = await newest();
	const from = await onScreen(page, 600, 500), to = await onScreen(page, 800, 620);

	await page.click("[data-tool=zone]");
	assert.equal(await page.getAttribute("[data-tool=zone]", "aria-pressed"), "true");
	await page.mouse.move(from.x, from.y);
	await page.mouse.down();
	await page.mouse.move(to.x, to.y, { steps: 4 });
	await says(page, ".stage-zone", /200 × 120/);
	await page.mouse.up();
	const { payload } = await stored("user.zone", before);
	const { bounds } = payload;
	for (const [name, wanted] of Object.entries({ x: 600, y: 500, w: 200, h: 120 }))
		assert.ok(Math.abs(bounds[name] - wanted) < 2, JSON.stringify(bounds));
	assert.equal(await page.getAttribute("[data-tool=zone]", "aria-pressed"), "false");
	await other.waitForSelector(".stage-zone", { state: "attached" });
	await page.waitForSelector(".stage-zone", { state: "detached" });
	await other.context().close();
});

const menuOf = async (who, name = who) => {
	const { screen } = await stands(page, who);

	await page.mouse.click(screen.x, screen.y, { button: "right" });
	await page.waitForSelector(`[role=menu][aria-label="${name}"]:not([hidden]) [role=menuitem]`);
};

test("what the source of somebody cannot do is grey, with the reason, and does nothing", async () => {
	const before = await newest();

	await watchFor(page);
	await menuOf("ada");
	for (const words of ["Pause it", "Let it go on", "Interrupt it"]) {
		const item = page.locator("[role=menuitem]", { hasText: words });

		assert.equal(await item.getAttribute("aria-disabled"), "true", words);
		assert.match(await item.textContent(), /its source does not support that now/);
		await item.click({ force: true });
		assert.equal(await page.isVisible("[role=menu]"), true, `${words}: the menu waits for something that can be done`);
	}
	assert.equal(await page.evaluate(() => window.glimpsed.has("stage-ripple")), false, "nothing is seen to be done");
	await page.keyboard.press("Escape");
	await page.waitForSelector("[role=menu]", { state: "hidden" });
	const since = (await request("GET", `/api/signals?after=${before}&limit=1000`)).signals.map(({ type }) => type);
	assert.deepEqual(since.filter((type) => type === "control" || type === "user.command"), []);
});

test("an agent is paused and interrupted from the menu, and it is said when it was told", async () => {
	const agent = await Agent.join(box, "run:9");
	agent.event("llm/start", { invokeid: "eve" });
	agent.event("llm/delta", { invokeid: "eve", type: "text-delta", text: "I work." });
	await menuOf("@run:9", "eve-1");
	await page.click("[role=menuitem]:has-text('Pause it')");
	await eventually(() => agent.told.at(-1) === "pause", "the agent hears it");
	await says(page, "#said", /eve-1 was told to pause/);
	await menuOf("@run:9", "eve-1");
	await page.click("[role=menuitem]:has-text('Interrupt it')");
	await eventually(() => agent.told.at(-1) === "ui-interrupt", "the agent hears it");
	await says(page, "#said", /eve-1 was interrupted/);
	agent.leave();
});

test("who cannot be told anything is not told anything", async () => {
	await box.emit({ type: "text_delta", source: "loner", correlationId: "run:8", payload: { agentId: "mute", content: "I only speak." } });
	const { screen } = await stands(page, "mute");
	await page.mouse.click(screen.x, screen.y);
	await says(page, ".stage-card:not([hidden])", /mute.*It takes no commands: its source does not support that now/s);
	assert.equal(await page.isDisabled(".stage-card input"), true);
	assert.equal(await page.isDisabled(".stage-tell button"), true);
	const before = await newest();
	/* As if its source had gone after the card was drawn. */
	await page.$eval(".stage-tell", (form) => {
		form.querySelectorAll(":disabled").forEach((one) => { one.disabled = false; });
		form.querySelector("input").value = "stop";
		form.requestSubmit();
	});
	await says(page, "#warned", /mute was not told: /);
	assert.doesNotMatch(await page.textContent("#said"), /mute was told/);
	assert.equal(await page.inputValue(".stage-card input"), "stop", "what was written is kept");
	const command = await stored("user.command", before);
	const { payload } = await stored("command.told", before);
	assert.deepEqual([payload.signal, payload.told], [command.id, false]);
	assert.match(payload.why, /./);
	await page.keyboard.press("Escape");
});

test("everything goes without a mouse", async () => {
	let before = await newest();

	await page.focus(".stage-host");
	for (let i = 0; i < 4; i++) {
		await page.keyboard.press("n");
		if (await page.isVisible(".stage-card h2:has-text('ada')"))
			break;
	}
	assert.equal(await page.isVisible(".stage-card h2:has-text('ada')"), true);
	await page.keyboard.press("Enter");
	assert.equal((await stored("user.click", before)).payload.target, "ada");
	before = await newest();
	await page.keyboard.press("ContextMenu");
	await page.waitForSelector("[role=menu]:not([hidden])");
	await page.keyboard.press("ArrowDown");
	assert.match(await page.evaluate(() => document.activeElement.textContent), /^Pause it/);
	await page.keyboard.press("Escape");
	await page.waitForSelector(".stage-card input:enabled");
	await page.focus(".stage-card input");
	await page.keyboard.type("wait");
	await page.keyboard.press("Enter");
	assert.equal((await stored("user.command", before)).payload.action, "wait");
	before = await newest();
	await page.keyboard.press("Escape");
	await page.keyboard.press("z");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("Shift+ArrowDown");
	await page.keyboard.press("Enter");
	const { bounds } = (await stored("user.zone", before)).payload;
	assert.deepEqual([bounds.w, bounds.h], [160, 130]);
	before = await newest();
	await page.keyboard.press("x");
	await page.keyboard.press("ArrowLeft");
	await page.keyboard.press("Enter");
	assert.ok((await stored("user.point", before)).payload.position.x > 0);
	await page.keyboard.press("Escape");
});

test("the view is brought nearer, pushed, and fitted again", async () => {
	const camera = () => page.evaluate(() => ({ ...document.querySelector(".stage-host").camera() }));
	const fitted = await camera();
	const at = await onScreen(page, 300, 430);

	await quiet(page);
	await page.mouse.move(at.x, at.y);
	await page.mouse.wheel(0, -400);
	await eventually(async () => (await camera()).zoom > fitted.zoom * 1.3, "the wheel brings it nearer");
	const still = await onScreen(page, 300, 430);
	assert.ok(Math.hypot(still.x - at.x, still.y - at.y) < 2, "around the pointer");
	const near = await camera();
	await page.mouse.down({ button: "middle" });
	await page.mouse.move(at.x + 60, at.y + 30, { steps: 3 });
	await page.mouse.up({ button: "middle" });
	await eventually(async () => (await camera()).x > near.x + 30, "the middle button pushes it");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("-");
	await page.keyboard.press("0");
	await eventually(async () => {
		const { x, zoom } = await camera();

		return Math.abs(zoom - fitted.zoom) < 0.001 && Math.abs(x - fitted.x) < 1;
	}, "0 shows all of it");
});

test("the legend explains places and states, and the overlay shows our time", async () => {
	await page.keyboard.press("l");
	await says(page, ".stage-legend", /thinking.*waits for you.*Library.*Reading.*Workshop.*Writing/s);
	await page.keyboard.press("l");
	assert.equal(await page.$(".stage-legend"), null);
	await page.keyboard.press("o");
	await says(page, ".stage-meter", /script \d+\.\d\d ms .* (1\d|2\d) of \d+ drawn/);
	await page.keyboard.press("o");
});

test("nothing is drawn while another view is shown", async () => {
	const frames = () => page.evaluate(() => document.querySelector(".stage-host").readings().frames);

	await page.keyboard.press("3");
	await page.waitForSelector("#view-stage", { state: "hidden" });
	let before = -1;
	await eventually(async () => {
		before = await frames();
		await sleep(300);
		return await frames() === before;
	}, "nothing is drawn");
	await page.keyboard.press("2");
	await eventually(async () => await frames() > before, "and goes on then");
});

/* ---- the same for everybody ---- */

test("two pages, one of which came late, show a running flight at the same place as the box", async () => {
	await request("PUT", "/api/show", crowdShow(200, 50));
	await box.emit({ type: "go", source: "tester", payload: {} });
	const late = await openStage();
	const now = await eventually(async () => {
		const stage = await said();

		return await versionOf(page) === stage.version && await versionOf(late) === stage.version ? stage : null;
	}, "both have heard everything");

	assert.ok(now.tweens.length >= 50, `${now.tweens.length} under way`);
	for (const t of [now.at, now.at + 700, now.at + 4000])
		assertSamePlaces(await places(late, t), await places(page, t), `late at ${t - now.at}`);
	assertSamePlaces(await places(page, now.at), now.places, "as the box says");
	for (const one of [page, late]) {
		const off = await one.evaluate(() => document.querySelector(".stage-host").time() - Date.now());

		assert.ok(Math.abs(off) < 2000 * SLOW, `the page's time is ${off} ms from the server's`);
	}
	await late.context().close();
});

test("a server that comes back goes on where it was, and so does the page", async () => {
	await quiet(page);
	ear.send({ type: "text_delta", correlationId: "run:7", payload: { agentId: "s110", content: "I am one of many." } });
	/* A page whose size has changed shows them elsewhere some frames later. */
	const { screen } = await eventually(async () => {
		const actor = await stands(page, "s110");

		await page.mouse.click(actor.screen.x, actor.screen.y);
		const card = page.waitForSelector(".stage-card button:has-text('Its run')", { timeout: 3000 });
		return await card.then(() => actor, () => null);
	}, "the card of one who is in a run");
	await page.waitForSelector(".stage-card input:enabled");
	await page.fill(".stage-card input", "hold on");
	await box.end("SIGTERM");
	await stateIs(page, "lost");
	await page.focus(".stage-card input");
	await page.keyboard.press("Enter");
	await says(page, "#warned", /server is not reachable/);
	assert.equal(await page.inputValue(".stage-card input"), "hold on", "what was written is kept");
	await page.keyboard.press("Escape");
	await page.$$eval("#warned .toast", (all) => all.forEach((one) => one.remove()));
	await page.mouse.click(screen.x, screen.y);
	await says(page, "#warned", /server is not reachable/);
	await says(page, ".stage-card:not([hidden])", /One.*It takes no commands: the server does not list the supported controls/s);
	assert.equal(await page.isDisabled(".stage-card input"), true);
	await box.start();
	await stateIs(page, "live");
	await page.waitForSelector(".stage-card input:enabled");
	await page.keyboard.press("Escape");
	const now = await eventually(async () => {
		const stage = await said();

		return await versionOf(page) === stage.version ? stage : null;
	}, "the page has heard everything");
	assertSamePlaces(await places(page, now.at), now.places, "after the restart");
	assert.ok(now.tweens.length > 0, "it goes on");
});

test("a show that is stopped says so, and can be started", async () => {
	await request("POST", "/api/show/stop");
	await says(page, ".stage-note:not([hidden])", /show is stopped/);
	await page.click(".stage-note button");
	await page.waitForSelector(".stage-note", { state: "hidden" });
	assert.equal((await request("GET", "/api/stage")).running, true);
});

test("who wants less motion sees where things lead, and no idle motion", async () => {
	await page.emulateMedia({ reducedMotion: "reduce" });
	await request("PUT", "/api/show", crowdShow(12, 10));
	await box.emit({ type: "go", source: "tester", payload: {} });
	await eventually(async () => {
		const one = await seen(page, "s1");

		return one && Math.hypot(one.x - 900, one.y - 600) < 0.5 && one.moving === null && one.opacity === 1;
	}, "it is there at once");
	await page.emulateMedia({ reducedMotion: "no-preference" });
	await eventually(async () => (await seen(page, "s1")).moving !== null, "and on its way for others");
	await page.emulateMedia({ reducedMotion: "reduce" });
	await request("PUT", "/api/show", crowdShow(3, 0));
	await page.mouse.move(1, 1);
	await eventually(async () => {
		const before = await page.locator(".stage-canvas").screenshot();

		await sleep(400);
		return before.equals(await page.locator(".stage-canvas").screenshot());
	}, "nothing moves when nothing happens");
	await page.emulateMedia({ reducedMotion: "no-preference" });
	await eventually(async () => {
		const before = await page.locator(".stage-canvas").screenshot();

		await sleep(400);
		return !before.equals(await page.locator(".stage-canvas").screenshot());
	}, "others see them breathe");
});

/* ---- without a picture ---- */

test("without WebGL there are words, and the list of who is there", async () => {
	await box.cli("show", "use", "--default");
	const blind = await openStage();

	await blind.addInitScript(() => {
		HTMLCanvasElement.prototype.getContext = () => null;
		OffscreenCanvas.prototype.getContext = () => null;
	});
	await blind.reload();
	await stateIs(blind, "live");
	await says(blind, ".stage-crowd.alone", /cannot draw the stage.*WebGL/s);
	ear.send({ type: "text_delta", correlationId: "run-8", payload: { agentId: "ada", content: "Still here." } });
	await says(blind, ".stage-crowd.alone ul", /ada.*Still here\./s);
	const before = await newest();
	await blind.click(".stage-crowd button:has-text('ada')");
	assert.equal((await stored("user.click", before)).correlationId, "run-8");
	await blind.context().close();
});

test("a drawing that the browser takes away is said, and comes back", async () => {
	const lose = () => page.evaluate(() => {
		const canvas = document.querySelector(".stage-canvas canvas");
		const gl = canvas.getContext("webgl2") ?? canvas.getContext("webgl");

		window.lost = gl.getExtension("WEBGL_lose_context");
		window.lost.loseContext();
	});

	await painted(page);
	await lose();
	await says(page, ".stage-crowd.alone", /dropped the WebGL context/);
	await page.evaluate(() => window.lost.restoreContext());
	await eventually(() => page.evaluate(() => !document.querySelector(".stage-crowd").classList.contains("alone")), "it is back");
});

test("nothing was refused by the page's own rules, and nothing left the origin", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	ear.end();
	await box.remove();
});
