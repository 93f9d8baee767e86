// long
// busy: 50
/* The runs on the page: who works, how fast and at what, what they say, and what people can do
 * to them; in a real browser, against the real program and an agent that obeys. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "./agent.mjs";
import { Box, PATIENCE_MS, SIGNALBOX, eventually, run, test } from "./lib.mjs";
import { close, faults, open, stateIs } from "./browser.mjs";
import { api } from "./qualities.mjs";

const MANY = 100000;
const box = await new Box().start();

/* The signals of a session of Claude Code, as its hooks tell them. */
const SESSION = [
	["task_dispatch", { taskId: "t", from: "user", to: "claude", description: "Mend the flaky test" }],
	["agent_state_change", { agentId: "claude", from: "idle", to: "thinking", reason: "prompt" }],
	["thinking", { agentId: "claude", content: "It races with the journal." }],
	["text_delta", { agentId: "claude", content: "I look at " }],
	["text_delta", { agentId: "claude", content: "the test first." }],
	["tool_call", { toolName: "Read", agentId: "claude", callId: "c", input: { file_path: "tests/a.py" } }],
	["tool_result", { toolName: "Read", agentId: "claude", callId: "c", success: true, output: { text: "x" } }],
	["error", { agentId: "claude", message: "it failed again", severity: "error", code: "exit_1" }],
	["text_delta", { agentId: "claude", content: "So I wait for the condition." }],
];
const END = [
	["token_usage", { agentId: "claude", promptTokens: 1200, completionTokens: 340, model: "opus-5" }],
	["completion", { taskId: "t", agentId: "claude", success: true, result: "All done." }],
];

let lastMs = 0;

/* One after the other, as hooks come. */
function tell(id, signals, source = "adapter:tap") {
	return box.emit(...signals.map(([type, payload]) => {
		lastMs = Math.max(Date.now() - signals.length, lastMs + 1);
		return { type, source, correlationId: id, timestamp: lastMs, payload };
	}));
}

async function openRuns(place = "runs", options = {}) {
	const page = await open(box.openUrl(), { view: "runs", ...options });

	await stateIs(page, "live");
	await go(page, place);
	return page;
}

function go(page, place) {
	return page.evaluate((hash) => { location.hash = hash; }, `#/${place}`);
}

async function says(page, selector, pattern) {
	await eventually(async () => pattern.test(await page.textContent(selector)),
		`${selector}: ${pattern}`).catch(async (why) => {
		why.message += `; it says ${JSON.stringify(await page.textContent(selector))}`;
		throw why;
	});
}

const pill = (page, word) => says(page, ".runs-pill", new RegExp(`^${word}$`));

/* The run, and its row, say of a session what the crew says, and nothing of their own. */
async function likeTheCrew(page, id, ...states) {
	const look = async () => {
		const { state } = (await api(box, "GET", "/api/crew")).members.find((member) => member.id === id);
		const why = state.why === undefined ? state.exit === undefined ? "" : `: exit ${state.exit}` : `: ${state.why}`;
		const words = { tool: state.tool, asks: "waits for you", waits: `waits${why}`, failed: `failed${why}`, gone: `gone${why}` }[state.name]
			?? state.name;
		const shown = [await page.textContent(".runs-pill"), await page.textContent(`.runs-row:has(.runs-id:text-is("${id}")) .runs-state`)];

		return { isSo: states.includes(state.name) && shown.every((text) => text === words), state, shown };
	};

	await eventually(async () => (await look()).isSo, `${id} is ${states}`)
		.catch(async (why) => { throw new Error(`${why.message}: ${JSON.stringify(await look())}`); });
}
const button = (op) => `.runs-bar button[data-do="${op}"]`;
const ids = (page) => page.$$eval(".runs-row .runs-id", (all) => all.map((one) => one.textContent));

test("an empty list says what a run is and how to get one", async () => {
	const page = await openRuns();

	await says(page, ".runs-side", /No runs yet.*signalbox run --/s);
	await page.context().close();
});

