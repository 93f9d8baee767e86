// last
/* schema/openapi.yaml holds every route, with its scope, and every answer that a box gave to any
 * test of this run is one that the document allows: by ajv, an independent validator.  An object
 * of the document that lists its members has no others in an answer, unless it says so; clients
 * should pass over what they do not know all the same. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { Box, run, test } from "./lib.mjs";

const SOURCES = new URL("../../src/", import.meta.url);
const source = (name) => readFileSync(new URL(name, SOURCES), "utf8");
const METHODS = ["get", "put", "post", "patch", "delete"];
const SHOWN = 20;

const box = await new Box().start("--echo");
const document = await (await fetch(`${box.origin}/api/openapi.json`)).json();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
	METHODS.filter((method) => item[method]).map((method) => ({ path, method: method.toUpperCase(), ...item[method] })));

/* ---- the routes ---- */

const SCOPES = { SCOPE_OBSERVE: "observe", SCOPE_EMIT: "emit", SCOPE_ANSWER: "answer", SCOPE_CONTROL: "control", SCOPE_ADMIN: "admin" };
const unnamed = (path) => path.replace(/\{\w+\}/g, "*");

function routesOfProgram() {
	const rows = source("web/routes.c").matchAll(/\{"([A-Z]+)", "([^"]+)",\s*(\w+),/g);

	return [...rows].map(([, method, path, scope]) => ({ method, path, scope: SCOPES[scope] }));
}

function pathsOfDialects() {
	return ["hub", "native", "escapement", "gateway", "voice"].flatMap((room) =>
		readdirSync(new URL(`${room}/`, SOURCES)).filter((name) => name.endsWith(".c")).flatMap((name) =>
			[...source(`${room}/${name}`).matchAll(/\.(?:path|alias) = "([^"]+)"/g)].map((found) => found[1])));
}

test("the document has every route of the program with its scope, every dialect, and nothing else", async () => {
	const routes = routesOfProgram();
	const dialects = pathsOfDialects();
	const wanted = [...routes.map(({ method, path }) => `${method} ${path}`), ...dialects.map((path) => `GET ${path}`)].sort();

	assert.ok(routes.length > 40 && dialects.length >= 6, wanted);
	assert.deepEqual(operations.map(({ method, path }) => `${method} ${unnamed(path)}`).sort(), wanted);
	for (const { method, path, scope } of routes) {
		const described = operations.find((o) => o.method === method && unnamed(o.path) === path);
		assert.equal(described["x-scope"], scope, `${method} ${path}`);
	}
	assert.equal(new Set(operations.map((o) => o.operationId)).size, operations.length);
});

/* ---- the answers ---- */

const ajv = new Ajv({ strict: false });

/* Closes the objects that list their members. */
function close(node) {
	if (Array.isArray(node))
		return node.map(close);
	if (node === null || typeof node !== "object")
		return node;
	const closed = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, close(value)]));
	if (closed.type === "object" && closed.properties !== undefined && closed.additionalProperties === undefined)
		closed.additionalProperties = false;
	return closed;
}
ajv.addSchema({ $id: "http://box/", components: close(document.components) });

const resolve = (node) => node?.$ref === undefined ? node
	: node.$ref.slice(2).split("/").reduce((at, key) => at[key], document);
const absolute = (node) => JSON.parse(JSON.stringify(close(node)).replaceAll("\"#/", "\"http://box/#/"));

const judges = new Map();
function judgeOf(key, schema) {
	if (!judges.has(key))
		judges.set(key, ajv.compile(absolute(schema)));
	return judges.get(key);
}

/* The operation of a path; one without a star wins. */
function operationOf(method, path) {
	const parts = path.split("/");
	const fits = operations.filter((o) => o.method === method && o.path.split("/").length === parts.length &&
		o.path.split("/").every((part, i) => part.startsWith("{") ? parts[i] !== "" : part === parts[i]));
	return fits.sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
}

const isOfDocument = (path) => operations.some((o) => operationOf(o.method, path) !== undefined);

function complaint({ method, path, status, type, body }) {
	const plain = path.split("?")[0];
	const operation = operationOf(method === "HEAD" ? "GET" : method, plain);
	const described = resolve(operation?.responses[status] ?? operation?.responses.default ??
		document.components.responses.Refused);

	if (operation === undefined && status < 400)
		return method === "OPTIONS" || !isOfDocument(plain) ? null : "there is no such operation";
	if (operation?.responses[status] === undefined && status < 400)
		return "there is no such answer";
	if (described.content === undefined)
		return null;
	const media = described.content[(type ?? "").split(";")[0]];
	if (media === undefined)
		return `it is ${type}`;
	if (type !== "application/json" || body === undefined || method === "HEAD")
		return null;
	const judge = judgeOf(`${operation?.operationId} ${status}`, media.schema);
	return judge(JSON.parse(body)) ? null : ajv.errorsText(judge.errors);
}

test("every answer that any test got is one that the document allows", async () => {
	const folder = process.env.TEST_ANSWERS;
	const seen = folder ? readdirSync(folder).flatMap((name) =>
		readFileSync(join(folder, name), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))) : [];
	const wrong = new Map();

	for (const answer of seen) {
		const words = complaint(answer);
		if (words !== null)
			wrong.set(`${answer.method} ${answer.path.split("?")[0]} ${answer.status}: ${words}`, answer);
	}
	console.log(`# ${seen.length} answers of ${new Set(seen.map((a) => a.test)).size} tests`);
	assert.equal(wrong.size, 0, [...wrong].slice(0, SHOWN).map(([words, answer]) =>
		`${words}\n  in ${answer.test}: ${answer.body?.slice(0, 300)}`).join("\n"));
	assert.ok(seen.length > 0, "not even this test's own");
});

test("an answer that the document does not allow is found out", async () => {
	assert.equal(document.openapi, "3.1.0");
	const good = { method: "GET", path: "/healthz", status: 200, type: "application/json", body: "{\"ok\":true}" };

	assert.equal(complaint(good), null);
	assert.match(complaint({ ...good, body: "{\"ok\":true,\"more\":1}" }), /additional/);
	assert.match(complaint({ ...good, body: "{\"ok\":false}" }), /constant/);
	assert.match(complaint({ ...good, status: 202 }), /no such answer/);
	assert.match(complaint({ ...good, type: "text/html" }), /text\/html/);
	assert.match(complaint({ ...good, method: "PUT" }), /no such operation/);
	assert.match(complaint({ ...good, status: 404, body: "{\"ok\":false,\"error\":\"x\"}" }), /code/);
	assert.equal(complaint({ ...good, path: "/nowhere", status: 404,
		body: "{\"ok\":false,\"code\":\"unknown\",\"error\":\"x\"}" }), null);
});

await run(() => box.remove());
