/* OpenAI's own SDK and our parsers read the same recorded bytes: what they make of
 * them is the same.  The SDK gets them from a server, byte by byte, and cut in two all over;
 * that no cut changes anything for our parsers is what their unit tests prove. */
// long

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import OpenAI from "openai";
import { run, SIGNALBOX, test } from "./lib.mjs";

const FIXTURES = new URL("../fixtures/openai/", import.meta.url);
const CUTS = 60; /* of one recording, beside byte by byte */

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

function client(name, pieces) {
	return new OpenAI({
		apiKey: "none",
		baseURL: `http://127.0.0.1:${server.address().port}/${name}`,
		maxRetries: 0,
		...(pieces ? { fetch: inPieces(pieces) } : {}),
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

/* Arguments that are no JSON, as those of a custom tool, are kept as a value. */
function input(text) {
	try {
		return JSON.parse(text || "{}");
	} catch {
		return { value: text };
	}
}

const chatQuestion = { model: "m", messages: [{ role: "user", content: "?" }] };

/* One that is not streamed, too. */
function ofChat(completion) {
	const { message, finish_reason } = completion.choices[0];
	const calls = message.tool_calls ?? [];

	return {
		model: completion.model,
		text: (message.content ?? "") + (message.refusal ?? ""),
		refused: Boolean(message.refusal),
		calls: calls.map((c) => [c.id, c.function.name, input(c.function.arguments)]),
		usage: completion.usage
			? [completion.usage.prompt_tokens, completion.usage.completion_tokens] : null,
		cached: completion.usage?.prompt_tokens_details?.cached_tokens ?? 0,
		stop: finish_reason,
	};
}

async function chat(name, pieces) {
	return ofChat(await client(name, pieces).chat.completions.stream(chatQuestion).finalChatCompletion());
}

function ofResponse(response) {
	const parts = response.output.filter((i) => i.type === "message").flatMap((i) => i.content);
	const calls = response.output.filter((i) => i.type.endsWith("_call") && i.name);

	return {
		model: response.model,
		text: parts.map((part) => part.text ?? part.refusal).join(""),
		refused: parts.some((part) => part.type === "refusal"),
		calls: calls.map((c) => [c.call_id ?? c.id, c.name, input(c.arguments ?? c.input)]),
		usage: response.usage ? [response.usage.input_tokens, response.usage.output_tokens] : null,
		cached: response.usage?.input_tokens_details?.cached_tokens ?? 0,
		stop: response.incomplete_details?.reason ?? response.status,
	};
}

async function responses(name, pieces) {
	return ofResponse(await client(name, pieces).responses.stream({ model: "m", input: "?" }).finalResponse());
}

/* ---- ours ---- */

function signalsOf(protocol, name, ...options) {
	const out = execFileSync(SIGNALBOX, ["parse", ...options, protocol, fixture(name)], { encoding: "utf8" });

	return out.trimEnd().split("\n").map((line) => JSON.parse(line));
}

const words = (signals, type, agent) => signals
	.filter((s) => s.type === type && (!agent || s.payload.agentId === agent))
	.map((s) => s.payload.content).join("");

function ours(signals) {
	const of = (type) => signals.filter((s) => s.type === type);
	const [end, ...others] = signals.filter((s) => s.type === "completion" || s.type === "error");
	const [usage, ...more] = of("token_usage");

	assert.deepEqual(others, [], "an answer has one end");
	assert.deepEqual(more, [], "and its tokens are told once");
	assert.equal(signals.at(-1), end, "and it is the last");
	return {
		model: end.payload.agentId,
		text: words(signals, "text_delta", end.payload.agentId),
		refused: signals.some((s) => s.metadata?.refusal),
		/* A tool that has no name but its type is no call to the SDK. */
		calls: of("tool_call")
			.filter((s) => !["web_search", "code_interpreter", "image_generation"].includes(s.payload.toolName))
			.map((s) => [s.payload.callId, s.payload.toolName, s.payload.input]),
		usage: usage ? [usage.payload.promptTokens, usage.payload.completionTokens] : null,
		cached: usage?.payload.cacheReadTokens ?? 0,
		stop: end.metadata?.stopReason,
	};
}

/* ---- the comparison ---- */

async function readsAlike(name, read, expected) {
	const bytes = new Uint8Array(readFileSync(fixture(name)));

	assert.deepEqual(await read(name), expected);
	assert.deepEqual(await read(name, [...bytes].map((byte) => Uint8Array.of(byte))), expected);
	for (let n = 1; n < CUTS; n++) {
		const cut = Math.floor(bytes.length * n / CUTS);

		assert.deepEqual(await read(name, [bytes.slice(0, cut), bytes.slice(cut)]), expected, `cut at ${cut}`);
	}
}

for (const name of ["text", "tools", "refusal", "usage-everywhere", "no-done", "reasoning", "choices"])
	test(`chat-${name} means the same to the SDK and to us`, async () => {
		await readsAlike(`chat-${name}.sse`, chat, ours(signalsOf("openai", `chat-${name}.sse`)));
	});

for (const name of ["text", "tools", "reasoning", "refusal", "incomplete", "served"])
	test(`responses-${name} means the same to the SDK and to us`, async () => {
		await readsAlike(`responses-${name}.sse`, responses,
			ours(signalsOf("responses", `responses-${name}.sse`)));
	});

test("answers that are not streamed mean the same", async () => {
	const chatAnswer = await client("chat.json").chat.completions.create(chatQuestion);
	const response = await client("response.json").responses.create({ model: "m", input: "?" });

	assert.deepEqual(ours(signalsOf("openai", "chat.json", "--whole")), ofChat(chatAnswer));
	assert.deepEqual(ours(signalsOf("responses", "response.json", "--whole")), ofResponse(response));
});

test("the other choices of an answer are the SDK's too", async () => {
	const completion = await client("chat-choices.sse").chat.completions.stream(chatQuestion)
		.finalChatCompletion();
	const signals = signalsOf("openai", "chat-choices.sse");

	assert.equal(completion.choices.length, 2);
	assert.equal(words(signals, "text_delta", `${completion.model}#1`), completion.choices[1].message.content);
});

test("reasoning of a chat is what stands in the SDK's chunks", async () => {
	const stream = await client("chat-reasoning.sse").chat.completions.create({ ...chatQuestion, stream: true });
	let thoughts = "";

	for await (const chunk of stream)
		thoughts += chunk.choices[0]?.delta.reasoning_content ?? "";
	assert.equal(words(signalsOf("openai", "chat-reasoning.sse"), "thinking"), thoughts);
	assert.notEqual(thoughts, "");
});

test("thoughts in the text and the rest of it are all of the SDK's text", async () => {
	const { text } = await chat("chat-think.sse");
	const signals = signalsOf("openai", "chat-think.sse");

	assert.equal(`\n<think>${words(signals, "thinking")}</think>${words(signals, "text_delta")}`, text);
});

test("the summary of a response's reasoning is the SDK's", async () => {
	const response = await client("responses-reasoning.sse").responses.stream({ model: "m", input: "?" })
		.finalResponse();
	const { summary } = response.output.find((item) => item.type === "reasoning");

	assert.equal(words(signalsOf("responses", "responses-reasoning.sse"), "thinking"),
		summary.map((part) => part.text).join("\n\n"));
});

test("the growth of a call adds up to its input", async () => {
	for (const [protocol, name, id] of [
		["openai", "chat-tools.sse", "call_a"], ["responses", "responses-tools.sse", "call_x"],
	]) {
		const mine = signalsOf(protocol, name).filter((s) => s.payload.callId === id);
		const call = mine.find((s) => s.type === "tool_call");

		assert.deepEqual(JSON.parse(words(mine, "tool_call_delta")), call.payload.input);
	}
});

const failure = (promise) => promise.then(() => null, (error) => error);

test("an error in the stream is the error that the SDK throws", async () => {
	const { payload } = signalsOf("openai", "chat-error.sse").at(-1);
	const thrown = await failure(chat("chat-error.sse"));

	assert.ok(thrown instanceof OpenAI.APIError, String(thrown));
	assert.deepEqual([payload.code, payload.message], [thrown.code, thrown.error.message]);
});

test("an answer that breaks off is an error to both", async () => {
	assert.equal(signalsOf("openai", "chat-cut.sse").at(-1).type, "error");
	assert.match(String(await failure(chat("chat-cut.sse"))), /finish_reason/);
});

test("a response that failed says to both why", async () => {
	const { type, payload } = signalsOf("responses", "responses-failed.sse").at(-1);
	const stream = await client("responses-failed.sse").responses.create({ model: "m", input: "?", stream: true });
	let last;

	for await (const event of stream)
		last = event;
	assert.equal(type, "error");
	assert.deepEqual([payload.code, payload.message], [last.response.error.code, last.response.error.message]);
});

test("an error event of a response is the error that the SDK throws", async () => {
	const { type, payload } = signalsOf("responses", "responses-error.sse").at(-1);
	const stream = await client("responses-error.sse").responses.create({ model: "m", input: "?", stream: true });
	const seen = [];
	const thrown = await failure((async () => {
		for await (const event of stream)
			seen.push(event);
	})());
	const theirs = thrown ?? seen.at(-1);

	assert.equal(type, "error");
	assert.deepEqual([payload.code, payload.message], [theirs.code, theirs.error?.message ?? theirs.message]);
});

await run(async () => server.close());
