// long
// busy: 55
/* Texts that want to be more than text, in every place where an agent's text can stand, through
 * every view: nothing of them is run, made or hidden, and the page stays of use. And every view
 * while the server is killed. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent } from "./agent.mjs";
import { Box, SLOW, eventually, run, test } from "./lib.mjs";
import { close, faults, stateIs } from "./browser.mjs";
import { api, goTo, openAt, placesOf } from "./qualities.mjs";

const MB_LINE = "m".repeat(900000);
const TEXTS = {
	script: "<script>window.ran=1</script>",
	image: "<img src=x onerror='window.ran=1;alert(1)'>",
	svg: "<svg onload=\"window.ran=1\"><use href='data:image/svg+xml;base64,PHN2Zz4='/></svg>",
	frame: "<iframe srcdoc='<script>parent.ran=1</script>'></iframe><base href='//127.0.0.1:9/'>",
	link: "[click](javascript:window.ran=1) <a href='javascript:window.ran=1'>here</a>",
	script_url: "javascript:window.ran=1",
	data_url: "data:text/html,<script>parent.ran=1</script>",
	style: "</style><style>*{display:none!important}</style>",
	bidi: "safe\u202Egnp.exe\u2066hidden\u2069\u061c",
	invisible: "a\u200Bb\u2060c\uFEFFd\u{E0041}\u00AD",
	ansi: "\u001b[31mred\u001b[0m\u0007\u001b]0;title\u0007\u009b2J",
	entities: "&lt;b&gt;bold&lt;/b&gt;&amp;&#60;img&#62;&nbsp;",
	surrogates: "x\ud800y\udc00z",
	proto: "__proto__",
	constructor_: "constructor",
	lines: "one\r\ntwo\u2028three\u2029four\u0000five\tsix",
	template: "${window.ran=1}{{window.ran=1}}<%= 1 %>",
	combining: "Z\u0351\u036b\u0343".repeat(60),
};
/* Those that hide, reorder or steer; ends of lines and tabs are what they are in a text. */
const DECEIVING = "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f"
	+ "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]";
/* What the page itself never makes, but for its own sign at the top. */
const MADE = "script, img:not(#top h1 img), iframe, frame, object, embed, base, meta, link, style, form[action], "
	+ "[formaction], video, audio, foreignObject";

const box = await new Box().start();
const agents = [];

/* What names a signal has no U+0000: the box refuses that. */
const nameOf = (text) => text.replaceAll("\u0000", "");

/* One text in every member that a signal of any kind has. */
function signalsWith(text) {
	const about = { source: nameOf(text), correlationId: nameOf(text), metadata: { label: text, _meta: { html: text } } };

	return [
		["session.facts", { agentId: text, cwd: `/w/${text}`, title: text, branch: text, model: text, mode: text, harness: text,
			version: text, host: text, user: text, waitingFor: text }],
		["agent.plan", { agentId: text, whole: true, items: [{ id: text, text, status: text }, { text, status: "in_progress" }] }],
		["agent.change", { agentId: text, path: text, kind: text, added: 1, removed: 2, callId: text }],
		["agent.limits", { harness: text, account: text, plan: text, windows: [{ name: text, used: 5 }] }],
		["task_dispatch", { taskId: text, from: text, to: text, description: text }],
		["agent_state_change", { agentId: text, from: text, to: text, reason: text }],
		["thinking", { agentId: text, content: text }],
		["text_delta", { agentId: text, content: text }],
		["tool_call", { toolName: text, agentId: text, callId: text, input: { [text]: text, command: text, file_path: text } }],
		["tool_result", { toolName: text, agentId: text, callId: text, success: false, output: { [text]: [text] } }],
		["token_usage", { agentId: text, promptTokens: 1, completionTokens: 2, model: text, cost: 1 }],
		["error", { agentId: text, message: text, severity: "error", code: text }],
		["completion", { taskId: text, agentId: text, success: true, result: text }],
		[nameOf(text), { [text]: text, label: text, title: text, url: text, href: text }],
	].map(([type, payload]) => ({ ...about, type, payload }));
}

