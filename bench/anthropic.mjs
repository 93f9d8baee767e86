/* Anthropic's own SDK reads the stream of a file, in pieces as a socket brings them: nanoseconds
 * of processor time for one of its deltas. It prints {"ns":N}. */

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(new URL("../tests/node/package.json", import.meta.url));
const { default: Anthropic } = require("@anthropic-ai/sdk");
const PIECE = 16384;
const PASSES = 20;            /* the first ones warm it up */
const bytes = readFileSync(process.argv[2]);

async function read() {
	let at = 0, deltas = 0;
	const body = () => new ReadableStream({
		pull(controller) {
			if (at < bytes.length)
				controller.enqueue(new Uint8Array(bytes.subarray(at, at += PIECE)));
			else
				controller.close();
		},
	});
	const client = new Anthropic({ apiKey: "none", baseURL: "http://127.0.0.1:9", maxRetries: 0,
		fetch: async () => new Response(body(), { headers: { "Content-Type": "text/event-stream" } }) });
	const stream = client.messages.stream({ model: "m", max_tokens: 1, messages: [] });

	stream.on("text", () => deltas++);
	await stream.finalMessage();
	return deltas;
}

let best = Infinity;
for (let pass = 0; pass < PASSES; pass++) {
	const before = process.cpuUsage();
	const deltas = await read();
	const { user, system } = process.cpuUsage(before);

	best = Math.min(best, (user + system) * 1000 / deltas);
}
console.log(JSON.stringify({ ns: best }));
