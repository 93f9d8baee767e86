/* The rows of the crew as a browser shows them, as one line of JSON: what 26-crew.py compares with
 * the files of a real agent. The first argument is the page's address; others are sessions that
 * must be there before it looks. */

import assert from "node:assert/strict";
import { eventually } from "../node/lib.mjs";
import { close, faults, open, stateIs } from "../node/browser.mjs";

const [url, ...wanted] = process.argv.slice(2);
const page = await open(url, { view: "crew" });

await stateIs(page, "live");
await eventually(() => page.evaluate((ids) => {
	for (const fold of document.querySelectorAll(".crew-fold[aria-expanded=false]"))
		fold.click(); /* those that are over */
	return ids.every((id) => document.querySelector(`.crew-row[data-id="${id}"]`));
}, wanted), "all sessions have a row");
const rows = await page.evaluate(() => [...document.querySelectorAll(".crew-row")].map((row) => {
	const text = (name) => row.querySelector(`.crew-${name}`)?.textContent ?? "";

	return { id: row.dataset.id, state: row.dataset.state, group: row.dataset.group, handle: text("handle"), place: text("place"),
		title: text("title"), doing: text("doing"), target: text("target"), plan: text("plan"), cost: text("cost"),
		tokens: row.querySelector(".crew-tokens").title, subagents: row.querySelectorAll(".crew-subs > li").length };
}));

await close();
assert.deepEqual(faults, []);
console.log(JSON.stringify(rows));