function promptsWith(text) {
	const options = [{ label: text, value: text }, text, { label: text, value: 2, description: text }];

	return [
		{ type: "text", prompt: text, default: text },
		{ type: "select", prompt: text, options, default: text },
		{ type: "multi", prompt: text, options },
		{ type: "confirm", prompt: text },
	].map((payload) => ({ type: "prompt", source: "asker", correlationId: text, payload: { ...payload, invokeid: text } }));
}

async function emitAll() {
	for (const text of Object.values(TEXTS))
		await box.emit(...signalsWith(text));
	for (const text of [TEXTS.script, TEXTS.bidi, TEXTS.proto])
		await box.emit(...promptsWith(text));
	await box.emit(
		{ type: "text_delta", source: "long", correlationId: "long", payload: { agentId: "a", content: MB_LINE } },
		{ type: "tool_call", source: "long", correlationId: "long",
			payload: { agentId: "a", toolName: "write", callId: "1", input: { content: MB_LINE } } },
		{ type: "tool_result", source: "long", correlationId: "long",
			payload: { agentId: "a", toolName: "write", callId: "1", success: true, output: { value: MB_LINE } } },
		{ type: "x", op: "gap", from: 1, to: 99999, why: TEXTS.image, source: "bad", timestamp: 1e300, payload: {} });
	await Promise.all(Object.values(TEXTS).slice(0, 3).map((name, i) => api(box, "POST", "/api/sources",
		{ id: `bad-${i}`, name, url: `http://127.0.0.1:9/${encodeURIComponent(name)}`, protocol: "openai", model: name,
			connect: false })));
	const agent = await Agent.join(box, TEXTS.image);
	agents.push(agent);
	agent.event("runner/started", { "session-id": TEXTS.image, "chart-id": TEXTS.svg });
	agent.phase([TEXTS.image, TEXTS.bidi], { breadcrumb: [TEXTS.script, TEXTS.svg], siblings: Object.values(TEXTS).slice(0, 20) });
	agent.event("llm/start", { invokeid: TEXTS.script, "session-id": TEXTS.bidi, model: TEXTS.svg });
	agent.say(TEXTS.image, TEXTS.script, { "session-id": TEXTS.bidi });
	agent.send({ kind: "debug", paused: true, "step-budget": 3, mode: TEXTS.image });
}

/* What must never be on the page. */
function badIn(page) {
	return page.evaluate(([deceiving, made]) => {
		const pattern = new RegExp(deceiving, "u");
		const found = [];
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);

		if (window.ran !== undefined)
			found.push("something was run");
		for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
			if (node instanceof Text) {
				if (pattern.test(node.data))
					found.push(`text in ${node.parentElement.className}: ${JSON.stringify(node.data.slice(0, 60))}`);
				continue;
			}
			if (node.matches(made))
				found.push(`an element: ${node.outerHTML.slice(0, 80)}`);
			for (const { name, value } of node.attributes)
				if (/^on/i.test(name) || /^(javascript|data):/i.test(value) && /^(href|src|action|xlink:href)$/i.test(name)
					|| name !== "data-id" && !name.startsWith("data-") && pattern.test(value))
					found.push(`${node.tagName} ${name}=${JSON.stringify(value.slice(0, 60))}`);
		}
		return found.slice(0, 10);
	}, [DECEIVING, MADE]);
}

async function isOfUse(page) {
	/* A machine that is too busy is late now and then, a page that is stuck always. */
	await eventually(async () => {
		const begun = Date.now();

		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
		return Date.now() - begun < 3000 * SLOW;
	}, "the page draws two pictures in time");
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "it scrolls sideways");
}

let page;

test("hostile texts come while the page is looked at, in whatever view", async () => {
	page = await openAt(box, { view: "stage" });
	await emitAll();
	for (const place of await placesOf(page)) {
		await goTo(page, place);
		assert.deepEqual(await badIn(page), [], place[1]);
		await isOfUse(page);
	}
});

