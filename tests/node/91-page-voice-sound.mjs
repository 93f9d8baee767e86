// long
// busy: 40
/* The voice view with an engine that hears and speaks, in a real browser: its microphone plays a file, its loudspeaker is
 * recorded. The engine is this test: it says what a box with one says. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";
import { difference, fitting, microphone, played, RATE, record, spoken, sweep as sweepAt, tonesIn, TONES } from "./loudspeaker.mjs";
import { part } from "./ui.mjs";

const { toBase64, toPcm } = await part("voice/sound.ts");

const FRAME = 320;
const ANSWER_RATE = 22050, ANSWER_SECONDS = 1.5;
const SILENT_MS = 50;
const TRIES = 6;                           /* of which one must be as fast; a machine that does other things may be late */
const HAS_MICROPHONE = microphone(spoken());
const sweep = (seconds) => sweepAt(seconds, ANSWER_RATE);
const SOCKET = /\/ws\/voice\?/;
const FEATURES = ["turns", "audio", "text", "tools", "vad", "resume"];
const ENGINES = {
	ok: true, engine: "custom", hosted: true, hear: { kind: "wyoming", place: "tcp://ear.example:10300", hosted: true },
	think: { kind: "source", source: "claude" }, say: { kind: "wyoming", place: "tcp://127.0.0.1:10200", hosted: false },
	local: { state: "unchecked" },
	features: FEATURES, limits: { seconds: 120, sessions: 8, engaged: 0 },
};
const box = await new Box().start();

/* ---- the engine ---- */

class Engine {
	sent = [];
	heard = Buffer.alloc(0);
	turn = 0;
	answers = true;
	features = FEATURES;
	#seq = 0;
	#socket = null;

	take(socket) {
		this.#socket = socket;
		this.#say("session.ready", { sessionId: "s" });
		this.#say("session.state", { value: "idle" });
		socket.onMessage((text) => this.#hear(JSON.parse(text)));
	}

	#say(type, payload, ofTurn = false) {
		this.#socket.send(JSON.stringify({ type, payload: { ...payload, seq: ++this.#seq, ...ofTurn ? { turnId: `turn-${this.turn}` } : {} } }));
	}

	say(type, payload = {}) {
		this.#say(type, payload, true);
	}

	#hear({ type, payload }) {
		this.sent.push(type);
		if (type === "session.start") {
			this.#say("session.ready", { sessionId: "s", features: this.features });
			this.#say("session.state", { value: "idle" });
		} else if (type === "input_audio.append") {
			this.#append(Buffer.from(payload.chunk, "base64"));
		} else if (type === "input_audio.commit") {
			this.say("transcript.final", { text: `heard ${this.heard.length / 2 / RATE} s` });
			this.say("session.state", { value: "thinking" });
			if (this.answers)
				this.answer();
		} else if (type === "input_text") {
			this.turn++;
			this.say("transcript.final", { text: payload.text });
			this.say("session.state", { value: "thinking" });
			this.answer();
		} else if (type === "response.cancel") {
			this.#say("output_audio.clear", {});
			this.#say("session.state", { value: "idle" });
		}
	}

	#append(sound) {
		if (this.sent.at(-2) !== "input_audio.append") {
			this.turn++;
			this.heard = Buffer.alloc(0);
			this.say("session.state", { value: "listening" });
			this.say("speech.started");
		}
		this.heard = Buffer.concat([this.heard, sound]);
		if (this.heard.length % (25 * 2 * FRAME) === 0)
			this.say("transcript.partial", { text: `${this.heard.length / 2 / RATE} s so far` });
	}

	/* As a synthesiser does: faster than it is spoken, in pieces of any length. */
	sound(samples, rate = ANSWER_RATE, piece = 4410) {
		const pcm = toPcm(samples);

		for (let i = 0; i < pcm.length; i += piece)
			this.say("output_audio.delta", { chunk: toBase64(pcm.slice(i, i + piece)), format: { encoding: "pcm16", rate, channels: 1 } });
	}

	answer() {
		this.say("tool.started", { name: "look" });
		this.say("tool.finished", { name: "look" });
		this.say("session.state", { value: "speaking" });
		this.say("response.text.delta", { text: "It sounds " });
		this.sound(sweep(ANSWER_SECONDS));
		this.say("response.text.delta", { text: "like this." });
		this.end();
	}

	end() {
		this.say("response.completed", {});
		this.#say("session.state", { value: "idle" });
	}
}

async function openVoice({ flags = HAS_MICROPHONE, ...options } = {}) {
	const engine = new Engine();
	const page = await open(box.openUrl(), { view: "voice", flags, ...options, async prepare(tab) {
		await tab.addInitScript(record);
		await tab.route("**/api/voice", (route) => route.fulfill({ json: ENGINES }));
		await tab.routeWebSocket(SOCKET, (socket) => engine.take(socket));
	} });

	await stateIs(page, "live");
	await page.waitForSelector(".voice-talk:not([disabled])");
	return { page, engine };
}

const says = (page, selector, pattern) => eventually(async () => pattern.test(await page.textContent(selector)), `${selector}: ${pattern}`);
const isIdle = (page) => eventually(() => page.evaluate(() => document.querySelector(".voice-open").textContent === ""), "nothing is heard or said");

