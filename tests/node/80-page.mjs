/* The page around its views, in a real browser, against the real program: how one gets in and
 * about, what it weighs, and that it comes back from everything with every signal once. */
// long
// busy: 85

import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Box, eventually, PATIENCE_MS, run, SIGNALBOX, Skip, SLOW, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";

const SHORT_BYTES = 200;
const BUDGET = 1200000;
const VIEWS = ["crew", "stage", "log", "sources", "ask", "runs", "numbers", "voice"];
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
	+ "style-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const box = await new Box().start();
let emitted = 0;

async function emit(count) {
	await box.emit(...Array.from({ length: count }, () => ({ type: "counted", source: "counter", payload: { n: ++emitted } })));
}

async function openLive(options = {}) {
	const page = await open(box.openUrl(), { view: "log", ...options });

	await stateIs(page, "live");
	return page;
}

/* The words of an element, once they are what they ought to be. */
async function says(page, selector, pattern, within = PATIENCE_MS) {
	await eventually(async () => pattern.test(await page.textContent(selector)), `${selector}: ${pattern}`, within);
}

/* Follows every signal that the page takes from its sockets. */
async function follow(page) {
	const seqs = [];

	page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
		const seq = /^\{"seq":(\d+)/.exec(String(payload))?.[1];
		if (seq !== undefined)
			seqs.push(Number(seq));
	}));
	await page.reload();
	await stateIs(page, "live");
	return {
		/* Each exactly once, in order, up to the last that there is; and the page says as many. */
		async isWhole() {
			const { lastSeq } = await box.emit({ type: "end" });

			await eventually(() => seqs.at(-1) === lastSeq, "the last one came");
			assert.deepEqual(seqs, seqs.map((_, i) => seqs[0] + i));
			await says(page, "#total", new RegExp(`^${seqs.length.toLocaleString("en")}$`));
		},
	};
}

/* ---- in and about ---- */

test("a link signs the tab in once, and its code leaves the address bar before anything is sent", async () => {
	const url = box.openUrl();
	const code = url.split("#t=")[1];
	const page = await open(url);
	const other = await open(box.origin, { view: "log" });
	const sent = [];

	await stateIs(page, "live");
	assert.equal(page.url(), `${box.origin}/#/${VIEWS[0]}`);
	await page.reload();
	await stateIs(page, "live");
	other.on("request", (request) => sent.push(request.url()));
	await other.goto(url);
	await other.reload();
	await stateIs(other, "signed-out");
	await other.goto(url);
	await says(other, "#notice", /used already.*signalbox open/s);
	await other.goto(box.openUrl());
	await stateIs(other, "live");
	assert.ok(await other.isHidden("#notice"));
	assert.ok(sent.length > 3 && !sent.some((asked) => asked.includes(code)));
	await Promise.all([page.context().close(), other.context().close()]);
});

test("a tab without a session, or with one that is over, says what to run", async () => {
	const page = await open(box.origin, { view: "log" });

	await stateIs(page, "signed-out");
	await says(page, "#state", /signed out/);
	await says(page, "#notice", /no session.*signalbox open/s);
	await page.evaluate(() => sessionStorage.setItem("signalbox.session", "a".repeat(43)));
	await page.reload();
	await stateIs(page, "signed-out");
	await says(page, "#notice", /session of this tab has ended.*signalbox open/s);
	await page.context().close();
});

test("keys and links lead to every view, the address names it, and the way back is the browser's", async () => {
	const page = await openLive();
	const shown = (name) => eventually(async () => await page.isVisible(`#view-${name}`)
		&& await page.locator(".view:not([hidden])").count() === 1
		&& await page.getAttribute("#views [aria-current=page]", "href") === `#/${name}`
		&& page.url().includes(`#/${name}`), `${name} is shown, alone`);

	await shown("log");
	for (const [i, name] of VIEWS.entries()) {
		await page.evaluate(() => document.activeElement.blur());
		await page.keyboard.press(String(i + 1));
		await shown(name);
	}
	await page.goBack();
	await shown("numbers");
	await page.goForward();
	await shown("voice");
	await page.click("#views a[href='#/sources']");
	await shown("sources");
	await page.goto(`${box.origin}/#/nothing/at/all`);
	await shown("sources");
	await page.goto(`${box.origin}/`);
	await shown("sources");
	await page.goto(box.openUrl());
	await shown("sources");
	await page.context().close();
});

