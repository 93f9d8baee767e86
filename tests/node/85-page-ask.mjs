// long
// busy: 21
/* The ask view in a real browser, with a real server of the other side: a question goes to a
 * source, tokens stream in, and everything that a person would do about it. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, truncateSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { close, faults, open, stateIs } from "./browser.mjs";
import { Box, SIGNALBOX, SLOW, eventually, run, test } from "./lib.mjs";
import { Upstream } from "./upstream.mjs";

const up = await new Upstream().start();
const box = await new Box().start();
const page = await open(box.openUrl());
/* The bytes of a file of lines, but for the newlines that it is filled with ahead. */
function used(path) {
	const bytes = readFileSync(path);

	return bytes.findLastIndex((byte) => byte !== 10) + 2;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WORDS = 5000 / SLOW;
const HOSTILE = "<img src=x onerror=alert(1)> <svg onload=alert(2)> javascript:alert(3) \u202egnp.exe\u0007 \u001b[31mred";

async function api(method, path, body) {
	const answer = await fetch(box.origin + path, { method, body: body === undefined ? undefined : JSON.stringify(body),
		headers: { Authorization: `Bearer ${readFileSync(join(box.data, "token"), "utf8").trim()}`, "Content-Type": "application/json" } });

	return answer.json();
}

/* Asks, and waits for the turn of it: until then the last one on the page is an earlier one. */
async function ask(text) {
	const begins = text.slice(0, 12);
	const asked = () => page.$$eval(".ask-turn .talk-task.is-mine .talk-words", (all) => all.at(-1)?.textContent ?? "");
	await page.waitForSelector(".ask-send:not([disabled])");
	await page.fill("#ask-text", text);
	await eventually(async () => {
		/* A source that is just being connected again takes nothing, and the words stay. */
		if (await page.isEnabled(".ask-send") && await page.inputValue("#ask-text") === text)
			await page.press("#ask-text", "Enter");
		return (await asked()).startsWith(begins);
	}, `a turn for ${begins}`);
}

/* The last turn of the conversation that is shown. */
const last = () => page.locator(".ask-turn").last();
const endOf = (how) => last().locator(`.talk-end[data-how="${how}"]`).waitFor();
const textOf = async (turn) => (await turn.locator(".talk-text .talk-words").allTextContents()).join("");

test("with nobody to ask, the view says so and leads to the sources", async () => {
	await stateIs(page, "live");
	await page.evaluate(() => { location.hash = "#/ask"; });
	await page.getByRole("heading", { name: "No source takes questions yet" }).waitFor();
	assert.equal(await page.isVisible("#ask-text"), false);
	await page.getByRole("button", { name: "Go to the sources" }).click();
	assert.match(page.url(), /#\/sources/);
});

test("every source that can answer may be asked, with any model of its list", async () => {
	await api("POST", "/api/sources", { url: up.url, id: "lab", name: "Lab", protocol: "openai", model: "model-b" });
	await api("POST", "/api/sources", { url: `${up.url}/`, id: "off", name: "Off <b>", protocol: "openai", model: "x", connect: false });
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await page.waitForSelector(".ask-send:not([disabled])");
	assert.deepEqual(await page.$$eval("#ask-source option", (all) => all.map(({ value }) => value)), ["lab", "off"]);
	assert.equal(await page.inputValue("#ask-source"), "lab");
	const models = () => page.$$eval("#ask-model option", (all) => all.map(({ value }) => value).join());
	await eventually(async () => await models() === "model-b,model-a");
	await page.selectOption("#ask-source", "off");
	await page.getByText("Off <b> is not connected.").waitFor();
	assert.equal(await page.isDisabled(".ask-send"), true);
	await page.selectOption("#ask-source", "lab");
	await page.selectOption("#ask-model", "model-a");
});

test("on a telephone nothing stands above the asks until there is a conversation to go back to", async () => {
	const bar = () => page.$$eval(".ask-bar", ([it]) => it.offsetHeight === 0 ? "" : `${it.offsetHeight} pixels: ${it.innerText.trim()}`);

	await page.setViewportSize({ width: 390, height: 844 });
	await page.evaluate(() => { location.hash = "#/ask/off"; });
	await page.getByText("Off <b> is not connected.").waitFor();
	assert.equal(await bar(), "");
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await page.waitForSelector(".ask-send:not([disabled])");
	assert.equal(await bar(), "");
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.selectOption("#ask-model", "model-a");
});

test("an answer comes with what was thought and done, how long it took and how fast it was", async () => {
	await ask("good day");
	await endOf("done");
	assert.match(page.url(), /#\/ask\/run\/[\w-]+$/);
	assert.equal(up.requests.at(-1).model, "model-a");
	assert.equal(await page.inputValue("#ask-text"), "");
	assert.equal(await last().locator(".talk-task.is-mine .talk-words").textContent(), "good day");
	assert.equal(await textOf(last()), "Good day, all is well.");
	const thinking = last().locator(".talk-thinking");
	assert.equal(await thinking.locator(".talk-words").isVisible(), false, "it is closed once it is over");
	await thinking.locator("summary").click();
	assert.equal(await thinking.locator(".talk-words").textContent(), "Let me think.");
	const tool = last().locator(".talk-tool");
	assert.equal(await tool.count(), 1);
	assert.match(await tool.locator("summary").textContent(), /shell.*ls -l/s);
	await tool.locator("summary").press("Enter");
	assert.equal(await tool.locator(".talk-code pre").textContent(), "ls -l");
	assert.match(await last().locator(".ask-line").textContent(), /\d+ (ms|s).*5 tokens/);
});

test("Shift+Enter begins a line, Enter sends, and a follow-up is of the same session", async () => {
	await page.focus("#ask-text");
	await page.keyboard.type("say one");
	await page.keyboard.press("Shift+Enter");
	await page.keyboard.type("two");
	assert.equal(await page.inputValue("#ask-text"), "say one\ntwo");
	await page.keyboard.press("Enter");
	await eventually(async () => await page.locator(".ask-turn").count() === 2);
	await endOf("done");
	assert.equal(await textOf(last()), "one\ntwo");
	assert.deepEqual(up.requests.at(-1).messages.map(({ role, content }) => [role, content]),
		[["user", "good day"], ["assistant", "Good day, all is well."], ["user", "say one\ntwo"]]);
	assert.equal(await page.locator(".ask-row").count(), 1);
	assert.match(await page.locator(".ask-row").textContent(), /good day.*2 asks/s);
});

test("Enter pressed twice asks once, and words that are written meanwhile stay", async () => {
	const asked = up.requests.length, turns = await page.locator(".ask-turn").count();

	/* In one go, so that no answer can come between. */
	await page.$eval("#ask-text", (field) => {
		field.value = "say it once";
		field.form.requestSubmit();
		field.form.requestSubmit();
		field.value = "the next words";
	});
	await eventually(async () => await page.locator(".ask-turn").count() > turns);
	await endOf("done");
	await page.waitForSelector(".ask-send:not([disabled])");
	assert.equal(await textOf(last()), "it once");
	assert.equal(await page.inputValue("#ask-text"), "the next words");
	assert.equal(await page.locator(".ask-turn").count(), turns + 1);
	assert.equal(up.requests.length, asked + 1);
	await page.fill("#ask-text", "");
});

test("while tokens stream in they are counted, and a cancel is seen upstream and on the page", async () => {
	const left = up.left;

	await ask("slow please");
	await last().getByText(/tick5\b/).waitFor();
	assert.match(await last().locator(".ask-line").textContent(), /s · \d+ pieces/);
	assert.equal(await page.isDisabled(".ask-send"), true);
	const before = await textOf(last());
	await eventually(async () => (await textOf(last())).length > before.length);
	await page.getByRole("button", { name: "Cancel" }).click();
	await endOf("cancelled");
	await eventually(() => up.left === left + 1, "the connection upstream is closed");
	assert.match(await last().locator(".talk-end").textContent(), /Cancelled/);
	await page.waitForSelector(".ask-cancel", { state: "hidden" });
	const after = await textOf(last());
	assert.equal(await page.locator(".ask-row").first().getAttribute("data-state"), "cancelled");
	assert.equal(await textOf(last()), after);
});

test("the view stays at the end of what streams, unless somebody reads further up", async () => {
	const at = () => page.$eval(".ask-thread", (box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));

	await ask("slow again");
	await last().getByText(/tick120\b/).waitFor();
	assert.ok(await at() < 48, `${await at()} from the end`);
	await page.$eval(".ask-thread", (box) => { box.scrollTop = 0; });
	await last().getByText(/tick150\b/).waitFor();
	assert.equal(await page.$eval(".ask-thread", (box) => box.scrollTop), 0);
	await page.getByRole("button", { name: "Cancel" }).click();
	await endOf("cancelled");
});

test("another conversation is begun with n, and what was is found again after a reload", async () => {
	await page.focus(".ask-thread");
	await page.keyboard.press("n");
	await page.getByRole("heading", { name: "Ask any source that takes questions" }).waitFor();
	assert.equal(await page.evaluate(() => document.activeElement.id), "ask-text");
	await ask("say another thing");
	await endOf("done");
	assert.equal(up.requests.at(-1).messages.length, 1, "it remembers nothing of the other");
	assert.equal(await page.locator(".ask-row").count(), 2);
	const where = page.url();
	await page.reload();
	await stateIs(page, "live");
	await endOf("done");
	assert.equal(page.url(), where);
	assert.equal(await textOf(last()), "another thing");
	await page.locator(".ask-row", { hasText: "good day" }).click();
	await eventually(async () => await page.locator(".ask-turn").count() === 5);
	await eventually(async () => await textOf(page.locator(".ask-turn").nth(1)) === "one\ntwo");
});

test("what another screen asks is a conversation here too", async () => {
	/* The server that answers is in this process, so that it must not wait. */
	await promisify(execFile)(SIGNALBOX, ["ask", "--data", box.data, "lab", "say from the terminal"]);
	await page.locator(".ask-row", { hasText: "from the terminal" }).click();
	await endOf("done");
	assert.equal(await textOf(last()), "from the terminal");
});

test("a refusal and a connection that breaks are errors in words, and what was written is kept if it was not taken", async () => {
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await ask("refuse");
	await last().locator(".talk-error").waitFor();
	assert.match(await last().locator(".talk-error").textContent(), /come back <b>tomorrow<\/b>/);
	assert.equal(await last().locator(".talk-error b").count(), 0);
	await ask("break");
	await last().locator(".talk-error").waitFor();
	assert.equal(await textOf(last()), "half a wo");
	await page.fill("#ask-text", "x".repeat(300_000));
	await page.press("#ask-text", "Enter");
	await page.getByRole("alert").filter({ hasText: "too long" }).waitFor();
	assert.equal((await page.inputValue("#ask-text")).length, 300_000);
});

test("hostile words are words, wherever they stand", async () => {
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await ask(`say ${HOSTILE}`);
	await endOf("done");
	const shown = await textOf(last());
	assert.ok(shown.includes("<img src=x onerror=alert(1)>") && shown.includes("\\u202e") && shown.includes("\\u001b[31m"), shown);
	assert.equal(await page.locator(".ask-main img, .ask-main svg:not(.icon), .ask-side img, .ask-main a").count(), 0);
	await box.emit(
		{ type: "tool_call", source: "x", correlationId: "bad",
			payload: { toolName: HOSTILE, agentId: HOSTILE, input: { command: HOSTILE, [HOSTILE]: HOSTILE } } },
		{ type: HOSTILE, source: HOSTILE, correlationId: "bad", payload: { x: HOSTILE } },
		{ type: "error", source: "x", correlationId: "bad", payload: { message: HOSTILE, severity: HOSTILE, code: HOSTILE } });
	await page.evaluate(() => { location.hash = "#/ask/run/bad"; });
	await page.locator(".talk-tool summary").click();
	await page.locator(".talk-error").waitFor();
	assert.equal(await page.locator(".ask-main img, .ask-main svg:not(.icon), .ask-main a").count(), 0);
});

test("axe finds no fault in a conversation with everything opened, in both themes", async () => {
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await ask("good morning");
	await endOf("done");
	for (const summary of await last().locator("summary").all())
		await summary.click();
	await page.evaluate(AXE);
	for (const colorScheme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		const { violations } = await page.evaluate(() => window.axe.run("#view-ask"));
		assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html + failureSummary)]), []);
	}
});

