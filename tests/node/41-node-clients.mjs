/* Node's own clients: fetch, WebSocket and http, as programs use them. */

import assert from "node:assert/strict";
import http from "node:http";
import { Box, eventually, PATIENCE_MS, run, SLOW, test } from "./lib.mjs";

const MIB = 1 << 20;
const box = await new Box().start();

/* A wait has an end. */
function soon(promise) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error(`nothing within ${PATIENCE_MS} ms`)), PATIENCE_MS);
	});

	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/* ---- fetch ---- */

async function post(body, { type = "application/json", query = "", ...more } = {}) {
	const answer = await fetch(`${box.origin}/api/signal${query}`, {
		method: "POST", headers: { "Content-Type": type }, body, ...more,
	});

	return { status: answer.status, ...await answer.json() };
}

async function emit(signal) {
	const answer = await post(JSON.stringify(signal));

	assert.equal(answer.status, 200, JSON.stringify(answer));
	return answer;
}

async function history(query) {
	const answer = await fetch(`${box.origin}/api/signals?${query}`);

	assert.equal(answer.status, 200);
	return answer.json();
}

/* Bytes as a body that comes in pieces, with a turn of the loop between them. */
function inPieces(bytes, size) {
	let at = 0;

	return new ReadableStream({
		async pull(controller) {
			await new Promise(setImmediate);
			controller.enqueue(bytes.subarray(at, at += size));
			if (at >= bytes.length)
				controller.close();
		},
	});
}

function streamed(text, size, more = {}) {
	return post(inPieces(new TextEncoder().encode(text), size),
		{ type: "application/x-ndjson", duplex: "half", ...more });
}

test("a POST is acknowledged, and the history gives it back", async () => {
	const payload = { text: "äöü 🙂 \u2028" };
	const { id, seq, epoch, ok } = await emit({ type: "first", payload });

	assert.ok(ok && id && seq >= 1 && /^[0-9a-f]{12}$/.test(epoch));
	const { signals } = await history(`after=${epoch}-${seq - 1}&limit=1`);
	assert.equal(signals[0].id, id);
	assert.equal(signals[0].source, "local/http");
	assert.deepEqual(signals[0].payload, payload);
});

test("a batch that streams in, cut anywhere, is taken line by line", async () => {
	const lines = Array.from({ length: 50 }, (_, n) =>
		JSON.stringify({ type: "batch", id: `b${n}`, payload: { n, text: "ü🙂".repeat(n) } }));

	lines[20] = '{"type":"batch",';
	const answer = await streamed(lines.join("\n"), 7);
	assert.equal(answer.status, 200);
	assert.equal(answer.accepted, 49);
	assert.deepEqual(answer.rejected.map(({ line }) => line), [21]);
	assert.equal(answer.lastSeq - answer.firstSeq, 48);
	const { signals } = await history(`after=${answer.firstSeq - 1}&type=batch&limit=100`);
	const numbers = signals.map(({ payload }) => payload.n);
	assert.deepEqual(numbers, [...Array(50).keys()].filter((n) => n !== 20));
	assert.equal(signals[48].payload.text, "ü🙂".repeat(49));
});

test("a batch of megabytes streams in, and streams out again as NDJSON", async () => {
	const pad = "x".repeat(10_000);
	const lines = Array.from({ length: 1000 }, (_, n) =>
		JSON.stringify({ type: "bulk", payload: { n, pad } })).join("\n");
	const answer = await streamed(lines, 64 * 1024);

	assert.equal(answer.accepted, 1000);
	const query = `format=ndjson&type=bulk&after=${answer.firstSeq - 1}`;
	const stream = await fetch(`${box.origin}/api/signals?${query}`);
	let count = 0;
	for await (const line of linesOf(stream.body))
		assert.equal(JSON.parse(line).payload.n, count++);
	assert.equal(count, 1000);
});

test("a batch that is given up half way keeps what was whole, and hurts nobody", async () => {
	const giveUp = new AbortController();
	const bytes = new TextEncoder().encode('{"type":"half","id":"whole"}\n{"type":"half","id":"cut');
	const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes) });
	const answer = post(body,
		{ type: "application/x-ndjson", duplex: "half", signal: giveUp.signal });

	await eventually(async () => (await history("type=half")).signals.length === 1);
	giveUp.abort();
	await assert.rejects(answer, { name: "AbortError" });
	await emit({ type: "half", id: "later" });
	assert.deepEqual((await history("type=half")).signals.map(({ id }) => id), ["whole", "later"]);
});

