// long
// busy: 50
/* The voice view with the mock, in a real browser and with a real box: the control shell. Each state that a control can have,
 * each way to hold the button, cancel in each state, and everything that can go wrong. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";

const { SHOTS } = process.env;
const TRIGGERED = "[mocked user] What is the current mocked vertical slice?";
const PARTIAL = "[mocked partial] Placeholder push-to-talk transcript in progress.";
const ANSWER = "[mocked assistant] This is a deterministic mocked response from the gateway vertical slice.";
const SOCKET = /\/ws\/voice\?/;

/* Slow enough that each state can be looked at, and a box that has time. */
const box = new Box();
const TIMES = { FINAL: 500, SPEAKING: 1000, FIRST: 1500, SECOND: 2000, END: 2500 };
for (const [name, ms] of Object.entries(TIMES))
	box.env[`SIGNALBOX_VOICE_MOCK_${name}`] = `${ms}ms`;
await box.start();

/* What the page sends, and a hand between it and the box: `pass` false drops what comes, `socket` is the page's end. */
async function openVoice({ pass = () => true, ...options } = {}) {
	const hand = { sent: [], socket: null, pass };
	const page = await open(box.openUrl(), { view: "voice", ...options, async prepare(tab) {
		await tab.addInitScript(() => {
			window.microphones = 0;
			navigator.mediaDevices.getUserMedia = () => {
				window.microphones++;
				return Promise.reject(new DOMException("", "NotAllowedError"));
			};
		});
		await tab.routeWebSocket(SOCKET, (socket) => {
			const server = socket.connectToServer();

			hand.socket = socket;
			socket.onMessage((text) => {
				hand.sent.push(JSON.parse(text));
				server.send(text);
			});
			server.onMessage((text) => { if (hand.pass(JSON.parse(text))) socket.send(text); });
		});
		await options.prepare?.(tab);
	} });

	await stateIs(page, "live");
	return Object.assign(hand, { page });
}

const ready = ({ page }) => page.waitForSelector(".voice-talk:not([disabled])");
const says = (page, selector, words) =>
	eventually(() => page.evaluate(([one, wanted]) => document.querySelector(one)?.textContent === wanted, [selector, words]), `${selector}: ${words}`);
const connection = ({ page }, words) => says(page, ".voice-connection", words);
const session = ({ page }, words) => says(page, ".voice-session", words);
const types = ({ sent }) => sent.map(({ type }) => type).filter((type) => type !== "session.start");

/* Which can be used: talk, trigger, cancel, send. */
async function can({ page }, wanted) {
	const look = () => page.$$eval(".voice-talk, .voice-trigger, .voice-cancel, .voice-write button", (all) =>
		["voice-talk", "voice-trigger", "voice-cancel", ""].map((name) => Number(!all.find((one) => one.className === name).disabled)).join(""));

	await eventually(async () => await look() === wanted, `these can be used: ${wanted}`).catch(async (why) => {
		throw new Error(`${why.message}, but ${await look()}`);
	});
}

/* The turns as [heard, answer, state]. */
const turns = ({ page }) => page.$$eval(".voice-turn", (all) => all.map((one) =>
	[".voice-heard", ".voice-answer"].map((part) => one.querySelector(part).textContent).concat(one.dataset.state)));
const turnIs = (hand, wanted) => eventually(async () => JSON.stringify((await turns(hand)).at(-1)) === JSON.stringify(wanted), JSON.stringify(wanted));

test("before anybody is signed in there is no connection, and nothing can be pressed", async () => {
	const page = await open(box.origin, { view: "voice" });

	await stateIs(page, "signed-out");
	await connection({ page }, "not connected");
	await session({ page }, "none");
	assert.equal(await page.$$eval(".voice button:not([disabled])", (all) => all.length), 0);
	await page.context().close();
});