test("every run has a row, who spoke last on top, and the filter finds by words", async () => {
	await tell("session-one", SESSION);
	await tell("session-two", [...SESSION.slice(0, 5), ...END]);
	const page = await openRuns();

	await eventually(async () => (await ids(page)).join() === "session-two,session-one", "both are there");
	const rows = await page.$$eval(".runs-row", (all) => all.map((row) => row.textContent));
	assert.match(rows[0], /claude[\w-]*-\d.*idle.*(now|\d+ s ago).*Mend the flaky test.*1\.5k tok.*unknown/s);
	assert.match(rows[1], /claude[\w-]*-\d.*answering.*Mend the flaky test.*1 error/s);
	await tell("session-one", [["text_delta", { agentId: "claude", content: " more" }]]);
	await eventually(async () => (await ids(page)).join() === "session-one,session-two", "who spoke is on top");
	await page.fill(".runs-filter", "TWO tap");
	assert.deepEqual(await ids(page), ["session-two"]);
	await page.fill(".runs-filter", "claude code two");
	await eventually(async () => (await ids(page)).join() === "session-two", "by the name that people have for it");
	await page.fill(".runs-filter", "thinking one");
	assert.deepEqual(await ids(page), ["session-one"]);
	await page.fill(".runs-filter", "nobody");
	await says(page, ".runs-side", /No run matches these words/);
	await page.context().close();
});

test("until somebody chooses, the run that asks or spoke last is shown, and it stays", async () => {
	const own = await new Box().start();
	const [asks, busy] = [await Agent.join(own, "asks"), await Agent.join(own, "busy")];
	const runs = async () => (await api(own, "GET", "/api/runs")).runs;
	asks.ask("own#1", "confirm", { prompt: "May I?" });
	await eventually(async () => (await runs()).length === 1);
	busy.say("at work ");
	await eventually(async () => (await runs())[0].id === "busy", "who works spoke last");
	const page = await open(own.openUrl(), { view: "runs" });
	const shows = (id) => says(page, ".runs-pane:not([hidden]) .runs-whole-id", new RegExp(`^${id}$`));
	const rowSays = (id, pattern) => says(page, `.runs-row:has-text("${id}")`, pattern);

	await shows("asks");
	assert.deepEqual(await page.evaluate(() => [location.hash, document.activeElement.tagName]), ["#/runs", "BODY"]);
	assert.equal(await page.getAttribute('.runs-row:has-text("asks")', "aria-selected"), "true");
	await page.keyboard.press("x");
	await says(page, "#said", /Choose a run first/);
	busy.ask("own#2", "confirm", { prompt: "And I?" });
	await rowSays("busy", /waits for you/);
	const { prompts } = await api(own, "GET", "/api/prompts");
	await api(own, "POST", `/api/prompts/${prompts.find(({ run }) => run === "asks").id}/answer`, { value: true });
	await eventually(() => asks.answers.length === 1);
	await page.waitForSelector(".runs-asked", { state: "hidden" });
	await shows("asks");
	asks.send({ kind: "control", op: "run-finished" });
	await shows("busy");
	assert.deepEqual([...asks.told, ...busy.told], []);
	/* Who is busy in it keeps it, whatever becomes of it. */
	await page.click(".runs-scroll");
	busy.send({ kind: "control", op: "run-finished" });
	await says(page, ".runs-why", /This run is finished/);
	await pill(page, "(waits for you|finished)");
	const late = await Agent.join(own, "late");
	late.say("so late ");
	await rowSays("late", /now|\d s ago/);
	assert.doesNotMatch(await page.textContent('.runs-row:has-text("late")'), / tok/);
	await shows("busy");
	/* What a link names is shown, and stays when the list is gone back to; another time it is asked anew. */
	await go(page, "runs/asks");
	await shows("asks");
	await page.keyboard.press("Escape");
	await shows("late");
	await go(page, "runs/late");
	busy.event("runner/started", { "session-id": "busy" });
	busy.say("once more ");
	await rowSays("busy", /answering|waits for you/);
	await go(page, "runs");
	await shows("late");
	await go(page, "log");
	await go(page, "runs");
	await shows("busy");
	await page.context().close();
	const small = await open(own.openUrl(), { view: "runs", width: 420 });
	await small.waitForSelector('.runs-row:has-text("late")');
	assert.ok(await small.isHidden(".runs-main"), "where there is no room the list is what one sees");
	assert.equal(await small.getAttribute(".runs-row >> nth=0", "aria-selected"), "false");
	await small.context().close();
	for (const agent of [asks, busy, late])
		agent.leave();
	await own.remove();
});

