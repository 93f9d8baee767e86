// busy: 10
/* A run that was asked for in a chat: its page says what went there, and what failed is sent
 * again from it; in a real browser, against the real program and a Telegram that refuses. */

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { close, open, stateIs } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";
import { api } from "./qualities.mjs";
import { Upstream } from "./upstream.mjs";

const REFUSED = { ok: false, error_code: 403, description: "Forbidden: <b>bot</b> was blocked" };
const sent = [];
let refuses = true;

/* Nobody writes there, and what is sent is taken or refused. */
const telegram = createServer((request, response) => {
	const call = request.url.split("/").at(-1);
	let body = "";

	request.on("data", (bytes) => { body += bytes; });
	request.on("end", () => {
		if (call === "getUpdates")
			return setTimeout(() => response.end('{"ok":true,"result":[]}'), 500);
		if (call !== "sendMessage")
			return response.end('{"ok":true,"result":{"id":1,"is_bot":true,"username":"box_bot"}}');
		sent.push(JSON.parse(body).text);
		if (refuses)
			response.writeHead(403);
		response.end(JSON.stringify(refuses ? REFUSED : { ok: true, result: { message_id: 5, chat: { id: 7 }, date: 1 } }));
	});
});
await new Promise((resolve) => telegram.listen(0, "127.0.0.1", resolve));

const up = await new Upstream().start();
const place = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "chat-"));
writeFileSync(join(place, "token"), "123:abc\n", { mode: 0o600 });
writeFileSync(join(place, "signalbox.yaml"), `
sources: [{id: lab, url: '${up.url}', protocol: openai, model: model-b}]
adapters:
  telegram:
    agent: lab
    url: http://127.0.0.1:${telegram.address().port}
    credential_file: ${join(place, "token")}
    streaming: {mode: accumulate}
`);
const box = await new Box().start("--config", join(place, "signalbox.yaml"));
const page = await open(box.openUrl(), { view: "runs" });
await stateIs(page, "live");

async function ask(text) {
	await eventually(async () => (await api(box, "GET", "/api/sources")).sources.some(({ id, state }) => id === "lab" && state === "connected"),
		"the model is connected");
	const { id } = await api(box, "POST", "/api/messages", { text, channel: "telegram", peer: "7" });

	await page.evaluate((hash) => { location.hash = hash; }, `#/runs/${id}`);
	return id;
}

const rows = () => page.$$eval(".runs-delivered:not([hidden]) li", (all) => all.map((one) => one.firstChild.textContent));

test("what failed is told in the words of the platform, and can be sent again", async () => {
	const id = await ask("good day");

	await eventually(async () => (await rows())[0] === "final to 7 on telegram: failed: Forbidden: <b>bot</b> was blocked", "it says why")
		.catch(async (why) => { throw new Error(`${why.message}: ${JSON.stringify([await rows(), await api(box, "GET", "/api/deliveries")])}`); });
	refuses = false;
	await page.getByRole("button", { name: "Send again" }).click();
	await eventually(async () => (await rows()).at(-1) === "final to 7 on telegram: delivered", "it is delivered");
	assert.equal(sent.length, 2);
	const { deliveries } = await api(box, "GET", `/api/deliveries?run=${id}`);
	assert.deepEqual(deliveries.map(({ run: one, state }) => [one, state]), [[id, "failed"], [id, "delivered"]]);
});

test("another run shows its own deliveries alone, and one without any shows none", async () => {
	await ask("and again");
	await eventually(async () => (await rows()).length === 1 && (await rows())[0] === "final to 7 on telegram: delivered", "its own");
	const { run: quiet } = await api(box, "POST", "/api/sources/lab/ask", { prompt: "not in a chat" });
	const asked = page.waitForResponse((answer) => answer.url().endsWith(`/api/deliveries?run=${quiet}`));

	await page.evaluate((hash) => { location.hash = hash; }, `#/runs/${quiet}`);
	await asked;
	await page.locator(".runs-pane", { hasText: "not in a chat" }).waitFor();
	assert.deepEqual(await rows(), []);
});

await run(async () => {
	await close();
	await box.remove();
	up.end();
	telegram.closeAllConnections();
	telegram.close();
});