test("who comes for the first time sees the crew", async () => {
	const page = await open(box.openUrl());

	await eventually(() => page.evaluate((id) => document.getElementById(id)?.hidden === false, `view-${VIEWS[0]}`), "it is there");
	assert.equal(await page.getAttribute("#views a:first-child", "aria-current"), "page");
	await page.context().close();
});

test("the help lists the keys of every view, and gives the focus back", async () => {
	const page = await openLive();

	await page.focus("#help");
	await page.keyboard.press("?");
	await page.waitForSelector("#keys[open]");
	await eventually(async () => (await page.locator("#keys h3").allTextContents()).length === VIEWS.length + 1, "all are listed");
	assert.match(await page.textContent("#keys"), /Everywhere.*1Crew.*2Stage.*3Log.*6Runs.*filter/s);
	await page.keyboard.press("1");
	assert.match(page.url(), /#\/log/, "a dialog keeps its keys");
	await page.keyboard.press("Escape");
	await page.waitForSelector("#keys", { state: "hidden" });
	await eventually(() => page.evaluate(() => document.activeElement.id === "help"), "the focus is back");
	await page.context().close();
});

test("what goes wrong is said as an alert, stays while it is looked at, and can be dismissed", async () => {
	const page = await open(box.origin, { view: "log" });

	await page.route(/\/runs-[0-9A-Z]{8}\.js$/, (route) => route.abort());
	await page.goto(box.openUrl());
	await stateIs(page, "live");
	await page.evaluate(() => { location.hash = "/runs"; });
	await says(page, "#warned", /Runs could not be shown. Reload the page/);
	assert.equal(await page.getAttribute("#warned", "role"), "alert");
	assert.equal(await page.getAttribute("#said", "role"), "status");
	await page.click("#warned button");
	await eventually(async () => await page.locator("#warned .toast").count() === 0, "it is gone");
	await page.evaluate(() => { location.hash = "/log"; });
	await page.waitForSelector("#view-log:not([hidden])");
	await page.context().close();
});

test("the first Tab offers to skip to the view", async () => {
	const page = await openLive();

	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("Tab");
	assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
	await page.keyboard.press("Enter");
	assert.equal(await page.evaluate(() => document.activeElement.id), "main");
	assert.match(page.url(), /#\/log/);
	await page.context().close();
});

test("the theme follows the system until another is chosen, and the choice is remembered", async () => {
	const page = await openLive({ scheme: "dark" });
	const isDark = () => page.evaluate(() =>
		Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]) < 128);
	const label = () => page.getAttribute("#theme", "aria-label");

	assert.equal(await isDark(), true);
	await page.emulateMedia({ colorScheme: "light" });
	assert.equal(await isDark(), false);
	await page.click("#theme");
	assert.match(await label(), /dark/);
	assert.equal(await isDark(), true);
	await page.reload();
	await stateIs(page, "live");
	assert.equal(await isDark(), true);
	await page.click("#theme");
	assert.match(await label(), /light/);
	await page.emulateMedia({ colorScheme: "dark" });
	assert.equal(await isDark(), false);
	await page.click("#theme");
	assert.match(await label(), /system/);
	assert.equal(await isDark(), true);
	await page.context().close();
});

test("a question that is open is counted in the title and beside Ask, until it is answered", async () => {
	const page = await openLive();

	await box.emit({ type: "prompt", source: "asker", correlationId: "run-1", payload: { type: "confirm", prompt: "Really?" } });
	await eventually(async () => await page.title() === "(1) signalbox", "the title says so");
	await says(page, "#views a[href='#/crew'] .count", /1/);
	const [{ id }] = (await page.evaluate(async () => {
		const answer = await fetch("/api/prompts", { headers: { Authorization: `Bearer ${sessionStorage.getItem("signalbox.session")}` } });
		return answer.json();
	})).prompts;
	box.cli("answer", id, "true");
	await eventually(async () => await page.title() === "signalbox", "the title says so");
	await eventually(() => page.isHidden("#views a[href='#/crew'] .count"), "nothing is counted");
	await page.context().close();
});