test("each is read whole in the log: its rows, its envelope, its episode", async () => {
	const { signals } = await api(box, "GET", "/api/signals?limit=400");
	const some = signals.filter((_, i) => i % 9 === 0);

	await goTo(page, ["log", "log"]);
	for (const { seq } of [...some, ...signals.slice(-5)]) {
		await goTo(page, ["log", `log/${seq}`]);
		assert.deepEqual(await badIn(page), [], `log/${seq}`);
		for (const tab of await page.$$("#view-log [role=tab]"))
			if (await tab.isVisible())
				await tab.click();
		assert.deepEqual(await badIn(page), [], `the episode of ${seq}`);
	}
	await isOfUse(page);
});

test("each is shown as a run, with its people, its states and its transcript", async () => {
	/* What no address can name may not be found, and that is told. */
	for (const id of [TEXTS.lines, TEXTS.surrogates]) {
		await goTo(page, ["runs", `runs/${encodeURIComponent(id.toWellFormed())}`]);
		await page.waitForSelector('.runs-pane:not([hidden]), .runs-choose:has-text("cannot be shown")');
		assert.deepEqual(await badIn(page), [], JSON.stringify(id));
	}
	for (const id of [...Object.values(TEXTS).filter((text) => text !== TEXTS.surrogates && text !== TEXTS.lines), "long"]) {
		await goTo(page, ["runs", `runs/${encodeURIComponent(id)}`]);
		await page.waitForSelector(".runs-pane:not([hidden])");
		for (const name of ["talk", "chart", "events"]) {
			await page.click(`#runs-tab-${name}`);
			assert.deepEqual(await badIn(page), [], `${name} of ${JSON.stringify(id)}`);
		}
		await page.click("#runs-tab-talk");
		for (const summary of (await page.$$(".runs-scroll summary")).slice(0, 4))
			await summary.click();
		assert.deepEqual(await badIn(page), [], JSON.stringify(id));
	}
	await goTo(page, ["runs", `runs/${encodeURIComponent(TEXTS.image)}`]);
	await eventually(async () => (await page.textContent(".runs-whole-id")) === TEXTS.image, "markup is shown as text");
	await isOfUse(page);
});

test("each is a session: a row of the crew, a page with plan and files, a part of the numbers", async () => {
	const { members } = await api(box, "GET", "/api/crew?limit=200");
	const named = members.filter(({ title }) => Object.values(TEXTS).includes(title));

	assert.ok(named.length >= Object.keys(TEXTS).length - 3, `${named.length} sessions`);
	await goTo(page, ["crew", "crew"]);
	assert.deepEqual(await badIn(page), [], "the crew");
	for (const { handle, title } of named) {
		await goTo(page, ["crew", `crew/${encodeURIComponent(handle)}`]);
		await page.waitForSelector(".session:not([hidden])");
		assert.deepEqual(await badIn(page), [], JSON.stringify(title));
	}
	await goTo(page, ["numbers", "numbers"]);
	await page.waitForSelector(".numbers-limits tr");
	assert.deepEqual(await badIn(page), [], "the numbers");
	await isOfUse(page);
});

test("each can be asked about: prompts and their options are text", async () => {
	await goTo(page, ["ask", "ask"]);
	await eventually(async () => (await page.$$("#prompts .prompt-card")).length >= 12, "all cards are there");
	for (const summary of await page.$$("#prompts summary"))
		if (await summary.isVisible())
			await summary.click();
	assert.deepEqual(await badIn(page), []);
	const words = await page.textContent("#prompts");
	assert.ok(words.includes(TEXTS.script), "markup is shown as text");
	assert.ok(words.includes("safe\\u202egnp.exe\\u2066hidden"), "what reorders is shown as what it is");
	await isOfUse(page);
});

test("names on the stage are text, and so is what is said of who is clicked", async () => {
	const show = await api(box, "GET", "/api/show");
	Object.values(show.entities).forEach((entity, i) => { entity.label = Object.values(TEXTS)[i % 8]; });
	const put = await api(box, "PUT", "/api/show", { ...show, name: TEXTS.image, description: TEXTS.svg });
	assert.equal(put.ok, true, JSON.stringify(put));
	await box.emit(...signalsWith(TEXTS.image));

	await goTo(page, ["stage", "stage"]);
	const { x, y, width, height } = await (await page.$("#view-stage")).boundingBox();
	for (const [dx, dy] of [[0.5, 0.5], [0.3, 0.6], [0.7, 0.4]]) {
		await page.mouse.click(x + width * dx, y + height * dy);
		await page.mouse.click(x + width * dx, y + height * dy, { button: "right" });
		await page.keyboard.press("Escape");
		assert.deepEqual(await badIn(page), []);
	}
	await isOfUse(page);
	await page.context().close();
});

