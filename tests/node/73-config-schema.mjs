// long
/* `signalbox config schema` means to ajv, an independent validator, what the reader of the
 * file means by it: each document is given to both, as JSON, which is YAML too. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { SIGNALBOX, run, test } from "./lib.mjs";

const dir = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "sb"));
const schema = JSON.parse(execFileSync(SIGNALBOX, ["config", "schema"], { encoding: "utf8" }));
const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const validate = ajv.compile(schema);

/* Does the program take it? */
function isTaken(document) {
	const file = join(dir, "box.yaml");

	writeFileSync(file, JSON.stringify(document));
	const done = spawnSync(SIGNALBOX, ["check", file, "--data", join(dir, "data")],
		{ encoding: "utf8", env: { PATH: process.env.PATH, KEY: "x" } });
	assert.ok(done.status === 0 || done.status === 78, done.stderr);
	return done.status === 0;
}

const token = join(dir, "ci.token");
writeFileSync(token, "a".repeat(64), { mode: 0o600 });

const whole = {
	data: "/srv/box",
	listen: ["127.0.0.1:0", { address: "[::1]:0", dialect: "signals" }],
	log: { level: "warn" },
	validation: "strict",
	auth: {
		local: "observe, emit", hosts: ["box.example"], origins: ["https://box.example"], query: true,
		tokens: [{ name: "ci", file: token, scopes: "emit" }],
	},
	journal: { keep: "1GiB", days: 7, segment: "1MiB", commit: "0" },
	limits: { headers: "32KiB", depth: 16, ping: "1m", connections: 100 },
	discover: { interval: "0", connect: false },
	demo: { speed: 0.5 },
	sources: [{ id: "one", url: "ws://127.0.0.1:1/", credential: "${KEY}", connect: false }],
};

/* One change of a copy; a path of members and what stands there then. */
function changed(path, value) {
	const copy = structuredClone(whole);
	const at = path.slice(0, -1).reduce((inner, name) => inner[name], copy);

	at[path.at(-1)] = value;
	return copy;
}

test("the schema is one, and a whole good configuration passes", async () => {
	assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors));
	assert.ok(validate(whole), JSON.stringify(validate.errors));
	assert.ok(isTaken(whole));
	for (const small of [{}, { limits: null }, { limits: {} }, { journal: { keep: 0 } },
		{ listen: ["127.0.0.1:1"] }, { auth: { local: "none" } }, { auth: { local: "all" } }]) {
		assert.ok(validate(small), JSON.stringify([small, validate.errors]));
		assert.ok(isTaken(small), JSON.stringify(small));
	}
});

test("what is unknown, missing, of another kind or out of range fails, here and there", async () => {
	const wrong = [
		changed(["lisen"], []), changed(["limits", "deep"], 3), changed(["listen", 1, "adress"], "x"),
		changed(["listen"], []), changed(["listen"], "127.0.0.1:0"), changed(["listen", 1], {}),
		changed(["log", "level"], "loud"), changed(["validation"], "maybe"),
		changed(["auth", "local"], "fly"), changed(["auth", "local"], "observe,,emit"),
		changed(["auth", "query"], "yes"), changed(["auth", "hosts"], "box.example"),
		changed(["auth", "tokens", 0], { name: "ci", file: "x" }),
		changed(["journal", "keep"], "1GB"), changed(["journal", "keep"], 5),
		changed(["journal", "days"], -1), changed(["journal", "days"], 36501),
		changed(["journal", "days"], 1.5), changed(["journal", "commit"], "5"),
		changed(["limits", "ping"], "20"), changed(["limits", "depth"], 3),
		changed(["limits", "connections"], 1e7), changed(["demo", "speed"], 0),
		changed(["demo", "speed"], "fast"), changed(["sources", 0], { id: "one" }),
		changed(["data"], ""), changed(["limits"], [1]), [1], "text",
	];

	for (const document of wrong) {
		assert.equal(isTaken(document), false, JSON.stringify(document));
		assert.equal(validate(document), false, JSON.stringify(document));
	}
});

test("every default of the schema is one that the schema allows", async () => {
	let count = 0;
	const look = (inner, path) => {
		for (const [name, field] of Object.entries(inner.properties ?? {})) {
			if ("default" in field) {
				count++;
				assert.ok(ajv.validate({ ...field, $schema: undefined }, field.default),
					`${path}${name}: ${JSON.stringify(ajv.errors)}`);
			}
			look(field, `${path}${name}.`);
		}
	};

	look(schema, "");
	assert.ok(count > 25, String(count));
});

await run(async () => rmSync(dir, { recursive: true, force: true }));