test("signals of a demo are clearly labelled while they come, and the rate moves", async () => {
	await box.emit({ type: "x", source: "someone", metadata: { demo: true }, timestamp: Date.now() - 3600000 });
	const page = await openLive();

	assert.ok(await page.isHidden("#demo"), "that was an hour ago");
	await box.emit({ type: "x", source: "someone", metadata: { demo: true } });
	await page.waitForSelector("#demo:not([hidden])");
	await says(page, "#demo", /demo/i);
	await emit(40);
	await eventually(async () => Number(await page.textContent("#rate")) > 0, "the rate moves");
	assert.match(await page.getAttribute("#spark .line", "d"), /^M0/);
	await page.context().close();
});

test("nothing in the URL makes the page connect elsewhere", async () => {
	const url = box.openUrl().replace("/#", "/?gatewayUrl=ws://127.0.0.1:9&ws=ws://127.0.0.1:9&url=//127.0.0.1:9#");
	const page = await open(url, { view: "log" });

	await stateIs(page, "live");
	await page.context().close();
});

/* ---- coming back ---- */

for (const [words, interrupt] of [["was killed", "SIGKILL"], ["stopped cleanly", "SIGTERM"]]) {
	test(`a server that ${words} comes back, and the page says so and has every signal once`, async () => {
		const page = await openLive();
		const followed = await follow(page);

		for (let round = 0; round < 3; round++) {
			await emit(20);
			await box.end(interrupt);
			await stateIs(page, "lost");
			await says(page, "#state", /^\s*lost, retrying( in \d+ s)?\s*Retry now\s*$/);
			await eventually(async () => await page.title() === "lost · signalbox", "the title says so");
			await box.start();
			await emit(20);
			await stateIs(page, "live");
		}
		await followed.isWhole();
		assert.equal(await page.title(), "signalbox");
		await page.context().close();
	});
}

test("a button tries again at once", async () => {
	const page = await openLive();
	/* Clicks, and gives how many seconds it would have waited; on a slow machine that is over. */
	const retry = () => page.evaluate(() => {
		const left = /in (\d+) s/.exec(document.getElementById("state-more").textContent)?.[1] ?? 0;

		document.getElementById("retry").click();
		return Number(left);
	});

	await eventually(async () => {
		await box.end();
		await stateIs(page, "lost");
		await eventually(async () => /in [345] s/.test(await page.textContent("#state-more")), "the waits grow long", 2 * PATIENCE_MS);
		await box.start();
		const left = await retry();
		const begun = Date.now();
		await stateIs(page, "live");
		return Date.now() - begun < (left - 1) * 1000;
	}, "it is there sooner than by itself", 3 * PATIENCE_MS);
	await page.context().close();
});

test("a connection that falls silent is given up, and gone on with exactly", async () => {
	const page = await openLive();
	const followed = await follow(page);

	box.signal("SIGSTOP");
	await page.evaluate(() => dispatchEvent(new Event("online")));
	await stateIs(page, "lost");
	box.signal("SIGCONT");
	await emit(10);
	await stateIs(page, "live");
	await followed.isWhole();
	await page.context().close();
});

test("a network that goes away and comes back leaves no hole", async () => {
	const page = await openLive();
	const followed = await follow(page);

	await page.context().setOffline(true);
	await box.end();
	await box.start();
	await emit(15);
	await stateIs(page, "lost");
	await sleep(500);
	assert.equal(await page.getAttribute("#state", "data-state"), "lost");
	await page.context().setOffline(false);
	await stateIs(page, "live");
	await followed.isWhole();
	await page.context().close();
});

test("a machine that slept through a restart wakes up with every signal", async () => {
	const page = await openLive();
	const followed = await follow(page);
	const devtools = await page.context().newCDPSession(page);

	await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
	await emit(10);
	await box.end();
	await box.start();
	await emit(10);
	await sleep(1000);
	await devtools.send("Page.setWebLifecycleState", { state: "active" });
	await stateIs(page, "live");
	await followed.isWhole();
	await page.context().close();
});

test("a clock that jumps an hour makes the page look whether its connection lives", async () => {
	const page = await openLive();

	await page.clock.install();
	await page.reload();
	await page.clock.runFor(1000);
	await stateIs(page, "live");
	const sent = [];
	page.on("websocket", () => sent.push("socket"));
	await page.evaluate(() => {
		const { send } = WebSocket.prototype;
		window.framesSent = [];
		WebSocket.prototype.send = function (text) { window.framesSent.push(text); send.call(this, text); };
	});
	await page.clock.fastForward(3600000);
	await eventually(async () => {
		await page.clock.runFor(1000);
		return page.evaluate(() => window.framesSent.some((text) => text.includes('"ping"')));
	}, "it asks for a sign of life");
	await stateIs(page, "live");
	assert.deepEqual(sent, [], "and keeps the connection that answers");
	await page.context().close();
});

