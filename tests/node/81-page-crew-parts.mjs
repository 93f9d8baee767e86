/* What the page says of sessions and in which order, without a browser. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { choices, counts, createCrew, filterFrom, harnessOf, nextWaiting, NO_FILTER, passes, shelves, treeOf } = await part("crew/model.ts");
const { amountWords, clockWords, costWords, countWords, fullness, moneyWords, placeWords, stateWords, targetWords, tokensOf } = await part("crew/words.ts");
const { makeNames } = await part("text/names.ts");
const { effectOf } = await part("prompts/effect.ts");

const member = (handle, group, more = {}) => ({ id: `id-${handle}`, handle, group, first: 0, last: 0,
	state: { name: { waits: "asks", work: "thinking", over: "finished" }[group] ?? group, since: 0 }, ...more });

test("sessions stand in the groups' order, and in each by their handles, whatever comes when", async () => {
	const crew = createCrew();

	assert.equal(crew.hear({ all: [member("web-10", "work"), member("web-2", "work"), member("a-1", "idle"), member("z-1", "waits")] }), null);
	const order = () => shelves(crew.all(), NO_FILTER).map(({ group, members }) => `${group}: ${members.map(({ handle }) => handle)}`);
	assert.deepEqual(order(), ["waits: z-1", "work: web-2,web-10", "idle: a-1"]);
	assert.deepEqual(crew.hear({ changed: [member("web-2", "failed"), member("b-1", "over")], removed: ["id-a-1"] }), ["id-web-2", "id-b-1", "id-a-1"]);
	assert.deepEqual(order(), ["waits: z-1", "failed: web-2", "work: web-10", "over: b-1"]);
	assert.equal(crew.find("web-10").id, "id-web-10");
	assert.equal(crew.find("id-web-10").handle, "web-10");
	assert.equal(crew.find("nobody"), undefined);
	crew.hear({ changed: [{ ...crew.get("id-web-10"), run: "its newest run" }] });
	assert.equal(crew.find("its newest run").handle, "web-10");
	assert.equal(shelves([member("x", "a group of next year")], NO_FILTER)[0].group, "over");
});

test("a filter is by word, project, agent and group, and what was kept is not believed", async () => {
	const all = [member("web-1", "work", { project: "web", harness: "codex", title: "Cut the Build", state: { name: "tool", since: 0, tool: "Bash", target: "npm test" } }),
		member("api-1", "idle", { project: "api", harness: "claude-code" })];
	const shown = (filter) => all.filter((one) => passes(one, { ...NO_FILTER, ...filter })).map(({ handle }) => handle).join();

	assert.equal(shown({}), "web-1,api-1");
	assert.equal(shown({ words: "build CUT" }), "web-1");
	assert.equal(shown({ words: "npm bash" }), "web-1", "what it does is found too");
	assert.equal(shown({ words: "build api" }), "");
	assert.equal(shown({ project: "api" }), "api-1");
	assert.equal(shown({ harness: "codex" }), "web-1");
	assert.equal(shown({ group: "idle" }), "api-1");
	assert.deepEqual(choices(all, harnessOf), ["claude-code", "codex"]);
	assert.deepEqual(counts(all), { waits: 0, failed: 0, work: 1, idle: 1, over: 0 });
	for (const text of [null, "", "no json", "[1]", "7", '{"group":"constructor","words":{},"project":5}'])
		assert.deepEqual(filterFrom(text), NO_FILTER, text);
	assert.equal(filterFrom(JSON.stringify({ ...NO_FILTER, group: "waits" })).group, "waits");
});

test("the next that waits comes round", async () => {
	const all = [member("b-1", "waits"), member("a-1", "waits"), member("c-1", "work")];

	assert.equal(nextWaiting(all, null).handle, "a-1");
	assert.equal(nextWaiting(all, "id-a-1").handle, "b-1");
	assert.equal(nextWaiting(all, "id-b-1").handle, "a-1");
	assert.equal(nextWaiting([member("c-1", "work")], null), null);
});

test("a state is one word or what it does, with its reason", async () => {
	const say = (state) => [stateWords({ since: 0, ...state }), targetWords({ since: 0, ...state })].filter(Boolean).join(" | ");

	assert.equal(say({ name: "thinking" }), "thinking");
	assert.equal(say({ name: "tool", tool: "Bash", target: "npm\ntest" }), "Bash | npm ↵ test");
	assert.equal(say({ name: "asks", question: "May I?" }), "waits for you | May I?");
	assert.equal(say({ name: "waits", why: "rate limit" }), "waits: rate limit");
	assert.equal(say({ name: "failed", exit: 2 }), "failed: exit 2");
	assert.equal(say({ name: "failed", why: "killed", exit: 2 }), "failed: killed");
	assert.equal(say({ name: "gone" }), "gone");
	assert.equal(say({ name: "idle", target: "of before" }), "idle");
	assert.match(say({ name: "tool", tool: "a\u202eb" }), /a\\u202eb/);
	assert.equal(countWords("waits", 1), "1 waits for you");
	assert.equal(countWords("waits", 2), "2 wait for you");
	assert.equal(placeWords(member("x", "work", { project: "web", branch: "main" })), "web · main");
});

test("clocks, tokens and money are short, and what is not known is never nothing", async () => {
	assert.deepEqual([0, 44e3, 3599e3, 3600e3, 90e6, -5, NaN].map(clockWords), ["0:00", "0:44", "59:59", "1 h 00", "1 d", "0:00", ""]);
	assert.deepEqual([0, 999, 1000, 9960, 82345, 999_499, 999_600, 1.25e6, 3e9].map(amountWords),
		["0", "999", "1.0k", "10k", "82k", "999k", "1.0M", "1.3M", "3.0G"]);
	assert.deepEqual([0, 0.004, 0.0099, 0.01, 0.125, 0.5, 1.115, 12.345, 999.994, 999.996, 1234.5, 1234567].map(moneyWords),
		["$0.00", "< $0.01", "< $0.01", "$0.01", "$0.13", "$0.50", "$1.12", "$12.35", "$999.99", "$1,000", "$1,235", "$1,234,567"]);
	assert.equal(costWords(undefined), "");
	assert.equal(costWords({ input: 5, cost: 1.2 }), "$1.20");
	assert.equal(costWords({ input: 5, cost: 1.2, atLeast: true }), "≥ $1.20");
	assert.equal(costWords({ input: 5, cost: 1.2, unknown: true }), "≥ $1.20", "one of its models has no price");
	assert.equal(costWords({ input: 5, cost: null, unknown: true }), "unknown");
	assert.equal(costWords({ input: 5, cost: 0, unknown: true }), "unknown");
	assert.equal(costWords({ input: 5 }), "unknown");
	assert.equal(costWords({ input: 0, cost: 0 }), "");
	assert.equal(costWords({ input: 5, cost: 0 }), "$0.00");
	assert.equal(tokensOf({ input: 1, output: 2, cacheRead: 4, cacheWrite: 8, cacheWrite1h: 16, reasoning: 32 }), 31, "reasoning is part of output");
	assert.equal(fullness({ used: 50, window: 200 }), 0.25);
	assert.equal(fullness({ used: 300, window: 200 }), 1);
	assert.equal(fullness({ used: 5 }), null);
	assert.equal(fullness(null), null);
});

test("a session that another began stands below it, where both are in one group and pass the filter", async () => {
	const lines = (all, filter = NO_FILTER) => shelves(all, filter)
		.map(({ group, members, depths }) => `${group}: ${members.map(({ handle }, i) => `${handle}${depths[i]}`).join(" ")}`);
	const [main, helper, other] = [member("m-1", "work"), member("a-1", "work", { parent: "id-m-1" }), member("z-1", "work")];
	const deep = member("b-1", "work", { parent: "id-a-1" });

	assert.deepEqual(lines([other, deep, helper, main]), ["work: m-10 a-11 b-12 z-10"]);
	assert.deepEqual(lines([main, { ...helper, group: "idle" }, other]), ["work: m-10 z-10", "idle: a-10"]);
	assert.deepEqual(lines([helper, main], { ...NO_FILTER, words: "a-1" }), ["work: a-10"]);
});

test("subagents are a tree, and neither a circle nor a lost parent loses one", async () => {
	const tree = (...pairs) => treeOf(pairs.map(([id, parent]) => ({ id, parent }))).map(({ one, depth }) => `${one.id}${depth}`).join(" ");

	assert.equal(tree(["a", null], ["b", "a"], ["c", "b"], ["d", null], ["e", "a"]), "a0 b1 c2 e1 d0");
	assert.equal(tree(["b", "nobody"], ["a", "a"]), "b0 a0");
	assert.equal(tree(["a", "b"], ["b", "a"]), "a0 b1");
	assert.equal(tree(), "");
});

test("a session has one name: its handle, by its id and by its run, with its subagent's", async () => {
	let hear;
	let told = 0;
	const names = makeNames({ on: (_, listener) => { hear = listener; } });

	names.on(() => { told++; });
	hear({ all: [member("web-1", "work", { run: "r7", agents: [{ id: "Explore#1", name: "Explore", state: { name: "thinking", since: 0 } }] })] });
	assert.equal(names.who("id-web-1", "claude"), "web-1");
	assert.equal(names.who("r7"), "web-1");
	assert.equal(names.who("id-web-1", "Explore#1"), "web-1 › Explore");
	assert.equal(names.who("other"), undefined);
	assert.equal(told, 1);
	hear({ changed: [{ ...names.of("id-web-1"), state: { name: "idle", since: 1 } }] });
	assert.equal(told, 1, "another state is not another name");
	hear({ changed: [member("poem-1", "work", { agentId: "poet" })] });
	assert.equal(names.who("id-poem-1", "poet"), "poem-1");
	assert.equal(names.who("id-poem-1", "judge"), "poem-1 › judge", "several of one session are told apart");
	assert.equal(told, 2);
	hear({ changed: [], removed: ["id-web-1"] });
	assert.equal(names.who("id-web-1"), undefined);
	assert.equal(told, 3);
});

test("the effect of a tool is a sentence, or nothing where none is true", async () => {
	assert.equal(effectOf("Bash", { command: "ls" }, "/home/ada/web"), "Runs a command in /home/ada/web.");
	assert.equal(effectOf("shell", { cmd: ["ls"] }, undefined), "Runs a command.");
	assert.equal(effectOf("Edit", { file_path: "a.ts", old_string: "x\ny", new_string: "x\nz\nw" }, ""), "Changes a.ts: 2 lines added, 1 removed.");
	assert.equal(effectOf("MultiEdit", { file_path: "a.ts", edits: [{ old_string: "x", new_string: "y", replace_all: true }] }, ""),
		"Changes a.ts: 1 line added, 1 removed, wherever that stands.");
	assert.equal(effectOf("Write", { file_path: "a.ts", content: "x\ny\n" }, ""), "Writes a.ts, 2 lines, over what is there.");
	assert.equal(effectOf("Read", { file_path: "a.ts" }, ""), "Reads a.ts.");
	assert.equal(effectOf("WebFetch", { url: "https://example.org/a?b" }, ""), "Fetches example.org from the network.");
	assert.equal(effectOf("mcp__github__create_issue", { title: "x" }, ""), "Calls create_issue of the MCP server github.");
	/* The members of a stranger's tool say nothing of what it does, nor does a piece of its name. */
	assert.equal(effectOf("mcp__disk__admin", { command: "drop", path: "/x" }, ""), "Calls admin of the MCP server disk.");
	assert.equal(effectOf("mcp__fs__truncate", { path: "/x" }, ""), "Calls truncate of the MCP server fs.");
	for (const tool of ["truncate", "thread_delete", "deduplicate", "append_file", "review"])
		assert.equal(effectOf(tool, { path: "/x", content: "y" }, ""), "", tool);
	assert.equal(effectOf("write_file", { file_path: "a", content: "x" }, ""), "Writes a, 1 line, over what is there.");
	assert.equal(effectOf("NotebookEdit", { notebook_path: "a.ipynb", new_source: "x", edit_mode: "insert" }, ""), "Adds a cell to a.ipynb.");
	assert.equal(effectOf("NotebookEdit", { notebook_path: "a.ipynb", new_source: "" }, ""), "Changes a cell of a.ipynb.");
	assert.equal(effectOf("str_replace_based_edit_tool", { command: "view", path: "a" }, "/w"), "Reads a.");
	assert.equal(effectOf("str_replace_based_edit_tool", { command: "create", path: "a", file_text: "x" }, "/w"), "Writes a, 1 line, over what is there.");
	assert.equal(effectOf("str_replace_based_edit_tool", { command: "insert", path: "a", insert_text: "x" }, "/w"), "");
	for (const input of [undefined, null, 5, [], {}, { edits: [] }, { file_path: 7 }])
		assert.equal(effectOf("Task", input, "/x"), "", JSON.stringify(input));
});

