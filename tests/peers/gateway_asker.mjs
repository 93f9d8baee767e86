/* gateway_asker.mjs CLIENT PORT TOKEN - OpenClaw's published client asks and stops, by a token alone
 * and with a device. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { makeDevice, textOf } from "./gateway_parts.mjs";

const [folder, port, token] = process.argv.slice(2);
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
			scopes: ["operator.read", "operator.write"], ...more,
			onHelloOk: (hello) => done({ client, hello, until }), onConnectError: fail,
			onEvent: (event) => { events.push(event); look(); },
		});

		client.start();
	});
}

const chat = (runId, state) => (event) => event.event === "chat" && event.payload.runId === runId && event.payload.state === state;

async function talk(more) {
	const { client, hello, until } = await connect(more);
	const [first, second, sessionKey] = [randomUUID(), randomUUID(), `agent:parrot:${randomUUID()}`];

	assert.deepEqual(hello.auth.scopes, ["operator.read", "operator.write"]);
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
	client.stop();
}

await talk({});
await talk(makeDevice());
console.log("good");
process.exit(0);
