// long
// busy: 16
/* The sources view in a real browser, with real servers on the other side and a home of its own:
 * everything that a person would do to a source, and that no key is ever seen again. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createServer as createListener } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";

const KEY = "sk-canary-5d1e8f3a", NEW_KEY = "sk-canary-77b0c2d9", TOKEN = "claw-canary-31f7";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SETTINGS = '{\n  "model": "opus",\n  "hooks": {\n    "Stop": []\n  }\n}\n';

/* ---- the other side ---- */

/* A server of models that wants a key, when it has one. */
class Models {
	key = null;
	keys = [];           /* what came, in order */
	#server = null;
	port = 0;

	async start() {
		this.#server = createServer((request, response) => {
			const key = request.headers.authorization?.replace("Bearer ", "") ?? null;

			this.keys.push(key);
			response.writeHead(this.key !== null && key !== this.key ? 401 : 200, { "Content-Type": "application/json" });
			response.end(JSON.stringify({ object: "list", data: [{ id: "alpha" }, { id: "<b>beta</b>" }] }));
		});
		await new Promise((done) => this.#server.listen(this.port, "127.0.0.1", done));
		this.port = this.#server.address().port;
		return this;
	}

	get url() {
		return `http://127.0.0.1:${this.port}`;
	}

	async end() {
		this.#server.closeAllConnections();
		await new Promise((done) => this.#server.close(done));
	}
}

/* The strict gateway of the other tests. */
async function startGateway() {
	const tests = fileURLToPath(new URL("..", import.meta.url));
	const script = "import sys; sys.path.insert(0, sys.argv[1]); import gateway\n"
		+ "g = gateway.Gateway(token=sys.argv[2]); print(g.port, flush=True); sys.stdin.read()";
	const child = spawn("python3", ["-c", script, tests, TOKEN], { stdio: ["pipe", "pipe", "inherit"] });

	for await (const line of createInterface({ input: child.stdout }))
		return { port: Number(line), end: () => child.kill() };
	throw new Error("the gateway did not start");
}

async function closedPort() {
	const listener = createListener();

	await new Promise((done) => listener.listen(0, "127.0.0.1", done));
	const { port } = listener.address();
	await new Promise((done) => listener.close(done));
	return port;
}

function makeHome(gateway) {
	const home = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "person-"));

	mkdirSync(join(home, ".claude"));
	mkdirSync(join(home, ".openclaw"));
	mkdirSync(join(home, "bin"));
	writeFileSync(join(home, ".claude/settings.json"), SETTINGS);
	writeFileSync(join(home, ".openclaw/openclaw.json"),
		`// mine\n{ gateway: { port: ${gateway.port}, auth: { mode: 'token', token: '${TOKEN}' } } }`);
	writeFileSync(join(home, "bin/claude"), "#!/bin/sh\n");
	chmodSync(join(home, "bin/claude"), 0o755);
	writeFileSync(join(home, "bin/package.json"), JSON.stringify({ name: "@anthropic-ai/claude-code", version: "2.1.325" }));
	return home;
}

/* ---- the page ---- */

const gateway = await startGateway();
const models = await new Models().start();
const ollama = await new Models().start();
const home = makeHome(gateway);
const settings = join(home, ".claude/settings.json");
const box = new Box();
const nowhere = await closedPort();
box.env = {
	HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}`, CLAUDE_CONFIG_DIR: "",
	SIGNALBOX_DISCOVER_LM_STUDIO: `127.0.0.1:${nowhere}`, SIGNALBOX_DISCOVER_CODEX: `127.0.0.1:${nowhere}`,
	SIGNALBOX_DISCOVER_OPENCODE: `127.0.0.1:${nowhere}`,
	SIGNALBOX_DISCOVER_OLLAMA: `127.0.0.1:${ollama.port}`,
};
await box.start();
const page = await open(box.openUrl(), { view: "sources" });
const sent = [], heard = [];

/* All that leaves the page, and all that comes to it. */
page.on("request", (request) => sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`
	+ JSON.stringify(request.headers())));
page.on("response", async (response) => heard.push(await response.text().catch(() => "")));
page.on("websocket", (socket) => {
	socket.on("framereceived", ({ payload }) => heard.push(String(payload)));
	socket.on("framesent", ({ payload }) => sent.push(String(payload)));
});

async function api(method, path, body) {
	const answer = await fetch(box.origin + path, {
		method, body: body === undefined ? undefined : JSON.stringify(body),
		headers: { Authorization: `Bearer ${readFileSync(join(box.data, "token"), "utf8").trim()}`, "Content-Type": "application/json" },
	});
	return answer.json();
}

