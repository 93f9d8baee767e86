// long
// busy: 40
/* The voice view, a box and speech engines, all of them real: the page speaks what its microphone plays, the box has engines
 * hear it, a model answer and engines say that, and what the loudspeaker plays is compared with what they said. The engines are
 * a Wyoming server of the tests, and the speech of this machine where `make voice` fetched it. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, SIGNALBOX, Skip, test } from "./lib.mjs";
import { difference, fitting, microphone, played, RATE, record, spoken, sweep, tonesIn, TONES, WAV_RATE } from "./loudspeaker.mjs";
import { part } from "./ui.mjs";
import { Upstream } from "./upstream.mjs";
import { Engine, heardBy } from "./wyoming.mjs";

const { toPcm } = await part("voice/sound.ts");

const ANSWER_RATE = 22050, ANSWER_SECONDS = 1.5;
const QUESTION = "run the tests again and tell me what happened";
const WRONG_SHARE = 0.1;        /* of the words, that a recogniser may hear wrong */
const place = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "voice-"));
const upstream = await new Upstream().start();
const engine = await new Engine().start();

async function boxWith(name, engines) {
	const config = join(place, `${name}.yaml`), box = new Box();

	writeFileSync(config, `sources: [{id: model, url: '${upstream.url}', protocol: openai, model: model-a}]\nvoice: {engine: ${engines}, think: model}\n`);
	await box.start("--config", config);
	await eventually(async () => {
		const { sources } = await ask(box, "/api/sources");

		return sources.some(({ id, state }) => id === "model" && state === "connected");
	}, "the model is there");
	return box;
}

async function ask(box, path) {
	const answer = await fetch(box.origin + path, { headers: { Authorization: `Bearer ${readFileSync(join(box.data, "token"), "utf8").trim()}` } });

	return answer.json();
}

async function openVoice(box, sound) {
	const page = await open(box.openUrl(), { view: "voice", flags: microphone(sound), prepare: (tab) => tab.addInitScript(record) });

	await stateIs(page, "live");
	await page.waitForSelector(".voice-talk:not([disabled])");
	return page;
}

const says = (page, selector, pattern) => eventually(async () => pattern.test(await page.textContent(selector)), `${selector}: ${pattern}`);
const isIdle = (page) => eventually(() => page.evaluate(() => document.querySelector(".voice-open").textContent === ""
	&& document.querySelector(".voice-session").textContent === "idle"), "nothing is heard or said");
const stateOfTurn = (page) => page.$$eval(".voice-turn", (all) => all.at(-1)?.dataset.state);

/* Holds the space bar until as much was heard. */
async function talk(page, isEnough) {
	await page.keyboard.down(" ");
	await eventually(isEnough, "enough is heard");
	await page.keyboard.up(" ");
}

const box = await boxWith("wyoming", `{hear: '${engine.place}', say: '${engine.place}'}`);

test("a spoken turn: the engine hears what the microphone plays, and what it says is what the loudspeaker plays", async () => {
	const page = await openVoice(box, spoken());
	const wanted = sweep(ANSWER_SECONDS, ANSWER_RATE);

	engine.words = "say It sounds like this.";
	engine.sound = toPcm(wanted);
	engine.rate = ANSWER_RATE;
	assert.equal(await page.isVisible(".voice-shell"), false);
	assert.equal(await page.isVisible(".voice-hosted"), false);
	await page.keyboard.down(" ");
	await says(page, ".voice-open", /^The microphone is on$/);
	await says(page, ".voice-session", /^listening$/);
	await says(page, ".voice-heard", /^part 1 part 2/);
	assert.equal(await page.getAttribute(".voice-heard", "data-final"), "false");
	const utterance = engine.utterances.at(-1);
	await eventually(() => utterance.pcm.length > 2 * RATE * 2.3, "all of it was spoken");
	await page.keyboard.up(" ");
	await says(page, ".voice-heard", /^say It sounds like this\.$/);
	assert.equal(await page.getAttribute(".voice-heard", "data-final"), "true");
	await says(page, ".voice-answer", /^It sounds like this\.$/);
	await says(page, ".voice-open", /^The answer is being spoken$/);
	await eventually(async () => await stateOfTurn(page) === "done", "the turn is whole");
	await isIdle(page);
	assert.deepEqual(tonesIn(new Int16Array(utterance.pcm.buffer.slice(utterance.pcm.byteOffset, utterance.pcm.byteOffset + utterance.pcm.length))), TONES);
	assert.deepEqual(upstream.requests.map(({ messages }) => messages.at(-1).content), ["say It sounds like this."]);
	assert.deepEqual(engine.sentences.map(({ text }) => text), ["It sounds like this."]);
	const { rate, samples } = await played(page);
	const fits = fitting(wanted, ANSWER_RATE, rate);
	assert.ok(Math.abs(samples.length - fits.length) < rate / 100, `${samples.length} samples of ${fits.length}`);
	const off = difference(fits, samples);
	assert.ok(off < 0.05, `it differs by ${off}`);
	await page.context().close();
});