test("a run is shown whole: its numbers, its place, its people and what they said", async () => {
	const page = await openRuns();

	await page.click('.runs-row:has-text("session-two")');
	assert.equal(await page.evaluate(() => location.hash), "#/runs/session-two");
	await likeTheCrew(page, "session-two", "finished", "idle");
	await says(page, ".runs-figures", /tokens1\.5k.*costunknown.*in, out1200, 340/);
	assert.ok(await page.isHidden(".runs-path") && await page.isHidden(".runs-beside"), "one state is enough");
	await says(page, ".runs-one", /claude(finished|idle)opus-5.*340 tok/);
	await says(page, ".runs-scroll", /Mend the flaky test.*Thought.*I look at the test first\./s);
	await says(page, ".runs-clock", /^\d+:\d\d$/);
	await go(page, "runs/session-one");
	await likeTheCrew(page, "session-one", "answering");
	await says(page, ".runs-one", /claudeanswering/);
	await tell("session-one", [["tool_call", { toolName: "Bash", agentId: "claude", callId: "d", input: { command: "make" } }]]);
	await likeTheCrew(page, "session-one", "tool");
	await says(page, '.runs-row:has-text("session-one") .runs-phase', /^make$/);
	await says(page, ".runs-one", /claudeBash/);
	await says(page, ".runs-figures", /errors1/);
	await says(page, ".runs-scroll", /Read.*it failed again/s);
	await page.click("#runs-tab-chart");
	await says(page, ".runs-changes", /claude: idle → thinking.*prompt/);
	assert.ok(await page.isHidden(".runs-states"));
	await go(page, "runs/nobody");
	await says(page, ".runs-choose", /nobody cannot be shown: there is no such run/);
	await page.context().close();
});

test("what cannot be done is greyed out, and when it is tried the refusal is told in words", async () => {
	const page = await openRuns("runs/session-one");

	await likeTheCrew(page, "session-one", "tool");
	for (const op of ["pause", "step", "continue", "arm", "ui-interrupt", "ui-quit", "cancel"])
		assert.ok(await page.isDisabled(button(op)), op);
	assert.match(await page.getAttribute(button("pause"), "title"), /its source does not support that now/);
	await says(page, ".runs-why", /No agent here takes commands/);
	await page.$eval(button("pause"), (element) => { element.disabled = false; });
	await page.click(button("pause"));
	await says(page, "#warned", /Pause is not supported: nobody can pause a run of adapter:tap/);
	await page.keyboard.press("x");
	await says(page, "#warned", /Interrupt: the source of this run does not support that/);
	await page.context().close();
});

test("an agent is paused, stepped, continued, armed and interrupted from the page", async () => {
	const agent = await Agent.join(box, "poem/1");
	agent.event("runner/started", { "session-id": "poem/1", "chart-id": ":poets/chart" });
	agent.phase(["run", "writing"], { breadcrumb: ["run", "writing"], siblings: ["plan", "writing", "judge"] });
	agent.debug();
	assert.ok(agent.work("one "));
	const page = await openRuns("runs/poem/1");

	await says(page, ".runs-title", /^[\w-]+-\d+ · :poets\/chart$/);
	await says(page, ".runs-path", /run.*writing/);
	await says(page, ".runs-beside", /plan.*◉ writing.*judge/);
	await likeTheCrew(page, "poem/1", "thinking", "answering");
	assert.ok(await page.isHidden(".runs-paused"));
	assert.ok(await page.isDisabled(button("cancel")), "an agent has no word for it");
	await page.click(button("pause"));
	await pill(page, "paused");
	await says(page, ".runs-paused", /^Paused\. Step/);
	await says(page, '.runs-row:has-text("poem/1")', /paused/);
	assert.equal(agent.work("no "), false);
	await page.fill(".runs-steps", "3");
	await page.click(button("step"));
	await says(page, ".runs-paused", /^It may do 3 steps/);
	assert.ok(agent.work("two "));
	await says(page, ".runs-paused", /^It may do 2 steps/);
	assert.ok(agent.work("three ") && agent.work("four ") && !agent.work("no "));
	await says(page, ".runs-paused", /^Paused\. Step/);
	await says(page, ".runs-scroll", /one two three four/);
	await page.click(button("continue"));
	await likeTheCrew(page, "poem/1", "thinking", "answering");
	await page.click(button("arm"));
	await page.click(button("ui-interrupt"));
	await says(page, button("ui-interrupt"), /sure\?/);
	await page.click(button("ui-interrupt"));
	await eventually(() => agent.told.length === 5);
	assert.deepEqual(agent.told, ["pause", "step", "continue", "arm", "ui-interrupt"]);
	agent.event("llm/error", { invokeid: "poet", message: "interrupted" });
	await says(page, ".runs-one", /✗.*failed/);
	/* The page learns late that it has left. */
	let release;
	const gate = new Promise((go) => { release = go; });
	await page.route((url) => url.pathname.startsWith("/api/runs"), (route) => gate.then(() => route.continue()));
	agent.leave();
	await eventually(async () => (await api(box, "GET", "/api/runs/poem%2F1")).can.length === 0, "the box knows");
	await page.click(button("pause"));
	await says(page, "#warned", /Pause was refused: the agent of this run is not here/);
	release();
	await eventually(() => page.isDisabled(button("pause")), "an agent that is away can be told nothing");
	await page.context().close();
});

