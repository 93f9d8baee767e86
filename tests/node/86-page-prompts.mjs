// long
// busy: 70
/* What agents ask, in a real browser: every type of question in every view, Claude Code's
 * permissions through the real hook, somebody else who is first, a server that is restarted,
 * and what hostile words make of it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Signalbox } from "../../clients/js/signalbox.js";
import { Box, PATIENCE_MS, SIGNALBOX, eventually, run, test } from "./lib.mjs";

const HOSTILE = "<img src=x onerror=alert(1)>\u202e\u001b[31m</button><script>alert(2)</script>";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = ["crew", "stage", "log", "sources", "ask", "runs", "numbers", "voice"];
const MANY = 200;

const box = await new Box().start();
const page = await open(box.openUrl());
const tray = page.locator("#prompts");
const cards = tray.locator(".prompt-card");
const openCards = tray.locator('.prompt-card[data-state="open"]');

/* A card of an open question by its words. */
const card = (words) => openCards.filter({ hasText: words });
/* One that is over, by what it says. */
const over = (words) => tray.locator('.prompt-card:not([data-state="open"])').filter({ hasText: words });

async function api(method, path, body) {
	const answer = await fetch(box.origin + path, { method, body: body === undefined ? undefined : JSON.stringify(body),
		headers: { Authorization: `Bearer ${readFileSync(join(box.data, "token"), "utf8").trim()}`, "Content-Type": "application/json" } });

	return answer.json();
}

const asks = (...payloads) => box.emit(...payloads.map((payload) => ({ type: "prompt", source: "builder", correlationId: "r", payload })));
const openPrompts = async () => (await api("GET", "/api/prompts")).prompts;
const answers = async () => (await api("GET", "/api/signals?type=answer&limit=1000")).signals.map(({ payload }) => payload);
const lastAnswer = async () => (await answers()).at(-1);
const go = (view) => page.evaluate((to) => { location.hash = `#/${to}`; }, view);

/* What the page says became of it, and that the box says so too. */
async function answered(value) {
	await eventually(async () => JSON.stringify((await lastAnswer())?.value) === JSON.stringify(value), `answered ${JSON.stringify(value)}`);
	const { by } = await lastAnswer();
	assert.equal(by.screen, "browser");
	await over("You answered").first().waitFor();
	assert.equal((await openPrompts()).length, 0);
}

/* A test that begins with no question open, whatever became of the one before. */
function fresh(sentence, body) {
	test(sentence, async () => {
		await page.mouse.move(5, 5);
		for (const { id } of await openPrompts())
			await api("POST", `/api/prompts/${id}/answer`, { cancelled: true });
		await eventually(async () => await openCards.count() === 0);
		await body();
	});
}

/* `signalbox hook --decide`, as Claude Code runs it. */
function hook(payload) {
	const child = spawn(SIGNALBOX, ["hook", "--data", box.data, "--decide"], { stdio: ["pipe", "pipe", "inherit"] });
	let out = "";

	child.stdout.on("data", (piece) => { out += piece; });
	child.stdin.end(JSON.stringify(payload));
	return new Promise((done) => child.on("close", () => done(out === "" ? null
		: JSON.parse(out).hookSpecificOutput.decision)));
}

const permission = (tool_name, tool_input, more = {}) => ({ session_id: "session-1", transcript_path: "/t", cwd: "/",
	permission_mode: "default", hook_event_name: "PermissionRequest", tool_name, tool_input, ...more });

/* ---- the four types ---- */

