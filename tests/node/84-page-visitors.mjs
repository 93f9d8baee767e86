/* Clients of the gateway dialect that want in, on the page: seen whole, then let in or turned away. */

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { close, faults, open } from "./browser.mjs";
import { Box, eventually, run, test } from "./lib.mjs";

const SCOPES = ["operator.read", "operator.approvals"];
const box = await new Box().start();
const page = await open(box.openUrl(), { view: "sources" });
const visitors = page.getByRole("region", { name: "Clients that want in" });
const dialog = page.locator("dialog[open]");

/* What a connect of a device brings; the browser has the socket, for it is of this origin. */
async function knock(keys, { name, scopes = SCOPES }) {
	const spelt = keys.publicKey.export({ format: "der", type: "spki" }).subarray(-32);
	const id = createHash("sha256").update(spelt).digest("hex");
	const client = { id: "openclaw-tui", version: "1", platform: "linux", mode: "ui", displayName: name };
	const nonce = await page.evaluate(() => new Promise((done) => {
		window.visitor = new WebSocket(`ws://${location.host}/ws/gateway`);
		window.visitor.onmessage = ({ data }) => done(JSON.parse(data).payload.nonce);
	}));
	const signedAt = Date.now();
	const words = ["v3", id, client.id, client.mode, "operator", scopes.join(","), signedAt, "", nonce, "linux", ""].join("|");
	const params = {
		minProtocol: 4, maxProtocol: 4, client, role: "operator", scopes, auth: {},
		device: {
			id, publicKey: spelt.toString("base64url"), signedAt, nonce,
			signature: sign(null, Buffer.from(words), keys.privateKey).toString("base64url"),
		},
	};

	return page.evaluate((asked) => new Promise((done) => {
		window.visitor.onmessage = ({ data }) => {
			done(JSON.parse(data));
			window.visitor.close();
		};
		window.visitor.send(JSON.stringify({ type: "req", id: "1", method: "connect", params: asked }));
	}), params);
}

async function listed() {
	const token = readFileSync(join(box.data, "token"), "utf8").trim();

	return (await fetch(`${box.origin}/api/devices`, { headers: { Authorization: `Bearer ${token}` } })).json();
}

const says = (where, words) => eventually(async () => words.test(await where.innerText()), `${words} on the page`);

test("a client that waits is shown with all that it asks for, and let in after a yes", async () => {
	const keys = generateKeyPairSync("ed25519");

	assert.equal(await visitors.isVisible(), false);
	assert.equal((await knock(keys, { name: "<b>desk</b>" })).error.code, "NOT_PAIRED");
	await says(visitors, /It calls itself <b>desk<\/b>: openclaw-tui, linux/);
	await says(visitors, /observe \(see everything .*answer \(answer what agents ask/s);
	await visitors.getByRole("button", { name: "Approve" }).click();
	await says(dialog, /From now on it may: observe \(see everything .*answer \(/s);
	await page.keyboard.press("Escape");
	assert.equal((await listed()).waiting.length, 1);
	await visitors.getByRole("button", { name: "Approve" }).click();
	await dialog.getByRole("button", { name: "Let it in" }).click();
	await visitors.waitFor({ state: "hidden" });
	const { devices } = await listed();
	assert.deepEqual(devices[0].scopes, ["observe", "answer"]);
	assert.deepEqual((await knock(keys, { name: "<b>desk</b>" })).payload.auth.scopes, SCOPES);
});

test("one that asks for admin does not get it by a click, and one that is rejected is gone", async () => {
	const keys = generateKeyPairSync("ed25519");

	await knock(keys, { name: "greedy", scopes: ["operator.read", "operator.admin"] });
	await says(visitors, /admin \(change the box itself\)/);
	await visitors.getByRole("button", { name: "Approve" }).click();
	await says(dialog, /It asks for admin, too, which is given on a command line alone/);
	await page.keyboard.press("Escape");
	await visitors.getByRole("button", { name: "Reject" }).click();
	await visitors.waitFor({ state: "hidden" });
	const { devices, waiting } = await listed();
	assert.deepEqual([devices.length, waiting.length], [1, 0]);
});

test("nothing on the page complained", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