test("many at once over kept connections are each answered with their own", async () => {
	const ids = Array.from({ length: 200 }, (_, n) => `m${n}`);
	const answers = await Promise.all(ids.map((id) => emit({ type: "many", id })));

	assert.deepEqual(answers.map(({ id }) => id), ids);
	assert.equal(new Set(answers.map(({ seq }) => seq)).size, 200);
});

test("the same bytes again are answered with the first seq", async () => {
	const first = await emit({ type: "again", id: "again" });

	assert.deepEqual(await emit({ type: "again", id: "again" }), first);
	assert.equal((await streamed('{"type":"again","id":"again"}\n', 3)).lastSeq, first.seq);
});

test("a body of exactly the limit passes, one byte more is refused with words", async () => {
	const empty = JSON.stringify({ type: "limit", payload: { pad: "" } });
	const sized = (bytes) => empty.replace('""', `"${"p".repeat(bytes - empty.length)}"`);

	assert.equal((await post(sized(MIB))).status, 200);
	const { status, error } = await post(sized(MIB + 1));
	assert.equal(status, 413);
	assert.ok(error.length > 0);
});

test("what is refused says why, and the connection serves on", async () => {
	const bad = {
		"": /JSON/, "[]": /object/, '{"type":"x"': /JSON/, '{"type":"x","payload":1}': /payload/,
	};

	for (const [body, words] of Object.entries(bad)) {
		const { status, ok, error } = await post(body);
		assert.equal(status, 400);
		assert.equal(ok, false);
		assert.match(error, words);
	}
	assert.equal((await fetch(`${box.origin}/healthz`, { method: "HEAD" })).status, 200);
	assert.equal((await fetch(`${box.origin}/nothing`)).status, 404);
	assert.equal((await post("{}", { type: "text/plain" })).status, 415);
});

/* ---- event streams, through fetch ---- */

async function* linesOf(body) {
	let rest = "";

	for await (const piece of body.pipeThrough(new TextDecoderStream())) {
		const lines = (rest + piece).split("\n");
		rest = lines.pop();
		yield* lines;
	}
	assert.equal(rest, "", "ends with a whole line");
}

async function* eventsOf(body) {
	let event = {};

	for await (const line of linesOf(body)) {
		const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);

		if (line === "" && event.data !== undefined)
			yield event;
		event = line === "" ? { id: event.id } : name === "" ? event : { ...event, [name]: value };
	}
}

/* Reads so many events, then leaves; they, and the id to come back with. */
async function follow(count, headers = {}, query = "") {
	const leave = new AbortController();
	const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(PATIENCE_MS)]);
	const answer = await fetch(`${box.origin}/api/stream${query}`, { headers, signal });
	const events = [];

	assert.equal(answer.status, 200);
	assert.match(answer.headers.get("content-type"), /^text\/event-stream/);
	try {
		for await (const event of eventsOf(answer.body)) {
			events.push(event);
			if (events.length === count)
				break;
		}
	} finally {
		leave.abort();
	}
	return { events, id: events.at(-1).id };
}

test("an event stream is read through fetch and resumed by Last-Event-ID", async () => {
	const { seq } = await emit({ type: "sse", payload: { n: 0 } });

	for (let n = 1; n < 10; n++)
		await emit({ type: "sse", payload: { n } });
	let { events, id } = await follow(4, {}, `?type=sse&after=${seq - 1}`);
	assert.deepEqual(events.map(({ data }) => JSON.parse(data).payload.n), [0, 1, 2, 3]);
	/* The header wins over the query. */
	({ events, id } = await follow(6, { "Last-Event-ID": id }, "?type=sse&after=0"));
	assert.deepEqual(events.map(({ data }) => JSON.parse(data).payload.n), [4, 5, 6, 7, 8, 9]);
	const next = follow(1, { "Last-Event-ID": id }, "?type=sse");
	await emit({ type: "sse", payload: { n: 10 } });
	assert.equal(JSON.parse((await next).events[0].data).payload.n, 10);
});