test("connecting, connected but not ready, ready, disconnected by hand, connected again", async () => {
	let holds = true;
	const hand = await openVoice({ pass: ({ type }) => !holds || type !== "session.ready" });

	await connection(hand, "connected");
	await can(hand, "0000");
	await session(hand, "none");
	await hand.page.click(".voice-connect");
	await connection(hand, "disconnected");
	await can(hand, "0000");
	holds = false;
	await hand.page.click(".voice-connect");
	await connection(hand, "connected");
	await can(hand, "1101");
	await session(hand, "idle");
	assert.match(await hand.page.textContent(".voice-shell"), /Control shell: the engine is a mock. No microphone is opened/);
	await hand.page.context().close();

	const slow = await open(box.openUrl(), { view: "voice", prepare: (tab) => tab.routeWebSocket(SOCKET, () => new Promise(() => {})) });
	await connection({ page: slow }, "connecting");
	await can({ page: slow }, "0000");
	await slow.context().close();
});

test("a mocked turn: each state, one at a time, and the words of the seed", async () => {
	const hand = await openVoice();

	await ready(hand);
	await hand.page.click(".voice-trigger");
	await session(hand, "listening");
	await can(hand, "0010");
	await session(hand, "thinking");
	await turnIs(hand, [TRIGGERED, "", "open"]);
	await can(hand, "0010");
	await session(hand, "speaking");
	await can(hand, "0010");
	await turnIs(hand, [TRIGGERED, ANSWER, "done"]);
	await can(hand, "1101");
	await session(hand, "idle");
	assert.deepEqual(types(hand), ["mocked.turn.trigger"]);
	/* It is a run, and one gets there. */
	await hand.page.click(".voice-run");
	await eventually(() => hand.page.evaluate((words) => document.querySelector("#view-runs:not([hidden])")?.textContent.includes(words), ANSWER.slice(0, 30)),
		"the run is shown");
	await hand.page.context().close();
});

/* Ways to hold the button, and to let it go. */
const WAYS = {
	"the mouse": [async ({ page }) => { await page.hover(".voice-talk"); await page.mouse.down(); }, ({ page }) => page.mouse.up()],
	"the mouse that slides off": [async ({ page }) => { await page.hover(".voice-talk"); await page.mouse.down(); await page.mouse.move(300, 200); },
		({ page }) => page.mouse.up()],
	"the space bar": [async ({ page }) => { await page.keyboard.down(" "); await page.keyboard.down(" "); }, ({ page }) => page.keyboard.up(" ")],
	"the space bar on the button": [async ({ page }) => { await page.focus(".voice-talk"); await page.keyboard.down(" "); },
		({ page }) => page.keyboard.up(" ")],
	"Enter, and Enter": [async ({ page }) => { await page.focus(".voice-talk"); await page.keyboard.press("Enter"); },
		({ page }) => page.keyboard.press("Enter")],
	"a program that reads the page out": [({ page }) => page.$eval(".voice-talk", (one) => one.click()),
		({ page }) => page.$eval(".voice-talk", (one) => one.click())],
};

for (const [way, [hold, release]] of Object.entries(WAYS))
	test(`push to talk by ${way}: one placeholder, the partial, the commit, the answer`, async () => {
		const hand = await openVoice();

		await ready(hand);
		await hold(hand);
		await session(hand, "listening");
		await turnIs(hand, [PARTIAL, "", "open"]);
		assert.equal(await hand.page.getAttribute(".voice-heard", "data-final"), "false");
		assert.equal(await hand.page.getAttribute(".voice-talk", "aria-pressed"), "true");
		await can(hand, "1010");
		assert.deepEqual(types(hand), ["input_audio.append"]);
		await release(hand);
		await can(hand, "0010");
		await session(hand, "thinking");
		const [[heard]] = await turns(hand);
		assert.match(heard, /^\[mocked final\] Placeholder push-to-talk transcript completed from 1 appended chunk/);
		assert.equal(await hand.page.getAttribute(".voice-heard", "data-final"), "true");
		await turnIs(hand, [heard, ANSWER, "done"]);
		assert.deepEqual(types(hand), ["input_audio.append", "input_audio.commit"]);
		assert.equal(await hand.page.evaluate(() => window.microphones), 0);
		await hand.page.context().close();
	});

