/* How fast the page is in a real browser, as one line of JSON: when something is first seen, what
 * the log costs while signals pour in, how soon a question is there meanwhile, how long a long run
 * takes to open, what a frame of a crowded stage costs, and how soon a cancel is silence. run.py
 * starts it with $SIGNALBOX, and with "tiny" when it only matters that everything runs. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually } from "../tests/node/lib.mjs";
import { close, faults, open, stateIs } from "../tests/node/browser.mjs";
import { crowdShow } from "../tests/node/crowd.mjs";
import { record, sweep } from "../tests/node/loudspeaker.mjs";
import { part } from "../tests/node/ui.mjs";
import { Upstream } from "../tests/node/upstream.mjs";
import { Engine } from "../tests/node/wyoming.mjs";

const { toPcm } = await part("voice/sound.ts");

const TINY = process.argv[2] === "tiny";
const TRIES = TINY ? 1 : 9;             /* first paints */
const LOG_RATE = TINY ? 100 : 2000;     /* signals a second, while the log is looked at */
const LOG_MS = TINY ? 300 : 5000;
const FLOOD_RATE = TINY ? 200 : 10000;  /* while questions are asked */
const QUESTIONS = TINY ? 2 : 40;
const LONG_RUN = TINY ? 2000 : 100000;
const FRAMES = TINY ? 3 : 120;
const CREW = TINY ? 10 : 200;           /* sessions at work */
const CREW_RATE = TINY ? 100 : 1000;    /* signals a second of all of them */
const CREW_MS = TINY ? 500 : 6000;
const CANCELS = TINY ? 1 : 20;
const ANSWER_S = 30, ANSWER_RATE = 22050;  /* of sound; nobody hears its end */
const FRAME_MS = 1000 / 60;
const PATIENCE_MS = 120000;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const last = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

function textDelta(n, run) {
	return { type: "text_delta", source: `counter-${n % 5}`, correlationId: run, payload: { agentId: "a", content: `number ${n}; ${"word ".repeat(20)}` } };
}

/* So many signals a second until `enough` is called; the promise it gives says how many it was. */
function pour(box, rate, make = (n, i) => textDelta(n, `run-${i % 20}`)) {
	const begun = performance.now();
	let isEnough = false, sent = 0;
	const done = (async () => {
		while (!isEnough) {
			const due = Math.min(Math.floor((performance.now() - begun) / 1000 * rate) - sent, 5000);
			if (due > 0)
				await box.emit(...Array.from({ length: due }, (_, i) => make(sent + i, i)));
			sent += Math.max(0, due);
			await sleep(10);
		}
		return sent / (performance.now() - begun) * 1000;
	})();

	return { enough() { isEnough = true; return done; } };
}

async function withBox(body, ...args) {
	const box = await new Box().start(...args);

	try {
		return await body(box);
	} finally {
		await box.remove();
	}
}

async function firstPaint() {
	const bare = http.createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><p>Hello"));
	await new Promise((listening) => { bare.listen(0, "127.0.0.1", listening); });
	/* A new tab has nothing kept from before. */
	const paintOf = async (url) => {
		const page = await open(url);
		const at = await eventually(() => page.evaluate(() =>
			performance.getEntriesByName("first-contentful-paint")[0]?.startTime), "something is painted");

		await page.context().close();
		return at;
	};
	const ours = [], words = [];

	await withBox(async (box) => {
		for (let i = 0; i < TRIES; i++) {
			words.push(await paintOf(`http://127.0.0.1:${bare.address().port}/`));
			ours.push(await paintOf(box.openUrl()));
		}
	}, "--demo");
	bare.close();
	return { firstPaintMs: median(ours), wordPaintMs: median(words) };
}

/* The frames and the long tasks of a stretch of time. */
function watch(page, ms) {
	return page.evaluate((ms) => new Promise((done) => {
		const gaps = [];
		let long = 0;
		const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => { long += duration; }));
		const start = performance.now();
		let last = start;
		const step = (now) => {
			gaps.push(now - last);
			last = now;
			if (now - start < ms)
				return requestAnimationFrame(step);
			observer.disconnect();
			return done({ gaps, long: long / ms });
		};

		observer.observe({ type: "longtask" });
		requestAnimationFrame(step);
	}), ms);
}

async function threadSeconds(session) {
	const { metrics } = await session.send("Performance.getMetrics");
	const of = (wanted) => metrics.find(({ name }) => name === wanted).value;

	return { script: of("ScriptDuration"), work: of("TaskDuration") };
}