test("a question appears in every view, is counted, and takes the focus from nobody", async () => {
	await stateIs(page, "live");
	assert.equal(await tray.isVisible(), false);
	await go("log");
	await page.locator("#view-log input[type=search]").first().focus();
	await asks({ type: "confirm", prompt: "Shall I go on?", default: true });
	await card("Shall I go on?").waitFor();
	assert.equal(await page.evaluate(() => document.activeElement.type), "search");
	assert.equal(await page.title(), "(1) signalbox");
	assert.match(await page.locator("#views a", { hasText: "Crew" }).textContent(), /1/);
	assert.match(await tray.locator("[role=status]").first().textContent(), /builder(-\d+)? asks: Shall I go on\?/);
	for (const view of VIEWS) {
		await go(view);
		await page.locator(`#view-${view}:not([hidden])`).waitFor();
		await card("Shall I go on?").getByRole("button", { name: "Yes" }).waitFor();
		const main = await page.locator("#main").boundingBox();
		const place = await tray.boundingBox();
		assert.ok(main.x + main.width <= place.x + 1 || main.y + main.height <= place.y + 1, `it covers ${view}`);
	}
});

test("yes or no is answered by a click, and the answer tells its screen", async () => {
	await card("Shall I go on?").getByRole("button", { name: "No" }).click();
	await answered(false);
	assert.equal(await page.title(), "signalbox");
});

fresh("a question says project, branch and title of its session, also what becomes known later", async () => {
	const facts = (payload) => box.emit({ type: "session.facts", source: "builder", correlationId: "placed", payload });

	await facts({ cwd: "/w/shop", title: "Mend the till" });
	await box.emit({ type: "prompt", source: "builder", correlationId: "placed", payload: { type: "confirm", prompt: "Where am I?" } });
	const where = card("Where am I?").locator(".prompt-where");
	const says = (words) => eventually(async () => await where.textContent() === words, words);
	await says("shop · Mend the till");
	await facts({ branch: "main" });
	await says("shop · main · Mend the till");
	await card("Where am I?").getByRole("button", { name: "No" }).click();
	await answered(false);
});

fresh("p goes to it from anywhere, a text is written and sent with Enter, Escape goes back", async () => {
	await go("sources");
	await page.locator("#views a[aria-current]").focus();
	await asks({ type: "text", prompt: "Which name?", default: "Ada" });
	const text = card("Which name?").locator("textarea");
	await text.waitFor();
	await page.waitForSelector("#prompts textarea:enabled");
	await page.keyboard.press("p");
	assert.equal(await text.evaluate((area) => document.activeElement === area), true);
	await page.keyboard.press("Escape");
	assert.equal(await text.evaluate((area) => document.activeElement === area), false);
	await page.keyboard.press("p");
	await page.keyboard.type("p<b>");
	await page.keyboard.press("Shift+Enter");
	await page.keyboard.type("2");
	await page.keyboard.press("Enter");
	await answered("p<b>\n2");
});

fresh("an empty text is the default, where there is one", async () => {
	await asks({ type: "text", prompt: "Which other name?", default: "Ada" });
	await card("Which other name?").getByRole("button", { name: "Answer" }).click();
	await answered("Ada");
});

fresh("one of a few is a button, one of many is in a list", async () => {
	await asks({ type: "select", prompt: "Few?", options: [{ label: "One", value: 1 }, { label: "Two", value: { a: [2] } }], default: 1 });
	assert.match(await card("Few?").getByRole("button", { name: "One" }).textContent(), /default/);
	await card("Few?").getByRole("button", { name: "Two" }).click();
	await answered({ a: [2] });
	await asks({ type: "select", prompt: "Many?", options: Array.from({ length: 40 }, (_, i) => `choice ${i}`) });
	await card("Many?").getByLabel("choice 33").check();
	await card("Many?").getByRole("button", { name: "Answer" }).click();
	await answered("choice 33");
});

fresh("several of several are boxes, in the order of the options", async () => {
	await asks({ type: "multi", prompt: "Which?", options: ["a", "b", "c"], default: ["c"] });
	assert.equal(await card("Which?").locator("input:checked").count(), 0, "nothing is chosen beforehand");
	await card("Which?").locator("input").nth(2).check();
	await card("Which?").locator("input").nth(1).check();
	await card("Which?").getByRole("button", { name: "Answer" }).click();
	await answered(["b", "c"]);
});

