/* Web Push: the box against a push service of our own, which decrypts what it gets as a browser would, and
 * endpoints that are none. */
// long
// busy: 10

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Box, eventually, run, test } from "./lib.mjs";

const dir = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "push-"));
const cert = join(dir, "cert.pem"), key = join(dir, "key.pem");
execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
	"-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert], { stdio: "ignore" });

/* As services do it: what is posted is kept, and answered with `status`. */
async function openService() {
	const service = { posts: [], status: 201, more: {}, hold: Promise.resolve(), connections: 0 };
	const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (asked, answer) => {
		const pieces = [];
		asked.on("data", (piece) => pieces.push(piece));
		asked.on("end", () => {
			service.posts.push({ path: asked.url, headers: asked.headers, body: Buffer.concat(pieces) });
			service.hold.then(() => answer.writeHead(service.status, service.more).end("x".repeat(100)));
		});
	});
	server.on("connection", () => { service.connections++; });
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	service.origin = `https://localhost:${server.address().port}`;
	service.close = () => server.close();
	return service;
}

/* The keys of a browser. */
function makeBrowser() {
	const ecdh = createECDH("prime256v1");

	ecdh.generateKeys();
	return { ecdh, auth: randomBytes(16) };
}

/* RFC 8291, from the other side. */
function unseal({ ecdh, auth }, body) {
	const salt = body.subarray(0, 16), size = body.readUInt32BE(16), length = body[20];
	const point = body.subarray(21, 21 + length), sealed = body.subarray(21 + length);
	const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), point]);
	const secret = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(point), auth, info, 32));
	const cek = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: aes128gcm\0", 16));
	const nonce = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: nonce\0", 12));
	const open = createDecipheriv("aes-128-gcm", cek, nonce);

	assert.ok(sealed.length <= size);
	open.setAuthTag(sealed.subarray(-16));
	const plain = Buffer.concat([open.update(sealed.subarray(0, -16)), open.final()]);
	assert.equal(plain.at(-1), 2, "it is the last record");
	return JSON.parse(plain.subarray(0, -1).toString());
}

