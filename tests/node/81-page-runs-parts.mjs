/* What the page says of runs, without a browser. */

import assert from "node:assert/strict";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { amountsOf, amountWords, deserving, rateWords } = await part("runs/model.ts");
const { lineOf } = await part("ask/thread.ts");

const NOTHING = { tokens: 0, pieces: 0, tps: 0, pps: 0 };

test("tokens are those that were told, and pieces are called pieces", async () => {
	const words = (some) => [amountWords({ ...NOTHING, ...some }), rateWords({ ...NOTHING, ...some })];

	assert.deepEqual(words({}), ["", ""]);
	assert.deepEqual(words({ pieces: 1 }), ["1 piece", ""]);
	assert.deepEqual(words({ pieces: 30, pps: 10 }), ["30 pieces", "10.0 pieces/s"]);
	assert.deepEqual(words({ tokens: 340, pps: 4 }), ["340 tok", "4.0 pieces/s"]);
	assert.deepEqual(words({ tokens: 340, tps: 200, pieces: 8, pps: 4 }), ["340 tok, 8 pieces", "200 tok/s, 4.0 pieces/s"]);
	assert.deepEqual(words({ pieces: 30, pps: 3000 }), ["30 pieces", ""], "a moment is no measure");
	assert.deepEqual(words({ tps: 41.2 }), ["", "41.2 tok/s"], "the model says it");
});

test("of several the speeds of those are added that are at work", async () => {
	const one = { status: "streaming", chunks: 3, tokens: 0, tps: 0, pps: 2 };
	const all = [one, { ...one, tokens: 20, tps: 5, pps: 0 }, { ...one, status: "done", tokens: 7 }];

	assert.deepEqual(amountsOf(all), { tokens: 27, pieces: 3, tps: 5, pps: 2 });
});

test("the line below an answer calls a rate of pieces so", async () => {
	const stats = { state: "done", firstAt: 0, lastAt: 3000, firstWordAt: 1000, lastWordAt: 3000, pieces: 11, turnTokens: 0, cost: 0 };

	assert.equal(lineOf(stats, 0), "3.0 s · 5.0 pieces/s · 11 pieces");
	assert.equal(lineOf({ ...stats, turnTokens: 40 }, 0), "3.0 s · 20.0 tok/s · 40 tokens");
});

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