fresh("a value that is none is refused with the reason, and the question stays open", async () => {
	await asks({ type: "select", prompt: "Choose one of these", options: Array.from({ length: 9 }, (_, i) => `o${i}`) });
	await card("Choose one").getByRole("button", { name: "Answer" }).click();
	await card("Choose one").getByRole("alert").filter({ hasText: /\w/ }).waitFor();
	assert.equal((await openPrompts()).length, 1);
	await card("Choose one").getByLabel("o4").check();
	await card("Choose one").getByRole("button", { name: "Answer" }).click();
	await answered("o4");
});

fresh("a question leads to its session, whatever that is called", async () => {
	const run = "agent:main/50% done?#1";
	await box.emit({ type: "prompt", source: "builder", correlationId: run, payload: { type: "confirm", prompt: "Whose?" } });
	await card("Whose?").getByRole("button", { name: "Show its session" }).click();
	await page.locator(".session-handle", { hasText: /^builder-\d+$/ }).waitFor();
	await page.getByRole("button", { name: "Run", exact: true }).click();
	await eventually(async () => (await page.textContent(".runs-pane:not([hidden])").catch(() => "")).includes(run), "its run is shown");
	await go("stage");
});

fresh("a question can be cancelled, and its agent is told", async () => {
	await asks({ type: "confirm", prompt: "Never mind?" });
	await card("Never mind?").getByRole("button", { name: "Cancel" }).click();
	await over("You cancelled it").waitFor();
	assert.equal((await lastAnswer()).cancelled, true);
});

fresh("a deadline counts down, and what nobody answered in time says so", async () => {
	const left = async () => Number(/^(\d+) s left$/.exec(await card("Quick?").locator(".prompt-left").textContent())?.[1] ?? 0);
	let first = 0;

	await asks({ type: "confirm", prompt: "Slow?", deadline: Date.now() + 3_600_000 });
	/* It may be over before a slow machine has shown it. */
	for (const seconds of [7, 20, 50]) {
		await asks({ type: "confirm", prompt: "Quick?", deadline: Date.now() + seconds * 1000 });
		first = await card("Quick?").waitFor({ timeout: seconds * 1000 }).then(left, () => 0);
		if (first > 1)
			break;
	}
	assert.ok(first > 1 && first < 52, `${first} s`);
	await eventually(async () => await left() < first, "it counts down");
	assert.match(await card("Slow?").locator(".prompt-left").textContent(), /^(59:\d\d|60:00|1 h 0\d) left$/);
	await over("Nobody answered in time").waitFor();
	await card("Slow?").getByRole("button", { name: "Yes" }).click();
	await answered(true);
});

/* ---- others ---- */

fresh("when somebody else was first, it says who, and from where", async () => {
	await asks({ type: "confirm", prompt: "Who is first?" });
	await card("Who is first?").waitFor();
	const [{ id }] = await openPrompts();
	box.cli("answer", id, "yes");
	await over(`Answered by owner (${basename(SIGNALBOX)}) at cli: true`).waitFor();
});

fresh("of a race exactly one wins, and both screens say the same", async () => {
	const other = await open(box.openUrl());
	const [mine, theirs] = [page, other].map((one) => one.locator("#prompts .prompt-card", { hasText: "Race?" })
		.getByRole("button", { name: "Yes" }));

	await stateIs(other, "live");
	await asks({ type: "confirm", prompt: "Race?" });
	await Promise.all([mine, theirs].map((button) => button.waitFor()));
	await page.waitForSelector("#prompts button:enabled:has-text('Yes')");
	await other.waitForSelector("#prompts button:enabled:has-text('Yes')");
	const before = (await answers()).length;
	/* Both are clicked, whether or not one is too late already; whoever looks later finds nothing. */
	const said = (await Promise.all([mine, theirs].map((button) => button.evaluate(async (yes) => {
		const state = yes.closest(".prompt-card").querySelector(".prompt-state");

		yes.click();
		while (!/nswered/.test(state.textContent))
			await new Promise((go) => setTimeout(go, 20));
		return state.textContent;
	})))).sort();
	assert.equal((await answers()).length, before + 1);
	assert.match(said[1], /^You answered/);
	assert.match(said[0], /Answered by page at browser/);
	await other.context().close();
});

