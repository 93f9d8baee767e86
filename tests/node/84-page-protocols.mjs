/* What a source may speak is told by the box: a protocol that the page never heard of is offered by
 * its label, and one that the box does not tell of any more is not. */
// busy: 5

import assert from "node:assert/strict";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";

const THING = {
	name: "thing", label: "Thing", schemes: ["thing"], can: ["ask"], credential: "pass", needsCredential: false,
	ownCredential: "Maker", mainSession: true,
};
const SOURCE = {
	id: "one", name: "One", url: "ws://127.0.0.1:9/", protocol: "thing", category: "remote", color: "#5B8DEF",
	state: "connected", error: null, enabled: true, configured: false, hasCredential: false, credentialFrom: null,
	models: [], model: null, can: ["ask"], attempt: 0, retryAt: null, eventsPerSecond: 0, signals: 0, bytes: 0,
	badFrames: 0, dropped: 0, connects: 1, lastSignalAt: null, lastError: null,
};

const box = await new Box().start();

/* What the box tells of its sources goes through `change`, which may hold it back. The sockets can be cut. */
async function openWith(change, view = "sources") {
	const sockets = [];
	const page = await open(box.openUrl(), {
		view,
		prepare: (fresh) => fresh.routeWebSocket(/\/ws\b/, (socket) => {
			const server = socket.connectToServer();

			sockets.push(socket);
			server.onMessage(async (text) => {
				const isNews = String(text).startsWith('{"op":"sources","all"');

				socket.send(isNews ? JSON.stringify(await change(JSON.parse(text))) : text);
			});
		}),
	});
	return { page, cut: () => sockets.splice(0).forEach((socket) => socket.close({ code: 1012 })) };
}

const dialog = (page) => page.locator("dialog[open]");
const offered = (page) => dialog(page).getByLabel("Protocol").locator("option").allTextContents();

async function offeredAnew(page) {
	await page.getByRole("button", { name: "Add a source …" }).click();
	const all = await offered(page);
	await page.keyboard.press("Escape");
	await dialog(page).waitFor({ state: "detached" });
	return all;
}

test("what the box speaks is offered, in its order and words", async () => {
	const { page } = await openWith((news) => news);

	await stateIs(page, "live");
	assert.deepEqual(await offeredAnew(page), [
		"as recognised", "websocket: a WebSocket, one signal per message", "sse: an event stream, or one signal per line",
		"openai: a server like OpenAI's, with a list of models", "responses: OpenAI's Responses", "anthropic: Anthropic's models",
		"ollama: Ollama's own protocol", "openclaw: an OpenClaw gateway", "opencode: a server of opencode",
		"run: a hub of runs, such as Escapement's",
		"scenario: a recording to play", "midi: a MIDI port",
	]);
	await page.context().close();
});

test("a protocol that the page never heard of is offered and drawn; before the box told, nothing is", async () => {
	let tell;
	const told = new Promise((done) => { tell = done; });
	const { page, cut } = await openWith(async (news) => {
		await told;
		return { ...news, all: [...news.all, SOURCE], protocols: [...news.protocols, THING] };
	});
	const card = page.locator('.card[data-id="one"]');

	await page.locator("#view-sources .summary").waitFor();
	assert.equal(await card.count(), 0);
	assert.equal(await page.getByRole("button", { name: "Add a source …" }).isDisabled(), true, "what can be added is not known");
	tell();
	await card.getByText("no pass", { exact: true }).waitFor();
	assert.equal(await card.getByRole("button", { name: "Paste from config" }).isVisible(), true);
	assert.equal(await card.getByText("only listed").isVisible(), false);
	await card.getByRole("button", { name: "Set pass …" }).click();
	await dialog(page).getByLabel("Pass", { exact: true }).waitFor();
	await page.keyboard.press("Escape");
	assert.equal((await offeredAnew(page)).at(-1), "thing: Thing");

	await page.getByRole("button", { name: "Add a source …" }).click();
	await dialog(page).getByLabel("URL").fill("ws://127.0.0.1:9/x");
	await dialog(page).getByText("More").click();
	await dialog(page).getByLabel("Protocol").selectOption("thing");
	await dialog(page).getByRole("button", { name: "Paste from config" }).click();
	assert.equal(await dialog(page).getByLabel("Key, if it needs one").getAttribute("placeholder"),
		"the box reads it from Maker's configuration");
	await page.keyboard.press("Escape");

	await card.getByRole("button", { name: "Ask …" }).click();
	await eventually(async () => await page.locator("#ask-source").inputValue() === "one", "it is asked");
	assert.equal(await page.locator("#ask-session").inputValue(), "", "its main session is meant");
	cut();
	await page.context().close();
});

test("a box that comes back with other protocols is believed", async () => {
	let extra = [THING];
	const { page, cut } = await openWith((news) => ({ ...news, all: [SOURCE], protocols: [...news.protocols, ...extra] }));
	const card = page.locator('.card[data-id="one"]');

	await card.getByText("no pass", { exact: true }).waitFor();
	extra = [];
	cut();
	await card.getByText("It is only listed: signalbox does not support its protocol yet.").waitFor();
	assert.equal(await card.locator(".key").isVisible(), false);
	assert.equal((await offeredAnew(page)).at(-1), "midi: a MIDI port");
	await page.context().close();
});

test("no request left the origin and nothing was refused", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