const sourceOf = async (id) => (await api("GET", "/api/sources")).sources.find((source) => source.id === id);
const card = (id) => page.locator(`.card[data-id="${id}"]`);
const press = (id, name) => card(id).getByRole("button", { name, exact: true }).click();
const dialog = () => page.locator("dialog[open]");
const inState = (id, state) => page.waitForSelector(`.card[data-id="${id}"][data-state="${state}"]`);
const focused = () => page.evaluate(() => document.activeElement?.closest(".card")?.dataset.id ?? "");

async function says(locator, pattern) {
	await eventually(async () => pattern.test(await locator.textContent()), `${pattern}`);
}

/* Nothing that keeps somebody from using the dialog that is open. */
async function isAccessible() {
	await page.evaluate(AXE);
	const { violations } = await page.evaluate(() => globalThis.axe.run("dialog[open]"));

	assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`), []);
}

/* Everything that could be read on the page, values of fields too. */
function allOfPage() {
	return page.evaluate(() => [document.documentElement.outerHTML,
		...[...document.querySelectorAll("input, textarea")].map((input) => input.value)].join("\n"));
}

async function shot(name) {
	if (process.env.SHOTS)
		await page.screenshot({ path: join(process.env.SHOTS, `sources-${name}.png`) });
}

test("what is not there is grey and says what would help", async () => {
	await stateIs(page, "live");
	await page.evaluate(() => { location.hash = "#/sources"; });
	await inState("local:lm-studio", "missing");
	await says(card("local:lm-studio").locator(".state"), /not found/);
	await says(card("local:lm-studio"), /Start LM Studio's server, then rescan/);
	await inState("local:codex", "missing");
	assert.equal(await card("local:lm-studio").getByRole("button").count(), 0);
	const border = await card("local:codex").evaluate((element) => getComputedStyle(element).borderStyle);
	assert.equal(border, "dashed");
	await says(page.locator("#view-sources .empty"), /No remote source yet/);
});

test("a rescan says what was found, and its cards are there", async () => {
	/* Who does not answer within 300 ms is not there, and this process answers for Ollama. */
	await eventually(async () => {
		await page.keyboard.press("r");
		await says(page.locator("#view-sources .found"), /Found .*Not there: .*LM Studio/);
		return /Found Claude Code, OpenClaw, and Ollama \(2 models\)\. Not there: LM Studio, Codex, and opencode\./
			.test(await page.locator("#view-sources .found").textContent());
	}, "everything that is there is found");
	await inState("local:claude-code", "disconnected");
	await says(card("local:claude-code").locator(".state"), /hooks not installed/);
	await inState("local:ollama", "disconnected");
	await says(page.locator("#view-sources .summary"), /1 of 3 connected/);
	await shot("dark");
});

test("OpenClaw is connected with a token that the page never sees", async () => {
	await inState("local:openclaw", "connected");
	await card("local:openclaw").getByText("token auto-filled", { exact: true }).waitFor();
	await press("local:openclaw", "Set token …");
	await dialog().getByLabel("Token").fill("wrong");
	await page.keyboard.press("Enter");
	await inState("local:openclaw", "error");
	await says(card("local:openclaw").locator(".key"), /a token is set/);
	await says(card("local:openclaw").locator(".why"), /does not know this token/);
	assert.equal(await card("local:openclaw").getByText("token auto-filled").isVisible(), false);
	await press("local:openclaw", "Paste from config");
	await inState("local:openclaw", "connected");
	await card("local:openclaw").getByText("token auto-filled", { exact: true }).waitFor();
	assert.equal((await sourceOf("local:openclaw")).credentialFrom, "openclaw");
});

test("a source is added by its URL with the keyboard alone, recognised as it is typed", async () => {
	const recognised = page.locator(".recognised");

	await page.keyboard.press("a");
	await dialog().waitFor();
	await page.keyboard.type("wss://x.example/openclaw");
	await says(recognised, /^openclaw: an OpenClaw gateway/);
	await page.keyboard.press("Control+A");
	await page.keyboard.type("https://api.anthropic.com");
	await says(recognised, /^anthropic:.*needs a key/);
	await page.keyboard.press("Control+A");
	await page.keyboard.type("ws:/");
	await says(recognised, /^(?!\w+:)/);
	assert.equal(await recognised.getAttribute("data-how"), "bad");
	await page.keyboard.press("Control+A");
	await page.keyboard.type(models.url);
	await says(recognised, /^sse:.*lists its models without a key, the protocol is openai/);
	assert.equal(models.keys.length, 0, "nobody is asked while one types");
	await isAccessible();
	await page.keyboard.press("Tab");
	await page.keyboard.type("My <i>models</i>");
	await page.keyboard.press("Enter");
	await dialog().waitFor({ state: "detached" });
	await inState("127-0-0-1", "connected");
	await eventually(async () => await focused() === "127-0-0-1", "the new card has the focus");
	await says(card("127-0-0-1").locator("h4"), /^My <i>models<\/i>$/);
	await says(card("127-0-0-1").locator(".title"), /openai/);
});

test("a model is chosen from the source's own list", async () => {
	const select = card("127-0-0-1").getByLabel("Model");

	assert.deepEqual(await select.locator("option").allTextContents(), ["alpha", "<b>beta</b>"]);
	assert.equal(await select.inputValue(), "alpha");
	await select.selectOption("<b>beta</b>");
	await eventually(async () => (await sourceOf("127-0-0-1")).model === "<b>beta</b>", "the daemon knows");
	await press("127-0-0-1", "Ask …");
	await eventually(() => page.url().endsWith("#/ask/127-0-0-1"), "the question goes to it");
	await page.goBack();
	await inState("127-0-0-1", "connected");
});

test("a key is typed once, works, and is never seen again", async () => {
	models.key = KEY;
	await press("127-0-0-1", "Disconnect");
	await inState("127-0-0-1", "disconnected");
	await press("127-0-0-1", "Connect");
	await inState("127-0-0-1", "error");
	await says(card("127-0-0-1").locator(".key"), /no key/);
	await press("127-0-0-1", "Edit …");
	await dialog().getByLabel("Protocol").selectOption("openai");
	await dialog().getByRole("button", { name: "Save" }).click();
	await dialog().waitFor({ state: "detached" });
	await inState("127-0-0-1", "error");
	await press("127-0-0-1", "Set key …");
	assert.equal(await dialog().getByLabel("Key").getAttribute("type"), "password");
	await dialog().getByRole("button", { name: "Save" }).click();
	await says(dialog().getByRole("alert"), /Type or paste the key first/);
	await dialog().getByLabel("Key").fill(KEY);
	await page.keyboard.press("Enter");
	await inState("127-0-0-1", "connected");
	assert.equal((await allOfPage()).includes(KEY), false, "what was typed is forgotten");
	assert.equal(models.keys.at(-1), KEY);
	await says(card("127-0-0-1").locator(".key"), /a key is set/);
	models.key = NEW_KEY;
	await press("127-0-0-1", "Replace key …");
	assert.equal(await dialog().getByLabel("Key").inputValue(), "");
	await dialog().getByLabel("Key").fill(NEW_KEY);
	await dialog().getByRole("button", { name: "Save" }).click();
	await dialog().waitFor({ state: "detached" });
	await eventually(() => models.keys.at(-1) === NEW_KEY, "the new one is used");
	await inState("127-0-0-1", "connected");
	models.key = null;
	await press("127-0-0-1", "Forget");
	await dialog().getByRole("button", { name: "Forget it" }).click();
	await says(card("127-0-0-1").locator(".key"), /no key/);
	assert.equal((await sourceOf("127-0-0-1")).hasCredential, false);
});

test("states change as they happen: lost, counted down, tried again, back", async () => {
	const { source } = await api("POST", "/api/sources", { url: `ws://127.0.0.1:${nowhere}`, id: "lost", name: "Lost" });
	const words = card("lost").locator(".state b");

	assert.equal(source.state, "connecting");
	await inState("lost", "connecting");
	await says(words, /^tries again (in \d+ s|now)$/);
	await says(card("lost").locator(".state .more"), /^[3-9] failed so far/);
	await says(card("lost").locator(".why"), /refused/i);
	const first = Number(/\d+/.exec(await words.textContent())?.[0] ?? 0);
	await eventually(async () => Number(/\d+/.exec(await words.textContent())?.[0] ?? 0) !== first, "it counts down");
	const { attempt } = await sourceOf("lost");
	await press("lost", "Try now");
	await eventually(async () => (await sourceOf("lost")).attempt < attempt, "it was tried anew");
	await press("lost", "Disconnect");
	await inState("lost", "disconnected");
	await says(card("lost").locator(".why"), /^Last error: /);
	assert.equal(await card("lost").getByRole("button", { name: "Try now" }).isVisible(), false);
});