test("while the disk fails the page says so, and no longer than that", async () => {
	const library = join(dirname(SIGNALBOX), "tests/preload/libfaults.so");
	const failing = join(dirname(box.data), "failing");

	if (!existsSync(library))
		throw new Skip("the library that makes disks fail is not built");
	await box.end("SIGTERM");
	box.env = { FAULTS_FAIL: "sync:%1:EIO", FAULTS_DIR: box.data, FAULTS_WHILE: failing, LD_PRELOAD: library,
		ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ""}:verify_asan_link_order=0` };
	await box.start();
	const page = await openLive();
	assert.ok(await page.isHidden("#trouble"));
	writeFileSync(failing, "");
	const answer = emit(1).catch(() => {});
	await page.waitForSelector("#trouble:not([hidden])");
	await says(page, "#trouble", /The server reports a problem:\s+\S{3}/);
	assert.equal(await page.getAttribute("#trouble", "role"), "alert");
	rmSync(failing);
	await page.waitForSelector("#trouble", { state: "hidden" });
	await answer;
	await page.context().close();
	await box.end("SIGTERM");
	box.env = {};
	await box.start();
});

/* ---- what it weighs ---- */

test("all of it is under 1.2 MB on the wire, kept for ever by its hashes, under one strict policy", async () => {
	const page = await openLive();
	const answers = new Map();

	page.on("response", (answer) => answers.set(new URL(answer.url()).pathname, answer));
	await (await page.context().newCDPSession(page)).send("Network.clearBrowserCache");
	await page.reload();
	await stateIs(page, "live");
	const first = answers.size;
	for (const name of [...VIEWS].reverse()) {
		await page.evaluate((hash) => { location.hash = hash; }, `/${name}`);
		await eventually(() => page.evaluate((id) => document.querySelector(`#${id}:not([hidden]) > *`) !== null,
			`view-${name}`), `${name} is there`);
	}
	await eventually(() => page.evaluate(() => document.querySelector("#view-stage canvas") !== null), "the stage is painted",
		3 * PATIENCE_MS);
	const files = [...answers].filter(([path]) => !path.startsWith("/api/") && path !== "/readyz");
	let sum = 0;
	for (const [path, answer] of files) {
		const headers = await answer.allHeaders();
		const { responseBodySize } = await answer.request().sizes();
		sum += responseBodySize;
		assert.equal(headers["content-security-policy"], POLICY, path);
		if (responseBodySize > SHORT_BYTES)     /* packing makes a shorter one longer */
			assert.equal(headers["content-encoding"], "gzip", path);
		assert.equal(headers.vary, "Accept-Encoding", path);
		assert.equal(headers["cache-control"], path === "/" ? "no-cache" : "public, max-age=31536000, immutable", path);
		assert.ok(path === "/" || /-[0-9A-Z]{8}\.(js|css|svg)$/.test(path), path);
	}
	console.log(`# ${files.length} files, ${sum} bytes; ${first} answers before the first view`);
	assert.ok(files.length >= VIEWS.length + 3 && sum > 10000 && sum < BUDGET, `${sum}`);
	await page.reload();
	await stateIs(page, "live");
	const fetched = await page.evaluate(() => performance.getEntriesByType("resource")
		.filter(({ transferSize }) => transferSize > 0).map(({ name }) => new URL(name).pathname));
	const known = new Set(files.map(([path]) => path));
	assert.deepEqual(fetched.filter((path) => known.has(path)), [], "nothing that was kept is asked for again");
	await page.context().close();
});

test("the frame fits a telephone and a wall", async () => {
	for (const [width, height] of [[390, 844], [3840, 2160]]) {
		const page = await openLive({ width, height, scheme: "light" });
		const wide = await page.evaluate(() => [...document.querySelectorAll("body > *, #top *, #views *")]
			.filter((e) => e.getBoundingClientRect().width > 2 && e.getBoundingClientRect().right > innerWidth + 1)
			.map((e) => e.id || e.className));

		assert.deepEqual(wide, [], `${width}`);
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
		const nav = await page.locator("#views").boundingBox();
		assert.ok(width < 700 ? nav.y > height / 2 : nav.x === 0 && nav.y < 100, "a bar at the foot, or a rail");
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
