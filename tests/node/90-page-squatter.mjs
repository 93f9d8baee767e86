/* The box is gone, and somebody else answers on its port: the open page offers nothing of use,
 * says nothing, and is itself again when the box is back. */
// long
// busy: 10

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Box, eventually, run, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";

const KEY = "signalbox.session";
const ID = 48;

/* Takes the port of a box that has ended, and answers what `says` says to each request. What it
 * hears is kept, all of it. */
async function squat(port, says) {
	const heard = [];
	const server = createServer((request, response) => {
		let body = "";
		request.on("data", (piece) => { body += piece; });
		request.on("end", () => {
			const { status = 200, type = "application/json", text = "{}" } = says(request, body);
			heard.push({ path: request.url, headers: JSON.stringify(request.headers), body });
			response.writeHead(status, { "Content-Type": type }).end(text);
		});
	});
	server.on("upgrade", (request, socket) => {
		heard.push({ path: request.url, headers: JSON.stringify(request.headers), body: "" });
		socket.destroy();
	});
	await new Promise((done, refuse) => server.once("error", refuse).listen(port, "127.0.0.1", done));
	return {
		heard,
		all: () => JSON.stringify(heard),
		async end() {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}

async function openLive(box) {
	const page = await open(box.openUrl(), { view: "log" });

	await stateIs(page, "live");
	return { page, token: await page.evaluate((key) => sessionStorage.getItem(key), KEY) };
}

async function isTaken(box, token) {
	const answer = await fetch(`${box.origin}/api/ticket`, {
		method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: "{}",
	});

	return answer.status === 200;
}

test("an open page offers its session to nobody who cannot prove to be the box", async () => {
	const box = await new Box().start();
	const { page, token } = await openLive(box);

	assert.ok(await isTaken(box, token));
	await box.end();
	await stateIs(page, "lost");
	/* One that proves nothing, one that makes up a proof, one that says that all is well. */
	const replies = [{}, { proof: "0".repeat(64), challenge: "0".repeat(112) }, { token, page: token, ticket: "0".repeat(64) }];
	let n = 0;
	const squatter = await squat(box.port, () => ({ text: JSON.stringify({ ok: true, ...replies[n++ % replies.length] }) }));
	await eventually(async () => {
		await page.evaluate(() => dispatchEvent(new Event("online")));
		return squatter.heard.length >= 6;
	}, "the squatter was asked");
	await stateIs(page, "lost");
	for (const { path, headers, body } of squatter.heard) {
		assert.equal(path, "/api/session", "nothing else is asked");
		assert.deepEqual(Object.keys(JSON.parse(body)).sort(), ["id", "nonce"]);
		assert.ok(!/authorization/i.test(headers), headers);
	}
	assert.ok(!squatter.all().includes(token.slice(ID)), "no secret in all of it");
	await squatter.end();
	await box.start();
	await page.evaluate(() => dispatchEvent(new Event("online")));
	await stateIs(page, "live");
	assert.equal(await isTaken(box, token), false, "and the token of before is void");
	await page.context().close();
	await box.remove();
});

test("requests of a page that has lost its box do not reach whoever answers there", async () => {
	const box = await new Box().start();
	const { page } = await openLive(box);

	await box.end();
	const squatter = await squat(box.port, () => ({ text: "{}" }));
	await stateIs(page, "lost");
	/* Other views ask for what they show. */
	for (const view of ["runs", "sources", "stage", "log"])
		await page.evaluate((name) => { location.hash = `/${name}`; }, view);
	await eventually(() => squatter.heard.some(({ path }) => path === "/api/session"), "it was asked for a proof");
	assert.deepEqual(squatter.heard.filter(({ path }) => path.startsWith("/api/") && path !== "/api/session"), []);
	assert.ok(!/authorization/i.test(squatter.all()));
	await squatter.end();
	await page.context().close();
	await box.remove();
});

test("what a page of the squatter's finds in a tab that was reloaded is void", async () => {
	const box = await new Box().start();
	const { page, token } = await openLive(box);

	await box.end();
	const squatter = await squat(box.port, () => ({
		type: "text/html",
		text: "<script>fetch('/loot', { method: 'POST', body: JSON.stringify({ ...sessionStorage, ...localStorage }) });</script>",
	}));
	await page.reload();
	const { body } = await eventually(() => squatter.heard.find(({ path }) => path === "/loot"), "she has it");
	assert.ok(body.includes(token), "it was there");
	await squatter.end();
	await box.start();
	const secrets = body.match(/[0-9a-f]{64,}/g);
	for (const secret of secrets) {
		assert.equal(await isTaken(box, secret), false);
		const answer = await fetch(`${box.origin}/api/session`, {
			method: "POST", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ id: secret.slice(0, ID), nonce: "00" }),
		});
		assert.equal(answer.status, 401, "and nothing can be proved with it");
	}
	await page.context().close();
	await box.remove();
});

test("no page did what it must not", async () => {
	/* The squatter's own page is hers. */
	assert.deepEqual(faults, []);
});

await run(close);