test("whatever view is open when the server is killed goes on by itself, with no hole and nothing twice", async () => {
	const calm = await new Box().start();
	const seqs = [];
	const other = await openAt(calm, { view: "stage" });
	let count = 0;
	const emit = () => calm.emit(...Array.from({ length: 20 }, () => ({
		type: "text_delta", source: "counter", correlationId: "run", payload: { agentId: "a", content: `n${++count} ` } })));
	other.on("websocket", (socket) => socket.url().includes("/ws/voice") || socket.on("framereceived", ({ payload }) => {
		const { seq, type } = JSON.parse(payload);
		if (type !== undefined)
			seqs.push(seq);
	}));
	await other.reload();
	await stateIs(other, "live");
	await emit();
	for (const place of await placesOf(other)) {
		await goTo(other, place);
		await calm.end("SIGKILL");
		await stateIs(other, "lost");
		await calm.start();
		await emit();
		await stateIs(other, "live");
		assert.ok(await other.isVisible(`#view-${place[0]}`), "it is still the same view");
	}
	const { signals } = await api(calm, "GET", "/api/signals?limit=1");
	await eventually(() => seqs.at(-1) === signals[0].seq, "the last has come");
	assert.deepEqual(seqs, seqs.map((_, i) => seqs[0] + i));
	await goTo(other, ["runs", "runs/run"]);
	await eventually(async () => (await other.textContent(".runs-scroll .talk-list")).includes(`n${count} `));
	assert.deepEqual((await other.textContent(".runs-scroll .talk-list")).match(/n\d+ /g),
		Array.from({ length: count }, (_, i) => `n${i + 1} `));
	await other.context().close();
	await calm.remove();
});

test("what could not be read while the server was away is read when it is back", async () => {
	const calm = await new Box().start();
	const other = await openAt(calm, { view: "log" });
	const numbers = Array.from({ length: 20 }, (_, i) => `n${i + 1} `);

	await calm.emit(...numbers.map((content) => ({
		type: "text_delta", source: "counter", correlationId: "run", payload: { agentId: "a", content } })));
	const { signals: [{ seq }] } = await api(calm, "GET", "/api/signals?limit=1");
	for (const [place, tab, list] of [
		["ask/run/run", null, "#view-ask .talk-list"], ["runs/run", null, "#view-runs .talk-list"],
		[`log/${seq}`, "#log-tab-conversation", "#view-log .talk-list"], [`log/${seq}`, "#log-tab-episode", "#view-log .ep-items"],
	]) {
		await other.goto(`${calm.origin}/#/stage`);
		await other.reload();
		await stateIs(other, "live");
		await other.route((url) => url.pathname === "/api/signals" && url.searchParams.has("correlationId"), (route) => route.abort());
		await goTo(other, [place.split("/")[0], place]);
		if (tab !== null)
			await other.click(tab);
		await other.waitForSelector(":text-matches('could not be read|cannot be read') >> visible=true");
		await calm.end("SIGKILL");
		await stateIs(other, "lost");
		await other.unrouteAll();
		await calm.start();
		await stateIs(other, "live");
		await eventually(async () => {
			const words = await other.textContent(list).catch(() => "");
			return JSON.stringify(words.match(/n\d+ /g)) === JSON.stringify(numbers) || tab === "#log-tab-episode" && words.includes("n1 n2 n3");
		}, `${place} ${tab}: all of it, once`);
	}
	await other.context().close();
	await calm.remove();
});

test("in all of this nothing asked elsewhere, broke the policy, opened a dialog or failed", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	agents.forEach((agent) => agent.leave());
	await close();
	await box.remove();
});
