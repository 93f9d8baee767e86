/* A WebSocket server of few words, for sources that the box dials: it sends what the test wants
 * and keeps what it hears. Only short text frames, which is all that the tests need. */

import { createHash } from "node:crypto";
import { createServer } from "node:http";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/* The texts of the whole frames at the beginning of the bytes, and what is left. */
function readFrames(bytes, texts) {
	for (;;) {
		if (bytes.length < 6)
			return bytes;
		const short = bytes[1] & 127;
		const head = short === 126 ? 4 : 2;
		const length = short === 126 ? bytes.readUInt16BE(2) : short;
		const end = head + 4 + length;

		if (bytes.length < end)
			return bytes;
		const mask = bytes.subarray(head, head + 4);
		if ((bytes[0] & 15) === 1)
			texts.push(Buffer.from(bytes.subarray(head + 4, end)).map((byte, i) => byte ^ mask[i % 4]).toString());
		bytes = bytes.subarray(end);
	}
}

function frameOf(text) {
	const body = Buffer.from(text);
	const head = body.length < 126 ? Buffer.from([0x81, body.length])
		: Buffer.from([0x81, 126, body.length >> 8, body.length & 255]);

	return Buffer.concat([head, body]);
}

export class Ear {
	heard = [];
	#sockets = [];
	#server = createServer();

	async start() {
		this.#server.on("upgrade", (request, socket) => {
			const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + GUID).digest("base64");
			let rest = Buffer.alloc(0);

			socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
				+ `Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
			socket.on("data", (bytes) => {
				const texts = [];

				rest = readFrames(Buffer.concat([rest, bytes]), texts);
				this.heard.push(...texts.map((text) => JSON.parse(text)));
			});
			socket.on("error", () => {});
			this.#sockets.push(socket);
		});
		await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
		this.url = `ws://127.0.0.1:${this.#server.address().port}/signals`;
		return this;
	}

	get isDialled() {
		return this.#sockets.length > 0;
	}

	send(envelope) {
		for (const socket of this.#sockets)
			socket.write(frameOf(JSON.stringify(envelope)));
	}

	end() {
		this.#sockets.forEach((socket) => socket.destroy());
		this.#server.close();
	}
}
