/* The schema means to ajv, an independent validator, what it means to us: every
 * case is judged by both, and so are cases made from them by small changes. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import { Skip, run, test } from "./lib.mjs";

const BUILD = process.env.TEST_BUILD || new URL("../../build", import.meta.url).pathname;
const SCHEMA = new URL("../../schema/signal.schema.json", import.meta.url);
const OURS = new URL("../fixtures/schema-cases.json", import.meta.url);
const SHARED = new URL("../../../shared/vectors/schema.json", import.meta.url);

const readJson = (url) => JSON.parse(readFileSync(url, "utf8"));
const validate = new Ajv({ strict: true, allErrors: false }).compile(readJson(SCHEMA));

/* What our check says of each signal: "ok", or why not. */
function ourVerdicts(signals) {
	const input = signals.map((signal) => JSON.stringify(signal) + "\n").join("");
	const output = execFileSync(`${BUILD}/tests/schema_verdicts`, { input, encoding: "utf8" });

	return output.trimEnd().split("\n");
}

function assertAgreement(signals) {
	const verdicts = ourVerdicts(signals);

	assert.equal(verdicts.length, signals.length);
	for (const [i, signal] of signals.entries()) {
		const theirs = validate(signal);
		const words = `${JSON.stringify(signal)}\nours: ${verdicts[i]}\n`
			+ `ajv: ${JSON.stringify(validate.errors)}`;

		assert.equal(verdicts[i] === "ok", theirs, words);
	}
}

function assertCases(cases) {
	for (const { name, signal, valid } of cases)
		assert.equal(validate(signal), valid, name);
	assertAgreement(cases.map(({ signal }) => signal));
}

/* The same document with one thing in it, at any depth, left out or replaced. */
function* changed(value) {
	for (const replacement of [null, true, 0, -1, 1.5, 1e21, "", "idle", [], {}, { x: 1, y: 2 }])
		yield replacement;
	if (value === null || typeof value !== "object")
		return;
	for (const key of Object.keys(value)) {
		const { [key]: inner, ...rest } = value;

		yield rest;
		for (const other of changed(inner))
			yield Array.isArray(value) ? [other] : { ...value, [key]: other };
	}
	if (!Array.isArray(value))
		yield { ...value, surplus: 1 };
}

test("the schema is one that a strict validator takes", async () => {
	assert.equal(readJson(SCHEMA).$id, "https://signalbox.dev/schema/signal.json");
	assert.equal(readJson(SCHEMA).allOf.length, 14);
});

test("our own cases are judged alike", async () => {
	const cases = readJson(OURS);

	assert.ok(cases.length >= 60);
	assertCases(cases);
});

test("the shared cases are judged alike", async () => {
	if (!existsSync(SHARED))
		throw new Skip("../shared is not there");
	assertCases(readJson(SHARED));
});

test("thousands of signals with one fault each are judged alike", async () => {
	const whole = readJson(OURS).filter(({ valid }) => valid);
	const signals = whole.flatMap(({ signal }) => [...changed(signal)]);

	assert.ok(signals.length > 2000);
	assertAgreement(signals);
});

await run();
