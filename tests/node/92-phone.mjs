/* docs/phone.md, followed with a phone: Chromium in its phone mode, by TLS, with the commands and the
 * words of that page. */
// long
// busy: 20

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, devices } from "playwright-core";
import { Box, eventually, PATIENCE_MS, run, SIGNALBOX, test } from "./lib.mjs";

const { SHOTS } = process.env;
const PAGE = readFileSync(new URL("../../docs/phone.md", import.meta.url), "utf8");
const COMMANDS = [...PAGE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text.trim());
const FLAGS = ["--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
	...process.getuid() === 0 ? ["--no-sandbox"] : []];
const FAR_BELOW = { timeout: PATIENCE_MS };

const phones = [];

/* What the page calls a thing is what a person looks for. */
function named(words) {
	assert.ok(PAGE.includes(`**${words}**`), `docs/phone.md does not name ${words}`);
	return words;
}

function follow(box, command) {
	assert.ok(COMMANDS.includes(command), `${command} is none of ${COMMANDS}`);
	return type(box, ...command.split(" ").slice(1));
}

function type(box, ...words) {
	return execFileSync(SIGNALBOX, [...words, "--data", box.data], { encoding: "utf8" }).trim();
}

async function startBox() {
	const box = new Box();

	box.env = { SIGNALBOX_PHONE_LISTEN: "127.0.0.1:0" };
	return box.start();
}

/* A phone whose owner went on in spite of the warning; or has had the certificate trusted. What it
 * keeps is kept from one start of the browser to the next. */
async function takePhone({ trusts = true, home = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "phone-")) } = {}) {
	const context = await chromium.launchPersistentContext(home, {
		...devices["Pixel 7"], ignoreHTTPSErrors: true, executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: [...FLAGS, ...trusts ? ["--ignore-certificate-errors"] : []], timeout: 2 * PATIENCE_MS,
	});
	const faults = [];
	const page = context.pages()[0];

	context.setDefaultTimeout(PATIENCE_MS);
	page.on("pageerror", (error) => faults.push(String(error.stack)));
	page.on("console", (message) => {
		if (/content security policy|refused to/i.test(message.text()))
			faults.push(message.text());
	});
	phones.push(context);
	return { context, page, faults, home };
}

const stateIs = (page, name) => eventually(() =>
	page.evaluate((wanted) => document.getElementById("state")?.dataset.state === wanted, name).catch(() => false), `the page is ${name}`);