fresh("an open question is open after the server was killed, one that ended meanwhile is over", async () => {
	await asks({ type: "confirm", prompt: "Still there?" }, { type: "text", prompt: "Ended meanwhile?" });
	await card("Still there?").waitFor();
	await card("Ended meanwhile?").locator("textarea").fill("half written");
	const ended = (await openPrompts()).find(({ prompt }) => prompt === "Ended meanwhile?").id;
	await page.context().setOffline(true);
	await box.end("SIGKILL");
	await stateIs(page, "lost");
	await box.start();
	box.cli("answer", ended, "by hand");
	await page.context().setOffline(false);
	await stateIs(page, "live");
	await over(/Answered by owner.* at cli: by hand/).waitFor();
	assert.equal(await openCards.count(), 1);
	assert.equal(await page.title(), "(1) signalbox");
	await card("Still there?").getByRole("button", { name: "Yes" }).click();
	await answered(true);
});

fresh("what is being typed is not lost when others come and go, and nothing moves under the pointer", async () => {
	await asks({ type: "text", prompt: "Typing here" });
	const area = card("Typing here").locator("textarea");
	await area.fill("one ");
	await area.focus();
	const top = async () => (await card("Typing here").boundingBox()).y;
	const before = await top();
	await asks(...Array.from({ length: 5 }, (_, i) => ({ type: "confirm", prompt: `Another ${i}?` })));
	await eventually(async () => await openCards.count() === 6);
	assert.ok(Math.abs(await top() - before) < 2, `${before} ${await top()}`);
	await page.keyboard.type("two");
	assert.equal(await area.inputValue(), "one two");
	await page.keyboard.press("Enter");
	await eventually(async () => (await lastAnswer()).value === "one two");
});

/* ---- Claude Code ---- */

fresh("a permission of Claude Code shows its command, and allowing it goes back to the hook", async () => {
	const decided = hook(permission("Bash", { command: "rm -rf build && make", description: "build anew" }));
	const asked = card(/^claude[\w-]*-\d+ wants to use Bash/);
	await asked.waitFor();
	assert.equal(await asked.locator(".talk-code pre").textContent(), "rm -rf build && make");
	assert.match(await asked.textContent(), /build anew/);
	assert.equal(await asked.locator(".prompt-words").count(), 0, "the same is not said twice");
	await asked.getByRole("button", { name: "Allow", exact: true }).click();
	assert.deepEqual(await decided, { behavior: "allow" });
});

fresh("an edit is shown as what it changes, and denying it goes back", async () => {
	const decided = hook(permission("Edit", { file_path: "/src/a.c", old_string: "int a;\nint b;",
		new_string: "int a;\nlong b;", replace_all: true }));
	const asked = card(/^claude[\w-]*-\d+ wants to use Edit/);
	await asked.waitFor();
	assert.match(await asked.locator(".talk-diff").textContent(), /\/src\/a\.c/);
	assert.match(await asked.locator(".diff-gone").textContent(), /int b;/);
	assert.match(await asked.locator(".diff-new").textContent(), /long b;/);
	assert.match(await asked.locator(".talk-json").textContent(), /"replace_all": true/);
	await asked.getByRole("button", { name: "Deny", exact: true }).click();
	assert.equal((await decided).behavior, "deny");
});

