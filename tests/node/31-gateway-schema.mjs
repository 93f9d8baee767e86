/* Parameters of the gateway dialect mean to ajv, an independent validator, what they mean to us:
 * of every method one that has all its members, and that with small changes. */

import assert from "node:assert/strict";
import Ajv from "ajv";
import { OURS, SCHEMA, changedPairs, ourVerdicts, wholeSample } from "./gateway-samples.mjs";
import { run, test } from "./lib.mjs";

const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false });
ajv.addVocabulary(["methods"]);
ajv.addSchema(SCHEMA);
const validators = Object.fromEntries(OURS.map((method) => {
	const { params } = SCHEMA.methods[method];

	return [method, ajv.compile({ ...params, $defs: SCHEMA.$defs })];
}));

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

test("each method of ours takes all its parameters", async () => {
	const pairs = OURS.map((method) => [method, wholeSample(method)]);

	assert.equal(OURS.length, 43);
	assert.deepEqual(ourVerdicts(pairs), pairs.map(() => "ok"));
	assertAgreement(pairs);
});

test("thousands of parameters with one fault each are judged alike", async () => {
	const pairs = changedPairs();

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
