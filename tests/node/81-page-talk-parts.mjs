/* The conversation, the asks and the questions of the page, without a browser: signals in,
 * blocks out. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { createTalk, BLOCKS_MAX, WEIGHT_MAX, WORDS_MAX, whoOf } = await part("talk/fold.ts");
const { tokensPerSecond } = await part("talk/block.ts");
const { inputParts, inputLine, outputParts } = await part("talk/tool.ts");
const { diff, patchLines } = await part("talk/diff.ts");
const { cut, visibleText, wholeLength, lasted } = await part("talk/plain.ts");
const { createAsks, answerers, newSession } = await part("ask/model.ts");
const { createPrompts, choicesOf, approvalOf, missingOf, leftOf, endOf, OVER_MS } = await part("prompts/model.ts");

/* A talk that is given signals by type and payload, one millisecond after the other. */
function telling() {
	const talk = createTalk();
	let seq = 0;

	return { talk, tell(type, payload = {}, more = {}) {
		seq++;
		talk.take({ seq, id: `i${seq}`, type, source: "s", timestamp: 1000 + seq, correlationId: "r", payload, ...more });
		return seq;
	} };
}

const kinds = (talk) => talk.blocks.map(({ kind }) => kind);
const say = (content, agentId = "a") => ["text_delta", { agentId, content }];

/* ---- the fold ---- */

test("deltas of one agent are one text, and another kind of signal ends it", async () => {
	const { talk, tell } = telling();

	tell("task_dispatch", { taskId: "r", from: "user", to: "a", description: "do it" });
	tell(...say("Hel"));
	tell(...say("lo"));
	assert.deepEqual(kinds(talk), ["task", "text"]);
	assert.equal(talk.blocks[1].text, "Hello");
	assert.equal(talk.blocks[1].isOpen, true);
	tell("thinking", { agentId: "a", content: "hm" });
	assert.equal(talk.blocks[1].isOpen, false);
	tell(...say("again"));
	assert.deepEqual(kinds(talk), ["task", "text", "thinking", "text"]);
	assert.equal(talk.stats.state, "streaming");
	tell("completion", { taskId: "r", success: true, result: "again" });
	assert.equal(talk.blocks.at(-1).text, "", "what was said is not said twice");
	assert.equal(talk.stats.state, "done");
	assert.equal(talk.blocks[3].isOpen, false);
});

test("who rests says nothing any more, also where the words come after the rest", async () => {
	const { talk, tell } = telling();

	tell("agent_state_change", { agentId: "a", from: "acting", to: "done" });
	tell(...say("The till "));
	tell(...say("is mended."));
	assert.deepEqual(talk.blocks.map(({ text, isOpen }) => [text, isOpen]).at(-1), ["The till is mended.", false]);
	tell("agent_state_change", { agentId: "a", from: "done", to: "thinking" });
	tell(...say("On it"));
	assert.equal(talk.blocks.at(-1).isOpen, true);
	tell("session.turn", { agentId: "a", state: "over" });
	assert.deepEqual([talk.blocks.at(-1).kind, talk.blocks.at(-1).isOpen], ["text", false]);
	tell("event", { hook_event_name: "UserPromptSubmit", prompt: "<task-notification>", synthetic: true });
	assert.equal(talk.blocks.at(-1).kind, "text", "what a program writes to itself is no part of the conversation");
	tell("event", { hook_event_name: "Setup" });
	assert.equal(talk.blocks.at(-1).kind, "line");
});

test("two agents that speak at the same time are two texts", async () => {
	const { talk, tell } = telling();

	for (const [word, agent] of [["a1 ", "a"], ["b1 ", "b"], ["a2", "a"], ["b2", "b"]])
		tell(...say(word, agent));
	assert.deepEqual(talk.blocks.map(({ agent, text }) => [agent, text]), [["a", "a1 a2"], ["b", "b1 b2"]]);
});

test("usage does not cut a text, and is added up", async () => {
	const { talk, tell } = telling();

	tell(...say("one "));
	tell("token_usage", { agentId: "a", promptTokens: 10, completionTokens: 2, model: "m", cost: 0.5 });
	tell("token_usage", { agentId: "a", promptTokens: 1, completionTokens: 3 });
	tell(...say("two"));
	assert.deepEqual(kinds(talk), ["text", "usage"]);
	assert.equal(talk.blocks[0].text, "one two");
	const { tokensIn, tokensOut, cost, model } = talk.stats;
	assert.deepEqual({ tokensIn, tokensOut, cost, model }, { tokensIn: 11, tokensOut: 5, cost: 0.5, model: "m" });
});

