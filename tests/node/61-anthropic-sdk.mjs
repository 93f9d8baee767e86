/* Anthropic's own SDK and our parser read the same recorded bytes: what they make of
 * them is the same.  The SDK gets them from a server, byte by byte, and cut in two at
 * every offset; that no cut changes anything for our parser its unit test proves. */
// long

import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import { run, SIGNALBOX, test } from "./lib.mjs";

const FIXTURES = new URL("../fixtures/anthropic/", import.meta.url);
const QUESTION = { model: "claude-fixture-1", max_tokens: 100, messages: [{ role: "user", content: "?" }] };

const fixture = (name) => new URL(name, FIXTURES).pathname;

/* ---- the SDK ---- */

const server = http.createServer((request, answer) => {
	const name = request.url.split("/")[1];
	const type = name.endsWith(".json") ? "application/json" : "text/event-stream";

	request.resume().on("end", () => {
		answer.writeHead(200, { "Content-Type": type, "Connection": "close" });
		answer.end(readFileSync(fixture(name)));
	});
});

await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

function client(name, more = {}) {
	return new Anthropic({
		apiKey: "none", baseURL: `http://127.0.0.1:${server.address().port}/${name}`, maxRetries: 0, ...more,
	});
}

/* A fetch whose answer comes in these pieces. */
function inPieces(pieces) {
	return async () => new Response(new ReadableStream({
		pull(controller) {
			if (pieces.length)
				controller.enqueue(pieces.shift());
			else
				controller.close();
		},
	}), { headers: { "Content-Type": "text/event-stream" } });
}

const joined = (blocks, type, key) => blocks.filter((b) => b.type === type).map((b) => b[key]).join("");

function theirs(message) {
	const calls = message.content.filter((b) => b.type.endsWith("tool_use"));
	const results = message.content.filter((b) => b.type.endsWith("_tool_result"));

	return {
		model: message.model,
		text: joined(message.content, "text", "text"),
		thinking: joined(message.content, "thinking", "thinking"),
		calls: Object.fromEntries(calls.map((b) => [b.id, { name: b.name, input: b.input }])),
		results: results.map((b) => b.tool_use_id),
		usage: {
			input: message.usage.input_tokens,
			output: message.usage.output_tokens,
			cacheRead: message.usage.cache_read_input_tokens ?? 0,
			cacheWrite: message.usage.cache_creation_input_tokens ?? 0,
		},
		stop: message.stop_reason,
	};
}

/* ---- ours ---- */

function signalsOf(name) {
	const how = name.endsWith(".json") ? ["--whole"] : [];
	const out = execFileSync(SIGNALBOX, ["parse", ...how, "anthropic", fixture(name)], { encoding: "utf8" });

	return out.trimEnd().split("\n").map((line) => JSON.parse(line));
}

function ours(signals) {
	const of = (type) => signals.filter((s) => s.type === type);
	const words = (type) => of(type).map((s) => s.payload.content).join("");
	const sum = (read) => of("token_usage").reduce((n, s) => n + (read(s) ?? 0), 0);
	const [end, ...others] = signals.filter((s) => s.type === "completion" || s.type === "error");

	assert.deepEqual(others, [], "an answer has one end");
	assert.equal(signals.at(-1), end, "and it is the last");
	return {
		model: end.payload.agentId,
		text: words("text_delta"),
		thinking: words("thinking"),
		calls: Object.fromEntries(of("tool_call").map(({ payload }) =>
			[payload.callId, { name: payload.toolName, input: payload.input }])),
		results: of("tool_result").map((s) => s.payload.callId),
		usage: {
			input: sum((s) => s.payload.promptTokens),
			output: sum((s) => s.payload.completionTokens),
			cacheRead: sum((s) => s.payload.cacheReadTokens),
			cacheWrite: sum((s) => s.payload.cacheWriteTokens),
		},
		stop: end.payload.result,
	};
}

/* ---- the comparison ---- */

async function read(name, pieces) {
	const more = pieces ? { fetch: inPieces(pieces) } : {};

	return theirs(await client(name, more).beta.messages.stream(QUESTION).finalMessage());
}

for (const name of ["words.sse", "tools.sse", "server.sse", "refusal.sse", "crlf.sse"])
	test(`${name} means the same to the SDK and to us, wherever it is cut`, async () => {
		const bytes = new Uint8Array(readFileSync(fixture(name)));
		const expected = ours(signalsOf(name));

		assert.deepEqual(await read(name), expected);
		assert.deepEqual(await read(name, [...bytes].map((byte) => Uint8Array.of(byte))), expected);
		for (let cut = 1; cut < bytes.length; cut++)
			assert.deepEqual(await read(name, [bytes.slice(0, cut), bytes.slice(cut)]), expected,
				`cut at ${cut}`);
	});

test("the growth of a call adds up to its input", async () => {
	const signals = signalsOf("tools.sse");
	const call = signals.find((s) => s.type === "tool_call" && s.payload.callId === "toolu_1");
	const pieces = signals.filter((s) => s.type === "tool_call_delta" && s.payload.callId === "toolu_1");

	assert.ok(pieces.length > 1);
	assert.deepEqual(JSON.parse(pieces.map((s) => s.payload.content).join("")), call.payload.input);
});

test("an error in the stream is the error that the SDK throws", async () => {
	const end = signalsOf("error.sse").at(-1);
	const thrown = await client("error.sse").messages.stream(QUESTION).finalMessage()
		.then(() => null, (error) => error);

	assert.ok(thrown instanceof Anthropic.APIError, String(thrown));
	assert.equal(end.type, "error");
	assert.equal(end.payload.code, thrown.error.error.type);
	assert.equal(end.payload.message, thrown.error.error.message);
});

test("an answer that is not streamed means the same too", async () => {
	assert.deepEqual(theirs(await client("whole.json").messages.create(QUESTION)), ours(signalsOf("whole.json")));
});

await run(async () => server.close());