test("counters and the minute of a source move with its signals", async () => {
	const file = join(home, "day.ndjson");

	writeFileSync(file, Array.from({ length: 400 }, (_, n) => `{"type":"x","timestamp":${n * 50},"payload":{"n":${n}}}\n`).join(""));
	await api("POST", "/api/sources", { url: `scenario:${file}?loop=true`, id: "day", name: "Day" });
	await inState("day", "connected");
	const path = () => card("day").locator(".spark .line").getAttribute("d");
	const before = await path();

	await eventually(async () => Number(await card("day").locator("dd.rate").textContent()) >= 10, "about 20 a second");
	assert.notEqual(await path(), before);
	await says(card("day").locator("dl"), /signals([3-9]\d|\d{3}).*lastnow/s);
	await press("day", "Disconnect");
	await inState("day", "disconnected");
	await eventually(async () => await card("day").locator("dd.rate").textContent() === "0", "silence is zero");
});

test("a source is edited; a new address forgets the key and says so first", async () => {
	await api("PATCH", "/api/sources/lost", { credential: KEY });
	await press("lost", "Edit …");
	await dialog().getByLabel("Name").fill("Found again");
	await dialog().getByLabel("URL").fill(`ws://localhost:${nowhere}/x`);
	await dialog().getByText("a new address deletes it").waitFor();
	await dialog().getByLabel("Colour").fill("#ff8800");
	await dialog().getByRole("button", { name: "Save" }).click();
	await says(card("lost").locator("h4"), /^Found again$/);
	await says(card("lost").locator(".where"), /localhost/);
	await says(card("lost").locator(".key"), /no key/);
	const colour = await card("lost").evaluate((element) => getComputedStyle(element, "::before").backgroundColor);
	assert.equal(colour, "rgb(255, 136, 0)");
	await press("lost", "Edit …");
	await dialog().getByLabel("URL").fill("ftp://x");
	await dialog().getByRole("button", { name: "Save" }).click();
	await says(dialog().getByRole("alert"), /http/);
	await page.keyboard.press("Escape");
});