/* Shares of a second are of the page's own thread, so that a busy machine changes them little. */
async function logWhilePouring() {
	return withBox(async (box) => {
		const page = await open(box.openUrl(), { view: "log" });
		const session = await page.context().newCDPSession(page);

		await stateIs(page, "live");
		await session.send("Performance.enable", { timeDomain: "threadTicks" });
		for (let i = 0; i < (TINY ? 1 : 24); i++)
			await box.emit(...Array.from({ length: 500 }, (_, k) => textDelta(k, "run-0")));
		const before = await threadSeconds(session), begun = performance.now();
		const stream = pour(box, LOG_RATE);
		const { gaps, long } = await watch(page, LOG_MS);
		const after = await threadSeconds(session), seconds = (performance.now() - begun) / 1000;
		const rate = await stream.enough();

		await page.context().close();
		return {
			logRate: rate, logFrameMs: median(gaps), logLongPercent: Math.max(100 * long, 0.01),
			logScriptPercent: 100 * (after.script - before.script) / seconds, logWorkPercent: 100 * (after.work - before.work) / seconds,
		};
	});
}

/* From the moment an agent asks to the words on the page. */
async function questionsInAFlood() {
	return withBox(async (box) => {
		const page = await open(box.openUrl(), { view: "log" });
		const times = [];

		await stateIs(page, "live");
		const stream = pour(box, FLOOD_RATE);
		await sleep(TINY ? 100 : 3000);
		for (let i = 0; i < QUESTIONS; i++) {
			const words = `May I take step ${i}?`;
			const seen = page.evaluate((words) => new Promise((done) => {
				const isThere = () => document.body.textContent.includes(words) && (observer.disconnect(), done(performance.timeOrigin + performance.now()));
				const observer = new MutationObserver(isThere);

				observer.observe(document.body, { subtree: true, childList: true, characterData: true });
			}), words);

			await page.evaluate(() => 0);
			const asked = performance.timeOrigin + performance.now();
			await box.emit({ type: "prompt", source: "asker", correlationId: `asks-${i}`, payload: { type: "confirm", prompt: words } });
			times.push(await seen - asked);
			await sleep(TINY ? 10 : 100);
		}
		const rate = await stream.enough();

		await page.context().close();
		return { floodRate: rate, questionMs: median(times), questionP95Ms: last(times, 0.95) };
	});
}

async function longRun() {
	return withBox(async (box) => {
		for (let i = 0; i < LONG_RUN; i += 2000)
			await box.emit(...Array.from({ length: 2000 }, (_, k) => textDelta(i + k, "long")));
		const page = await open(box.openUrl(), { view: "runs" });

		await page.waitForSelector('.runs-row:has-text("long")', { timeout: PATIENCE_MS });
		const begun = performance.now();
		await page.click('.runs-row:has-text("long")');
		await eventually(async () => (await page.textContent(".runs-scroll")).includes(`number ${LONG_RUN - 1};`), "its end is there", PATIENCE_MS);
		const took = performance.now() - begun;

		await page.context().close();
		return { longRunMs: took };
	});
}

async function crowdedStage() {
	return withBox(async (box) => {
		const answer = await fetch(`${box.origin}/api/show`, {
			method: "PUT", body: JSON.stringify(crowdShow(200, 50)),
			headers: { Authorization: `Bearer ${readFileSync(join(box.data, "token"), "utf8").trim()}`, "Content-Type": "application/json" },
		});
		assert.equal(answer.status, 200, await answer.text());
		/* Software that draws pixels is slow, and none of our business here: the page is small. */
		const page = await open(box.openUrl(), { view: "stage", width: 400, height: 320 });

		await stateIs(page, "live");
		await eventually(() => page.evaluate(() => document.querySelector(".stage-host")?.dataset.painter === "ready"), "it is drawn", PATIENCE_MS);
		await box.emit({ type: "go", source: "tester", payload: {} });
		await eventually(() => page.evaluate(() => document.querySelector(".stage-host").frame().entities.length === 200), "all are there");
		await page.evaluate(() => document.querySelector(".stage-host").forget());
		await eventually(() => page.evaluate((wanted) => document.querySelector(".stage-host").readings().frames >= wanted, FRAMES), "some frames", PATIENCE_MS);
		const { median: middle, p95 } = await page.evaluate(() => document.querySelector(".stage-host").readings());

		await page.context().close();
		return { stageMs: middle, stageP95Ms: p95 };
	});
}

/* What the n-th thing of a session is: a call, its result, words, and what they cost. */
function crewSignal(n) {
	const session = n % CREW, step = Math.floor(n / CREW), call = { agentId: "claude", toolName: "Bash", callId: `toolu_${session}_${step >> 2}` };
	const kinds = [
		["tool_call", { ...call, args: { command: `make part-${step}` } }],
		["tool_result", { ...call, success: true, result: "ok" }],
		["text_delta", { agentId: "claude", content: "It is done, and all tests pass. " }],
		["token_usage", { agentId: "claude", promptTokens: 1200, completionTokens: 80, model: "claude-opus-5-5", responseId: `msg_${n}` }],
	];
	const [type, payload] = kinds[step % kinds.length];

	return { type, source: "adapter:tap", correlationId: `session-${session}`, payload, metadata: { cwd: `/home/ada/project-${session % 12}` } };
}