fresh("nothing of what is asked for is cut off in secret", async () => {
	const path = `/${"safe/".repeat(200)}../END`, line = `${"x".repeat(5000)}LAST`;
	const decided = hook(permission("Edit", { file_path: path, old_string: "a", new_string: line }));
	const asked = card(/^claude[\w-]*-\d+ wants to use Edit/);
	await asked.waitFor();
	assert.ok((await asked.locator(".talk-label").first().textContent()).endsWith("/../END"));
	assert.ok(!(await asked.locator(".diff-new").textContent()).includes("LAST"));
	await asked.getByRole("button", { name: "Show 1,004 more characters" }).click();
	assert.match(await asked.locator(".diff-new").textContent(), /: x{5000}LAST\n$/);
	await asked.getByRole("button", { name: "Deny", exact: true }).click();
	assert.equal((await decided).behavior, "deny");
	await asks({ type: "select", prompt: `${"w".repeat(16000)} really?`, options: ["o".repeat(300), "other"] });
	const long = card("really?");
	await long.getByRole("button", { name: /^o{300}$/ }).waitFor();
});

fresh("every member of what a tool is given is seen, with all that hides, and only Deny is chosen", async () => {
	const decided = hook(permission("Bash", { command: `ls${"\n".repeat(30)}rm -rf ~\u0000\u202e\u200b\u200d end`,
		dangerouslyDisableSandbox: true }));
	const asked = card(/^claude[\w-]*-\d+ wants to use Bash/);
	await asked.waitFor();
	assert.equal(await asked.locator(".talk-code pre").textContent(),
		`ls${"\n".repeat(30)}rm -rf ~\\u0000\\u202e\\u200b\\u200d end`);
	assert.match(await asked.textContent(), /"dangerouslyDisableSandbox": true/);
	await page.waitForSelector("#prompts [data-safe]:enabled");
	await page.keyboard.press("p");
	assert.match(await page.evaluate(() => document.activeElement.textContent), /^Deny/);
	assert.equal(await asked.locator(".primary").count(), 1);
	assert.match(await asked.locator(".primary").textContent(), /^Deny/);
	await page.keyboard.press("Enter");
	assert.equal((await decided).behavior, "deny");
});

fresh("what is not all shown cannot be allowed before it was opened", async () => {
	const command = `${"x".repeat(100_000)}LAST`;
	const decided = hook(permission("Bash", { command }));
	const asked = card(/^claude[\w-]*-\d+ wants to use Bash/);
	const allow = asked.getByRole("button", { name: "Allow", exact: true });
	await asked.waitFor();
	await page.waitForSelector("#prompts [data-safe]:enabled");
	assert.equal(await allow.isDisabled(), true);
	assert.match(await asked.textContent(), /BYTES MORE THAT ARE NOT SHOWN.*You have not seen all of it/s);
	await asked.getByRole("button", { name: /^Show all 100,\d\d\d bytes of its input$/ }).click();
	await eventually(() => allow.isEnabled(), "it was opened");
	assert.ok((await asked.locator(".talk-code pre").textContent()).endsWith("xLAST"));
	await allow.click();
	assert.equal((await decided).behavior, "allow");
	const shorter = hook(permission("Bash", { command: "y".repeat(5000) }));
	await asked.waitFor();
	await page.waitForSelector("#prompts [data-safe]:enabled");
	assert.equal(await allow.isDisabled(), true);
	await asked.getByRole("button", { name: "Show 1,000 more characters" }).click();
	await eventually(() => allow.isEnabled(), "all of it is shown");
	await asked.getByRole("button", { name: "Deny", exact: true }).click();
	assert.equal((await shorter).behavior, "deny");
});

fresh("an option says which rule it would write, and where", async () => {
	await asks({ type: "select", prompt: "May I?", options: [{ label: "Allow always", value: "always", rule: "Bash(ls:*) in your local settings",
		needs: "control" }, { label: "Deny", value: "deny", safe: true }] });
	assert.match(await card("May I?").locator(".prompt-rule").textContent(), /Bash\(ls:\*\) in your local settings/);
	await card("May I?").getByRole("button", { name: /^Allow always/ }).click();
	await answered("always");
});