/* Keys so quick that nothing else that waits for its turn, such as news of the address, has it in between. */
function hurry(page, keys) {
	return page.evaluate(async (all) => {
		for (const key of all) {
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
			for (let i = 0; i < 10; i++)
				await null;
		}
	}, keys);
}

test("keys do the same, and what ends a run is asked twice", async () => {
	const agent = await Agent.join(box, "by-keys");
	agent.debug();
	agent.say("a word");
	await eventually(async () => (await api(box, "GET", "/api/runs")).runs[0].id === "by-keys", "it spoke last");
	const page = await openRuns();

	await eventually(async () => (await ids(page))[0] === "by-keys", "it is on top");
	await says(page, ".runs-pane:not([hidden]) .runs-whole-id", /^by-keys$/);
	await eventually(() => page.isEnabled(button("pause")), "it can be told something");
	await page.focus(".runs-list");
	for (const key of ["j", "k", "Home"])
		await page.keyboard.press(key);
	await hurry(page, ["Enter", "h"]);
	await pill(page, "paused");
	for (const key of ["s", "c", "x", "x"])
		await page.keyboard.press(key);
	await eventually(() => agent.told.join() === "pause,step,continue,ui-interrupt", "all four")
		.catch((why) => { throw new Error(`${why.message}: ${agent.told}`); });
	await page.click(button("ui-quit"));
	await says(page, button("ui-quit"), /sure\?/);
	assert.equal(agent.told.length, 4);
	await page.click(button("ui-quit"));
	await eventually(() => agent.told.at(-1) === "ui-quit");
	agent.send({ kind: "control", op: "run-finished", "final-config": "[:done]" });
	await pill(page, "finished");
	await says(page, ".runs-figures", /ended as\[:done\]/);
	await says(page, ".runs-why", /This run is finished/);
	await page.keyboard.press("Escape");
	await eventually(async () => await page.evaluate(() => location.hash) === "#/runs");
	agent.leave();
	await page.context().close();
});

test("what an agent asks is told in its run, and leads to where it is answered", async () => {
	const agent = await Agent.join(box, "asks");
	agent.debug();
	agent.ask("own#1", "confirm", { prompt: "Shall I publish it?\nNow?" });
	const page = await openRuns("runs/asks");

	await likeTheCrew(page, "asks", "asks");
	await says(page, ".runs-asked", /It asks:.*Shall I publish it\? ↵ Now\?/);
	await says(page, '.runs-row:has-text("asks")', /waits for you/);
	await page.click(".runs-asked button");
	await eventually(() => page.evaluate(() => document.getElementById("prompts").contains(document.activeElement)),
		"the tray has the focus");
	await page.click('#prompts button:text-is("Yes")');
	await eventually(() => agent.answers.length === 1);
	assert.deepEqual(agent.answers[0], { kind: "answer", "prompt-id": "own#1", value: true });
	await page.waitForSelector(".runs-asked", { state: "hidden" });
	agent.leave();
	await page.context().close();
});

