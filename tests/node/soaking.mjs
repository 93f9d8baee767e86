/* A page that is left open all day, in less time: signals come without an end while all views
 * are gone through again and again, and what the page holds must not grow. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, PATIENCE_MS, eventually } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";

const RATE = 500;             /* signals a second */
const BATCH_MS = 100;
const RUN_MS = 2000;          /* so long is a run; then another begins */
const STAY_MS = 1200;         /* in each place */
const MIB = 1 << 20;

/* Emits at the rate until it is told to stop; gives how many there were. */
class Producer {
	count = 0;
	isOver = false;

	constructor(box) {
		this.box = box;
		this.begun = Date.now();
		this.done = this.#go();
	}

	async #go() {
		while (!this.isOver) {
			const due = Math.min(Math.floor((Date.now() - this.begun) * RATE / 1000) - this.count, 2000);

			if (due > 0)
				await this.box.emit(...Array.from({ length: due }, () => this.#signal()));
			await sleep(BATCH_MS);
		}
	}

	/* A little of everything, by a few agents, in runs that begin and end. */
	#signal() {
		const n = this.count++;
		const run = Math.floor((Date.now() - this.begun) / RUN_MS);
		const agentId = `agent-${n % 4}`;
		const kinds = {
			0: ["task_dispatch", { taskId: `t${run}`, from: "user", to: agentId, description: `Task ${run}` }],
			10: ["agent_state_change", { agentId, from: "idle", to: n % 2 === 0 ? "thinking" : "acting" }],
			20: ["tool_call", { toolName: "ls", agentId, callId: `c${n}`, input: { path: `/tmp/${n}` } }],
			21: ["tool_result", { toolName: "ls", agentId, callId: `c${n - 1}`, success: true, output: { n } }],
			40: ["thinking", { agentId, content: `I think of ${n}. ` }],
			90: ["token_usage", { agentId, promptTokens: n, completionTokens: 7, model: "m" }],
			99: ["completion", { taskId: `t${run}`, agentId, success: true, result: "Done." }],
		};
		const [type, payload] = kinds[n % 100] ?? ["text_delta", { agentId, content: `word ${n} ` }];

		return { type, source: `source-${run % 6}`, correlationId: `run-${run}`, payload };
	}

	async stop() {
		this.isOver = true;
		await this.done;
	}
}

/* Once through every view, and into something in the log and the runs. */
async function tour(page) {
	const views = await page.$$eval("#views a", (all) => all.map((one) => one.getAttribute("href")));

	for (const hash of views) {
		await page.evaluate((to) => { location.hash = to; }, hash);
		await sleep(STAY_MS);
		if (hash === "#/runs") {
			await page.click(".runs-row >> nth=0", { timeout: 2000 }).catch(() => {});
			await sleep(STAY_MS);
		}
	}
}

async function measure(page, cdp) {
	await page.evaluate(() => { location.hash = "#/log"; });
	await sleep(500);
	await cdp.send("HeapProfiler.collectGarbage");
	await cdp.send("HeapProfiler.collectGarbage");
	const { usedSize } = await cdp.send("Runtime.getHeapUsage");
	const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");

	return { heap: usedSize, nodes, listeners: jsEventListeners };
}

const middle = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/* So long after a warm-up, what the page holds is what it held before. */
export async function soak({ warmUpMs, ms }) {
	const box = await new Box().start();
	const page = await open(box.openUrl(), { view: "log" });
	await stateIs(page, "live");
	const cdp = await page.context().newCDPSession(page);
	const producer = new Producer(box);
	const end = Date.now() + warmUpMs + ms;
	const warm = Date.now() + warmUpMs;
	const seen = [];

	while (Date.now() < end || seen.length < 4) {
		await tour(page);
		const now = await measure(page, cdp);
		console.log(`# ${producer.count} signals: ${(now.heap / MIB).toFixed(1)} MiB, ${now.nodes} nodes, ${now.listeners} listeners`);
		if (Date.now() > warm)
			seen.push(now);
	}
	await producer.stop();
	const half = Math.ceil(seen.length / 2);
	for (const [what, most] of [["heap", 8 * MIB], ["nodes", 3000], ["listeners", 500]]) {
		const before = middle(seen.slice(0, half).map((one) => one[what]));
		const after = middle(seen.slice(half).map((one) => one[what]));
		assert.ok(after - before <= most, `${what} grew from ${before} to ${after}`);
	}
	await eventually(async () => (await page.textContent("#total")).replaceAll(",", "") === String(producer.count),
		"every signal was seen, once", 6 * PATIENCE_MS);
	assert.ok(producer.count >= RATE * (warmUpMs + ms) / 1000 * 0.8, `only ${producer.count} were sent`);
	assert.deepEqual(faults, []);
	await close();
	await box.remove();
}
