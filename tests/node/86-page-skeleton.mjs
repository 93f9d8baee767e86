/* The least that a view of the page can be, tests/skeleton/view, in a real browser: it is built in
 * with the files that ARCHITECTURE.md lists, which tests/86-skeletons.py holds against it. */
// long
// busy: 15

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SKELETONS = fileURLToPath(new URL("../skeletons.py", import.meta.url));
const program = join(mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "view-")), "signalbox");

/* From here on it is the program that is tested. */
execFileSync("python3", [SKELETONS, "view", program], { stdio: ["ignore", "ignore", "inherit"] });
process.env.SIGNALBOX = program;
const { Box, eventually, run, test } = await import("./lib.mjs");
const { close, faults, open, stateIs } = await import("./browser.mjs");
const box = await new Box().start();

async function says(page, selector, words) {
	await eventually(async () => await page.textContent(selector) === words, `${selector}: ${words}`);
}

test("a view has its place, its icon, its key and its help, and is loaded when it is gone to", async () => {
	const page = await open(box.openUrl(), { view: "log" });

	await stateIs(page, "live");
	assert.equal(await page.$("#view-skeleton .skeleton-view"), null);
	assert.match(await page.textContent("#views a:last-child"), /Skeleton/);
	assert.equal(await page.getAttribute("#views a:last-child use", "href"), "#icon-skeleton");
	assert.equal(await page.$$eval("symbol#icon-skeleton path", (all) => all.length), 1);
	await page.keyboard.press("9");
	await page.waitForSelector("#view-skeleton .skeleton-view");
	assert.equal(new URL(page.url()).hash, "#/skeleton");
	await page.keyboard.press("?");
	await eventually(async () => /count from here/.test(await page.textContent("#keys")), "its keys are in the help");
	await page.close();
});

test("it hears signals in sight and out of it, draws them when it is seen, and hears keys", async () => {
	const page = await open(box.openUrl(), { view: "skeleton" });

	await stateIs(page, "live");
	await page.waitForSelector("#view-skeleton .skeleton-view");
	await page.click("#view-skeleton button");
	await says(page, ".skeleton-count", "0");
	await box.emit({ type: "one" }, { type: "two" });
	await says(page, ".skeleton-count", "2");
	await says(page, ".skeleton-last", "two");
	await page.keyboard.press("3");
	await page.waitForSelector("#view-skeleton", { state: "hidden" });
	await box.emit({ type: "three" });
	await eventually(() => page.evaluate(() => /three/.test(document.getElementById("log")?.textContent ?? "")), "the log has it");
	assert.equal(await page.textContent(".skeleton-last"), "two");
	await page.keyboard.press("9");
	await says(page, ".skeleton-last", "three");
	assert.equal(await page.textContent(".skeleton-count"), "3");
	await page.keyboard.press("z");
	await says(page, ".skeleton-count", "0");
	await page.close();
});

test("its style sheet is part of the page, and no page does what it may not", async () => {
	const page = await open(box.openUrl(), { view: "skeleton" });

	await page.waitForSelector(".skeleton-view");
	const [mine, theirs] = await page.$eval(".skeleton-last", (one) =>
		[getComputedStyle(one).color, getComputedStyle(one.ownerDocument.body).color]);
	assert.notEqual(mine, theirs);
	await page.close();
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	await box.remove();
});