test("push to talk by a finger; one that the system takes away drops what was said", async () => {
	const hand = await openVoice({ width: 390, height: 844, more: { hasTouch: true, isMobile: true } });
	const { page } = hand;
	const client = await page.context().newCDPSession(page);

	await ready(hand);
	const { x, y, width, height } = await page.locator(".voice-talk").boundingBox();
	const touch = (type, dy = 0) => client.send("Input.dispatchTouchEvent", { type,
		touchPoints: type === "touchEnd" || type === "touchCancel" ? [] : [{ x: x + width / 2, y: y + height / 2 + dy }] });
	await touch("touchStart");
	await session(hand, "listening");
	await touch("touchMove", -200);
	await can(hand, "1010");
	await touch("touchEnd");
	await session(hand, "thinking");
	await eventually(async () => (await turns(hand)).at(-1)[2] === "done", "the first turn is done");
	await touch("touchStart");
	await session(hand, "listening");
	await touch("touchCancel");
	await session(hand, "idle");
	await turnIs(hand, [PARTIAL, "", "cancelled"]);
	assert.deepEqual(types(hand), ["input_audio.append", "input_audio.commit", "input_audio.append", "response.cancel"]);
	await page.context().close();
});

test("the space bar is a space where one writes, and presses what has the focus", async () => {
	const hand = await openVoice();
	const { page } = hand;

	await ready(hand);
	await page.keyboard.press("/");
	await page.keyboard.type("what is up");
	assert.equal(await page.inputValue("#voice-text"), "what is up");
	assert.deepEqual(types(hand), []);
	await page.keyboard.press("Enter");
	await session(hand, "thinking");
	await turnIs(hand, ["what is up", "", "open"]);
	assert.deepEqual(hand.sent.at(-1), { type: "input_text", payload: { text: "what is up" } });
	await page.focus(".voice-cancel");
	await page.keyboard.press(" ");
	await turnIs(hand, ["what is up", "", "cancelled"]);
	assert.deepEqual(types(hand), ["input_text", "response.cancel"]);
	await page.context().close();
});

test("cancel in each state: what was drawn stays, and nothing comes after it", async () => {
	const hand = await openVoice();
	const { page } = hand;
	const stays = [];

	await ready(hand);
	const began = (state) => session(hand, state).then(() => turns(hand)).then((all) => all.at(-1));
	const cancelled = async ([heard, answer]) => {
		await session(hand, "idle");
		await turnIs(hand, [heard, answer, "cancelled"]);
		await can(hand, "1101");
		stays.push([heard, answer, "cancelled"]);
	};

	await page.keyboard.down(" ");
	await turnIs(hand, [PARTIAL, "", "open"]);
	await page.keyboard.press("Escape");
	await page.keyboard.up(" ");
	await cancelled([PARTIAL, ""]);
	await page.click(".voice-trigger");
	await began("listening");
	await page.click(".voice-cancel");
	await cancelled(["nothing was heard", ""]);
	await page.click(".voice-trigger");
	const thought = await began("thinking");
	await page.keyboard.press("Escape");
	await cancelled(thought);
	await page.click(".voice-trigger");
	await turnIs(hand, [TRIGGERED, "[mocked assistant]", "open"]);
	await page.click(".voice-cancel");
	await cancelled([TRIGGERED, "[mocked assistant]"]);
	/* Longer than a whole turn takes, and through the next one. */
	await page.click(".voice-trigger");
	await turnIs(hand, [TRIGGERED, ANSWER, "done"]);
	assert.deepEqual((await turns(hand)).slice(0, -1), stays);
	await page.context().close();
});