/* RFC 8292: who sent it, and for whom. */
function checkToken(authorization, audience, wanted) {
	const [, token, k] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization);
	const [head, claims, signature] = token.split(".");
	const point = Buffer.from(k, "base64url");
	const owner = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256",
		x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") } });
	const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url"));

	assert.equal(k, wanted);
	assert.deepEqual(JSON.parse(Buffer.from(head, "base64url")), { typ: "JWT", alg: "ES256" });
	assert.ok(verify("sha256", Buffer.from(`${head}.${claims}`), { key: owner, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url")));
	assert.equal(aud, audience);
	assert.ok(exp > Date.now() / 1000 && exp <= Date.now() / 1000 + 24 * 3600, "at most a day");
	assert.match(sub, /^mailto:/);
}

class PhoneBox extends Box {
	async begin(more = {}) {
		this.env = { SIGNALBOX_PHONE_LISTEN: "127.0.0.1:0", SIGNALBOX_PHONE_PUSH: "anywhere", SSL_CERT_FILE: cert, ...more };
		await this.start();
		return this;
	}

	/* Of a new device: asks as it does. */
	async pair() {
		const url = new URL(this.cli("pair", "--print").trim());
		const ask = (method, path, body, bearer) => new Promise((done, fail) => {
			const asked = request({ host: "127.0.0.1", port: url.port, path, method, agent: false, rejectUnauthorized: false, headers: {
				Host: url.host, "Content-Type": "application/json", ...bearer ? { Authorization: `Bearer ${bearer}` } : {} } }, (answer) => {
				let text = "";
				answer.on("data", (piece) => { text += piece; });
				answer.on("end", () => done({ status: answer.statusCode, json: JSON.parse(text) }));
			});
			asked.on("error", fail);
			asked.end(body === undefined ? undefined : JSON.stringify(body));
		});
		const { json: { device, name } } = await ask("POST", "/api/session", { code: url.hash.slice(3) });

		return { name, ask: (method, path, body) => ask(method, path, body, device) };
	}

	question(session, prompt) {
		return this.emit({ type: "prompt", source: "adapter:tap", correlationId: session, payload: { type: "confirm", prompt } });
	}

	answerAll() {
		for (const { id } of JSON.parse(this.cli("prompts", "--json")))
			this.cli("answer", id, "yes");
	}
}

function subscription({ ecdh, auth }, endpoint, more = {}) {
	return { endpoint, keys: { p256dh: ecdh.getPublicKey().toString("base64url"), auth: auth.toString("base64url") }, ...more };
}

test("a session that waits is told, sealed and signed, and that it is settled takes its place", async () => {
	const service = await openService(), browser = makeBrowser();
	const box = await new PhoneBox().begin();
	const phone = await box.pair();
	const { json: { key: ours, subscribed } } = await phone.ask("GET", "/api/push");

	assert.equal(subscribed, false);
	const taken = await phone.ask("PUT", "/api/push", subscription(browser, `${service.origin}/one`));
	assert.deepEqual([taken.status, taken.json.subscribed, taken.json.words], [200, true, false]);
	await box.question("s1", "Shall I drop the secret table?");
	await eventually(() => service.posts.length === 1, "it is told");
	const [{ path, headers, body }] = service.posts;
	assert.equal(path, "/one");
	assert.equal(headers["content-encoding"], "aes128gcm");
	assert.ok(Number(headers.ttl) > 0);
	assert.match(headers.topic, /^[\w-]{1,32}$/);
	checkToken(headers.authorization, service.origin, ours);
	const note = unseal(browser, body);
	assert.match(note.title, /waits for you$/);
	assert.ok(!JSON.stringify(note).includes("secret table"), "no word of the agent");
	assert.deepEqual(Object.keys(note).sort(), ["handle", "id", "title"]);
	box.answerAll();
	await eventually(() => service.posts.length === 2, "that it is settled is told");
	const settled = unseal(browser, service.posts[1].body);
	assert.deepEqual([settled.id, settled.settled], [note.id, true]);
	assert.equal(service.posts[1].headers.topic, headers.topic);
	assert.equal(service.posts[1].headers.ttl, headers.ttl, "a service keeps it for a phone that is away");
	assert.notDeepEqual(service.posts[1].body.subarray(0, 86), body.subarray(0, 86), "each has keys of its own");
	await phone.ask("PUT", "/api/push", subscription(browser, `${service.origin}/two`, { words: true }));
	await box.question("s2", "Shall I drop the secret table?");
	await eventually(() => service.posts.length === 3, "the next is told");
	assert.match(unseal(browser, service.posts[2].body).words, /secret table/, "because it was chosen");
	service.close();
	await box.remove();
});

test("one that its service has forgotten, and one of a device that is revoked, is told no more", async () => {
	const service = await openService(), browser = makeBrowser();
	const box = await new PhoneBox().begin();
	const phone = await box.pair(), other = await box.pair();

	for (const status of [404, 410]) {
		service.status = status;
		await phone.ask("PUT", "/api/push", subscription(browser, `${service.origin}/gone`));
		await box.question(`s${status}`, "Go on?");
		await eventually(async () => !(await phone.ask("GET", "/api/push")).json.subscribed, `it is forgotten after ${status}`);
	}
	service.status = 500;
	await other.ask("PUT", "/api/push", subscription(browser, `${service.origin}/other`));
	await box.question("s500", "Go on?");
	await eventually(() => service.posts.some(({ path }) => path === "/other"), "it is tried");
	assert.equal((await other.ask("GET", "/api/push")).json.subscribed, true, "a service that fails may recover");
	assert.ok(readFileSync(join(box.data, "devices.json"), "utf8").includes("/other"));
	box.cli("devices", "revoke", other.name);
	assert.ok(!readFileSync(join(box.data, "devices.json"), "utf8").includes("/other"), "it goes with its device");
	await phone.ask("PUT", "/api/push", subscription(browser, `${service.origin}/last`));
	const before = service.posts.filter(({ path }) => path === "/other").length;
	await box.question("last", "Go on?");
	await eventually(() => service.posts.some(({ path }) => path === "/last"), "the one that is left is told");
	assert.equal(service.posts.filter(({ path }) => path === "/other").length, before);
	assert.equal((await phone.ask("DELETE", "/api/push")).json.subscribed, false);
	service.close();
	await box.remove();
});

test("a note that its service could not take is told again, and one of a matter does not overtake another", async () => {
	const service = await openService(), browser = makeBrowser();
	const box = await new PhoneBox().begin();
	const phone = await box.pair();
	const settled = () => service.posts.filter(({ body }) => unseal(browser, body).settled).length;

	await phone.ask("PUT", "/api/push", subscription(browser, `${service.origin}/one`));
	for (const status of [503, 429]) {
		service.posts.length = 0;
		Object.assign(service, { status, more: { "Retry-After": "1" } });
		await box.question(`s${status}`, "Go on?");
		await eventually(() => service.posts.length === 1, "it is tried");
		service.status = 201;
		await eventually(() => service.posts.length === 2, "it is tried again");
		const [first, second] = service.posts;
		assert.equal(unseal(browser, first.body).id, unseal(browser, second.body).id);
		assert.ok(Number(second.headers.ttl) < Number(first.headers.ttl), "it is of use no longer than before");
		box.answerAll();
		await eventually(() => settled() === 1, "it is settled");
	}
	let go;
	service.posts.length = 0;
	service.hold = new Promise((done) => { go = done; });
	await box.question("slow", "Go on?");
	await eventually(() => service.posts.length === 1, "it is under way");
	box.answerAll();
	await box.question("other", "Go on?");
	await eventually(() => service.posts.length === 2, "another matter does not wait for it");
	assert.equal(settled(), 0, "that it is settled waits until the first is there");
	service.status = 503;
	go();
	await eventually(() => settled() > 0, "it follows");
	service.status = 201;
	const { topic } = service.posts[0].headers;
	await eventually(() => service.posts.filter(({ headers }) => headers.topic === topic).length === 3, "it is tried again");
	assert.deepEqual(service.posts.filter(({ headers }) => headers.topic === topic).map(({ body }) => unseal(browser, body).settled === true),
		[false, true, true], "and the first is not: it is over");
	service.close();
	await box.remove();
});

test("what waits for a device that is revoked is not told", async () => {
	const service = await openService(), browser = makeBrowser();
	const box = await new PhoneBox().begin();
	const phone = await box.pair(), other = await box.pair();

	await phone.ask("PUT", "/api/push", subscription(browser, `${service.origin}/gone`));
	await other.ask("PUT", "/api/push", subscription(browser, `${service.origin}/stays`));
	service.status = 503;
	await box.question("s1", "Go on?");
	await eventually(() => ["/gone", "/stays"].every((path) => service.posts.some((post) => post.path === path)), "both are tried");
	box.cli("devices", "revoke", phone.name);
	const before = service.posts.filter(({ path }) => path === "/gone").length;
	service.status = 201;
	const stays = () => service.posts.filter(({ path }) => path === "/stays").length;
	const had = stays();
	await eventually(() => stays() > had, "the other is told again");
	await box.question("s2", "Go on?");
	await eventually(() => stays() > had + 1, "and of the next");
	assert.equal(service.posts.filter(({ path }) => path === "/gone").length, before);
	service.close();
	await box.remove();
});

test("an endpoint is a URL of the internet: the box speaks to nobody of this machine or network", async () => {
	const service = await openService(), browser = makeBrowser();
	const box = await new PhoneBox().begin({ SIGNALBOX_PHONE_PUSH: "public" });
	const phone = await box.pair();
	const { port } = new URL(service.origin);

	for (const endpoint of ["http://push.example/a", "https://user:pass@push.example/a", "wss://push.example/a", "file:///etc/passwd",
		"https://2130706433/", "https://0x7f.1/", "https://169.254.169.254/latest", "https://push.example/#a", "", "push.example",
		`https://push.example/${"a".repeat(2000)}`]) {
		const answer = await phone.ask("PUT", "/api/push", subscription(browser, endpoint));
		assert.equal(answer.status, 400, endpoint);
	}
	for (const body of [{}, [], { endpoint: "https://push.example/a" }, subscription(browser, "https://push.example/a", { keys: { p256dh: "AAAA", auth: "AAAA" } }),
		subscription(browser, "https://push.example/a", { keys: { p256dh: Buffer.alloc(65, 4).toString("base64url"), auth: browser.auth.toString("base64url") } })])
		assert.equal((await phone.ask("PUT", "/api/push", body)).status, 400, JSON.stringify(body));
	/* By our rule, and not because nobody is there. */
	const refusal = (host) => `a push service did not take a note: ${host} leads to an address that is not of the internet`;
	for (const [i, host] of ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "192.168.0.1", "[fd00::1]"].entries()) {
		const { status } = await phone.ask("PUT", "/api/push", subscription(browser, `https://${host}:${port}/a`));

		assert.equal(status, 200, host);
		await box.question(`s${i}`, "Go on?");
		await eventually(() => box.log().includes(refusal(host.replace(/[[\]]/g, ""))), `${host} is not spoken to`);
	}
	assert.doesNotMatch(box.log(), /cannot be reached|timed out/);
	assert.equal(service.connections, 0);
	service.close();
	await box.remove();
});

test("only a paired device subscribes, and phone.push: off ends it", async () => {
	const box = await new PhoneBox().begin();
	const token = readFileSync(join(box.data, "token"), "utf8").trim();
	const asOwner = (method) => fetch(`${box.origin}/api/push`, { method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
		...method === "PUT" ? { body: "{}" } : {} });

	for (const method of ["GET", "PUT", "DELETE"])
		assert.equal((await asOwner(method)).status, 403, method);
	assert.equal((await fetch(`${box.origin}/api/push`)).status, 403);
	await box.end("SIGTERM");
	box.env = { ...box.env, SIGNALBOX_PHONE_PUSH: "off" };
	await box.start();
	assert.equal((await asOwner("GET")).status, 409);
	await box.remove();
});

await run();
