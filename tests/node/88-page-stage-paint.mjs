// long
// busy: 20
/* The painter of the stage by itself, handed frames that a test made: what is where, what can be
 * told apart, and what is never asked for. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually, run, test } from "./lib.mjs";
import { close, faults, open } from "./browser.mjs";

const UI = fileURLToPath(new URL("../../ui/", import.meta.url));
const { build } = createRequire(join(UI, "package.json"))("esbuild");
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:";
const WIDTH = 480, HEIGHT = 320;

/* ---- a page that has a painter and nothing else ---- */

const { outputFiles } = await build({
	stdin: { contents: "import { makePainter } from './stage/paint/index'; globalThis.makePainter = makePainter;", resolveDir: join(UI, "src"), loader: "ts" },
	bundle: true, format: "esm", splitting: true, minify: true, write: false, outdir: "/", entryNames: "painter", logLevel: "warning",
});
const files = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
const asked = [];
const server = createServer((request, response) => {
	response.setHeader("Content-Security-Policy", CSP);
	asked.push(request.url);
	if (request.url === "/") {
		response.setHeader("Content-Type", "text/html");
		response.end("<!doctype html><link rel=stylesheet href=/style.css><link rel=icon href=data:,><div id=host></div><script type=module src=/painter.js></script>");
	} else if (request.url === "/style.css") {
		response.setHeader("Content-Type", "text/css");
		response.end(`body { margin: 0 } #host { width: ${WIDTH}px; height: ${HEIGHT}px }`);
	} else if (files.has(request.url)) {
		response.setHeader("Content-Type", "text/javascript");
		response.end(files.get(request.url));
	} else {
		response.statusCode = 404;
		response.end();
	}
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const page = await open(`http://127.0.0.1:${server.address().port}/`, { width: WIDTH, height: HEIGHT });

await page.waitForFunction(() => globalThis.makePainter);
await page.evaluate(helpers, [WIDTH, HEIGHT]);

/* What the page is given besides: frames from a few words, and pixels. */
async function helpers([width, height]) {
	const painter = globalThis.painter = globalThis.makePainter();
	const host = globalThis.host = document.getElementById("host");
	const contexts = globalThis.contexts = [];
	const copy = document.createElement("canvas");
	const ink = copy.getContext("2d", { willReadFrequently: true });
	const document_ = { entities: {}, scene: { dimensions: { width, height }, layers: [], entities: [] } };

	await painter.mount(host);
	painter.resize(width, height);
	painter.calm(true);
	painter.onContext((isThere) => contexts.push(isThere));
	Object.assign(copy, { width, height });
	globalThis.actorOf = (actor) => ({
		id: "a", bubble: {}, layer: 0, semanticId: "a", label: "", state: "idle", stateSince: 0, x: 240, y: 160, scaleX: 1,
		scaleY: 1, rotation: 0, opacity: 1, tint: null, z: 0, flipH: false, flipV: false, visible: true, visibleSince: 0,
		speed: 1, moving: null, speech: null, ...actor,
		look: { displayWidth: 60, displayHeight: 60, fallbackColor: "#ff0000", ...actor.look },
	});
	globalThis.frameOf = (actors, t = 1e6) => ({
		t, width, height, background: "#1a1a2e", lights: {}, document: document_, entities: actors, effects: [],
	});
	/* Several times: the first frames may be skipped on a machine that is slow. */
	globalThis.paint = (frame, times = 12) => {
		for (let i = 0; i < times; i++)
			painter.paint(frame, { x: 0, y: 0, zoom: 1 }, { selected: null, hovered: null, focused: false });
		ink.drawImage(host.querySelector("canvas"), 0, 0, width, height);
		return ink.getImageData(0, 0, width, height).data;
	};
	globalThis.colourAt = (pixels, x, y) => [...pixels.slice((y * width + x) * 4, (y * width + x) * 4 + 3)];
}

const isRed = ([r, g, b]) => r > 150 && g < 110 && b < 110;

/* ---- what is seen ---- */

test("an entity is where the frame says, and is found there", async () => {
	const seen = await page.evaluate(() => [[100, 80], [350, 220]].map(([x, y]) => {
		const pixels = paint(frameOf([actorOf({ x, y })]));

		return { here: colourAt(pixels, x, y), there: colourAt(pixels, 450 - x, 300 - y), pick: painter.pick(x, y), miss: painter.pick(450 - x, 300 - y) };
	}));

	for (const { here, there, pick, miss } of seen) {
		assert.ok(isRed(here), `red here: ${here}`);
		assert.ok(!isRed(there), `nothing there: ${there}`);
		assert.deepEqual([pick, miss], ["a", null]);
	}
	assert.equal(await page.evaluate(() => painter.stats.renderer), "webgl");
});

test("who is further down covers who is behind, unless the document says otherwise", async () => {
	const colours = await page.evaluate(() => {
		const front = actorOf({ id: "front", y: 180 }), back = actorOf({ id: "back", y: 160, look: { fallbackColor: "#00ff00" } });
		const first = colourAt(paint(frameOf([front, back])), 240, 170);

		return [first, colourAt(paint(frameOf([front, { ...back, z: 1 }])), 240, 170)];
	});

	assert.ok(isRed(colours[0]), `${colours[0]}`);
	assert.ok(colours[1][1] > 150 && colours[1][0] < 110, `${colours[1]}`);
});

test("people who rest at one spot stand side by side, each can be found, and who is alone is at the spot", async () => {
	const found = await page.evaluate(() => {
		const look = { displayWidth: 60, displayHeight: 77, anchor: [0.5, 1], states: { idle: { type: "shape", shape: "person" } } };
		const people = ["one", "two", "three", "four", "five", "six", "seven"].map((id) => actorOf({ id, y: 200, look }));
		const sweep = () => {
			const at = {};

			for (let y = 120; y < 260; y++)
				for (let x = 0; x < 480; x++) {
					const id = painter.pick(x, y);
					if (id !== null)
						(at[id] ??= new Set()).add(x);
				}
			return Object.fromEntries(Object.entries(at).map(([id, xs]) => [id, [Math.min(...xs), Math.max(...xs)]]));
		};
		paint(frameOf(people.slice(0, 3)));
		const three = sweep();
		paint(frameOf(people));
		const seven = sweep();
		const walks = { kind: "move", dx: 50, dy: 0, progress: 0.5, toX: 450, toY: 160, height: 0 };
		paint(frameOf(people.slice(0, 2).map((one, i) => i === 0 ? { ...one, x: 400, moving: walks } : one)));
		return { three, seven, alone: sweep() };
	});
	const middle = ([from, to]) => (from + to) / 2;

	assert.deepEqual(Object.keys(found.three).sort(), ["one", "three", "two"]);
	assert.ok(middle(found.three.three) < 240 - 15 && middle(found.three.two) > 240 + 15, JSON.stringify(found.three));
	assert.equal(Object.keys(found.seven).length, 7, JSON.stringify(found.seven));
	for (const span of Object.values(found.seven))
		assert.ok(Math.abs(middle(span) - 240) < 120, `not far from it: ${span}`);
	assert.ok(Math.abs(middle(found.alone.two) - 240) < 2, `she is back at the spot: ${found.alone.two}`);
	assert.ok(Math.abs(middle(found.alone.one) - 400) < 2, `who walks is on the way: ${found.alone.one}`);
});

test("every state of a person can be told from every other, without colour and without motion", async () => {
	const states = ["idle", "walk", "thinking", "acting", "work", "waiting", "done", "error"];
	const alike = await page.evaluate((names) => {
		const glyphs = { thinking: "…", acting: "⚡", work: "⚙", waiting: "?", done: "✓", error: "!" };
		const looks = { displayWidth: 120, displayHeight: 154, anchor: [0.5, 1], fallbackColor: "#d97757", states: {} };
		for (const name of names)
			looks.states[name] = { type: "shape", shape: "person", glyph: glyphs[name] ?? "" };
		const greys = names.map((state) => {
			const pixels = paint(frameOf([actorOf({ id: `p-${state}`, y: 290, look: looks, state })]));
			const grey = [];
			for (let y = 100; y < 290; y++)
				for (let x = 150; x < 330; x++)
					grey.push(colourAt(pixels, x, y).reduce((sum, c) => sum + c, 0) / 3);
			return grey;
		});

		return names.flatMap((name, i) => names.slice(i + 1).map((other, k) => {
			const differ = greys[i].filter((grey, at) => Math.abs(grey - greys[i + 1 + k][at]) > 25).length;

			return { pair: `${name} ${other}`, share: differ / greys[i].length };
		}));
	}, states);

	for (const { pair, share } of alike)
		assert.ok(share > 0.02, `${pair}: ${share}`);
});

test("who wants no motion sees none, and others do", async () => {
	const [still, moving] = await page.evaluate(() => [true, false].map((calm) => {
		painter.calm(calm);
		const actor = actorOf({ look: { displayWidth: 120, displayHeight: 154, states: { idle: { type: "shape", shape: "person", motion: "breathe" } } }, state: "idle" });
		const one = paint(frameOf([actor], 1e6)), two = paint(frameOf([actor], 1e6 + 1300));

		painter.calm(true);
		return one.reduce((sum, value, i) => sum + (Math.abs(value - two[i]) > 12 ? 1 : 0), 0);
	}));

	assert.equal(still, 0);
	assert.ok(moving > 50, `${moving}`);
});

test("day and night are not the same, and both have their land", async () => {
	const [night, day] = await page.evaluate(() => [true, false].map((isDark) => {
		painter.theme(isDark);
		const pixels = paint(frameOf([]));

		painter.theme(true);
		return { sky: colourAt(pixels, 20, 5), ground: colourAt(pixels, 20, 300) };
	}));
	const bright = ([r, g, b]) => (r + g + b) / 3;

	assert.ok(bright(night.sky) < 100 && bright(night.ground) < 70, JSON.stringify(night));
	assert.ok(bright(day.sky) > 170 && bright(day.ground) > 170, JSON.stringify(day));
});

test("flashes, pulses, beams, sounds, lights, routes, ways and flights are each seen where they are", async () => {
	const changed = await page.evaluate(() => {
		const actors = [actorOf({ x: 100, y: 160 }), actorOf({ id: "b", x: 380, y: 160 })];
		const about = { key: "k", actor: "a", progress: 0.4 };
		const plain = frameOf(actors), before = paint(plain);
		/* How many pixels of a part of the picture are others, and by how much more of each colour. */
		const differs = (frame, [left, top, right, bottom]) => {
			const after = paint(frame), more = [0, 0, 0];
			let count = 0;

			for (let y = top; y < bottom; y++)
				for (let x = left; x < right; x++) {
					const i = (y * host.clientWidth + x) * 4;
					const by = [0, 1, 2].map((c) => after[i + c] - before[i + c]);
					count += by.some((d) => Math.abs(d) > 12) ? 1 : 0;
					by.forEach((d, c) => { more[c] += d; });
				}
			return { count, more };
		};
		const withEffect = (effect) => ({ ...plain, effects: [{ ...about, ...effect }] });
		const withScene = (scene) => ({ ...plain, document: { ...plain.document, scene: { ...plain.document.scene, ...scene } } });
		const route = { id: "r", name: "r", color: "#00ff00", points: [{ x: 200, y: 250 }, { x: 300, y: 250 }] };
		const moving = { kind: "move", dx: 120, dy: 80, progress: 0.4, toX: 220, toY: 240, height: 0 };
		const here = [40, 100, 160, 220], between = [170, 130, 310, 190], below = [190, 230, 310, 270];

		return {
			flash: differs(withEffect({ kind: "flash", color: "#00ff00", value: 1 }), here),
			pulse: differs(withEffect({ kind: "pulse", value: 1.25 }), here),
			sound: differs(withEffect({ kind: "sound", name: "bell" }), here),
			beam: differs(withEffect({ kind: "beam", color: "#00ff00", x1: 100, y1: 160, x2: 380, y2: 160, to: "b" }), between),
			light: differs({ ...plain, lights: { sources: [{ id: "l", x: 240, y: 250, color: "#00ff00", radius: 80 }] } }, below),
			route: differs(withScene({ routes: [route] }), below),
			way: differs(frameOf([{ ...actors[0], moving }, actors[1]]), [130, 180, 250, 260]),
			flight: differs(frameOf([{ ...actors[0], x: 240, y: 100, moving: { ...moving, kind: "fly", height: 120 } }, actors[1]]), [200, 60, 280, 140]),
			goal: differs(frameOf([{ ...actors[0], moving: { ...moving, toX: 240, toY: 250 } }, actors[1]]), [205, 235, 275, 265]),
			nothing: differs(plain, [0, 0, 480, 320]),
		};
	});

	for (const [name, { count, more }] of Object.entries(changed)) {
		if (name === "nothing")
			assert.equal(count, 0, "the picture is the same without");
		else
			assert.ok(count > 40, `${name}: ${count} pixels`);
		if (["flash", "beam", "light", "route"].includes(name))
			assert.ok(more[1] > more[0] && more[1] > more[2], `${name} has its colour: ${more}`);
	}
});

/* ---- what is said ---- */

/* The box around everything of this green, and how much of it there is. */
function green(page, actors) {
	return page.evaluate((words) => {
		const pixels = paint(frameOf(words.map((one) => actorOf({
			...one, bubble: { bgColor: "#00ff00", borderColor: "#00ff00", textColor: "#00ff00" },
			speech: { text: one.words, full: one.full ?? one.words, phase: "visible", opacity: 1 },
		}))));
		const box = { left: Infinity, top: Infinity, right: -1, bottom: -1, count: 0 };

		for (let i = 0; i < pixels.length; i += 4) {
			if (pixels[i] > 40 || pixels[i + 1] < 230 || pixels[i + 2] > 40)
				continue;
			const x = i / 4 % host.clientWidth, y = Math.floor(i / 4 / host.clientWidth);

			box.left = Math.min(box.left, x);
			box.right = Math.max(box.right, x);
			box.top = Math.min(box.top, y);
			box.bottom = Math.max(box.bottom, y);
			box.count++;
		}
		return box;
	}, actors);
}

test("a bubble stays inside of the stage, wherever who speaks is", async () => {
	for (const [x, y] of [[2, 2], [478, 40], [2, 318], [478, 318], [240, -30]]) {
		const box = await green(page, [{ id: `s${x}-${y}`, x, y, words: "Two of the links are broken. ".repeat(20) }]);

		assert.ok(box.count > 1500, `${x} ${y}: ${box.count}`);
		assert.ok(box.left >= 4 && box.top >= 4 && box.right < WIDTH - 4 && box.bottom < HEIGHT - 4, `${x} ${y}: ${JSON.stringify(box)}`);
	}
});

test("what is thought does not look like what is said, whatever they do meanwhile", async () => {
	const [thought, again] = await page.evaluate(() => {
		const painted = [false, true, false].map((is) => {
			const speech = { text: "Look at the route.", full: "Look at the route.", phase: "visible", opacity: 1, thought: is };

			return paint(frameOf([actorOf({ id: "m", y: 250, state: "acting", speech })]));
		});
		const differing = (which, by) => painted[0].reduce((count, one, i) => count + (Math.abs(one - painted[which][i]) > by), 0);

		return [differing(1, 12), differing(2, 0)];
	});

	assert.ok(thought > 2000, `${thought} differ`);
	assert.equal(again, 0);
});

test("two who speak side by side do not cover each other's words", async () => {
	const words = "Look at the route first.";
	const one = await green(page, [{ id: "l", x: 230, y: 250, words }]);
	const other = await green(page, [{ id: "r", x: 260, y: 250, words }]);
	const both = await green(page, [{ id: "l", x: 230, y: 250, words }, { id: "r", x: 260, y: 250, words }]);

	assert.ok(both.count > (one.count + other.count) * 0.97, `${both.count} of ${one.count} + ${other.count}`);
	assert.ok(both.bottom <= one.bottom + 1, `nobody's face is covered: ${both.bottom}, alone ${one.bottom}`);
});

test("words are typed: there are more of them the more there are", async () => {
	const dark = (words) => page.evaluate((text) => {
		const pixels = paint(frameOf([actorOf({ id: "t", y: 250, speech: { text, full: "Look at the route first.", phase: "typing", opacity: 1 } })]));
		let count = 0;

		for (let y = 100; y < 225; y++)
			for (let x = 100; x < 380; x++)
				if (colourAt(pixels, x, y).every((c) => c < 90) && colourAt(pixels, x - 3, y).some((c) => c > 90))
					count++;
		return count;
	}, words);
	const counts = [await dark("L"), await dark("Look at"), await dark("Look at the route first.")];

	assert.ok(counts[0] < counts[1] && counts[1] < counts[2], `${counts}`);
});

/* ---- what is hostile ---- */

test("labels, words and glyphs are letters, whatever they say and however long", async () => {
	const hostile = ["<img src=x onerror=alert(1)>", "\u202egnp.exe\u2066", "\x1b[31mred\x07", "a".repeat(1 << 20), "\ud800", "💥".repeat(5000), "\n".repeat(9000)];

	const inside = await page.evaluate((texts) => {
		paint(frameOf(texts.map((text, i) => actorOf({
			id: text.slice(0, 100) + i, label: text, state: text, x: 60 + i * 60, tint: text,
			look: { fallbackColor: text, states: { idle: { type: "shape", shape: text, glyph: text, color: text, motion: text } } },
			bubble: { bgColor: text, textColor: text }, speech: { text, full: text, phase: "visible", opacity: 1 },
		}))));
		return [...host.children].map((child) => child.tagName);
	}, hostile);

	assert.deepEqual(inside, ["CANVAS"]);
});

test("no picture is asked for from elsewhere, and our own are", async () => {
	const pixel = await page.evaluate(() => {
		const assets = ["https://example.com/x.png", "//example.com/y.png", "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "blob:x", "/ours.png"];

		return colourAt(paint(frameOf(assets.map((asset, i) => actorOf({ id: asset, x: 60 + i * 90, look: { states: { idle: { type: "static", asset } } } })))), 60, 160);
	});

	assert.ok(isRed(pixel), `the tile stands for it: ${pixel}`);
	await eventually(() => asked.includes("/ours.png"), "ours is asked for");
});

/* ---- what it survives ---- */

test("a context that is lost and restored is painted again", async () => {
	const seen = await page.evaluate(async () => {
		const gl = host.querySelector("canvas").getContext("webgl2") ?? host.querySelector("canvas").getContext("webgl");
		const loss = gl.getExtension("WEBGL_lose_context");
		const until = async (probe) => { while (!probe()) await new Promise((done) => setTimeout(done, 10)); };

		loss.loseContext();
		await until(() => contexts.length === 1);
		paint(frameOf([actorOf({})]));
		loss.restoreContext();
		await until(() => contexts.length === 2);
		const pixels = paint(frameOf([actorOf({})]));

		return { contexts, middle: colourAt(pixels, 240, 160), ground: colourAt(pixels, 20, 300) };
	});

	assert.deepEqual(seen.contexts, [false, true]);
	assert.ok(isRed(seen.middle), `${seen.middle}`);
	assert.ok(seen.ground.some((c) => c > 15), `${seen.ground}`);
});

test("nothing was evaluated, refused or asked for elsewhere", async () => {
	assert.deepEqual(faults, []);
});

await run(async () => {
	await close();
	server.close();
});