test("a result finds its call by id, else by name, else stands alone", async () => {
	const { talk, tell } = telling();
	const call = (toolName, callId) => tell("tool_call", { agentId: "a", toolName, callId, input: { command: "ls" } });
	const result = (toolName, callId, success) => tell("tool_result", { agentId: "a", toolName, callId, success, output: { value: "x" } });

	call("sh", "1");
	call("sh", "2");
	call("cat", undefined);
	result("sh", "2", true);
	result("cat", undefined, false);
	result("other", "9", true);
	const tools = talk.blocks.map(({ name, callId, state, isResultOnly }) => [name, callId, state, isResultOnly]);
	assert.deepEqual(tools, [["sh", "1", "running", false], ["sh", "2", "done", false],
		["cat", "", "failed", false], ["other", "9", "done", true]]);
	assert.equal(talk.blocks[1].endedAt - talk.blocks[1].at, 2);
	tell("completion", { taskId: "r", success: true });
	assert.equal(talk.blocks[0].state, "left");
});

test("what a model writes for a tool becomes the tool's call", async () => {
	const { talk, tell } = telling();
	const draft = (content) => tell("tool_call_delta", { agentId: "a", toolName: "sh", callId: "1", content });

	draft('{"comm');
	draft('and":"ls"}');
	assert.equal(talk.blocks[0].draft, '{"command":"ls"}');
	tell("tool_call", { agentId: "a", toolName: "sh", callId: "1", input: { command: "ls" } });
	assert.equal(talk.blocks.length, 1);
	assert.equal(talk.blocks[0].draft, "");
	assert.deepEqual(talk.blocks[0].input, { command: "ls" });
	assert.equal(talk.stats.tools, 1);
});

test("an end is done, failed or cancelled, and another task begins anew", async () => {
	for (const [payload, metadata, how] of [
		[{ success: true, result: "fine" }, {}, "done"],
		[{ success: false, result: "no" }, {}, "failed"],
		[{ success: false, result: "cancelled" }, {}, "cancelled"],
		[{ success: false }, { stopReason: "aborted" }, "cancelled"],
	]) {
		const { talk, tell } = telling();
		tell("completion", { taskId: "r", ...payload }, { metadata });
		assert.equal(talk.stats.state, how);
		tell("task_dispatch", { taskId: "r", from: "user", to: "a" });
		assert.equal(talk.stats.state, "waiting");
	}
});

test("a warning is no end, an error is", async () => {
	const { talk, tell } = telling();

	tell(...say("x"));
	tell("error", { message: "careful", severity: "warning" });
	assert.equal(talk.stats.state, "streaming");
	tell("error", { message: "broken", severity: "error", code: "500" });
	assert.equal(talk.stats.state, "failed");
	assert.equal(talk.stats.errors, 1);
	assert.equal(talk.blocks[0].isOpen, false);
});

test("a text that is said anew stands for all that was said before", async () => {
	const { talk, tell } = telling();

	tell(...say("x".repeat(WORDS_MAX + 10)));
	tell("text_delta", { agentId: "a", content: "better" }, { metadata: { replace: true } });
	assert.equal(talk.blocks.map(({ text }) => text).join(""), "better");
	tell(...say("!"));
	assert.equal(talk.blocks[0].text, "better!");
});

test("an answer finds the only question of its type, and says who gave it", async () => {
	const { talk, tell } = telling();
	const by = { user: "anna", process: "top", screen: "cli" };

	tell("prompt", { type: "confirm", prompt: "Shall I?" });
	tell("answer", { prompt: "box-id", type: "confirm", value: true, by });
	assert.deepEqual([talk.blocks[0].state, talk.blocks[0].value, talk.blocks[0].by], ["answered", true, "anna (top) at cli"]);
	tell("prompt", { type: "text", prompt: "one" });
	tell("prompt", { type: "text", prompt: "two" });
	tell("prompt.closed", { prompt: "box-id2", type: "text", state: "expired", why: "time" });
	assert.deepEqual(talk.blocks.slice(1).map(({ state }) => state), ["open", "open", "expired"]);
	assert.equal(whoOf({ user: 7, screen: { x: 1 } }), "");
});