fresh("what a tool is given may be changed before it is allowed", async () => {
	const decided = hook(permission("Bash", { command: "rm -rf /", timeout: 5 }, { permission_suggestions: [{ type: "addRules" }] }));
	const asked = card(/^claude[\w-]*-\d+ wants to use Bash/);
	await asked.getByRole("button", { name: "Allow always" }).waitFor();
	await asked.getByRole("button", { name: "Change, then allow…" }).click();
	await asked.getByLabel("timeout").fill("nonsense");
	await asked.getByLabel("command").fill("ls /");
	await asked.getByRole("button", { name: "Allow with this" }).click();
	await asked.getByText("timeout is not JSON.").waitFor();
	await asked.getByLabel("timeout").fill("7");
	await asked.getByRole("button", { name: "Allow with this" }).click();
	assert.deepEqual(await decided, { behavior: "allow", updatedInput: { command: "ls /", timeout: 7 } });
});

fresh("what was decided in the agent's own dialog is told, and an answer that came before it is not", async () => {
	const input = { command: "ls settled" };
	const done = { ...permission("Bash", input), hook_event_name: "PostToolUse", tool_use_id: "t", tool_response: {} };
	const decided = hook(permission("Bash", input));
	const asked = tray.locator("article", { hasText: "ls settled" });

	await asked.waitFor();
	await api("POST", "/api/hooks/claude-code", done);
	await asked.getByText("It was decided there: allowed").waitFor();
	assert.equal(await decided, null);
	const denied = hook(permission("Bash", { ...input, description: "again" }));
	const again = tray.locator("article", { hasText: "again" });
	await again.getByRole("button", { name: "Deny", exact: true }).click();
	assert.equal((await denied).behavior, "deny");
	await api("POST", "/api/hooks/claude-code", { ...done, tool_input: { ...input, description: "again" } });
	await again.getByText("It was decided there: allowed. Your answer came too late").waitFor();
});

fresh("a hook that leaves closes its question here", async () => {
	const child = spawn(SIGNALBOX, ["hook", "--data", box.data, "--decide"], { stdio: ["pipe", "ignore", "ignore"] });

	child.stdin.end(JSON.stringify(permission("Read", { file_path: "/etc/passwd" })));
	await card(/^claude[\w-]*-\d+ wants to use Read/).waitFor();
	child.kill("SIGKILL");
	await over(/Cancelled: Claude Code does not wait any more/).waitFor();
});

/* ---- bounds, hostility, notifications ---- */

