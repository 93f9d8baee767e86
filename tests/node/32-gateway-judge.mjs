/* The judge of gateway frames takes what real gateways sent, and nothing else. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { judge } from "./gateway-judge.mjs";
import { Skip, run, test } from "./lib.mjs";

const BUILD = process.env.TEST_BUILD || new URL("../../build", import.meta.url).pathname;
const CAPTURES = new URL("../../../shared/vectors/gateway/", import.meta.url);
const JUDGE = new URL("./gateway-judge.mjs", import.meta.url).pathname;

/* Each frame that went one way, with the method that an answer answers. */
function captured(protocol, way) {
	const file = new URL(`v${protocol}-frames.jsonl`, CAPTURES);
	const methods = {};

	if (!existsSync(file))
		throw new Skip("../shared is not there");
	return readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
		.filter(({ label, dir, frame }) => {
			if (dir === "out")
				methods[`${label} ${frame.id}`] = frame.method;
			return dir === way;
		})
		.map(({ label, frame }) => ({ frame, method: methods[`${label} ${frame.id}`], protocol }));
}

function refused(frame, options, words) {
	assert.throws(() => judge(frame, options), words);
}

test("protocol 3: every frame that was captured is good", async () => {
	for (const { frame, ...options } of captured(3, "in"))
		judge(frame, options);
});

/* The gateway that sent them is newer than the published schema: what it added, we do not send. */
const NEWER = /chat\.metadata\.changed|skills\.changed|hello-ok|cpuBreakdown|"lane"/;

test("protocol 4: every frame that was captured and that we send, too, is good", async () => {
	const frames = captured(4, "in").filter(({ frame }) => !NEWER.test(JSON.stringify(frame)));

	assert.ok(frames.length > 60);
	for (const { frame, ...options } of frames)
		judge(frame, options);
});

test("what clients sent in the captures, our check takes", async () => {
	const sent = [...captured(3, "out"), ...captured(4, "out")].map(({ frame }) => frame);
	const input = sent.map(({ method, params }) => JSON.stringify([method, params]) + "\n").join("");
	const verdicts = execFileSync(`${BUILD}/tests/gateway_verdicts`, { input, encoding: "utf8" });

	assert.ok(sent.length >= 17);
	assert.deepEqual([...new Set(verdicts.trimEnd().split("\n"))], ["ok"]);
});

const AGENT = { runId: "r", seq: 1, stream: "assistant", ts: 1, data: { delta: "a" } };

test("an agent event has three members more than published, and no other", async () => {
	const event = (payload) => ({ type: "event", event: "agent", payload, seq: 1 });

	judge(event(AGENT));
	judge(event({ ...AGENT, sessionKey: "k", agentId: "a", sessionId: "s" }));
	refused(event({ ...AGENT, channel: "c" }), {}, /additionalProperties/);
	refused(event({ ...AGENT, agentId: "a" }), { protocol: 3 }, /additionalProperties/);
});

test("what no server sends is refused", async () => {
	refused({ type: "req", id: "1", method: "health" }, {}, /no such frame/);
	refused({ type: "event", event: "typing", payload: {} }, {}, /no event typing/);
	refused({ type: "event", event: "tick", payload: { ts: 1 }, note: 1 }, {}, /additionalProperties/);
	refused({ type: "event", event: "tick" }, {}, /the event tick/);
	refused({ type: "event", event: "presence", payload: { presence: [] }, stateVersion: { health: 2 } }, {},
		/required/);
	refused({ type: "res", id: "1", ok: true, error: { code: "X", message: "m" } }, {}, /good and an error/);
	refused({ type: "res", id: "1", ok: false }, {}, /bad without an error/);
	refused({ type: "res", id: "1", ok: true, payload: {} }, { method: "connect" }, /the answer to connect/);
	refused({ type: "event", event: "tick", payload: { ts: 1 } }, { protocol: 5 }, /no protocol 5/);
});

test("protocol 3 has no error FORBIDDEN, and in protocol 4 it has its details", async () => {
	const answer = (details) => ({ type: "res", id: "1", ok: false,
		error: { code: "FORBIDDEN", message: "missing scope: operator.write", details } });
	const details = { code: "MISSING_SCOPE", missingScope: "operator.write",
		requiredScopes: ["operator.write"] };

	judge(answer(details));
	refused(answer({ code: "MISSING_SCOPE" }), {}, /the details of an error/);
	refused(answer(details), { protocol: 3 }, /enum/);
});

test("as a program it tells each frame that is not good", async () => {
	const tick = { type: "event", event: "tick", payload: { ts: 1 } };
	const input = [{ frame: tick }, { frame: { ...tick, payload: {} } }].map((l) => JSON.stringify(l)).join("\n");
	const judged = (text) => execFileSync(process.execPath, [JUDGE], { input: text, encoding: "utf8" });

	assert.equal(judged(JSON.stringify({ frame: tick })), "");
	assert.throws(() => judged(input), ({ status, stdout }) => status === 1 && /ts/.test(stdout));
});

await run();