async function shoot(page, name) {
	if (!SHOTS)
		return;
	mkdirSync(SHOTS, { recursive: true });
	await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

async function pairPhone(box, phone) {
	const url = follow(box, "signalbox pair --print");

	await phone.page.goto(url);
	await stateIs(phone.page, "live");
	return url;
}

async function openCard(page) {
	await page.getByRole("button", { name: named("This device") }).click();
	return page.locator("#device-card");
}

test("a phone is paired by the URL, answers a question, and may do no more", async () => {
	const box = await startBox();
	const phone = await takePhone();
	const url = await pairPhone(box, phone);

	assert.ok(!(await phone.page.evaluate(() => location.href)).includes("#t="), "the code has left the address");
	await box.emit({ type: "prompt", source: "adapter:tap", correlationId: "s", payload: { type: "confirm", prompt: "Shall I go on?" } });
	await phone.page.getByText("Shall I go on?").first().waitFor();
	await shoot(phone.page, "phone-question");
	await phone.page.getByRole("button", { name: /^yes/i }).first().click();
	await eventually(() => JSON.parse(type(box, "prompts", "--json")).length === 0, "it is answered");
	const secret = await phone.page.evaluate(() => localStorage.getItem("signalbox.device"));
	const statusOf = (path, method, body) => phone.page.evaluate(async ([where, how, what, bearer]) =>
		(await fetch(where, { method: how, body: what, headers: { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" } })).status,
	[path, method, body, secret]);
	assert.equal(await statusOf("/api/prompts", "GET"), 200);
	assert.equal(await statusOf("/api/signal", "POST", '{"type":"x"}'), 403);
	assert.equal(await statusOf("/api/devices", "POST", "{}"), 403);
	const other = await takePhone();
	await other.page.goto(url);
	await stateIs(other.page, "signed-out");
	assert.match(await other.page.locator("#notice").innerText(), /signalbox pair/);
	assert.deepEqual([...phone.faults, ...other.faults], []);
	await box.remove();
});

test("a page without an address bar is paired by the link that is pasted, and by nothing else", async () => {
	const box = await startBox();
	const phone = await takePhone();
	const url = follow(box, "signalbox pair --print");
	const { origin } = new URL(url);
	const traded = [];

	phone.page.on("request", (request) => {
		if (request.method() !== "GET")
			traded.push(request.url());
	});
	await phone.page.goto(origin);
	await stateIs(phone.page, "signed-out");
	const field = phone.page.getByLabel("The link of signalbox pair");
	const pair = phone.page.getByRole("button", { name: named("Pair"), exact: true });
	for (const text of ["", "hello", url.replace(origin, "https://other.example"), `${url}0`, url.replace("#t=", "?t="), url.slice(0, -1),
		url.replace("https:", "http:"), `javascript:alert(1)/${new URL(url).hash}`, `<img src=x onerror=alert(1)>${url}`]) {
		await field.fill(text);
		await pair.click();
		await phone.page.getByText("This is no link of signalbox pair").waitFor();
	}
	assert.deepEqual(traded, []);
	await shoot(phone.page, "phone-paste");
	await field.fill(` ${url} `);
	await pair.click();
	await stateIs(phone.page, "live");
	assert.equal(await field.inputValue(), "", "the code has left the page");
	assert.match(follow(box, "signalbox devices"), /^phone +observe,answer /m);
	assert.deepEqual(phone.faults, []);
	await box.remove();
});

test("it stays signed in: a new tab, a new start of the browser, a new start of the box", async () => {
	const box = await startBox();
	const phone = await takePhone();
	const { origin } = new URL(await pairPhone(box, phone));
	const tab = await phone.context.newPage();

	await tab.goto(origin);
	await stateIs(tab, "live");
	await phone.context.close();
	box.env = { SIGNALBOX_PHONE_LISTEN: new URL(origin).host };
	await box.end("SIGTERM");
	await box.start();
	const again = await takePhone({ home: phone.home });
	await again.page.goto(origin);
	await stateIs(again.page, "live");
	assert.match(follow(box, "signalbox devices"), /^phone +observe,answer /m);
	await box.remove();
});

test("a phone that is revoked is out at once, and says how it is paired again", async () => {
	const box = await startBox();
	const phone = await takePhone();

	const { origin } = new URL(await pairPhone(box, phone));
	const tab = await phone.context.newPage();
	await tab.goto(origin);
	await stateIs(tab, "live");
	await box.emit({ type: "prompt", source: "adapter:tap", correlationId: "s", payload: { type: "confirm", prompt: "May I see it?" } });
	for (const page of [phone.page, tab])
		await eventually(() => page.evaluate(() => document.body.innerText.includes("May I see it?")), "the question is there");
	type(box, "devices", "revoke", "phone");
	for (const page of [phone.page, tab]) {
		await stateIs(page, "signed-out");
		assert.equal(await page.evaluate(() => document.body.innerText.includes("May I see it?")), false, "nothing of it can be read any more");
		assert.match(await page.locator("#notice").innerText(), /not paired any more/);
		assert.equal(await page.evaluate(() => localStorage.getItem("signalbox.device")), null);
	}
	await shoot(phone.page, "phone-revoked");
	const open = () => readFileSync(join(box.data, "listen"), "utf8").includes(new URL(origin).port);
	await eventually(() => !open(), "the port is closed");
	const next = await takePhone();
	await next.page.goto(follow(box, "signalbox pair --name tablet --scopes observe --print"));
	await stateIs(next.page, "live");
	const card = await openCard(next.page);
	await shoot(next.page, "phone-card");
	assert.match(follow(box, "signalbox devices"), /^tablet /m);
	await card.getByRole("button", { name: named("Sign out") }).click();
	await stateIs(next.page, "signed-out");
	assert.doesNotMatch(type(box, "devices"), /tablet/);
	assert.equal(await next.page.evaluate(() => localStorage.getItem("signalbox.device")), null);
	assert.equal(await card.isVisible(), false);
	assert.deepEqual(next.faults, []);
	await box.remove();
});

/* What a browser asks of a page that is to be installed. */
async function manifestOf(page) {
	const link = await page.evaluate(() => document.querySelector("link[rel=manifest]").href);
	const manifest = await page.evaluate(async (url) => (await fetch(url)).json(), link);
	const sizes = await page.evaluate((icons) => Promise.all(icons.map(async ({ src }) => {
		const image = await createImageBitmap(await (await fetch(src)).blob());
		return `${image.width}x${image.height}`;
	})), manifest.icons);

	return { manifest, sizes };
}

test("the page can be installed, and its worker keeps nothing and shows no old page", async () => {
	const box = await startBox();
	const phone = await takePhone();
	const { origin } = new URL(await pairPhone(box, phone));
	const { manifest, sizes } = await manifestOf(phone.page);

	assert.deepEqual(sizes, manifest.icons.map((icon) => icon.sizes));
	assert.ok(sizes.includes("192x192") && sizes.includes("512x512"));
	assert.equal(manifest.display, "standalone");
	const cdp = await phone.context.newCDPSession(phone.page);
	await eventually(() => phone.page.evaluate(() => navigator.serviceWorker.controller !== null), "the worker is in control");
	const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
	assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"), []);
	await phone.page.reload();
	await stateIs(phone.page, "live");
	assert.deepEqual(await phone.page.evaluate(() => caches.keys()), []);
	const served = [];
	phone.page.on("response", (response) => served.push({ url: response.url(), fromWorker: response.fromServiceWorker() }));
	await phone.page.reload();
	await stateIs(phone.page, "live");
	assert.ok(served.some(({ url }) => url.includes("/api/")));
	assert.deepEqual(served.filter(({ url, fromWorker }) => fromWorker && url.includes("/api/")), []);
	await box.end("SIGTERM");
	/* In the browser's own words: what it warns of can be passed. */
	await assert.rejects(phone.page.goto(`${origin}/`, FAR_BELOW), /net::ERR_/);
	box.env = { SIGNALBOX_PHONE_LISTEN: new URL(origin).host };
	await box.start();
	/* The page of the failure may come late, and interrupt. */
	await eventually(() => phone.page.goto(`${origin}/`, FAR_BELOW).then(() => true, () => false), "the box is found again");
	await stateIs(phone.page, "live");
	assert.deepEqual(phone.faults, []);
	await box.remove();
});

/* The browser's maker is not asked in a test: what its service would give is given here. What is pushed
 * then comes by the browser's own door for that. */
const SUBSCRIBE = ({ endpoint }) => {
	const keys = { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" };

	window.had = null;
	PushManager.prototype.getSubscription = async () => window.had;
	PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
		const key = Uint8Array.from(atob(applicationServerKey.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));

		if (window.had !== null && window.had.of !== applicationServerKey)
			throw new DOMException("for another key", "InvalidStateError");
		window.asked = { userVisibleOnly };
		window.had ??= { of: applicationServerKey, options: { applicationServerKey: key.buffer }, toJSON: () => ({ endpoint: window.endpoint, keys }),
			unsubscribe: async () => { window.had = null; } };
		return window.had;
	};
	window.endpoint = endpoint;
};

/* A browser without a screen shows no notifications: what the worker would have it show is kept. */
const KEEP = () => {
	self.shown = [];
	ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag, data, silent }) => {
		self.shown = [...self.shown.filter((one) => one.tag !== tag), { title, body, tag, data, silent }];
	};
};

/* A notification with words of an agent is on the screen. */
const SHOWN = () => {
	window.shown = 1;
	ServiceWorkerRegistration.prototype.getNotifications = async () => Array.from({ length: window.shown }, () => ({ close() { window.shown--; } }));
};

test("the phone asks to be notified, shows what is pushed, and takes back what is settled", async () => {
	const box = await startBox();
	const phone = await takePhone();
	const { page } = phone;

	const { origin } = new URL(await pairPhone(box, phone));
	await phone.context.grantPermissions(["notifications"], { origin });
	await page.evaluate(SUBSCRIBE, { endpoint: "https://push.example/a" });
	const card = await openCard(page);
	await card.getByRole("button", { name: named("Notify me") }).click();
	await card.getByRole("button", { name: named("Stop notifying me") }).waitFor();
	await shoot(page, "phone-notified");
	assert.equal((await page.evaluate(() => window.asked)).userVisibleOnly, true);
	assert.match(readFileSync(join(box.data, "devices.json"), "utf8"), /push\.example/);
	await card.getByRole("checkbox", { name: named("with what the agent says") }).check();
	const kept = () => readFileSync(join(box.data, "devices.json"), "utf8");
	await eventually(() => kept().includes('"words":true'), "the choice is kept");

	const cdp = await phone.context.newCDPSession(page);
	const registrations = [];
	cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: found }) => registrations.push(...found));
	await cdp.send("ServiceWorker.enable");
	const { registrationId } = await eventually(() => registrations.find(({ scopeURL }) => scopeURL.startsWith(origin)), "the worker is known");
	const push = (note) => cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: typeof note === "string" ? note : JSON.stringify(note) });
	const [worker] = phone.context.serviceWorkers();
	const shown = () => worker.evaluate(() => self.shown);
	await worker.evaluate(KEEP);
	await push({ id: "m1", title: "checkout-2 waits for you", handle: "checkout-2" });
	await eventually(async () => (await shown()).length === 1, "it is shown");
	assert.deepEqual(await shown(), [{ title: "checkout-2 waits for you", body: "", tag: "signalbox-m1", data: "checkout-2", silent: false }]);
	await push({ id: "m1", title: "checkout-2 waits for you", handle: "checkout-2", settled: true });
	await eventually(async () => (await shown())[0].silent, "it is taken back");
	assert.deepEqual(await shown(), [{ title: "checkout-2: settled", body: "", tag: "signalbox-m1", data: "checkout-2", silent: true }]);
	await push("no JSON");
	await eventually(async () => (await shown()).some(({ title }) => title === "signalbox"), "what is none is shown without words");

	/* The service gives another address; and then the key is another one. */
	const change = () => worker.evaluate(() => {
		self.dispatchEvent(Object.assign(new Event("pushsubscriptionchange"), { waitUntil: () => {} }));
	});
	await page.evaluate(() => { window.endpoint = "https://push.example/b"; });
	await change();
	await eventually(() => kept().includes("push.example/b") && kept().includes('"words":true'), "the box has the new address");
	await page.evaluate(() => {
		Object.assign(window.had, { of: "other", options: { applicationServerKey: new ArrayBuffer(65) } });
		window.endpoint = "https://push.example/c";
	});
	await change();
	await eventually(() => kept().includes("push.example/c"), "it is subscribed anew");

	await page.evaluate(SHOWN);
	await card.getByRole("button", { name: "Stop notifying me" }).click();
	await card.getByRole("button", { name: "Notify me" }).waitFor();
	assert.doesNotMatch(readFileSync(join(box.data, "devices.json"), "utf8"), /push\.example/);
	await eventually(() => page.evaluate(() => window.shown === 0), "nothing stays on the screen of who wants no more");

	await page.evaluate(SHOWN);
	type(box, "devices", "revoke", "phone");
	await stateIs(page, "signed-out");
	await eventually(() => page.evaluate(() => window.shown === 0), "nor of who is revoked");
	assert.deepEqual(phone.faults, []);
	await box.remove();
});

