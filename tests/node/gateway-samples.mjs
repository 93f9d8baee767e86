/* Parameters for the methods of the gateway dialect, good ones and changed ones, and what our check
 * says of them. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const BUILD = process.env.TEST_BUILD || new URL("../../build", import.meta.url).pathname;
export const SCHEMA = JSON.parse(readFileSync(new URL("../../schema/gateway.json", import.meta.url), "utf8"));
export const OURS = Object.keys(SCHEMA.methods).filter((method) => SCHEMA.methods[method].params);
const SPELLED = {
	"^[a-f0-9]{64}$": "0123456789abcdef".repeat(4),
	"^[a-z0-9][a-z0-9-]{0,63}$": "a-9",
};

/* What our check says of each pair of a method and parameters: "ok", or why not. */
export function ourVerdicts(pairs) {
	const input = pairs.map((pair) => JSON.stringify(pair) + "\n").join("");
	const options = { input, encoding: "utf8", maxBuffer: 1 << 28 };

	return execFileSync(`${BUILD}/tests/gateway_verdicts`, options).trimEnd().split("\n");
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
export function wholeSample(method) {
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

/* Thousands of pairs, each with one change. No parameters at all are good where {} is. */
export function changedPairs(methods = OURS) {
	return methods.flatMap((method) => [...changed(wholeSample(method))].map((params) => [method, params]))
		.filter(([method, params]) => params !== null || method === "connect");
}