test("what its agent did stands behind a question that is over", async () => {
	const { talk, tell } = telling();

	tell("prompt", { type: "select", prompt: "Bash: ls" });
	tell("prompt.settled", { prompt: "", by: "agent", decision: "deny" });
	tell("answer", { prompt: "one", type: "select", value: "deny", by: { user: "anna" } });
	assert.equal(talk.blocks[0].settled, "");
	const { version } = talk.blocks[0];
	tell("prompt.settled", { prompt: "one", by: "agent", decision: "allow" });
	assert.equal(talk.blocks[0].settled, "It was decided there: allow");
	assert.ok(talk.blocks[0].version > version);
	tell("prompt", { type: "text", prompt: "?" });
	tell("prompt.closed", { prompt: "two", type: "text", state: "cancelled", why: "its agent is gone" });
	tell("prompt.settled", { prompt: "two", by: "agent", decision: "gone" });
	tell("prompt.settled", { prompt: "unknown", by: "agent", decision: "gone" });
	assert.deepEqual(talk.blocks.map(({ settled }) => settled), ["It was decided there: allow", "Its agent is gone"]);
});

test("any other type is a line, and the box's own notes are none", async () => {
	const { talk, tell } = telling();

	tell("midi.note_on", { note: 60 });
	tell("prompt.told", { prompt: "x" });
	tell("event", { x: 1 }, { metadata: { _meta: { tick: true } } });
	assert.deepEqual(talk.blocks.map(({ kind, type }) => [kind, type]), [["line", "midi.note_on"]]);
});

test("what was seen is passed over, so that history and the present may overlap", async () => {
	const talk = createTalk();
	const one = (seq, content) => ({ seq, id: "", type: "text_delta", source: "s", timestamp: 0, payload: { agentId: "a", content } });

	[one(1, "a"), one(2, "b"), one(2, "b"), one(1, "a"), one(3, "c")].forEach(talk.take);
	assert.equal(talk.blocks[0].text, "abc");
});

test("no payload can break it", async () => {
	const { talk, tell } = telling();
	const types = ["task_dispatch", "text_delta", "thinking", "tool_call", "tool_call_delta", "tool_result",
		"agent_state_change", "token_usage", "error", "completion", "prompt", "answer", "prompt.closed", "__proto__", "toString"];
	const values = [undefined, null, 7, "x", [], {}, { toString: 1 }, true];

	for (const type of types)
		for (const v of values)
			tell(type, { agentId: v, content: v, toolName: v, callId: v, input: v, output: v, success: v, from: v, to: v,
				description: v, message: v, severity: v, promptTokens: v, completionTokens: v, cost: v, result: v,
				type: v, prompt: v, options: v, by: v, value: v, why: v }, { metadata: { replace: v, coalesced: v, stopReason: v } });
	assert.ok(talk.blocks.length > 0);
});

test("a hundred thousand deltas and a megabyte in one line are folded at once, in bounds", async () => {
	const { talk, tell } = telling();
	const begun = process.cpuUsage();

	for (let i = 0; i < 100_000; i++)
		tell(...say("word "));
	assert.equal(talk.blocks.map(({ text }) => text).join("").length, 500_000);
	tell(...say("y".repeat(1_000_000)));
	assert.ok(talk.blocks.every(({ text }) => text.length <= WORDS_MAX + 1));
	assert.ok(talk.blocks.slice(1).every(({ isContinued }) => isContinued));
	const { user, system } = process.cpuUsage(begun);
	assert.ok(user + system < 5e6, `${(user + system) / 1000} ms`);
});

test("no text is cut within a character", async () => {
	const { talk, tell } = telling();

	tell(...say(`${"x".repeat(WORDS_MAX - 1)}😀😀`));
	assert.ok(talk.blocks.length === 2 && talk.blocks.every(({ text }) => text.isWellFormed()));
	for (const whole of ["👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301"])
		for (let room = 1; room < whole.length; room++) {
			const { talk, tell } = telling();

			tell(...say("x".repeat(WORDS_MAX - room) + whole + whole));
			assert.deepEqual(talk.blocks.map(({ text }) => text.replace(/^x+/, "")), [whole, whole], `room for ${room}`);
			assert.equal(cut(`ab${whole}`, 2 + room), `ab … and ${whole.length} more characters`);
			assert.equal(inputLine({ command: "x".repeat(200 - room) + whole }), "x".repeat(200 - room));
		}
	assert.equal(wholeLength("a\ud83d"), 1);
	assert.equal(wholeLength("a\r"), 1);
	assert.equal(wholeLength("a😀"), 3);
});