test("several at one thing are a group, with its speed, and one alone can be read", async () => {
	const agent = await Agent.join(box, "group");
	const at = Date.now() - 10000;
	const tellAt = (ms, event, data) => agent.send({ kind: "event", ts: at + ms, event, data });
	for (let i = 1; i <= 9; i++) {
		const who = { invokeid: "poet", "session-id": `multiplex.poets.${i}`, model: "sonnet-5" };
		tellAt(0, "llm/start", who);
		tellAt(100, "llm/delta", { ...who, type: "text-delta", text: `verse ${i}, ` });
		tellAt(2100, "llm/delta", { ...who, type: "text-delta", text: "and on", usage: { "output-tokens": 100 } });
	}
	tellAt(2200, "llm/response", { invokeid: "poet", "session-id": "multiplex.poets.1", "output-tps": 41.2,
		"elapsed-ms": 2400, usage: { "input-tokens": 5, "output-tokens": 100 }, content: [] });
	tellAt(0, "llm/start", { invokeid: "judge", model: "opus-5" });
	tellAt(3000, "llm/delta", { invokeid: "judge", type: "thinking-delta", text: "which is best" });
	const page = await openRuns("runs/group");

	await says(page, ".runs-one.group", /poet.*1 of 9 done.*900 tok.*400 tok\/s/);
	await says(page, ".runs-one.child", /multiplex\.poets\.\d.*sonnet-5.*100 tok/);
	await says(page, '.runs-one:has-text("poets.1")', /done.*41\.2 tok\/s.*0:02/);
	await says(page, '.runs-one:has-text("judge")', /thinking.*which is best/);
	assert.equal((await page.$$(".runs-one.child")).length, 6);
	await page.click('.runs-one.more button:text-is("3 more")');
	assert.equal((await page.$$(".runs-one.child")).length, 9);
	await says(page, ".runs-scroll", /verse 9/);
	await page.click('button.runs-name:text-is("judge")');
	await says(page, ".runs-scroll", /Only the output of judge/);
	assert.doesNotMatch(await page.textContent(".runs-scroll .talk"), /verse/);
	await page.click('text="Show everybody"');
	await says(page, ".runs-scroll", /verse 9/);
	agent.leave();
	await page.context().close();
});

test("the transcript is read, copied and saved as the journal has it", async () => {
	const agent = await Agent.join(box, "files");
	agent.event("llm/response", { invokeid: "poet", "io/ref": "nodes/a/1/turns/1/response.edn", content: [] });
	agent.say("last words");
	const page = await openRuns("runs/files");
	await says(page, ".runs-scroll", /last words/);
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	const token = readFileSync(`${box.data}/token`, "utf8").trim();
	const answer = await fetch(`${box.origin}/api/runs/files/transcript`, { headers: { Authorization: `Bearer ${token}` } });
	const transcript = await answer.text();

	await page.click("#runs-tab-events");
	await says(page, ".runs-count", /^2 events$/);
	await says(page, ".runs-events", /llm\/response.*llm\/delta.*last words/s);
	await says(page, ".runs-files", /nodes\/a\/1\/turns\/1\/response\.edn/);
	const saved = page.waitForEvent("download");
	await page.click("text=Save transcript.jsonl");
	const file = await saved;
	assert.equal(file.suggestedFilename(), "transcript.jsonl");
	assert.equal(readFileSync(await file.path(), "utf8"), transcript);
	await page.click('.runs-tools button:text-is("Copy")');
	await says(page, "#said", /transcript is in the clipboard/);
	assert.equal(await page.evaluate(() => navigator.clipboard.readText()), transcript);
	agent.leave();
	await page.context().close();
});

test("a program that `signalbox run` started is interrupted from the page", async () => {
	const child = spawn(SIGNALBOX, ["run", "--data", box.data, "--correlation-id", "job", "--parse", "raw", "--", "sh", "-c",
		"trap 'echo stopped; exit 3' INT; echo started; while :; do sleep 0.1; done"], { stdio: "ignore" });
	const ended = new Promise((resolve) => child.once("exit", resolve));
	const page = await openRuns("runs/job");

	await says(page, ".runs-scroll", /started/);
	await eventually(() => page.isEnabled(button("ui-interrupt")));
	assert.ok(await page.isDisabled(button("pause")), "a program cannot be paused");
	await page.click(button("ui-interrupt"));
	await page.click(button("ui-interrupt"));
	assert.equal(await ended, 3);
	await says(page, ".runs-scroll", /stopped/);
	await likeTheCrew(page, "job", "failed");
	await page.context().close();
});