test("who leaves the view, or the window, talks no more", async () => {
	const hand = await openVoice();
	const { page } = hand;

	await ready(hand);
	for (const leave of [() => page.click("#views a[href='#/log']"), () => page.evaluate(() => window.dispatchEvent(new Event("blur"))),
		() => page.evaluate(() => {
			Object.defineProperty(document, "hidden", { configurable: true, value: true });
			document.dispatchEvent(new Event("visibilitychange"));
			delete document.hidden;
		})]) {
		await page.keyboard.down(" ");
		await eventually(() => types(hand).at(-1) === "input_audio.append", "somebody talks");
		await leave();
		await eventually(() => types(hand).at(-1) === "response.cancel", "and does not any more");
		await page.keyboard.up(" ");
		await page.evaluate(() => { location.hash = "#/voice"; });
		await session(hand, "idle");
		assert.match(await page.textContent(".voice-fault"), /You left the page/);
	}
	assert.ok(!types(hand).includes("input_audio.commit"));
	await page.context().close();
});

const GARBAGE = ["{", "", "null", "[]", "7", '{"type":"session.state"}', '{"type":"session.state","payload":{"value":"asleep"}}',
	'{"type":"response.text.delta","payload":{"text":{"a":1}}}', '{"type":"never.heard.of","payload":{}}', Buffer.from([0, 1, 2]),
	'{"type":"error","payload":{}}', '{"type":"constructor","payload":{}}'];

test("a server that says what is no message is a safe error state, and the session goes on", async () => {
	const hand = await openVoice();
	const { page } = hand;

	await ready(hand);
	for (const text of GARBAGE) {
		hand.socket.send(text);
		await eventually(async () => /does not understand/.test(await page.textContent(".voice-fault")), `a fault after ${text}`);
		await can(hand, "1101");
		hand.socket.send('{"type":"session.ready","payload":{"sessionId":"s","features":["turns","text","resume"]}}');
		await says(page, ".voice-fault", "");
	}
	await page.click(".voice-trigger");
	await session(hand, "thinking");
	hand.socket.send("{");
	await turnIs(hand, [TRIGGERED, ANSWER, "done"]);
	await page.context().close();
});

const ERRORS = [
	["invalid_json", "m", false, "The box did not understand this page: m."],
	["invalid_message", "m", false, "The box did not understand this page: m."],
	["mocked_turn_in_flight", "m", true, "A turn is under way: wait for its end, or cancel it."],
	["unsupported_mocked_turn_trigger", "m", false, "Mocked turns are switched off in the configuration (voice.trigger)."],
	["engine_unavailable", "nobody is there", true, "The speech engine is not available: nobody is there. You can try again."],
	["no_speech", "", false, "No speech was heard."],
	["too_long", "two minutes are the most", false, "That was too long: two minutes are the most."],
	["cancelled_upstream", "", true, "The answer was broken off where it comes from. You can try again."],
	["never_heard_of", "<img src=x onerror=alert(1)>", false, "Something went wrong: <img src=x onerror=alert(1)>."],
];

test("each error of the box is said in words, and one can go on", async () => {
	const hand = await openVoice();

	await ready(hand);
	for (const [code, message, retryable, said] of ERRORS) {
		hand.socket.send(JSON.stringify({ type: "error", payload: { code, message, retryable } }));
		await says(hand.page, ".voice-fault", said);
		await can(hand, "1101");
	}
	await hand.page.click(".voice-trigger");
	await says(hand.page, ".voice-fault", "");
	await hand.page.context().close();
});

