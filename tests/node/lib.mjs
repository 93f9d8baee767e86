/* What the tests in Node share: a box of their own, and results as TAP. It says the
 * same things as tests/lib.py, for tests that need a browser or an npm package.
 *
 *     test("a signal that was acknowledged is on the page", async () => { ... });
 *     await run();
 */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const SIGNALBOX = process.env.SIGNALBOX
	|| new URL("../../build/signalbox", import.meta.url).pathname;
/* How much longer everything takes under a sanitizer. */
export const SLOW = process.env.TEST_SANITIZER ? 5 : 1;
/* A minute costs nothing where all is well, and a busy machine with a slow disk may need it. */
export const PATIENCE_MS = process.env.TEST_SANITIZER ? 120000 : 60000;

const tests = [];

export class Skip extends Error {}

/* The sentence says what is true if the function does not throw. */
export function test(sentence, body) {
	tests.push({ sentence, body });
}

/* Runs all tests in their order, then `after`, and ends the process. */
export async function run(after = async () => {}) {
	let failed = 0;

	console.log(`1..${tests.length}`);
	for (const [i, { sentence, body }] of tests.entries()) {
		const why = await body().then(() => null, (error) => error);

		if (why === null) {
			console.log(`ok ${i + 1} - ${sentence}`);
		} else if (why instanceof Skip) {
			console.log(`ok ${i + 1} - ${sentence} # skip ${why.message}`);
		} else {
			failed++;
			console.log(`not ok ${i + 1} - ${sentence}`);
			console.log(String(why.stack ?? why).replace(/^/gm, "# "));
		}
	}
	await after();
	process.exit(failed === 0 ? 0 : 1);
}

/* Waits until `probe` gives something true, and gives that. */
export async function eventually(probe, words = String(probe), within = PATIENCE_MS) {
	const end = Date.now() + within;

	for (;;) {
		const value = await probe();
		if (value)
			return value;
		assert.ok(Date.now() < end, `not within ${within} ms: ${words}`);
		await sleep(10);
	}
}

/* ---- what boxes answer, for 99-openapi.mjs; tests/answers.py says in which form ---- */

const ALIKE_MAX = 100;
const BODY_MAX = 256 * 1024;
const ports = new Set();
const noted = new Map();

function isOneTooMany(alike) {
	noted.set(alike, (noted.get(alike) ?? 0) + 1);
	return noted.get(alike) > ALIKE_MAX;
}

export function noteAnswer({ method, url, status, type, body }) {
	const { hostname, port, pathname, search } = new URL(url);

	if (!process.env.TEST_ANSWERS || hostname !== "127.0.0.1" || !ports.has(port) ||
	    isOneTooMany(`${method} ${pathname} ${status}`))
		return;
	appendFileSync(join(process.env.TEST_ANSWERS, `${process.pid}.ndjson`), JSON.stringify({
		test: basename(process.argv[1]), method, path: pathname + search, status, type,
		...body !== undefined && body.length <= BODY_MAX ? { body } : {},
	}) + "\n");
}

const plainFetch = globalThis.fetch;
globalThis.fetch = async (url, init = {}) => {
	const answer = await plainFetch(url, init);
	const type = answer.headers.get("content-type");
	const method = init.method ?? "GET";

	/* A stream may have no end. */
	noteAnswer({ method, url, status: answer.status, type,
		body: type === "application/json" && method !== "HEAD" ? await answer.clone().text() : undefined });
	return answer;
};

/* One `signalbox serve` on a port that the kernel chose the first time and that it
 * keeps when started again. */
export class Box {
	#dir = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "box-"));
	#process = null;
	data = join(this.#dir, "data");
	env = {};             /* for the next start */
	port = 0;

	async start(...args) {
		const log = openSync(join(this.#dir, "log"), "a");
		const marker = join(this.data, "listen");

		rmSync(marker, { force: true });
		this.#process = spawn(SIGNALBOX,
			["serve", "--data", this.data, "--listen", `127.0.0.1:${this.port}`, ...args],
			/* What runs on the developer's machine is none of a test's business. */
			{ stdio: ["ignore", log, log], env: { ...process.env, SIGNALBOX_DISCOVER_INTERVAL: "0", SIGNALBOX_NOTIFY_DESKTOP: "off", ...this.env } });
		await eventually(() => {
			assert.equal(this.#process.exitCode, null, `serve ended:\n${this.log()}`);
			return existsSync(marker) && /127\.0\.0\.1:\d+/.test(readFileSync(marker, "utf8"));
		}, "the box is listening");
		this.port = Number(/127\.0\.0\.1:(\d+)/.exec(readFileSync(marker, "utf8"))[1]);
		ports.add(String(this.port));
		return this;
	}

	get origin() {
		return `http://127.0.0.1:${this.port}`;
	}

	log() {
		return readFileSync(join(this.#dir, "log"), "utf8");
	}

	/* To the process, without waiting for what it does. */
	signal(name) {
		this.#process.kill(name);
	}

	async end(interrupt = "SIGKILL") {
		const ended = new Promise((resolve) => this.#process.once("exit", resolve));

		this.#process.kill(interrupt);
		await ended;
		ports.delete(String(this.port));    /* Whoever answers there now is another. */
	}

	/* Ends it and takes its files away. */
	async remove() {
		if (this.#process !== null && this.#process.exitCode === null && this.#process.signalCode === null)
			await this.end();
		rmSync(this.#dir, { recursive: true, force: true });
	}

	cli(...args) {
		const [verb, ...rest] = args;

		return execFileSync(SIGNALBOX, [verb, "--data", this.data, ...rest],
			{ encoding: "utf8", timeout: PATIENCE_MS });
	}

	/* A URL that signs a browser in, once. */
	openUrl() {
		return this.cli("open", "--print").trim();
	}

	/* Emits signals in one batch and waits until they are durable. */
	async emit(...signals) {
		const answer = await fetch(`${this.origin}/api/signal`, {
			method: "POST",
			headers: {
				Authorization: `Bearer ${readFileSync(join(this.data, "token"), "utf8").trim()}`,
				"Content-Type": "application/x-ndjson",
			},
			body: signals.map((signal) => JSON.stringify(signal)).join("\n") + "\n",
		});
		const result = await answer.json();

		assert.equal(answer.status, 200, JSON.stringify(result));
		assert.equal(result.accepted, signals.length, JSON.stringify(result));
		return result;
	}
}