test("what is removed is asked about once, and Escape means no", async () => {
	await press("lost", "Remove …");
	await page.keyboard.press("Escape");
	await dialog().waitFor({ state: "detached" });
	assert.ok(await sourceOf("lost"), "it is still there");
	await press("lost", "Remove …");
	assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
	await dialog().getByRole("button", { name: "Remove" }).click();
	await card("lost").waitFor({ state: "detached" });
	assert.equal(await sourceOf("lost"), undefined);
});

test("hooks are installed by the very change that was shown", async () => {
	await press("local:claude-code", "Install hooks …");
	const diff = dialog().locator(".diff");
	await says(diff, /^--- .*settings\.json\n\+\+\+ .*\n@@ .*\n/);
	await says(diff, /\n-    "Stop": \[\]\n\+    "Stop": \[\n\+      \{"hooks": \[\{"type": "command".*signalbox/);
	await isAccessible();
	await shot("tap");
	assert.equal(readFileSync(settings, "utf8"), SETTINGS, "nothing is written yet");
	await dialog().getByRole("button", { name: "Cancel" }).click();
	await dialog().waitFor({ state: "detached" });
	assert.equal(readFileSync(settings, "utf8"), SETTINGS);

	await press("local:claude-code", "Install hooks …");
	await says(diff, /Stop/);
	const other = SETTINGS.replace("opus", "haiku");
	writeFileSync(settings, other);
	await dialog().getByRole("button", { name: "Install" }).click();
	await says(dialog().getByRole("alert"), /not as it was when the change was shown/);
	assert.equal(readFileSync(settings, "utf8"), other, "what was not shown is not done");
	await says(diff, /haiku/);
	const shown = (await diff.locator(".added").allTextContents()).map((line) => line.slice(1)).join("");
	await dialog().getByRole("button", { name: "Install" }).click();
	await dialog().waitFor({ state: "detached" });
	await inState("local:claude-code", "connected");
	const now = readFileSync(settings, "utf8");
	for (const line of shown.trimEnd().split("\n"))
		assert.ok(now.includes(`${line}\n`), `what was shown is there: ${line}`);
	await says(card("local:claude-code"), /31 hooks in .*settings\.json.*For Claude Code 2\.1\.325\./);
});

test("hooks that decide are chosen with the danger said, and all are removed to the byte", async () => {
	await press("local:claude-code", "Change hooks …");
	await says(dialog().locator(".change"), /nothing would change/);
	await dialog().getByLabel(/answer what Claude Code asks permission for/).check();
	await says(dialog().locator(".warning"), /any process of your own user.*not a wall around an agent/s);
	await says(dialog().locator(".diff"), /\+.*hook --decide/);
	await dialog().getByRole("button", { name: "Install" }).click();
	await dialog().waitFor({ state: "detached" });
	await says(card("local:claude-code"), /two of which wait for an answer/);
	await press("local:claude-code", "Remove hooks …");
	await says(dialog().locator(".diff"), /\n-    "Stop": \[\n-      \{"hooks"/);
	await dialog().getByRole("button", { name: "Remove hooks" }).click();
	await dialog().waitFor({ state: "detached" });
	await inState("local:claude-code", "disconnected");
	assert.equal(readFileSync(settings, "utf8"), SETTINGS.replace("opus", "haiku"));
	assert.equal(existsSync(`${settings}.before-signalbox`), false);
});

test("texts of transcripts are read after a yes that says what it means, and no more after a no", async () => {
	const telling = page.locator("#view-sources .telling");

	await says(telling, /reads facts: .* No prompt, answer, command or output is told/);
	await telling.getByRole("button", { name: "Read texts, too" }).click();
	await says(page.getByRole("dialog"), /Prompts, answers, thoughts, commands and outputs of all sessions/);
	await page.keyboard.press("Escape");
	await says(telling, /reads facts: /);
	await telling.getByRole("button", { name: "Read texts, too" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Read texts" }).click();
	await says(telling, /reads facts and texts: /);
	await telling.getByRole("button", { name: "Read facts alone" }).click();
	await says(telling, /reads facts: /);
});

test("cards are gone through with keys, and a service that goes away turns grey", async () => {
	await page.locator("#main").focus();
	await page.keyboard.press("j");
	const first = await focused();
	await page.keyboard.press("j");
	assert.notEqual(await focused(), first);
	await page.keyboard.press("k");
	assert.equal(await focused(), first);
	await ollama.end();
	await page.keyboard.press("r");
	await inState("local:ollama", "unavailable");
	await says(card("local:ollama"), /not there now.*Run ollama serve, then rescan/s);
	assert.equal(await card("local:ollama").getByRole("button", { name: "Connect" }).isDisabled(), true);
});

test("a gateway of this machine is added with the token of its own configuration", async () => {
	await page.keyboard.press("a");
	await dialog().getByLabel("URL").fill(`ws://localhost:${gateway.port}/openclaw`);
	await dialog().getByRole("button", { name: "Paste from config" }).click();
	assert.equal(await dialog().getByLabel("Key, if it needs one").isDisabled(), true);
	await dialog().getByRole("button", { name: "Add" }).click();
	await inState("localhost", "connected");
	await card("localhost").getByText("token auto-filled", { exact: true }).waitFor();
});

test("it is all there again after the server was killed and restarted", async () => {
	await box.end();
	await stateIs(page, "lost");
	await api("GET", "/api/sources").catch(() => {});
	await box.start();
	await stateIs(page, "live");
	await inState("localhost", "connected");
	await inState("127-0-0-1", "connected");
	await says(card("127-0-0-1").locator("h4"), /^My <i>models<\/i>$/);
});

test("at 390 pixels nothing is wider than the screen", async () => {
	await page.setViewportSize({ width: 390, height: 844 });
	await eventually(() => page.evaluate(() => document.documentElement.scrollWidth <= 390
		&& [...document.querySelectorAll("#view-sources .card")].every((element) => element.scrollWidth <= element.clientWidth + 1)),
	"cards fit");
	await shot("390");
	await page.keyboard.press("a");
	await dialog().waitFor();
	assert.ok(await dialog().evaluate((element) => element.scrollWidth <= element.clientWidth));
	await shot("390-add");
	await page.keyboard.press("Escape");
	await page.setViewportSize({ width: 1280, height: 800 });
});

test("no key and no token was in the page, in an answer, or in more than the one request", async () => {
	const dom = await allOfPage();

	for (const secret of [KEY, NEW_KEY, TOKEN]) {
		assert.equal(dom.includes(secret), false, "in the page");
		assert.equal(heard.some((text) => text.includes(secret)), false, "in an answer");
		assert.equal(sent.filter((text) => text.includes(secret)).length, secret === TOKEN ? 0 : 1, "sent once");
	}
	assert.ok(heard.length > 20 && sent.some((text) => text.includes("credentialFrom")), "we did listen");
	assert.equal(sent.some((text) => text.includes("/api/openclaw/token")), false);
	const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
	assert.equal([KEY, NEW_KEY, TOKEN].some((secret) => kept.includes(secret)), false, "in storage");
});

test("no request left the origin and nothing was refused", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	gateway.end();
	await models.end();
	await box.remove();
});
