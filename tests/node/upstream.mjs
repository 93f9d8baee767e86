/* A little server that speaks OpenAI's language, for tests that ask: it lists two models and
 * answers in a stream, in the way that the question says.
 *
 *     good        thinks, calls a tool, answers, counts its tokens
 *     slow        a word every 20 ms, until the reader leaves
 *     many N      N words as fast as they go
 *     wait        nothing, until the reader leaves
 *     break       breaks off in the middle of a word
 *     refuse      429 with words
 *     say TEXT    exactly that
 */

import { createServer } from "node:http";

export class Upstream {
	requests = [];       /* the bodies of the asks, in order */
	left = 0;            /* readers that left before the end */
	listed = Promise.resolve();   /* its models are told when this is kept */
	#server = createServer((request, response) => void this.#serve(request, response));

	async start() {
		await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
		this.url = `http://127.0.0.1:${this.#server.address().port}`;
		return this;
	}

	end() {
		this.#server.closeAllConnections();
		this.#server.close();
	}

	async #serve(request, response) {
		let text = "";

		for await (const piece of request)
			text += piece;
		if (request.url.endsWith("/v1/models")) {
			await this.listed;
			return response.end(JSON.stringify({ object: "list", data: [{ id: "model-a" }, { id: "model-b" }] }));
		}
		const body = JSON.parse(text);
		this.requests.push(body);
		const asked = body.messages.at(-1).content;
		if (asked.startsWith("refuse")) {
			response.writeHead(429, { "Content-Type": "application/json" });
			return response.end(JSON.stringify({ error: { message: "come back <b>tomorrow</b>" } }));
		}
		response.writeHead(200, { "Content-Type": "text/event-stream" });
		response.on("close", () => { this.left += response.writableFinished ? 0 : 1; });
		return this.#answer(asked, new Stream(response, body.model));
	}

	async #answer(asked, stream) {
		if (asked.startsWith("slow"))
			return stream.forever();
		if (asked.startsWith("wait"))
			return undefined;
		if (asked.startsWith("many"))
			return stream.many(Number(asked.split(" ")[1]));
		if (asked.startsWith("break")) {
			stream.delta({ content: "half a wo" });
			return stream.break();
		}
		if (asked.startsWith("say "))
			return stream.finish(asked.slice(4));
		stream.delta({ reasoning_content: "Let me " });
		stream.delta({ reasoning_content: "think." });
		stream.delta({ tool_calls: [{ index: 0, id: "call_1", type: "function",
			function: { name: "shell", arguments: '{"command":' } }] });
		stream.delta({ tool_calls: [{ index: 0, function: { arguments: '"ls -l","description":"look around"}' } }] });
		return stream.finish("Good day, all is well.");
	}
}

class Stream {
	#response;
	#model;

	constructor(response, model) {
		this.#response = response;
		this.#model = model;
	}

	delta(delta, more = {}) {
		return this.#response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk",
			model: this.#model, choices: [{ index: 0, delta, ...more }] })}\n\n`);
	}

	finish(text) {
		const words = text.match(/\S+\s*|\s+/g) ?? [];

		for (const content of words)
			this.delta({ content });
		this.#end(words.length);
	}

	#end(tokens) {
		this.delta({}, { finish_reason: "stop" });
		this.#response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [],
			usage: { prompt_tokens: 7, completion_tokens: tokens } })}\n\n`);
		this.#response.end("data: [DONE]\n\n");
	}

	async many(n) {
		for (let i = 1; i <= n; i++)
			if (!this.delta({ content: `w${i} ` }))
				await new Promise((go) => this.#response.once("drain", go));
		this.#end(n);
	}

	forever() {
		let i = 0;
		const timer = setInterval(() => this.delta({ content: `tick${++i} ` }), 20);

		this.#response.on("close", () => clearInterval(timer));
	}

	break() {
		setTimeout(() => this.#response.destroy(), 50);
	}
}
