/* A speech engine that speaks Wyoming, for boxes that hear and say with it: it hears what a test says that it hears, says the
 * sound that a test gives it, and keeps what it was told. And a client of one: what a real engine hears. */

import { connect, createServer } from "node:net";
import { RATE } from "./loudspeaker.mjs";

const PIECE = 8820;         /* bytes of sound in an event */
const PARTIAL_S = 0.5;      /* of sound between two partials */
const PROGRAM = { attribution: { name: "tests", url: "" }, installed: true, description: null, version: "1" };
const INFO = {
	asr: [{ ...PROGRAM, name: "ear", models: [{ ...PROGRAM, name: "ear", languages: ["en"] }], supports_transcript_streaming: true }],
	tts: [{ ...PROGRAM, name: "mouth", voices: [{ ...PROGRAM, name: "mouth", languages: ["en"] }] }],
};

/* Gives each whole event of the bytes that come to `take`: its type, its data and its payload. */
function reader(take) {
	let rest = Buffer.alloc(0);

	return (bytes) => {
		rest = Buffer.concat([rest, bytes]);
		for (let end; (end = rest.indexOf("\n")) >= 0;) {
			const head = JSON.parse(rest.subarray(0, end).toString());
			const data = end + 1 + (head.data_length ?? 0), payload = data + (head.payload_length ?? 0);

			if (rest.length < payload)
				return;
			take(head.type, { ...head.data, ...JSON.parse(rest.subarray(end + 1, data).toString() || "{}") }, rest.subarray(data, payload));
			rest = rest.subarray(payload);
		}
	};
}

function event(type, data = {}, payload = Buffer.alloc(0)) {
	return Buffer.concat([Buffer.from(`${JSON.stringify({ type, data, payload_length: payload.length })}\n`), payload]);
}

function* soundEvents(pcm, rate) {
	const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength), form = { rate, width: 2, channels: 1 };

	yield event("audio-start", form);
	for (let at = 0; at < bytes.length; at += PIECE)
		yield event("audio-chunk", form, bytes.subarray(at, at + PIECE));
	yield event("audio-stop");
}

export class Engine {
	utterances = [];        /* {pcm, isWhole, isClosed} of each that it heard */
	sentences = [];         /* {text, isClosed} of each that it said */
	words = "";             /* what it hears */
	sound = new Int16Array(0);
	rate = RATE;
	breaks = false;         /* it closes whenever it is to hear */
	#server = createServer((socket) => this.#serve(socket));

	async start() {
		await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
		this.place = `tcp://127.0.0.1:${this.#server.address().port}`;
		return this;
	}

	end() {
		this.#server.close();
	}

	#serve(socket) {
		let work = {};

		socket.on("error", () => {});
		socket.on("close", () => { work.isClosed = true; });
		socket.on("data", reader((type, data, payload) => {
			if (type === "describe")
				socket.write(event("info", INFO));
			else if (type === "audio-start")
				this.utterances.push(work = { pcm: Buffer.alloc(0), isWhole: false, isClosed: false });
			else if (type === "audio-chunk")
				this.#hear(socket, work, payload);
			else if (type === "audio-stop")
				this.#tell(socket, work);
			else if (type === "synthesize")
				this.#say(socket, work = { text: data.text, isClosed: false });
		}));
	}

	#hear(socket, work, sound) {
		if (this.breaks)
			socket.destroy();
		const before = Math.floor(work.pcm.length / 2 / RATE / PARTIAL_S);

		work.pcm = Buffer.concat([work.pcm, sound]);
		for (let n = before + 1; n <= work.pcm.length / 2 / RATE / PARTIAL_S; n++)
			socket.write(event("transcript-chunk", { text: `part ${n} ` }));
	}

	#tell(socket, work) {
		work.isWhole = true;
		socket.write(event("transcript", { text: this.words }));
	}

	#say(socket, work) {
		this.sentences.push(work);
		for (const piece of soundEvents(this.sound, this.rate))
			socket.write(piece);
	}
}

/* What the engine at the path hears. */
export function heardBy(path, pcm, rate) {
	return new Promise((done, fail) => {
		const socket = connect(path);

		socket.on("error", fail);
		socket.on("close", () => fail(new Error("it closed the connection")));
		socket.on("data", reader((type, { text }) => {
			if (type !== "transcript" && type !== "error")
				return;
			socket.destroy();
			if (type === "transcript")
				done(text);
			else
				fail(new Error(text));
		}));
		socket.write(event("transcribe"));
		for (const piece of soundEvents(pcm, rate))
			socket.write(piece);
	});
}
