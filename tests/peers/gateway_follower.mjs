/* gateway_follower.mjs CLIENT PORT TOKEN - OpenClaw's published client, cut off again and again.
 *
 * CLIENT is the folder of the package @openclaw/gateway-client.  Eight clients, half of them with
 * a device, follow the run "stream" of agent:script, each through a line of its own that breaks at
 * random moments, 200 in all.  After each hello they do what the protocol's documents say: they
 * subscribe, read the history, take over the run in flight, and go on with the deltas.
 *
 * The run says word after word, WORDS in a message: what a client shows is at every moment the
 * beginning of that, and never less than before.  Prints "cut" when all cuts were made, then
 * waits for the end of the run, and prints what each shows.
 */

import assert from "node:assert/strict";
import net from "node:net";
import { createInterface } from "node:readline";
import { makeDevice, textOf } from "./gateway_parts.mjs";

const [folder, port, token] = process.argv.slice(2);
const { GatewayClient } = await import(`${folder}/dist/index.mjs`);
const KEY = "agent:script:stream";
const WORDS = 30; /* of a message */
const CLIENTS = 8;
const CUTS = 200;
let cuts = 0, starts = 0;

const truth = (number) => Array.from({ length: WORDS }, (_, i) => `w${number * WORDS + i} `).join("");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/* A line to the box that can be cut. */
function openLine() {
	const lines = new Set();
	const server = net.createServer((here) => {
		const there = net.connect(Number(port), "127.0.0.1");

		lines.add(here);
		here.once("data", (head) => { /* the box answers to its own name alone */
			there.write(head.toString("latin1").replace(/^Host: [^\r]*/im, `Host: 127.0.0.1:${port}`), "latin1");
			here.pipe(there);
		});
		there.pipe(here);
		for (const one of [here, there]) {
			one.on("error", () => {});
			one.on("close", () => { here.destroy(); there.destroy(); lines.delete(here); });
		}
	});
	const cut = () => { for (const line of lines) line.resetAndDestroy(); };

	return new Promise((done) => server.listen(0, "127.0.0.1", () => done({ port: server.address().port, cut, server })));
}

/* What one client shows: messages that are whole, and the one that is being said. */
class Shown {
	constructor() {
		this.forget();
		this.most = 0;
	}

	forget() {
		this.whole = new Map(); /* id -> text */
		this.live = "";
		this.isOver = false;
	}

	check(why) {
		const texts = [...this.whole.values()];
		const length = texts.join("").length + this.live.length;

		for (const [i, text] of texts.entries())
			assert.equal(text, truth(i), `${why}: message ${i}`);
		assert.ok(truth(texts.length).startsWith(this.live), `${why}: ${JSON.stringify(this.live)} is not of message ${texts.length}`);
		assert.ok(length >= this.most, `${why}: ${length} characters, and there were ${this.most}`);
		this.most = length;
	}

	/* A row of the transcript, which the live text becomes when it is whole. */
	commit(row) {
		const id = row.__openclaw.id;
		const text = row.role === "assistant" ? textOf(row) : "";

		if (!text || this.whole.has(id))
			return;
		this.whole.set(id, text);
		if (text.startsWith(this.live))
			this.live = "";
	}

	load(history) {
		this.forget();
		for (const row of history.messages)
			this.commit(row);
		this.live = history.inFlightRun?.text ?? "";
		this.isOver = !history.inFlightRun && this.whole.size > 0;
		this.check("history");
	}

	/* A new message replaces the one before, which is whole: its row may come a moment later. */
	delta({ deltaText, replace, message, seq }) {
		const next = replace ? deltaText : this.live + deltaText;
		const told = textOf(message);

		if (seq <= this.seq)
			return;
		this.seq = seq;
		if (replace && this.live)
			this.whole.set(`before ${seq}`, this.live);
		assert.equal(told, next, "the text and what was added to it");
		this.live = next;
		this.check("delta");
	}
}

