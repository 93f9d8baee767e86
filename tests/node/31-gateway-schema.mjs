/* Parameters of the gateway dialect mean to ajv, an independent validator, what they mean to us:
 * of every method one that has all its members, and that with small changes. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import { run, test } from "./lib.mjs";

const BUILD = process.env.TEST_BUILD || new URL("../../build", import.meta.url).pathname;
const SCHEMA = JSON.parse(readFileSync(new URL("../../schema/gateway.json", import.meta.url), "utf8"));
const OURS = Object.keys(SCHEMA.methods).filter((method) => SCHEMA.methods[method].params);
const SPELLED = {
	"^[a-f0-9]{64}$": "0123456789abcdef".repeat(4),
	"^[a-z0-9][a-z0-9-]{0,63}$": "a-9",
};

const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false });
ajv.addVocabulary(["methods"]);
ajv.addSchema(SCHEMA);
const validators = Object.fromEntries(OURS.map((method) => {
	const { params } = SCHEMA.methods[method];

	return [method, ajv.compile(params.$ref ? { $ref: SCHEMA.$id + params.$ref } : params)];
}));

/* What our check says of each pair of a method and parameters: "ok", or why not. */
function ourVerdicts(pairs) {
	const input = pairs.map((pair) => JSON.stringify(pair) + "\n").join("");
	const options = { input, encoding: "utf8", maxBuffer: 1 << 28 };

	return execFileSync(`${BUILD}/tests/gateway_verdicts`, options).trimEnd().split("\n");
}

function assertAgreement(pairs) {
	const verdicts = ourVerdicts(pairs);

	assert.equal(verdicts.length, pairs.length);
	for (const [i, [method, params]] of pairs.entries()) {
		const theirs = validators[method](params);
		const words = `${method} ${JSON.stringify(params)}\nours: ${verdicts[i]}\n`
			+ `ajv: ${JSON.stringify(validators[method].errors)}`;

		assert.equal(verdicts[i] === "ok", theirs, words);
	}
}

function sampleObject(schema) {
	const sample = {};

	for (const [name, inner] of Object.entries(schema.properties ?? {}))
		sample[name] = sampleOf(inner);
	for (const inner of Object.values(schema.patternProperties ?? {}))
		sample.any = sampleOf(inner);
	return sample;
}

function sampleText({ minLength = 0, pattern }) {
	return SPELLED[pattern] ?? "x".repeat(minLength);
}

/* A value that keeps the schema, with every member that there can be. */
function sampleOf(schema) {
	if (schema.$ref)
		return sampleOf(SCHEMA.$defs[schema.$ref.split("/").at(-1)]);
	if (schema.anyOf)
		return sampleOf(schema.anyOf[0]);
	if ("const" in schema)
		return schema.const;
	if (schema.enum)
		return schema.enum[0];
	switch (schema.type) {
	case "object": return sampleObject(schema);
	case "array": return [sampleOf(schema.items)];
	case "string": return sampleText(schema);
	case "boolean": return true;
	case "null": return null;
	case undefined: return { any: 1 };
	default: return schema.minimum ?? 0;
	}
}

/* What two members together are refused for is no fault of one of them. */
function wholeSample(method) {
	const sample = sampleOf(SCHEMA.methods[method].params);

	if (method === "models.list")
		Object.assign(sample, { refresh: false, authProfileId: undefined });
	return JSON.parse(JSON.stringify(sample));
}

const REPLACEMENTS = [
	null, true, false, 0, -1, 1, 1.5, 1001, 1e21, "", "auto", "x".repeat(513), "ä".repeat(512), "..",
	[], ["a", "a"], [""], [1], {}, { any: 1 }, { any: true },
];

/* The same document with one thing in it, at any depth, left out or replaced. */
function* changed(value) {
	yield* REPLACEMENTS;
	if (value === null || typeof value !== "object")
		return;
	for (const key of Object.keys(value)) {
		const { [key]: inner, ...rest } = value;

		if (!Array.isArray(value))
			yield rest;
		for (const other of changed(inner))
			yield Array.isArray(value) ? [other] : { ...value, [key]: other };
	}
	yield Array.isArray(value) ? Array(101).fill(value[0]) : { ...value, surplus: 1 };
}

test("each method of ours takes all its parameters", async () => {
	const pairs = OURS.map((method) => [method, wholeSample(method)]);

	assert.equal(OURS.length, 40);
	assert.deepEqual(ourVerdicts(pairs), pairs.map(() => "ok"));
	assertAgreement(pairs);
});

test("thousands of parameters with one fault each are judged alike", async () => {
	const pairs = OURS.flatMap((method) =>
		[...changed(wholeSample(method))].map((params) => [method, params]))
		.filter(([method, params]) => params !== null || method === "connect");

	assert.ok(pairs.length > 5000);
	assertAgreement(pairs);
});

test("words and forms that exclude each other are judged alike", async () => {
	assertAgreement([
		["models.list", { preparedOnly: true, refresh: true }],
		["models.list", { sessionKey: "a", authProfileId: "b" }],
		["models.list", { sessionKey: "a" }],
		["question.resolve", { id: "a", cancel: true }],
		["question.resolve", { id: "a", cancel: true, answers: { answers: {} } }],
		["question.resolve", { id: "a", answers: { answers: { A: 7 } } }],
		["question.resolve", { id: "a", answers: { answers: { a: 7 } } }],
		["sessions.patch", { key: "k", label: null, attention: "key", fastMode: "auto" }],
		["sessions.patch", { key: "k", attention: "none" }],
	]);
});

await run();
