// long
// busy: 75
/* What every view must be, in both themes: accessible, whole on a telephone and on a big screen,
 * reachable by keyboard, still for who wants it still. A picture of each is written to the
 * directory SHOTS where one is named: without a graphics card, a picture takes seconds. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Box, run, test } from "./lib.mjs";
import { close, faults } from "./browser.mjs";
import { furnish, goTo, openAt, placesOf } from "./qualities.mjs";

const { SHOTS } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = { telephone: [390, 844], screen: [3840, 2160] };
const TABS_MAX = 150;
const SHOT_MS = 60000;        /* A big stage without a graphics card takes its time. */

const box = await new Box().start();
const agent = await furnish(box);
if (SHOTS)
	mkdirSync(SHOTS, { recursive: true });

function shoot(page, place, more) {
	return SHOTS && page.screenshot({ timeout: SHOT_MS, path: join(SHOTS, `${place.replace(/\W+/g, "-").slice(0, 40)}-${more}.png`) });
}

for (const scheme of ["dark", "light"]) {
	test(`axe finds no fault in any view, ${scheme}`, async () => {
		const page = await openAt(box, { scheme });
		const faulty = [];

		await page.evaluate(AXE);
		for (const place of await placesOf(page)) {
			await goTo(page, place);
			await shoot(page, place[1], scheme);
			faulty.push(...await violations(page, place[1]));
		}
		await page.keyboard.press("?");
		await page.waitForSelector("dialog[open]");
		await shoot(page, "help", scheme);
		faulty.push(...await violations(page, "help"));
		assert.deepEqual(faulty, []);
		await page.context().close();
	});
}

/* Every rule that axe has, with none left out. */
async function violations(page, place) {
	const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));

	return found.violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) =>
		`${place}: ${id}: ${help}: ${target} ${failureSummary.split("\n").slice(1).join(" ")}`));
}

for (const [name, [width, height]] of Object.entries(SIZES)) {
	test(`no view is wider than a ${name} of ${width} x ${height}, or less accessible there`, async () => {
		const page = await openAt(box, { width, height, scheme: name === "screen" ? "light" : "dark" });

		await page.evaluate(AXE);
		for (const place of await placesOf(page)) {
			await goTo(page, place);
			await shoot(page, place[1], String(width));
			assert.deepEqual(await tooWide(page), [], place[1]);
			assert.deepEqual(await violations(page, place[1]), []);
		}
		await page.context().close();
	});
}

/* What stands out to the right of the page and is cut off by nothing. */
function tooWide(page) {
	return page.evaluate(() => {
		const isCut = (element) => {
			for (let one = element.parentElement; one !== null && one !== document.body; one = one.parentElement)
				if (getComputedStyle(one).overflowX !== "visible" && one.getBoundingClientRect().right <= innerWidth + 1)
					return true;
			return false;
		};

		return [
			...document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [],
			...[...document.querySelectorAll("body *")]
				.filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
				.filter((one) => one.closest(".hidden") === null && !isCut(one))
				.map((one) => `${one.tagName} ${one.id} ${one.getAttribute("class")}`),
		];
	});
}

test("Tab reaches all that can be used, in every view, and one sees where it is", async () => {
	const page = await openAt(box, {});

	for (const place of await placesOf(page)) {
		await goTo(page, place);
		/* What was drawn while one walked through is come to the second time. */
		let { missed, unseen } = await tabThrough(page);
		if (missed.length > 0)
			({ missed, unseen } = await tabThrough(page));
		assert.deepEqual(unseen, [], `${place[1]}: no focus is to be seen on these`);
		assert.deepEqual(missed, [], `${place[1]}: Tab does not come to these`);
	}
	await page.context().close();
});