test("a megabyte in one line and thousands of tokens leave the page quick and small", async () => {
	await box.emit(...Array.from({ length: 3 }, (_, i) => ({ type: "text_delta", source: "x", correlationId: "long",
		payload: { agentId: "a", content: `${i}`.repeat(1_000_000) } })));
	await page.evaluate(() => { location.hash = "#/ask/run/long"; });
	await page.locator(".talk-earlier:not([hidden])").waitFor();
	assert.ok(await page.$eval(".ask-thread", (box) => box.textContent.length) < 400_000);
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await ask(`many ${WORDS}`);
	await endOf("done");
	assert.match(await last().locator(".ask-line").textContent(), new RegExp(`${WORDS.toLocaleString("en")} tokens`));
	assert.ok((await textOf(last())).endsWith(`w${WORDS} `));
	assert.ok(await page.$eval(".ask-thread", (box) => box.querySelectorAll("*").length) < 3000);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test("a server that is killed in the middle is said, and the answer is whole when it is back", async () => {
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await page.selectOption("#ask-model", "model-a");
	await ask("say before the end");
	await endOf("done");
	await box.end("SIGKILL");
	await stateIs(page, "lost");
	await page.getByText("There is no connection to the server now.").waitFor();
	assert.equal(await page.isDisabled(".ask-send"), true);
	assert.equal(await textOf(last()), "before the end");
	let list;
	up.listed = new Promise((done) => { list = done; });
	await box.start();
	await stateIs(page, "live");
	await eventually(async () => await page.locator("#ask-model option").count() === 1, "only the model it is set to is known");
	list();
	await ask("say after it");
	await endOf("done");
	await eventually(async () => await textOf(last()) === "after it", "the whole answer");
	assert.equal(await last().locator(".talk-task").count(), 1, "nothing is told twice");
	assert.equal(up.requests.at(-1).model, "model-a", "the model that was chosen is still the one");
});

test("what is asked after the server lost what was asked before is answered whole, too", async () => {
	const stored = async () => {
		const { seq, durableSeq } = await api("GET", "/api/status");

		return seq === durableSeq;
	};
	const journal = join(box.data, "journal");
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await ask("say what stays");
	await endOf("done");
	await eventually(stored);
	const sizes = readdirSync(journal).filter((name) => name.endsWith(".ndjson"))
		.map((name) => [join(journal, name), used(join(journal, name))]);
	await ask("say what is lost of all that was said");
	await endOf("done");
	await box.end("SIGKILL");
	for (const [path, size] of sizes)   /* as if the power had failed */
		truncateSync(path, size);
	await box.start();
	await stateIs(page, "live");
	await page.evaluate(() => { location.hash = "#/ask/lab"; });
	await ask("say after it");
	await endOf("done");
	await eventually(async () => await textOf(last()) === "after it", "the whole answer");
	assert.equal(await page.getByText("what is lost of all").count(), 0);
});

test("it works at 390 pixels, where the conversations are a sheet", async () => {
	await page.setViewportSize({ width: 390, height: 844 });
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	assert.equal(await page.isVisible(".ask-side"), false);
	assert.equal(await page.isVisible(".ask-bar"), true);
	await page.getByRole("button", { name: "Conversations" }).click();
	await page.locator(".ask-row", { hasText: "good day" }).click();
	assert.equal(await page.isVisible(".ask-side"), false);
	await ask("say narrow");
	await endOf("done");
	assert.equal(await textOf(last()), "narrow");
	const send = await page.locator(".ask-send").boundingBox();
	assert.ok(send.x + send.width <= 390 && send.y + send.height <= 844);
});

test("no page asked for anything of another origin, or was refused anything", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
	up.end();
});