test("what is too much is forgotten from the oldest on, and counted", async () => {
	const { talk, tell } = telling();

	for (let i = 0; i < BLOCKS_MAX + 500; i++)
		tell("note", { i });
	assert.ok(talk.blocks.length <= BLOCKS_MAX);
	assert.equal(talk.blocks.length + talk.forgotten, BLOCKS_MAX + 500);
	const before = talk.forgotten;
	for (let i = 0; i < 40; i++)
		tell("tool_call", { agentId: "a", toolName: "t", callId: String(i), input: { x: "z".repeat(500_000) } });
	assert.ok(talk.forgotten > before);
	assert.ok(talk.blocks.reduce((sum, { weight }) => sum + weight, 0) <= WEIGHT_MAX + 600_000);
	tell("tool_result", { agentId: "a", toolName: "t", callId: "39", success: true });
	assert.equal(talk.blocks.at(-1).state, "done");
});

test("tokens a second are the model's, and pieces are no tokens", async () => {
	const { talk, tell } = telling();

	assert.ok(Number.isNaN(tokensPerSecond(talk.stats)));
	for (let i = 0; i < 11; i++)
		tell(...say("x"));
	assert.ok(Number.isNaN(tokensPerSecond(talk.stats)));
	tell("token_usage", { agentId: "a", promptTokens: 1, completionTokens: 30 });
	assert.equal(tokensPerSecond(talk.stats), 3000);
});

/* ---- tools ---- */

test("a command is code, an edit what it changes, a file its text, all else JSON", async () => {
	assert.deepEqual(inputParts({ command: "ls", description: "look" }),
		[{ kind: "words", label: "", text: "look" }, { kind: "code", label: "command", text: "ls" }]);
	assert.deepEqual(inputParts({ command: ["sh", "-c", "echo it's"] })[0].text, "sh -c 'echo it'\\''s'");
	const [edit] = inputParts({ file_path: "/a", old_string: "1\n2\n3", new_string: "1\n4\n3" });
	assert.equal(edit.label, "/a");
	assert.deepEqual(edit.lines.map(({ how, text }) => `${how} ${text}`), ["same 1", "gone 2", "new 4", "same 3"]);
	assert.deepEqual(inputParts({ file_path: "/a", content: "text" }), [{ kind: "code", label: "/a", text: "text" }]);
	assert.deepEqual(inputParts({ q: 1 }), [{ kind: "json", label: "", text: '{"q":1}' }]);
	const edits = [{ old_string: "a", new_string: "b" }, { old_string: "c", new_string: "d" }];
	assert.equal(inputParts({ file_path: "/a", edits }).length, 2);
	assert.deepEqual(patchLines("+a\n-b\n c").map(({ how }) => how), ["new", "gone", "same"]);
});

test("no member of an input is left out of what is shown, whatever else is there", async () => {
	const names = ["command", "cmd", "description", "file_path", "path", "notebook_path", "old_string", "new_string",
		"old_str", "new_str", "content", "new_source", "patch", "diff", "pattern", "edits", "replace_all"];

	for (let mask = 1; mask < 1 << names.length; mask += 37) {
		const input = Object.fromEntries(names.filter((_, i) => mask >> i & 1).map((name) => [name, `<${name}>`]));
		const shown = JSON.stringify(inputParts(input));
		for (const value of Object.values(input))
			assert.ok(shown.includes(value), `${value} of ${JSON.stringify(input)}`);
	}
});

test("an output is its text where it is one", async () => {
	const texts = (output) => outputParts(output).map(({ text }) => text);

	assert.deepEqual(texts({ stdout: "out", stderr: "err", exit_code: 2 }), ["out", "err", "exit 2"]);
	assert.deepEqual(texts({ value: "x" }), ["x"]);
	assert.deepEqual(texts({ content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] }), ["a\nb"]);
	assert.deepEqual(texts({ a: 1, b: "c" }), ['{"a":1,"b":"c"}']);
	assert.deepEqual(texts(undefined), []);
	assert.equal(inputLine({ command: "one\ntwo" }), "one");
});

test("a long stretch that stays is told in words, and a big edit is not compared", async () => {
	const lines = Array.from({ length: 40 }, (_, i) => `l${i}`);
	const changed = lines.with(20, "new");
	const found = diff(lines.join("\n"), changed.join("\n"));

	assert.deepEqual(found.filter(({ how }) => how === "skip").map(({ text }) => text), ["17 lines that stay", "16 lines that stay"]);
	assert.equal(found.filter(({ how }) => how === "same").length, 6);
	const big = Array.from({ length: 5000 }, (_, i) => `x${i}`).join("\n");
	assert.equal(diff(big, big).length, 10_000);
});