/* ---- a turn ---- */

test("a spoken turn: what the microphone hears goes out, partials, the final, the answer, and its sound is really played", async () => {
	const { page, engine } = await openVoice();

	assert.equal(await page.isVisible(".voice-shell"), false);
	assert.equal(await page.isVisible(".voice-trigger"), false);
	assert.equal(await page.textContent(".voice-hosted"), "What you say leaves this machine: it goes to tcp://ear.example:10300.");
	assert.equal(await page.textContent(".voice-engine"), "custom, claude answers");
	await page.keyboard.down(" ");
	await says(page, ".voice-open", /^The microphone is on$/);
	await says(page, ".voice-heard", /so far/);
	assert.equal(await page.getAttribute(".voice-heard", "data-final"), "false");
	await eventually(() => page.evaluate(() => window.loudest > 0.3), "the level moves");
	await eventually(() => engine.heard.length > 2 * RATE * 2.3, "all of it was spoken");
	await page.keyboard.up(" ");
	await says(page, ".voice-heard", /^heard [\d.]+ s$/);
	await says(page, ".voice-answer", /^It sounds like this\.$/);
	await says(page, ".voice-tools", /^used look$/);
	await says(page, ".voice-open", /^The answer is being spoken$/);
	await isIdle(page);
	/* The commit comes after all of the sound, which is whole frames of 20 ms. */
	assert.equal(engine.sent.at(-1), "input_audio.commit");
	assert.equal(engine.sent.filter((type) => type === "input_audio.commit").length, 1);
	assert.equal(engine.heard.length % (2 * FRAME), 0);
	assert.equal(engine.sent.filter((type) => type === "input_audio.append").length, engine.heard.length / 2 / FRAME);
	const pcm = new Int16Array(engine.heard.buffer, engine.heard.byteOffset, engine.heard.length / 2);
	assert.deepEqual(tonesIn(pcm), TONES);
	const { rate, samples } = await played(page);
	const wanted = fitting(sweep(ANSWER_SECONDS), ANSWER_RATE, rate);
	assert.ok(Math.abs(samples.length - wanted.length) < rate / 100, `${samples.length} samples of ${wanted.length}`);
	const off = difference(wanted, samples);
	assert.ok(off < 0.02, `it differs by ${off}`);
	await page.context().close();
});

test("the loudspeaker is silent within 50 ms of a cancel, and of output_audio.clear", async () => {
	const { page, engine } = await openVoice();
	const lasted = [];

	engine.answer = () => {
		engine.say("session.state", { value: "speaking" });
		engine.sound(sweep(20));
	};
	for (let i = 0; i < TRIES; i++) {
		await page.keyboard.press("/");
		await page.keyboard.type("speak");
		await page.keyboard.press("Enter");
		await says(page, ".voice-open", /being spoken/);
		await eventually(() => page.evaluate(() => window.isHeard()), "it is heard");
		await page.evaluate(() => { window.silenced = []; });
		if (i % 2 === 0)
			await page.keyboard.press("Escape");
		else
			engine.say("output_audio.clear");
		await isIdle(page);
		lasted.push(await page.evaluate(async () => {
			const until = window.silenced[0] + 0.3;

			while (window.newest.context.currentTime < until)
				await new Promise((done) => setTimeout(done, 10));
			return Math.round(window.silentAfter());
		}));
		if (i % 2 === 1)
			await page.keyboard.press("Escape");
	}
	console.log(`# silent after ${lasted.join(", ")} ms`);
	assert.ok(Math.min(...lasted) <= SILENT_MS, lasted.join(" "));
	assert.ok(Math.max(...lasted) <= 20 * SILENT_MS, lasted.join(" "));
	await page.context().close();
});

test("who talks while the answer comes interrupts it: its sound stops, it stays as it was, and the microphone opens", async () => {
	const { page, engine } = await openVoice();

	engine.answer = () => {
		engine.say("session.state", { value: "speaking" });
		engine.say("response.text.delta", { text: "A long story" });
		engine.sound(sweep(20));
	};
	await page.fill("#voice-text", "tell me");
	await page.press("#voice-text", "Enter");
	await says(page, ".voice-open", /being spoken/);
	assert.equal(await page.textContent(".voice-talk"), "Hold to interrupt");
	await page.hover(".voice-talk");
	await page.mouse.down();
	await eventually(() => engine.sent.includes("input_audio.append"), "it is heard");
	assert.deepEqual(engine.sent.filter((type) => !/append|start/.test(type)), ["input_text", "response.cancel"]);
	await eventually(() => page.evaluate(() => document.querySelector(".voice-turn").dataset.state === "cancelled"), "the answer is cancelled");
	await page.mouse.up();
	await eventually(() => engine.sent.includes("input_audio.commit"), "and it was all");
	await page.context().close();
});

