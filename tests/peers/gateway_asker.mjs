/* gateway_asker.mjs CLIENT PORT TOKEN - OpenClaw's published client asks, stops and approves, by a
 * token alone and with a device.  For each of both a command waits. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { makeDevice, textOf } from "./gateway_parts.mjs";

const [folder, port, token] = process.argv.slice(2);
const SCOPES = ["operator.read", "operator.write", "operator.approvals"];
const { GatewayClient } = await import(`${folder}/dist/index.mjs`);

function connect(more) {
	const events = [];
	let look = () => {};
	const until = (isIt) => new Promise((done) => {
		look = () => { const found = events.find(isIt); if (found) done(found); };
		look();
	});

	return new Promise((done, fail) => {
		const client = new GatewayClient({
			url: `ws://127.0.0.1:${port}/ws/gateway`, token, clientVersion: "1.0", minProtocol: 4, maxProtocol: 4,
			scopes: SCOPES, ...more,
			onHelloOk: (hello) => done({ client, hello, until }), onConnectError: fail,
			onEvent: (event) => { events.push(event); look(); },
		});

		client.start();
	});
}

const chat = (runId, state) => (event) => event.event === "chat" && event.payload.runId === runId && event.payload.state === state;

/* The oldest command that waits; the others go on waiting.  A terminal has them as those of plugins. */
async function approve({ client, until }, kind) {
	const [{ id }, ...others] = await client.request(`${kind}.approval.list`, {});

	assert.deepEqual(await client.request(`${kind}.approval.resolve`, { id, decision: "allow-once" }), { ok: true });
	const { payload } = await until((event) => event.event === `${kind}.approval.resolved` && event.payload.id === id);

	assert.equal(payload.decision, "allow-once");
	assert.deepEqual((await client.request(`${kind}.approval.list`, {})).map((one) => one.id), others.map((one) => one.id));
}

async function talk(more, kind) {
	const { client, hello, until } = await connect(more);
	const [first, second, sessionKey] = [randomUUID(), randomUUID(), `agent:parrot:${randomUUID()}`];

	assert.deepEqual(hello.auth.scopes, SCOPES);
	assert.equal((await client.request("chat.send", { sessionKey, message: "hello", idempotencyKey: first })).status, "started");
	const { payload } = await until(chat(first, "final"));
	const history = await client.request("chat.history", { sessionKey });

	assert.equal(textOf(history.messages.at(-1)), textOf(payload.message));
	await client.request("chat.send", { sessionKey, message: "slow", idempotencyKey: second });
	await until(chat(second, "delta"));
	assert.deepEqual(await client.request("chat.abort", { sessionKey, runId: second }), { ok: true, aborted: true, runIds: [second] });
	await until(chat(second, "aborted"));
	const end = client.request("agent", { message: "hello", idempotencyKey: randomUUID(), sessionKey }, { expectFinal: true });

	assert.equal((await end).status, "ok");
	await approve({ client, until }, kind);
	client.stop();
}

await talk({}, "exec");
await talk(makeDevice(), "plugin");
console.log("good");
process.exit(0);