test("a resume goes on over a restart and a kill of the server, without a hole", async () => {
	let { id, events } = await follow(1, {}, "?after=0");
	const seqs = [JSON.parse(events[0].data).seq];

	for (const interrupt of ["SIGTERM", "SIGKILL", "SIGTERM"]) {
		await box.end(interrupt);
		await box.start();
		await emit({ type: "on" });
		({ id, events } = await follow(7, { "Last-Event-ID": id }));
		seqs.push(...events.map(({ data }) => JSON.parse(data).seq));
	}
	assert.deepEqual(seqs, [...Array(22).keys()].map((n) => n + seqs[0]));
});

test("a position that never was gets a gap, as an event of its own", async () => {
	await emit({ type: "x" });
	const { events } = await follow(2, { "Last-Event-ID": "000000000000-5" });

	assert.equal(events[0].event, "gap");
	assert.deepEqual(JSON.parse(events[0].data), { from: 1, to: 5, why: "lost" });
	assert.equal(JSON.parse(events[1].data).seq, 1);
	const rubbish = { headers: { "Last-Event-ID": "rubbish" } };
	assert.equal((await fetch(`${box.origin}/api/stream`, rubbish)).status, 400);
});

/* ---- WebSocket ---- */

class Client {
	#messages = [];
	#waiting = [];

	constructor(path = "/ws") {
		this.socket = new WebSocket(`${box.origin.replace("http", "ws")}${path}`);
		this.opened = this.#event("open");
		this.closed = this.#event("close");
		this.socket.addEventListener("message", ({ data }) => {
			const message = JSON.parse(data);
			const waiting = this.#waiting.shift();

			if (waiting)
				waiting(message);
			else
				this.#messages.push(message);
		});
	}

