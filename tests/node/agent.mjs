/* An agent of the run dialect for the tests of the page: it can be paused, stepped, continued
 * and interrupted, asks, and remembers all that it was told. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

export class Agent {
	#socket;
	told = [];                    /* controls, by their op */
	answers = [];
	paused = false;
	budget = 0;

	/* Comes to the box as the agent of this session. */
	static async join(box, session) {
		const token = readFileSync(join(box.data, "token"), "utf8").trim();
		const agent = new Agent();

		agent.#socket = new WebSocket(
			`ws://127.0.0.1:${box.port}/ws/run?role=agent&session=${encodeURIComponent(session)}`,
			{ headers: { Authorization: `Bearer ${token}` } });
		await new Promise((resolve, reject) => {
			agent.#socket.onopen = resolve;
			agent.#socket.onerror = () => reject(new Error("the box does not let the agent in"));
		});
		agent.#socket.onerror = () => {};
		agent.#socket.onmessage = ({ data }) => agent.#hear(JSON.parse(data));
		return agent;
	}

	send(frame) {
		this.#socket.send(JSON.stringify(frame));
	}

	event(event, data) {
		this.send({ kind: "event", ts: Date.now(), event, data });
	}

	say(text, invokeid = "poet", more = {}) {
		this.event("llm/delta", { invokeid, type: "text-delta", text, ...more });
	}

	phase(config, more = {}) {
		this.send({ kind: "phase", ts: Date.now(), config, ...more });
	}

	debug() {
		this.send({ kind: "debug", paused: this.paused && this.budget === 0, "step-budget": this.budget });
	}

	/* Does one thing, if it may; true: it did. */
	work(text) {
		if (this.paused && this.budget === 0)
			return false;
		if (this.paused) {
			this.budget--;
			this.debug();
		}
		this.say(text);
		return true;
	}

	ask(id, type, opts) {
		this.send({ kind: "prompt", "prompt-id": id, invokeid: "poet", type, opts });
	}

	leave() {
		this.#socket.close();
	}

	#hear(frame) {
		if (frame.kind === "answer")
			this.answers.push(frame);
		if (frame.kind !== "control")
			return;
		this.told.push(frame.op);
		if (frame.op === "pause")
			[this.paused, this.budget] = [true, 0];
		else if (frame.op === "step")
			[this.paused, this.budget] = [true, this.budget + (frame.n ?? 1)];
		else if (frame.op === "continue")
			[this.paused, this.budget] = [false, 0];
		this.debug();
	}
}