test("words keep their lines, and nothing hides in them", async () => {
	assert.equal(visibleText("a\n\tb\r\nc"), "a\n\tb\nc");
	assert.equal(visibleText("a\u202eb\u001b[31m"), "a\\u202eb\\u001b[31m");
	assert.equal(lasted(12), "12 ms");
	assert.equal(lasted(61_000), "1:01");
	assert.equal(lasted(NaN), "");
});

/* ---- asks ---- */

const asked = (seq, run, session, text = "q") => ({ seq, id: "", type: "task_dispatch", source: "user", timestamp: seq,
	correlationId: run, metadata: { sourceId: "lab", ...session === "" ? {} : { session } },
	payload: { taskId: run, from: "user", to: "m", description: text } });

test("asks of one session are one conversation, the newest first", async () => {
	const asks = createAsks();

	asks.take(asked(1, "a", "s1", "first"), false);
	asks.take(asked(2, "b", ""), false);
	asks.take(asked(3, "c", "s1"), true);
	assert.deepEqual(asks.conversations().map(({ asks: all }) => all.map(({ run }) => run)), [["a", "c"], ["b"]]);
	assert.equal(asks.conversationOf("c").asks[0].text, "first");
	assert.equal(asks.ask("a").state, "past");
	assert.equal(asks.take({ ...asked(4, "c", "s1"), type: "completion", source: "lab",
		payload: { success: false, result: "cancelled" } }, true), true);
	assert.equal(asks.ask("c").state, "cancelled");
	assert.equal(asks.take({ ...asked(5, "z", ""), metadata: {} }, true), false, "a task of somebody else");
});

test("who can be asked is listed, connected ones first, and a gateway has its own session", async () => {
	const source = (id, state, can = ["ask"]) => ({ id, name: id, state, can, protocol: "openai" });

	assert.deepEqual(answerers([source("c", "disconnected"), source("b", "connected"), source("x", "connected", []),
		source("d", "unavailable"), source("a", "connected")]).map(({ id }) => id), ["a", "b", "c", "d"]);
	for (const protocol of [undefined, { mainSession: false }])
		assert.match(newSession(protocol), /^page-[0-9a-f]{8}$/);
	assert.equal(newSession({ mainSession: true }), "");
});

/* ---- questions ---- */

const question = (id, more = {}) => ({ id, run: "r", source: "me", type: "confirm", prompt: "?", state: "open", ...more });

test("open questions are listed the newest first, and each is new once", async () => {
	const prompts = createPrompts();

	assert.equal(prompts.hear(question("a"), 100).id, "a");
	assert.equal(prompts.hear(question("a"), 101), null);
	prompts.hear(question("b"), 100);
	assert.deepEqual(prompts.open().map(({ id }) => id), ["b", "a"]);
	assert.equal(prompts.hear(question("z", { state: "answered" }), 100), null);
	assert.equal(prompts.over().length, 0, "what was never open here is nobody's business");
});

test("the end of one says who was first, from its frame or from the journal", async () => {
	const prompts = createPrompts();
	const by = { user: "owner", process: "signalbox", screen: "cli" };
	const signal = (type, payload) => ({ seq: 1, id: "", type, source: "signalbox", timestamp: 0, payload });

	["a", "b", "c", "d", "e"].forEach((id) => prompts.hear(question(id), 1));
	prompts.hear(question("a", { state: "answered", by }), 2);
	assert.equal(endOf(prompts.get("a")), "Answered by owner (signalbox) at cli");
	assert.equal(prompts.take(signal("answer", { prompt: "b", value: true, by }), 2), true);
	assert.equal(prompts.get("b").value, true);
	prompts.take(signal("prompt.closed", { prompt: "c", state: "expired" }), 2);
	assert.equal(endOf(prompts.get("c")), "Nobody answered in time");
	prompts.sending("d");
	prompts.refused("d", "already_answered", "already answered by owner at cli", 2);
	prompts.hear(question("d", { state: "answered", by }), 2);
	assert.match(endOf(prompts.get("d")), /Somebody else was first.*at cli/);
	assert.equal(prompts.take({ ...signal("answer", { prompt: "e" }), source: "me" }, 2), false, "only the box says so");
	assert.equal(prompts.get("e").state, "open");
});

