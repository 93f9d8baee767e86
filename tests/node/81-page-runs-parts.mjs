/* What the page says of runs, without a browser. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { deserving } = await part("runs/model.ts");

test("what is shown unasked asks, or spoke last, and stays until it has ended", async () => {
	const runs = ["c", "b", "a"].map((id) => ({ id, finished: false }));
	const asks = (...who) => (id) => who.includes(id);

	assert.equal(deserving([], asks(), null), null);
	assert.equal(deserving(runs, asks(), null), "c");
	assert.equal(deserving(runs, asks("a"), null), "a");
	assert.equal(deserving(runs, asks("a"), "b"), "b", "it stays");
	assert.equal(deserving(runs, asks("a"), "gone"), "a");
	const ended = runs.map((one) => ({ ...one, finished: one.id !== "a" }));
	assert.equal(deserving(ended, asks("b"), "b"), "c", "nobody answers a run that has ended");
	assert.equal(deserving(ended, asks("a"), "c"), "a");
});

await run();
