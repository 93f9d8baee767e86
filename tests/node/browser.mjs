/* A real browser for the tests of the page: Debian's Chromium, with a watch on
 * everything it asks for and everything it refuses. */

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { chromium } from "playwright-core";
import { eventually, noteAnswer, PATIENCE_MS } from "./lib.mjs";

const FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", ...process.getuid() === 0 ? ["--no-sandbox"] : []];

/* What no page may ever do, collected from every page that was opened. */
export const faults = [];

/* One for each set of flags. */
const browsers = new Map();

function launch(flags) {
	const key = flags.join(" ");

	if (!browsers.has(key))
		browsers.set(key, chromium.launch({
			executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: [...FLAGS, ...flags], timeout: 2 * PATIENCE_MS,
			env: { ...process.env, HOME: mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "home-")) },
		}));
	return browsers.get(key);
}

/* Opens a tab of its own session. A view that is named is the one that a browser would remember
 * from the last time. `prepare` is given the page before it is there; `flags` are of a browser of its own, `more` is what
 * playwright wants to know of the tab. */
export async function open(url, { width = 1280, height = 800, scheme = "dark", view = null, flags = [], more = {},
	prepare = async () => {} } = {}) {
	const browser = await launch(flags);
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, ...more });
	context.setDefaultTimeout(PATIENCE_MS);
	if (view !== null)
		await context.addInitScript((name) => {
			if (localStorage.getItem("signalbox.view") === null)
				localStorage.setItem("signalbox.view", name);
		}, view);
	const page = await context.newPage();
	watch(page, new URL(url).origin);
	await prepare(page);
	await page.goto(url);
	return page;
}

export async function close() {
	for (const browser of browsers.values())
		await (await browser).close();
}

function watch(page, origin) {
	const ours = (url) => new URL(url.replace(/^ws/, "http")).origin === origin;

	page.on("request", (request) => {
		if (!ours(request.url()))
			faults.push(`a request to ${request.url()}`);
	});
	page.on("response", async (response) => {
		const type = response.headers()["content-type"];

		noteAnswer({ method: response.request().method(), url: response.url(), status: response.status(), type,
			/* A page that is closed meanwhile takes the body with it. */
			body: type === "application/json" ? await response.text().catch(() => undefined) : undefined });
	});
	page.on("websocket", (socket) => {
		if (!ours(socket.url()))
			faults.push(`a socket to ${socket.url()}`);
	});
	page.on("console", (message) => {
		if (/content security policy|refused to/i.test(message.text()))
			faults.push(message.text());
	});
	page.on("pageerror", (error) => faults.push(`an error: ${error.stack}`));
	page.on("dialog", (dialog) => {
		faults.push(`a dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
}

/* The page says so. It is asked in between, so that it need not have drawn a picture meanwhile:
 * without a graphics card a stage takes its time for that. */
export async function stateIs(page, name) {
	await eventually(() => page.evaluate((wanted) =>
		document.getElementById("state")?.dataset.state === wanted, name), `the page is ${name}`);
}

/* Text of the log's rows in sight, from the top. */
export function rowsInSight(page) {
	return page.$$eval("#log .row:not([hidden])", (rows) => rows
		.sort((a, b) => a.getBoundingClientRect().y - b.getBoundingClientRect().y)
		.map((row) => row.querySelector(".text").textContent));
}

/* Every row of the log as {seq, text, lost, gap}, from the beginning of the journal, by scrolling
 * through all of it. */
export function wholeLog(page) {
	return page.evaluate(async () => {
		const box = document.getElementById("log");
		const track = box.querySelector(".track");
		const rows = new Map();
		const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

		while (document.querySelector("#log .edge.above").dataset.edge !== "end") {
			box.scrollTop = 0;
			await frame();
		}
		for (let y = 0; ; y += box.clientHeight * 0.9) {
			box.scrollTop = y;
			await frame();
			for (const row of document.querySelectorAll("#log .row:not([hidden])"))
				rows.set(Math.round(row.getBoundingClientRect().y - track.getBoundingClientRect().y), {
					seq: Number(row.querySelector(".seq").textContent),
					text: row.querySelector(".text").textContent,
					lost: row.classList.contains("lost"),
					gap: row.classList.contains("gap"),
				});
			if (y + box.clientHeight >= box.scrollHeight)
				break;
		}
		return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
	});
}