fresh("hostile words are words: in the question, in labels, in an input, in who asks", async () => {
	const value = { command: HOSTILE, [HOSTILE]: HOSTILE };

	await box.emit({ type: "prompt", source: HOSTILE, correlationId: HOSTILE, payload: { type: "select", prompt: `Bash: ${HOSTILE}`,
		options: [{ label: HOSTILE, value: "x", edit: value }, { label: "", value: HOSTILE }, HOSTILE] } },
	{ type: "prompt", source: "builder", correlationId: "r",
		payload: { type: "multi", prompt: HOSTILE, options: [HOSTILE, "y".repeat(5000)], default: HOSTILE } });
	await eventually(async () => await openCards.count() === 2);
	assert.equal(await tray.locator("img, script, svg:not(.icon), a").count(), 0);
	const shown = await tray.textContent();
	assert.ok(shown.includes("<img src=x onerror=alert(1)>\\u202e\\u001b[31m"), shown);
	assert.ok(!shown.includes("\u202e") && !shown.includes("\u001b"));
	await openCards.last().getByRole("button", { name: /^Change, then/ }).click();
	assert.equal(await tray.locator("img, script, a").count(), 0);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

fresh(`${MANY} open questions do not drown the page`, async () => {
	await asks(...Array.from({ length: MANY }, (_, i) => ({ type: "confirm", prompt: `Number ${i}?` })));
	await tray.getByRole("heading", { name: `${MANY} questions` }).waitFor();
	assert.equal(await openCards.count(), 20);
	assert.match(await openCards.first().textContent(), new RegExp(`Number ${MANY - 1}\\?`));
	assert.equal(await tray.locator(".prompt-body:visible").count(), 3, "only the newest are opened");
	await tray.getByRole("button", { name: `Show ${MANY - 20} more questions` }).click();
	assert.equal(await openCards.count(), 40);
	await tray.getByRole("button", { name: "Collapse the questions" }).click();
	assert.equal(await openCards.first().isVisible(), false);
	assert.equal(await tray.getByRole("heading", { name: `${MANY} questions` }).isVisible(), true);
	await page.setViewportSize({ width: 390, height: 844 });
	assert.ok((await tray.boundingBox()).height < 80);
	await tray.getByRole("button", { name: "Show the questions" }).click();
	assert.ok((await tray.boundingBox()).height < 844 * 0.6);
	await page.setViewportSize({ width: 1280, height: 800 });
});

fresh("it works at 390 pixels, and what is over goes away by itself", async () => {
	await page.setViewportSize({ width: 390, height: 844 });
	await go("ask");
	await asks({ type: "multi", prompt: "On a telephone?", options: ["a", "b"] });
	const button = card("On a telephone?").getByRole("button", { name: "Answer" });
	await card("On a telephone?").getByLabel("a", { exact: true }).check();
	const place = await button.boundingBox();
	assert.ok(place.x >= 0 && place.x + place.width <= 390, JSON.stringify(place));
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	await button.click();
	await answered(["a"]);
	await page.mouse.move(5, 5);
	await page.evaluate(() => document.activeElement.blur());
	await tray.waitFor({ state: "hidden", timeout: 2 * PATIENCE_MS });
	await page.setViewportSize({ width: 1280, height: 800 });
});

/* ---- what matters, as another client hears it: the page hears it at the same time ---- */

async function withMatters(body) {
	const standing = new Map();
	const other = new Signalbox({ url: box.origin, token: readFileSync(join(box.data, "token"), "utf8").trim(), matters: true });

	other.on("matters", ({ all, raised = [], settled = [] }) => {
		(all ?? raised).forEach((matter) => standing.set(matter.prompt ?? matter.id, matter));
		settled.forEach((id) => standing.delete(id.replace(/^asks-/, "")));
	});
	const isRaised = (words) => eventually(() => [...standing.values()].some((matter) => matter.words?.startsWith(words)), `${words} is raised`);
	try {
		await body({ standing, isRaised });
	} finally {
		other.close();
	}
}

const notes = () => page.evaluate(() => window.shownNotes.map(({ title, body, tag, isClosed = false }) => ({ title, body, tag, isClosed })));
const away = (isAway) => page.evaluate((now) => {
	window.isAway = now;
	document.dispatchEvent(new Event("visibilitychange"));
}, isAway);

fresh("a notification is shown only if it was allowed and while the page is out of sight, once a matter, and leads back", async () => {
	await page.context().grantPermissions(["notifications"], { origin: box.origin });
	/* Headless browsers have nowhere to show one, and are never out of sight: both are looked
	 * at where the page meets the browser. */
	await page.evaluate(() => {
		const shown = [];
		window.Notification = class {
			static permission = "granted";
			constructor(title, options) { shown.push(this); Object.assign(this, { title, ...options }); }
			close() { this.isClosed = true; }
		};
		window.shownNotes = shown;
		Object.defineProperty(document, "visibilityState", { configurable: true, get: () => window.isAway ? "hidden" : "visible" });
	});
	await withMatters(async ({ standing, isRaised }) => {
		await asks({ type: "confirm", prompt: "In sight?" });
		await isRaised("In sight?");
		assert.equal((await notes()).length, 0);
		await away(true);
		await asks({ type: "confirm", prompt: `Away? ${HOSTILE}` });
		await eventually(async () => (await notes()).length === 1);
		const [note] = await notes();
		assert.equal(note.title.replace(/-\d+/, "-N"), "builder-N waits for you");
		assert.ok(note.body.startsWith("Away? <img") && note.body.includes("\\u202e") && !note.body.includes("\u202e"), note.body);
		assert.match(note.tag, /^signalbox-asks-/);
		await page.evaluate(() => { window.isAway = false; window.shownNotes[0].onclick(); });
		assert.equal(await page.evaluate(() => document.activeElement.closest(".prompt-card").textContent.includes("Away?")), true);
		assert.equal((await notes())[0].isClosed, true);
		await away(true);
		/* Settled elsewhere: the note goes. */
		await asks({ type: "confirm", prompt: "Elsewhere?" });
		await eventually(async () => (await notes()).length === 2);
		const { id } = (await openPrompts()).find(({ prompt }) => prompt === "Elsewhere?");
		await api("POST", `/api/prompts/${id}/answer`, { value: true });
		await eventually(async () => (await notes())[1].isClosed);
		/* Many are one. */
		await asks(...Array.from({ length: 5 }, (_, i) => ({ type: "confirm", prompt: `Burst ${i}?` })));
		await eventually(async () => standing.size === 7);
		await eventually(async () => (await notes()).filter(({ isClosed }) => !isClosed).map(({ title }) => title).join()
			=== "Several agents need you");
		await away(false);
		assert.equal((await notes()).filter(({ isClosed }) => !isClosed).length, 0);
	});
});

test("permission to notify is asked for by a click and by nothing else", async () => {
	const other = await open(box.openUrl());

	await stateIs(other, "live"); /* Its code counts once: who leaves before the answer is signed out. */
	await other.addInitScript(() => {
		window.asked = 0;
		window.Notification = class {
			static permission = "default";
			static async requestPermission() { window.asked++; return this.permission = "granted"; }
		};
	});
	await other.reload();
	await stateIs(other, "live");
	await asks({ type: "confirm", prompt: "Notify?" });
	const button = other.locator("#prompts").getByRole("button", { name: "Notify me" });
	await button.waitFor();
	assert.equal(await other.evaluate(() => window.asked), 0);
	await button.click();
	await other.getByText("The browser will notify you").waitFor();
	assert.equal(await other.evaluate(() => window.asked), 1);
	await button.waitFor({ state: "hidden" });
	await other.context().close();
});

fresh("axe finds no fault in questions of any type, open and over, in both themes", async () => {
	const edit = { file_path: "/a", old_string: "1\n2", new_string: "1\n3", n: 1 };

	await asks({ type: "confirm", prompt: "Over", default: true });
	await card("Over").getByRole("button", { name: "Yes" }).click();
	await asks({ type: "text", prompt: "T", default: "d", deadline: Date.now() + 55_000 }, { type: "multi", prompt: "M", options: ["a"] },
		{ type: "select", prompt: "S", options: Array.from({ length: 9 }, (_, i) => `o${i}`), default: "o1" },
		{ type: "select", prompt: `Edit: ${JSON.stringify(edit)}`, options: [{ label: "Allow", value: "allow", edit }, "deny"], default: "deny" },
		{ type: "confirm", prompt: "C", default: false });
	await eventually(async () => await openCards.count() === 5);
	await eventually(async () => {
		await openCards.locator('.prompt-title[aria-expanded="false"]').evaluateAll((all) => all.forEach((toggle) => toggle.click()));
		return await tray.locator(".prompt-body:visible").count() === 5;
	});
	await page.waitForSelector("#prompts button:enabled:has-text('Allow')");
	await page.evaluate(AXE);
	for (const colorScheme of ["dark", "light"]) {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		const { violations } = await page.evaluate(() => window.axe.run("#prompts"));
		assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html + failureSummary)]), []);
	}
});

test("no page asked for anything of another origin, or was refused anything", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