/* Milliseconds of the main thread in each sixtieth of a second, by the trace of the browser. */
function framesOf(trace) {
	const { traceEvents } = JSON.parse(trace.toString());
	const mains = new Set(traceEvents.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map((e) => `${e.pid} ${e.tid}`));
	const tasks = traceEvents.filter((e) => e.ph === "X" && /RunTask$/.test(e.name) && mains.has(`${e.pid} ${e.tid}`));
	const begun = Math.min(...tasks.map((e) => e.ts)), ended = Math.max(...tasks.map((e) => e.ts));
	const frames = new Array(Math.floor((ended - begun) / 1000 / FRAME_MS) + 1).fill(0);
	let upTo = 0;

	assert.ok(tasks.length > 10, "the trace has the tasks of the page");
	for (const task of tasks.sort((a, b) => a.ts - b.ts)) {
		if (task.ts < upTo)
			continue; /* inside of the one before */
		upTo = task.ts + task.dur;
		frames[Math.floor((task.ts - begun) / 1000 / FRAME_MS)] += (task.tdur ?? task.dur) / 1000;
	}
	return frames;
}

async function crewWhilePouring() {
	return withBox(async (box) => {
		await box.emit(...Array.from({ length: CREW }, (_, n) => ({
			type: "session.facts", source: "adapter:tap", correlationId: `session-${n}`,
			payload: { cwd: `/home/ada/project-${n % 12}`, harness: "claude-code", title: `Task ${n}`, model: "claude-opus-5-5" },
		})), ...Array.from({ length: CREW }, (_, n) => crewSignal(n)));
		const page = await open(box.openUrl(), { view: "crew" });

		await stateIs(page, "live");
		await eventually(() => page.evaluate((wanted) => document.querySelectorAll(".crew-row").length >= wanted, TINY ? 5 : 20), "they are there", PATIENCE_MS);
		const stream = pour(box, CREW_RATE, crewSignal);
		await sleep(TINY ? 100 : 2000);
		await page.context().browser().startTracing(page, { categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] });
		await sleep(CREW_MS);
		const frames = framesOf(await page.context().browser().stopTracing());
		const rate = await stream.enough();

		await page.context().close();
		return { crewRate: rate, crewFrameMs: frames.reduce((a, b) => a + b, 0) / frames.length, crewFrameP95Ms: Math.max(last(frames, 0.95), 0.01) };
	});
}

/* From the moment that the loudspeaker is told, by the clock of the audio thread, to the last sample that is no silence.
 * null: this page was so late that nobody knows. */
async function silentAfter(page) {
	await page.fill("#voice-text", "say This is a long story.");
	await page.press("#voice-text", "Enter");
	await eventually(() => page.evaluate(() => window.isHeard()), "it is heard");
	await page.evaluate(() => { window.silenced = []; });
	await page.click(".voice-cancel");
	const ms = await page.evaluate(async () => {
		while (window.silenced.length === 0 || window.newest.context.currentTime < window.silenced[0] + 0.3)
			await new Promise((done) => setTimeout(done, 10));
		return window.silentAfter();
	});

	await eventually(() => page.evaluate(() => !window.isHeard() && document.querySelector(".voice-session").textContent === "idle"), "it is silent");
	return ms;
}

async function cancelledAnswers() {
	const place = mkdtempSync(join(tmpdir(), "bench-page-")), config = join(place, "box.yaml");
	const upstream = await new Upstream().start(), engine = await new Engine().start();

	engine.rate = ANSWER_RATE;
	engine.sound = toPcm(sweep(ANSWER_S, ANSWER_RATE));
	writeFileSync(config, `sources: [{id: model, url: '${upstream.url}', protocol: openai, model: model-a}]\nvoice: {engine: {say: '${engine.place}'}, think: model}\n`);
	try {
		return await withBox(async (box) => {
			const page = await open(box.openUrl(), { view: "voice", prepare: (tab) => tab.addInitScript(record) });
			const took = [];

			await stateIs(page, "live");
			await page.waitForSelector(".voice-talk:not([disabled])");
			for (let i = 0; i < CANCELS; i++)
				took.push(await silentAfter(page));
			await page.context().close();
			const known = took.filter((ms) => ms !== null).map((ms) => Math.max(ms, 0.01));
			assert.ok(known.length > 0, "a cancel was looked at in time");
			return { silenceMs: median(known), silenceMostMs: Math.max(...known) };
		}, "--config", config);
	} finally {
		engine.end();
		upstream.end();
		rmSync(place, { recursive: true, force: true });
	}
}

const figures = {};
for (const part of [firstPaint, logWhilePouring, questionsInAFlood, longRun, crowdedStage, crewWhilePouring, cancelledAnswers].filter((part) => !process.argv[3] || part.name === process.argv[3]))
	Object.assign(figures, await part());
await close();
assert.deepEqual(faults, []);
console.log(JSON.stringify(figures));