class Follower {
	constructor(number, line) {
		this.shown = new Shown();
		this.line = line;
		this.isUp = false;
		this.early = []; /* events that came before the history, which may have them */
		this.client = new GatewayClient({
			url: `ws://127.0.0.1:${line.port}/ws/gateway`, token, scopes: ["operator.read", "operator.write"],
			caps: ["tool-events"], clientVersion: "1.0", minProtocol: 4, maxProtocol: 4,
			...(number % 2 ? makeDevice() : {}),
			onHelloOk: () => { this.recover().catch((why) => this.fail(why)); },
			onClose: () => { this.isUp = false; this.early = []; },
			onGap: (gap) => { if (this.isUp) this.fail(new Error(`a gap: ${JSON.stringify(gap)}`)); },
			onEvent: (event) => { this.hear(event); },
		});
		this.client.start();
	}

	/* What a cut leaves without an answer is no fault. */
	fail(why) {
		if (why instanceof assert.AssertionError || this.isUp) {
			console.log(`FAILED ${why.message}`);
			process.exit(1);
		}
	}

	async recover() {
		starts++;
		const list = await this.client.request("sessions.subscribe", { limit: 20 });

		assert.ok(list.subscribed && list.list.sessions.length > 0);
		await this.client.request("sessions.messages.subscribe", { key: KEY });
		const history = await this.client.request("chat.history", { sessionKey: KEY });

		this.shown.load(history);
		this.shown.seq = 0;
		const early = this.early;

		this.early = null;
		this.isUp = true;
		for (const event of early)
			this.take(event, true);
	}

	hear(event) {
		if (event.event !== "chat" && event.event !== "session.message")
			return;
		if (this.early)
			this.early.push(event);
		else
			this.take(event, false);
	}

	/* isEarly: it may have come before the history, which has it then. */
	take({ event, payload }, isEarly) {
		try {
			if (payload.runId !== "stream")
				return;
			if (event === "session.message") {
				this.shown.commit(payload.message);
				this.shown.check("message");
			} else if (payload.state === "delta") {
				const { live } = this.shown;
				const told = textOf(payload.message);

				if (isEarly && (payload.replace ? told : live + payload.deltaText) !== told)
					return;
				if (isEarly && (live.startsWith(told) || [...this.shown.whole.values()].some((text) => text.startsWith(told))))
					return;
				this.shown.delta(payload);
			} else if (payload.state === "final") {
				this.shown.live = textOf(payload.message);
				this.shown.isOver = true;
			}
		} catch (why) {
			this.fail(why);
		}
	}

	async suffer() {
		while (cuts < CUTS) {
			await wait(20 + 400 * Math.random());
			if (!this.isUp && Math.random() < 0.7)
				continue; /* mostly when it is there, at times while it comes back */
			cuts++;
			this.isUp = false;
			this.line.cut();
		}
	}
}

const followers = [];

for (let i = 0; i < CLIENTS; i++)
	followers.push(new Follower(i, await openLine()));
for (let tries = 0; followers.some((one) => !one.isUp); tries++) {
	assert.ok(tries < 600, "all of them come in");
	await wait(100);
}
await Promise.all(followers.map((one) => one.suffer()));
console.log("cut");
for await (const line of createInterface({ input: process.stdin })) { /* the run ended after so many messages */
	const count = Number(line);
	const whole = Array.from({ length: count }, (_, i) => truth(i)).join("");

	for (const one of followers) {
		for (let tries = 0; !(one.isUp && one.shown.isOver); tries++) {
			assert.ok(tries < 600, "it heard of the end");
			await wait(100);
		}
		const last = await one.client.request("chat.history", { sessionKey: KEY });

		assert.deepEqual([...one.shown.whole.values(), ...(one.shown.whole.size < count ? [one.shown.live] : [])].join(""), whole);
		one.shown.load(last);
		assert.equal([...one.shown.whole.values()].join(""), whole);
		assert.deepEqual(last.sessionInfo.activeRunIds, []);
	}
	break;
}
console.log(`good ${cuts} cuts, ${starts} hellos`);
process.exit(0);