test("the one notification for many goes when all that it was about is settled, whatever else stands", async () => {
	const shown = [];
	let hear;
	const matter = (id) => ({ id, kind: "asks", title: id, words: "" });
	const open = () => shown.filter(({ isClosed }) => !isClosed).map(({ title }) => title);

	globalThis.document = { visibilityState: "hidden", addEventListener() {} };
	globalThis.location = { hostname: "box.example" };
	globalThis.Notification = class {
		static permission = "granted";
		constructor(title) { shown.push(Object.assign(this, { title, isClosed: false })); }
		close() { this.isClosed = true; }
	};
	const { openAttention } = await part("shell/attention.ts");
	openAttention({ link: { on: (_, to) => { hear = to; } } }, () => false);
	hear({ all: [matter("seen")], desktop: false });
	hear({ raised: ["a", "b"].map(matter) });
	assert.deepEqual(open(), ["a", "b"]);
	hear({ raised: ["c", "d"].map(matter) });
	hear({ raised: [matter("e")] });
	assert.deepEqual(open(), ["Several agents need you"]);
	hear({ settled: ["a", "b", "c", "d"] });
	assert.deepEqual(open(), ["Several agents need you"]);
	hear({ settled: ["e"] });
	assert.deepEqual(open(), []);
	hear({ raised: ["a", "b", "c", "d"].map(matter) });
	hear({ all: [matter("seen")], desktop: false });
	assert.deepEqual(open(), [], "also when it is told all anew");
	delete globalThis.document;
	delete globalThis.location;
	delete globalThis.Notification;
});

await run();