	#event(name) {
		return new Promise((resolve) => this.socket.addEventListener(name, resolve));
	}

	static async open() {
		const client = new Client();
		const hello = await client.next();

		assert.equal(hello.op, "hello");
		return Object.assign(client, { hello });
	}

	next() {
		return this.#messages.length ? Promise.resolve(this.#messages.shift())
			: soon(new Promise((resolve) => this.#waiting.push(resolve)));
	}

	send(message) {
		this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
	}

	async close(code = 1000, reason = "") {
		this.socket.close(code, reason);
		return soon(this.closed);
	}
}

test("hello, subscribe, emit with a ref, and a clean close", async () => {
	const client = await Client.open();

	assert.equal(client.socket.extensions, "", "no compression");
	assert.deepEqual(client.hello.scopes, ["observe", "emit"]);
	client.send({ op: "subscribe", types: ["ws.*"] });
	client.send({ op: "emit", ref: "r", signal: { type: "ws.a", payload: { text: "🙂" } } });
	const heard = [await client.next(), await client.next()];
	const ack = heard.find(({ op }) => op === "ack");
	const signal = heard.find(({ type }) => type === "ws.a");
	assert.equal(ack.ref, "r");
	assert.equal(ack.seq, signal.seq);
	assert.deepEqual(signal.payload, { text: "🙂" });
	client.send({ op: "emit", ref: 2, signal: [] });
	assert.deepEqual(await client.next().then(({ op, code, ref }) => ({ op, code, ref })),
		{ op: "error", code: "invalid", ref: 2 });
	const { code, wasClean } = await client.close(1000, "done");
	assert.equal(code, 1000);
	assert.ok(wasClean);
});

test("messages near a mebibyte go through both ways, byte for byte", async () => {
	const sender = await Client.open(), hearer = await Client.open();

	hearer.send({ op: "subscribe", after: hearer.hello.seq, types: ["big"] });
	for (const [n, size] of [125, 126, 65535, 65536, 500_000, MIB - 1, MIB].entries()) {
		const signal = { type: "big", payload: { pad: "" } };
		const empty = JSON.stringify({ op: "emit", ref: n, signal });
		const pad = "é".repeat((size - empty.length) / 2 | 0);
		const message = empty.replace('""', `"${pad}"`);

		sender.send(message + " ".repeat(size - Buffer.byteLength(message)));
		assert.equal((await sender.next()).ref, n);
		assert.equal((await hearer.next()).payload.pad, pad);
	}
	await Promise.all([sender.close(), hearer.close()]);
});

test("a byte more than the limit closes with 1009, binary with 1003", async () => {
	const big = await Client.open(), binary = await Client.open();

	big.send(" ".repeat(MIB + 1));
	assert.equal((await soon(big.closed)).code, 1009);
	binary.socket.send(new Uint8Array([123, 125]));
	assert.equal((await soon(binary.closed)).code, 1003);
});

test("ten thousand emits are acknowledged in order, and heard without a hole", async () => {
	const count = 10_000 / SLOW;
	const client = await Client.open(), hearer = await Client.open();

	hearer.send({ op: "subscribe", after: hearer.hello.seq });
	for (let n = 1; n <= count; n++)
		client.send({ op: "emit", ref: n, signal: { type: "flood", payload: { n } } });
	for (let n = 1; n <= count; n++) {
		const [ack, signal] = await Promise.all([client.next(), hearer.next()]);
		assert.equal(ack.ref, n);
		assert.equal(ack.seq, signal.seq);
		assert.equal(signal.payload.n, n);
	}
	await Promise.all([client.close(), hearer.close()]);
});

test("the server says good-bye with 1001, and a client comes back where it was", async () => {
	const client = await Client.open();

	client.send({ op: "subscribe" });
	client.send({ op: "emit", ref: 1, signal: { type: "bye" } });
	const { seq } = [await client.next(), await client.next()].find(({ type }) => type);
	await box.end("SIGTERM");
	assert.equal((await soon(client.closed)).code, 1001);
	await box.start();
	await emit({ type: "while away" });
	const back = await Client.open();
	back.send({ op: "subscribe", after: `${client.hello.epoch}-${seq}` });
	assert.equal((await back.next()).type, "while away");
	await back.close();
});

test("bare envelopes go both ways on /ws/signals", async () => {
	const client = new Client("/ws/signals");

	await soon(client.opened);
	client.send({ type: "bare", id: "bare" });
	assert.equal((await client.next()).id, "bare");
	client.send("{");
	assert.equal((await soon(client.closed)).code, 1007);
});

/* ---- fragments, which Node's WebSocket never sends: over http's own upgrade ---- */

function upgrade() {
	return new Promise((resolve, reject) => {
		const request = http.get(`${box.origin}/ws`, { headers: {
			Connection: "Upgrade", Upgrade: "websocket",
			"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
		} });

		request.on("upgrade", (answer, socket, head) => {
			assert.equal(answer.headers["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
			resolve({ socket, head });
		});
		request.on("response", ({ statusCode }) => reject(new Error(`answered ${statusCode}`)));
		request.on("error", reject);
	});
}

/* A client's frame of at most 65,535 bytes, masked. */
function frame(opcode, payload, fin) {
	const mask = Buffer.from([0x12, 0x34, 0x56, 0x78]);
	const long = payload.length > 125;
	const head = Buffer.from([(fin ? 0x80 : 0) | opcode, 0x80 | (long ? 126 : payload.length),
		...(long ? [payload.length >> 8, payload.length & 255] : []), ...mask]);

	return Buffer.concat([head, payload.map((byte, i) => byte ^ mask[i & 3])]);
}

test("a message in a thousand fragments, with pings between them, is one message", async () => {
	const { socket, head } = await upgrade();
	const signal = { type: "pieces", payload: { text: "ü🙂".repeat(1000) } };
	const text = Buffer.from(JSON.stringify({ op: "emit", ref: "f", signal }));
	const size = Math.ceil(text.length / 1000);
	let heard = head;

	socket.on("data", (bytes) => { heard = Buffer.concat([heard, bytes]); });
	for (let at = 0; at < text.length; at += size) {
		const last = at + size >= text.length;

		socket.write(frame(at === 0 ? 1 : 0, text.subarray(at, at + size), last));
		if (at % (100 * size) === 0)
			socket.write(frame(9, Buffer.from(`p${at}`), true));
	}
	await eventually(() => heard.includes('"op":"ack","ref":"f"'), "the ack");
	const { signals } = await history("type=pieces");
	assert.equal(signals.length, 1);
	assert.deepEqual(signals[0].payload, signal.payload);
	assert.ok(heard.includes("\x8a\x02p0", 0, "latin1"), "the first pong");
	socket.destroy();
});

await run(() => box.remove());