test("cancel in each state: while it hears, thinks, and speaks; what comes late of it is neither drawn nor played", async () => {
	const { page, engine } = await openVoice();
	const state = () => page.$$eval(".voice-turn", (all) => all.at(-1)?.dataset.state);

	engine.answers = false;
	/* It hears. */
	await page.keyboard.down(" ");
	await says(page, ".voice-open", /microphone is on/);
	await eventually(() => engine.heard.length > 0, "sound comes");
	await page.keyboard.press("Escape");
	await page.keyboard.up(" ");
	await eventually(async () => await state() === "cancelled", "while it hears");
	await isIdle(page);
	const count = engine.sent.length;
	/* It thinks. */
	await page.keyboard.down(" ");
	await eventually(() => engine.sent.length > count + 3, "sound comes");
	await page.keyboard.up(" ");
	await says(page, ".voice-session", /thinking/);
	await page.click(".voice-cancel");
	await eventually(async () => await state() === "cancelled", "while it thinks");
	await page.evaluate(() => { window.recorded = []; });
	engine.say("response.text.delta", { text: "too late" });
	engine.sound(sweep(0.5));
	await sleep(500);
	assert.equal((await played(page)).samples.length, 0);
	assert.equal(await page.$$eval(".voice-answer", (all) => all.map((one) => one.textContent).join("")), "");
	/* The session goes on. */
	engine.answers = true;
	await page.fill("#voice-text", "and now");
	await page.press("#voice-text", "Enter");
	await eventually(async () => await state() === "done", "the next turn is whole");
	await page.context().close();
});

test("the microphone is released when the page is hidden, and when the view is left", async () => {
	const { page, engine } = await openVoice();
	const tracks = () => page.evaluate(() => window.tracks.filter(({ readyState }) => readyState === "live").length);

	await page.evaluate(() => {
		const plain = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);

		window.tracks = [];
		navigator.mediaDevices.getUserMedia = async (wishes) => {
			const stream = await plain(wishes);
			window.tracks.push(...stream.getTracks());
			return stream;
		};
	});
	for (const leave of [() => page.evaluate(() => {
		Object.defineProperty(document, "hidden", { configurable: true, value: true });
		document.dispatchEvent(new Event("visibilitychange"));
		delete document.hidden;
	}), () => page.evaluate(() => { location.hash = "#/log"; })]) {
		const before = engine.sent.length;

		await page.keyboard.down(" ");
		await eventually(() => engine.sent.length > before + 3, "sound comes");
		assert.equal(await tracks(), 1);
		await leave();
		await eventually(async () => await tracks() === 0, "it is released");
		await eventually(() => engine.sent.at(-1) === "response.cancel", "what was said is dropped");
		await page.keyboard.up(" ");
		await page.evaluate(() => { location.hash = "#/voice"; });
		await says(page, ".voice-fault", /You left the page/);
		await isIdle(page);
	}
	/* And when one lets go. */
	await page.keyboard.down(" ");
	await eventually(async () => await tracks() === 1, "it is open");
	await page.keyboard.up(" ");
	await eventually(async () => await tracks() === 0, "it is released");
	await page.context().close();
});

test("an engine that ends the turn while one talks closes the microphone, and says why", async () => {
	const { page, engine } = await openVoice();

	await page.keyboard.down(" ");
	await eventually(() => engine.heard.length > 0, "sound comes");
	engine.say("error", { code: "too_long", message: "two minutes are the most", retryable: false });
	engine.say("session.state", { value: "listening" });
	engine.end();
	await says(page, ".voice-fault", /too long/);
	await isIdle(page);
	await page.keyboard.up(" ");
	assert.ok(!engine.sent.includes("input_audio.commit"));
	await page.context().close();
});

test("sound that cannot be played is said in words, and harms nothing", async () => {
	const { page, engine } = await openVoice();

	engine.answer = () => {
		engine.say("session.state", { value: "speaking" });
		for (const [chunk, format] of [["%%%", { encoding: "pcm16", rate: 16000, channels: 1 }], ["AAA=", { encoding: "pcm16", rate: 7, channels: 1 }],
			["AAAA", { encoding: "pcm16", rate: 16000, channels: 1 }]])
			engine.say("output_audio.delta", { chunk, format });
		engine.end();
	};
	await page.fill("#voice-text", "x");
	await page.press("#voice-text", "Enter");
	await says(page, ".voice-fault", /cannot play/);
	await eventually(() => page.$('.voice-turn[data-state="done"]'), "the turn is whole");
	await page.context().close();
});

/* ---- no microphone ---- */

test("a microphone that is refused, or is not there, is told in words, and nothing is sent", async () => {
	for (const [flags, more, said] of [
		[["--use-fake-device-for-media-stream", "--deny-permission-prompts"], {}, /does not let this page use the microphone/],
		[[], { permissions: ["microphone"] }, /no microphone on this machine/],
	]) {
		const { page, engine } = await openVoice({ flags, more });

		await page.keyboard.down(" ");
		await says(page, ".voice-fault", said);
		await page.keyboard.up(" ");
		assert.deepEqual(engine.sent, ["session.start"]);
		assert.equal(await page.isEnabled(".voice-talk"), true);
		assert.equal(await page.textContent(".voice-open"), "");
		await page.context().close();
	}
});

test("in all of this no page asked elsewhere, broke its policy or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