test("what its agent did counts, whatever was answered here", async () => {
	const prompts = createPrompts();
	const by = { user: "owner", screen: "cli" };
	const settled = (id, by, decision) => prompts.take({ seq: 1, id: "", type: "prompt.settled", source: "signalbox", timestamp: 0,
		payload: { prompt: id, by, decision } }, 5);

	["a", "b", "c", "d", "e"].forEach((id) => prompts.hear(question(id), 1));
	prompts.hear(question("a", { state: "cancelled", why: "it was decided there" }), 2);
	assert.equal(endOf(prompts.get("a")), "It was decided there");
	prompts.hear(question("a", { state: "cancelled", why: "it was decided there", settled: { by: "agent", decision: "allow" } }), 4);
	assert.equal(endOf(prompts.get("a")), "It was decided there: allowed");
	assert.equal(prompts.get("a").overAt, 4, "it is shown anew");
	prompts.sending("b");
	prompts.sent("b", "deny");
	prompts.hear(question("b", { state: "answered", by }), 2);
	assert.equal(settled("b", "agent", "allow"), true);
	assert.equal(endOf(prompts.get("b")), "It was decided there: allowed. Your answer came too late");
	prompts.hear(question("c", { state: "answered", by }), 2);
	settled("c", by, "deny");
	assert.equal(endOf(prompts.get("c")), "Settled: denied, by owner at cli");
	prompts.sending("d");
	prompts.refused("d", "already_answered", "already cancelled: it was decided there", 2);
	prompts.hear(question("d", { state: "cancelled", why: "it was decided there" }), 2);
	assert.equal(endOf(prompts.get("d")), "It was decided there");
	prompts.hear(question("e", { state: "cancelled", why: "its agent is gone" }), 2);
	settled("e", "agent", "gone");
	assert.equal(endOf(prompts.get("e")), "Its agent is gone");
	assert.equal(settled("nobody", "agent", "allow"), false);
});

test("an answer that is refused leaves it open with the reason", async () => {
	const prompts = createPrompts();

	prompts.hear(question("a"), 1);
	prompts.sending("a");
	prompts.refused("a", "invalid_value", "true or false", 2);
	const { state, fault, isSending } = prompts.get("a");
	assert.deepEqual({ state, fault, isSending }, { state: "open", fault: "true or false", isSending: false });
});

test("after a forget, what is not told again is over", async () => {
	const prompts = createPrompts();

	["a", "b", "c"].forEach((id) => prompts.hear(question(id), 1));
	prompts.forget();
	prompts.hear(question("a"), 2);
	prompts.settle([question("a"), question("b")], 3);
	assert.deepEqual(prompts.open().map(({ id }) => id).sort(), ["a", "b"]);
	assert.equal(prompts.get("c").state, "gone");
	assert.equal(prompts.age(3 + OVER_MS, () => false), false);
	assert.equal(prompts.age(4 + OVER_MS, (id) => id === "c"), false);
	assert.equal(prompts.age(4 + OVER_MS, () => false), true);
});

test("an approval has its tool and its input, and what is not here says how much it is", async () => {
	const tool = (more) => question("a", { type: "select", tool: "Bash", ...more });
	assert.deepEqual(approvalOf(tool({ input: { command: "rm -rf x" } })), { tool: "Bash", input: { command: "rm -rf x" } });
	assert.equal(missingOf(tool({ input: {}, inputBytes: 2 })), "");
	assert.equal(missingOf(tool({ inputBytes: 70_000 })), "70,000 bytes");
	assert.equal(missingOf(question("a", { prompt: "x\n... AND 7 BYTES MORE THAT ARE NOT SHOWN" })), "what is missing");
	assert.equal(missingOf(question("a")), "");
	assert.equal(approvalOf(question("a")), null);
	const options = ["x", 2, { label: "L", value: null }, { value: { a: 1 } }, null];
	assert.deepEqual(choicesOf(question("a", { options })).map(({ label }) => label),
		["x", "2", "L", '{"a":1}', "null"]);
	assert.deepEqual(choicesOf(question("a", { options: "no list" })), []);
});

test("how long there is, in words", async () => {
	assert.deepEqual([undefined, 500, 59_000, 61_000, 3_660_000, 0].map((at) => leftOf(at, 0)),
		["", "1 s left", "59 s left", "1:01 left", "1 h 01 left", "its time is over"]);
});

await run();