test("a turn that the box ends with an error has failed, with what was drawn of it", async () => {
	const hand = await openVoice();
	const { page } = hand;

	await ready(hand);
	await page.click(".voice-trigger");
	await turnIs(hand, [TRIGGERED, "", "open"]);
	hand.pass = () => false;
	hand.socket.send('{"type":"error","payload":{"code":"cancelled_upstream","message":"the model is gone","retryable":true}}');
	hand.socket.send('{"type":"session.state","payload":{"value":"idle"}}');
	await turnIs(hand, [TRIGGERED, "", "failed"]);
	assert.equal(await page.textContent(".voice-end"), "failed: the model is gone");
	await can(hand, "1101");
	await page.context().close();
});

test("a connection that is lost is opened again, and the turn goes on where it stopped", async () => {
	const hand = await openVoice();
	const { page } = hand;

	await ready(hand);
	await page.click(".voice-trigger");
	await session(hand, "thinking");
	await hand.socket.close({ code: 1006 }).catch(() => hand.socket.close());
	await connection(hand, "disconnected");
	await can(hand, "0000");
	assert.match(await page.textContent(".voice-why"), /connection was lost/);
	await turnIs(hand, [TRIGGERED, ANSWER, "done"]);
	await connection(hand, "connected");
	assert.deepEqual(types(hand).slice(1), ["session.resume"]);
	assert.equal((await turns(hand)).length, 1);
	await can(hand, "1101");
	await page.context().close();
});

test("a box that ends is a lost connection, one that refuses an error; and it comes back by itself", async () => {
	const hand = await openVoice();
	const { page } = hand;

	await ready(hand);
	await page.click(".voice-trigger");
	await session(hand, "thinking");
	await box.end();
	await eventually(async () => ["disconnected", "error"].includes(await page.textContent(".voice-connection")), "it is lost");
	await can(hand, "0000");
	await box.start();
	await stateIs(page, "live");
	await connection(hand, "connected");
	await turnIs(hand, [TRIGGERED, "", "failed"]);
	await can(hand, "1101");
	await page.context().close();

	const refused = await open(box.openUrl(), { view: "voice", prepare: (tab) => tab.routeWebSocket(SOCKET, (socket) => socket.close({ code: 4001 })) });
	await eventually(async () => ["disconnected", "error"].includes(await refused.textContent(".voice-connection")), "it is refused");
	await can({ page: refused }, "0000");
	assert.notEqual(await refused.textContent(".voice-why"), "");
	await refused.context().close();
});

test("an answer is text and nothing else, also where it looks like markup", async () => {
	const hand = await openVoice();

	await ready(hand);
	await hand.page.click(".voice-trigger");
	await session(hand, "thinking");
	hand.socket.send(JSON.stringify({ type: "response.text.delta", payload: { text: "<img src=x onerror=alert(1)> **bold** [x](javascript:alert(1))" } }));
	await eventually(() => hand.page.$(".voice-answer strong, .voice-answer b"), "Markdown is drawn");
	assert.equal(await hand.page.$(".voice-answer img, .voice-answer a[href^=javascript]"), null);
	await hand.page.context().close();
});

for (const [name, width, height, scheme] of [["wide", 1440, 900, "dark"], ["phone", 390, 844, "light"]])
	test(`the whole shell is in sight on a ${name}`, async () => {
		const hand = await openVoice({ width, height, scheme });

		await ready(hand);
		await hand.page.click(".voice-trigger");
		await turnIs(hand, [TRIGGERED, ANSWER, "done"]);
		if (SHOTS) {
			mkdirSync(SHOTS, { recursive: true });
			await hand.page.screenshot({ path: join(SHOTS, `voice-${name}.png`) });
		}
		for (const part of [".voice-head", ".voice-thread", ".voice-talk", ".voice-cancel", ".voice-trigger", ".voice-write"]) {
			const { x, y, width: wide, height: high } = await hand.page.locator(part).boundingBox();
			assert.ok(x >= 0 && y >= 0 && x + wide <= width + 1 && y + high <= height + 1 && high > 20, `${part}: ${x} ${y} ${wide} ${high}`);
		}
		await hand.page.context().close();
	});

test("in all of this no page asked elsewhere, broke its policy or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