test("cancel while it hears, thinks and speaks ends the work of engines and model, and nothing of that turn is drawn or played", async () => {
	const page = await openVoice(box, spoken());
	const cancelled = async (state, gone) => {
		await says(page, ".voice-session", new RegExp(`^${state}$`));
		await page.keyboard.press("Escape");
		await page.keyboard.up(" ");
		await eventually(async () => await stateOfTurn(page) === "cancelled", `while ${state}`);
		await isIdle(page);
		await eventually(gone, `nobody works for it any more, while ${state}`);
	};
	const answers = () => page.$$eval(".voice-answer", (all) => all.map((one) => one.textContent).join(""));
	const isHeard = () => engine.utterances.at(-1).pcm.length > RATE;
	const before = { asked: upstream.requests.length, left: upstream.left, said: engine.sentences.length };

	await page.keyboard.down(" ");
	await says(page, ".voice-heard", /^part 1/);
	await cancelled("listening", () => engine.utterances.at(-1).isClosed);
	assert.equal(engine.utterances.at(-1).isWhole, false);
	assert.equal(upstream.requests.length, before.asked);

	engine.words = "wait for me";
	let count = engine.utterances.length;
	await talk(page, () => engine.utterances.length > count && isHeard());
	await eventually(() => upstream.requests.length === before.asked + 1, "the model is asked");
	await cancelled("thinking", () => upstream.left === before.left + 1);

	engine.words = "say This is a long story.";
	engine.sound = toPcm(sweep(20, ANSWER_RATE));
	count = engine.utterances.length;
	await talk(page, () => engine.utterances.length > count && isHeard());
	await eventually(() => page.evaluate(() => window.isHeard()), "it is heard");
	await cancelled("speaking", () => engine.sentences.at(-1).isClosed);
	await eventually(async () => !await page.evaluate(() => window.isHeard()), "it is silent");
	await page.evaluate(() => { window.recorded = []; });
	await sleep(500);
	assert.equal((await played(page)).samples.length, 0);
	assert.equal(await answers(), "This is a long story.");
	assert.equal(engine.sentences.length, before.said + 1);

	/* The session goes on. */
	engine.words = "say That is all.";
	engine.sound = toPcm(sweep(0.3, ANSWER_RATE));
	await talk(page, () => isHeard() && !engine.utterances.at(-1).isClosed);
	await eventually(async () => await stateOfTurn(page) === "done", "the next turn is whole");
	assert.equal(await answers(), "This is a long story.That is all.");
	await page.context().close();
});

test("an engine that goes away in the middle of a turn is told in words, and one can go on", async () => {
	const page = await openVoice(box, spoken());

	engine.breaks = true;
	await page.keyboard.down(" ");
	await says(page, ".voice-fault", /^The speech engine is not available: /);
	await page.keyboard.up(" ");
	await isIdle(page);
	assert.equal(await page.textContent(".voice-open"), "");
	engine.breaks = false;
	engine.words = "say Again.";
	await talk(page, () => engine.utterances.at(-1).pcm.length > RATE);
	await eventually(async () => await stateOfTurn(page) === "done", "the next turn is whole");
	assert.equal(await page.$$eval(".voice-answer", (all) => all.at(-1).textContent), "Again.");
	await page.context().close();
});

/* ---- with the speech of this machine ---- */

function has(program) {
	return process.env.PATH.split(":").some((directory) => existsSync(join(directory, program)));
}

/* The samples of a WAV file with a plain head. */
function samplesOf(path) {
	const bytes = readFileSync(path);

	return new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length - bytes.length % 2));
}

/* Festival, with half a second of silence before and after. */
function question() {
	const path = join(place, "question.wav");

	execFileSync("text2wave", ["-F", String(WAV_RATE), "-eval", "(voice_cmu_us_slt_arctic_hts)", "-o", path], { input: QUESTION });
	const said = samplesOf(path), all = new Int16Array(said.length + WAV_RATE);
	all.set(said, WAV_RATE / 2);
	return all;
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

/* The least number of words that are put in, left out or taken for another. */
function wrongWords(said, heard) {
	const one = wordsOf(said), two = wordsOf(heard);
	let row = two.map((_, j) => j + 1);

	one.forEach((word, i) => {
		const next = [];

		two.forEach((other, j) => next.push(Math.min((next[j - 1] ?? i + 1) + 1, row[j] + 1, (j === 0 ? i : row[j - 1]) + (word === other ? 0 : 1))));
		row = next;
	});
	return row.at(-1) ?? one.length;
}

test("with the speech of this machine: what the microphone plays is heard, and what the loudspeaker plays is heard again", async () => {
	if (!existsSync(join(dirname(SIGNALBOX), "voice", "fetched")))
		throw new Skip("what it hears with was not fetched (make voice)");
	if (!has("text2wave") || !has("flite"))
		throw new Skip("festival, which asks, or flite, which answers, is not there");
	const local = await boxWith("local", "{hear: local, say: local}");
	const socket = join(local.data, "speech.sock");
	await eventually(() => existsSync(socket), "it is there");
	const sound = question(), page = await openVoice(local, sound);
	await page.keyboard.down(" ");
	await says(page, ".voice-heard", /\w/);
	await sleep(1000 * sound.length / WAV_RATE);
	await page.keyboard.up(" ");
	await eventually(async () => await page.getAttribute(".voice-heard", "data-final") === "true", "it is heard");
	const heard = await page.textContent(".voice-heard");
	assert.ok(wrongWords(QUESTION, heard) <= 1, heard);
	await says(page, ".voice-answer", /^Good day, all is well\.$/);
	await says(page, ".voice-tools", /shell$/);
	await eventually(async () => await stateOfTurn(page) === "done", "the turn is whole");
	await isIdle(page);
	const { rate, samples } = await played(page);
	const again = await heardBy(socket, toPcm(samples), rate);
	assert.ok(wrongWords("Good day, all is well.", again) <= Math.max(1, WRONG_SHARE * 5), again);
	await page.context().close();
	await local.remove();
});

test("in all of this no page asked elsewhere, broke its policy or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
	engine.end();
	upstream.end();
});