test("without trust in the certificate the page works, and offers what vouches for it", async () => {
	const box = await startBox();
	const phone = await takePhone({ trusts: false });

	await pairPhone(box, phone);
	const card = await openCard(phone.page);
	const link = card.getByRole("link", { name: named("Download the certificate") });
	const isUntrusted = await phone.page.evaluate(() => navigator.serviceWorker.getRegistration().then((found) => found === undefined));
	if (isUntrusted) {
		const [download] = await Promise.all([phone.page.waitForEvent("download"), link.click()]);
		const pem = readFileSync(await download.path(), "utf8");
		const { port } = new URL(phone.page.url());

		assert.ok(pem.includes("BEGIN CERTIFICATE") && !pem.includes("PRIVATE"));
		/* Who trusts it has no doubt about the box. */
		const status = await new Promise((done, fail) => request({ host: "127.0.0.1", port, path: "/healthz", ca: pem },
			(answer) => done(answer.statusCode)).on("error", fail).end());
		assert.equal(status, 200);
	}
	await shoot(phone.page, "phone-trust");
	assert.ok(existsSync(join(box.data, "phone.pem")));
	assert.deepEqual(phone.faults, []);
	await box.remove();
});

await run(async () => {
	for (const phone of phones)
		await phone.close().catch(() => {});
});