async function tabThrough(page) {
	const unseen = new Set();

	await page.evaluate(() => {
		window.reached = new Set();
		document.activeElement.blur();
	});
	for (let i = 0; i < TABS_MAX; i++) {
		await page.keyboard.press("Tab");
		const { isOver, words } = await page.evaluate(lookAtFocus);
		if (isOver)
			break;
		if (words !== null)
			unseen.add(words);
	}
	const missed = await page.evaluate(() => {
		const all = "a[href], button, input, select, textarea, summary, [tabindex]";
		const radios = (one) => one.type === "radio"
			&& [...window.reached].some(({ name, type }) => type === "radio" && name === one.name);

		return [...document.querySelectorAll(all)]
			.filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0)
			.filter((one) => !window.reached.has(one) && !radios(one))
			.map((one) => `${one.tagName} ${one.id} ${one.className} ${one.textContent.slice(0, 40)}`);
	});

	return { missed, unseen: [...unseen] };
}

/* Runs in the page. What is higher than its frame may have the outline drawn by that. */
function lookAtFocus() {
	const one = document.activeElement;
	const hasOutline = (element) => {
		const { outlineStyle, outlineWidth } = getComputedStyle(element);

		return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
	};

	if (one === document.body || one === null || window.reached.has(one))
		return { isOver: one !== document.body && one !== null, words: null };
	window.reached.add(one);
	const { width, height } = one.getBoundingClientRect();
	const isSeen = (hasOutline(one) || hasOutline(one.parentElement)) && width > 1 && height > 1;

	return { isOver: false, words: isSeen ? null : `${one.tagName} ${one.id} ${one.className}` };
}

test("who wants less motion sees nothing move, in any view", async () => {
	const page = await openAt(box, {});

	await page.emulateMedia({ reducedMotion: "reduce" });
	for (const place of await placesOf(page)) {
		await goTo(page, place);
		const moving = await page.evaluate(() => document.getAnimations()
			.filter(({ playState, effect }) => playState === "running" && effect.getComputedTiming().duration > 1)
			.map(({ animationName, effect }) => `${animationName} ${effect.target.className}`));
		assert.deepEqual(moving, [], place[1]);
	}
	await page.context().close();
});

test("colours that a person forces are kept to, and nothing is lost by it", async () => {
	const page = await openAt(box, {});

	await page.emulateMedia({ forcedColors: "active" });
	for (const place of await placesOf(page)) {
		await goTo(page, place);
		assert.ok(await page.isVisible("#views a[aria-current]"), place[1]);
		const outline = await page.$eval("#views a[aria-current]", (one) => getComputedStyle(one).outlineStyle);
		assert.notEqual(outline, "none", "what is chosen shows without colours");
	}
	await page.context().close();
});

test("the button for the older of many runs is as high as its words", async () => {
	await box.emit(...Array.from({ length: 101 }, (_, i) => ({ type: "text_delta", source: "many", correlationId: `many-${i}`,
		payload: { agentId: "ada", content: "word" } })));
	const page = await openAt(box, { view: "runs" });

	await goTo(page, ["runs", "runs"]);
	await page.waitForSelector(".runs-all:not([hidden])");
	const [height, words] = await page.$eval(".runs-all", (one) => [one.clientHeight, one.scrollHeight]);
	assert.ok(height >= words && height > 20, `${height} pixels for ${words}`);
	await page.context().close();
});

test("a signal that is opened while an agent asks leaves room for the log, or covers it", async () => {
	const page = await openAt(box, {});
	const [, place] = (await placesOf(page)).filter(([view]) => view === "log");

	await goTo(page, place);
	await page.waitForSelector("#detail:not([hidden])");
	const [width, isCovered] = await page.$eval("#log", (log) => {
		const { left, top, width: wide, height } = log.getBoundingClientRect();

		return [wide, document.elementFromPoint(left + wide / 2, top + height / 2)?.closest("#detail") !== null];
	});
	assert.ok(isCovered || width > 300, `the log has ${width} pixels`);
	await page.context().close();
});

test("in all of this no page asked elsewhere, broke its policy or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	agent.leave();
	await close();
	await box.remove();
});