/* What the page asked for since the last time, by its own clock. */
function askedFor(page) {
	return page.evaluate(() => {
		const asked = performance.getEntriesByType("resource")
			.map(({ name, startTime }) => ({ path: new URL(name).pathname, at: startTime }))
			.filter(({ path }) => path.startsWith("/api/runs"));

		performance.clearResourceTimings();
		return asked;
	});
}

test("the server is asked twice a second at most, and only while somebody looks", async () => {
	const say = (id, content) => tell(id, [["text_delta", { agentId: "claude", content }]]);
	const ofIt = (asked) => asked.filter(({ path }) => path === "/api/runs/watched");
	await tell("watched", SESSION);
	const page = await openRuns("runs/watched");
	const calm = () => eventually(async () => {
		await askedFor(page);
		await sleep(1500);
		return (await askedFor(page)).length === 0;
	}, "nothing comes, nothing is asked");

	await likeTheCrew(page, "watched", "answering");
	await calm();
	for (let i = 0; i < 30; i++) {
		await say("watched", ".");
		await sleep(80);
	}
	await sleep(1000);
	const asked = await askedFor(page);
	for (const path of ["/api/runs", "/api/runs/watched"]) {
		const times = asked.filter((one) => one.path === path).map(({ at }) => at);
		assert.ok(times.length > 1, path);
		/* One may go out late, and the next is then nearer: on the whole it is half a second. */
		const apart = (times.at(-1) - times[0]) / (times.length - 1);
		assert.ok(apart >= 400, `${path}: ${apart} ms apart`);
	}
	await calm();
	await say("other", ".");
	await eventually(async () => (await ids(page))[0] === "other", "the list has it");
	assert.deepEqual(ofIt(await askedFor(page)), [], "signals of others are none of its own");
	await go(page, "log");
	await calm();
	await say("watched", "out of sight");
	await sleep(1200);
	assert.deepEqual(await askedFor(page), [], "nobody looks");
	await go(page, "runs/watched");
	await says(page, ".runs-scroll", /out of sight/);
	await eventually(async () => ofIt(await askedFor(page)).length > 0, "somebody looks again");
	await page.context().close();
});

test("a run goes on where it was when the server was killed: nothing is missing or twice", async () => {
	const words = (from, to) => Array.from({ length: to - from },
		(_, i) => ["text_delta", { agentId: "ann", content: `w${from + i} ` }]);
	await tell("restart", words(0, 50), "counter");
	const page = await openRuns("runs/restart");
	await says(page, ".runs-scroll", /w49 /);

	await box.end("SIGKILL");
	await stateIs(page, "lost");
	await box.start();
	await tell("restart", words(50, 120), "counter");
	await stateIs(page, "live");
	await says(page, ".runs-scroll .talk-list", /w119 /);
	const said = (await page.textContent(".runs-scroll .talk-list")).match(/w\d+ /g).join("");
	assert.equal(said, Array.from({ length: 120 }, (_, i) => `w${i} `).join(""));
	assert.equal((await api(box, "GET", "/api/runs/restart")).run.signals, 120);
	await page.context().close();
});

test(`a run of ${MANY} signals is there, and older ones come when they are wanted`, async () => {
	for (let i = 0; i < MANY; i += 10000)
		await tell("big", Array.from({ length: 10000 }, (_, j) => (i + j) % 50 === 0
			? ["tool_call", { toolName: "ls", agentId: "a", callId: `c${i + j}`, input: { n: i + j } }]
			: ["text_delta", { agentId: "a", content: `n${i + j} ` }]), "big");
	const page = await openRuns("runs");
	await eventually(async () => (await ids(page))[0] === "big", "it is folded", 2 * PATIENCE_MS);
	await page.click(".runs-row >> nth=0");
	await says(page, ".runs-scroll", new RegExp(`n${MANY - 1} `));
	assert.doesNotMatch(await page.textContent(".runs-scroll"), /n1 /);
	await page.click('text="Load older signals"');
	await page.$eval(".runs-scroll", (element) => { element.scrollTop = 0; });
	for (let i = 0; i < 5 && await page.isVisible(".talk-earlier:not([disabled])"); i++)
		await page.click(".talk-earlier");
	await says(page, ".runs-scroll", new RegExp(`n${MANY - 3501} .*n${MANY - 1} `, "s"));
	assert.ok(await page.$$eval("#view-runs *", (all) => all.length) < 6000, "the document stays small");
	await page.context().close();
});

test("in all of this no page asked elsewhere, broke its policy or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
