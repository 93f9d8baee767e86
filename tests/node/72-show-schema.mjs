/* The schema of shows means to ajv, an independent validator, what it means to us:
 * a show with one of everything, and thousands made from it by one change each. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import { run, test } from "./lib.mjs";

const BUILD = process.env.TEST_BUILD || new URL("../../build", import.meta.url).pathname;
const SCHEMA = new URL("../../schema/show.schema.json", import.meta.url);
const SMALL = new URL("../fixtures/show/small.json", import.meta.url);

const readJson = (url) => JSON.parse(readFileSync(url, "utf8"));
const ajv = new Ajv({ strict: true, strictRequired: false, allowMatchingProperties: true });
const validate = ajv.compile(readJson(SCHEMA));

/* What our check says of each show: "ok", or why not. */
function ourVerdicts(shows) {
	const input = shows.map((show) => JSON.stringify(show) + "\n").join("");
	const output = execFileSync(`${BUILD}/tests/show_verdicts`, {
		input, encoding: "utf8", maxBuffer: 1 << 26,
	});

	return output.trimEnd().split("\n");
}

/* The pointer that ajv names, or one of those below or above it. */
function agreesWhere(words) {
	const pointer = words.slice(0, words.indexOf(": "));

	return validate.errors.some(({ instancePath }) =>
		pointer.startsWith(instancePath) || instancePath.startsWith(pointer));
}

function assertAgreement(shows) {
	const verdicts = ourVerdicts(shows);

	assert.equal(verdicts.length, shows.length);
	for (const [i, show] of shows.entries()) {
		const theirs = validate(show);
		const words = `ours: ${verdicts[i]}\najv: ${JSON.stringify(validate.errors)}\n`
			+ JSON.stringify(show);

		assert.equal(verdicts[i] === "ok", theirs, words);
		assert.ok(theirs || agreesWhere(verdicts[i]), words);
	}
}

/* The same document with one thing in it, at any depth, left out or replaced. */
function* changed(value) {
	for (const other of [null, true, -1, 1.5, 1e9, "", "#fff", "x".repeat(300), [], [1, 2], {}])
		yield other;
	if (value === null || typeof value !== "object")
		return;
	for (const key of Object.keys(value)) {
		if (Array.isArray(value)) {
			for (const other of changed(value[key]))
				yield value.with(key, other);
			continue;
		}
		const { [key]: inner, ...rest } = value;

		yield rest;
		for (const other of changed(inner))
			yield { ...value, [key]: other };
	}
	if (!Array.isArray(value))
		yield { ...value, surplus: 1 };
}

test("a show with one of everything is good", async () => {
	assert.ok(validate(readJson(SMALL)), JSON.stringify(validate.errors));
	assertAgreement([readJson(SMALL)]);
});

test("every member that the schema knows is in that show", async () => {
	const text = readFileSync(SMALL, "utf8");
	const { $defs, properties } = readJson(SCHEMA);
	const objects = [{ properties }, ...Object.values($defs)];
	const names = objects.flatMap((one) => Object.keys(one.properties ?? {}));
	const missing = names.filter((name) => !text.includes(`"${name}"`));

	assert.deepEqual(missing, []);
});

test("thousands of shows with one change each are judged alike", async () => {
	const shows = [...changed(readJson(SMALL))];

	assert.ok(shows.length > 4000, `${shows.length}`);
	for (let i = 0; i < shows.length; i += 500)
		assertAgreement(shows.slice(i, i + 500));
});

await run();
