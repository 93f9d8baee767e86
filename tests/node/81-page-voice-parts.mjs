/* The parts of the page's voice view that need no browser: sound, the ring before the loudspeaker, what a server may say,
 * the session as the page knows it, and what can be pressed when. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { run, test } from "./lib.mjs";
import { part } from "./ui.mjs";

const { canResample, joined, makeResampler } = await part("voice/resample.ts");
const { fromBase64, levelOf, toBase64, toFloats, toPcm } = await part("voice/sound.ts");
const { makeRing } = await part("voice/ring.ts");
const { readEvent } = await part("voice/read.ts");
const { controlsOf, readEngine } = await part("voice/controls.ts");
const model = await part("voice/model.ts");
const words = await part("voice/words.ts");

/* ---- sound ---- */

const sine = (hertz, rate, seconds, loudness = 0.5) =>
	Float32Array.from({ length: rate * seconds }, (_, i) => loudness * Math.sin(2 * Math.PI * hertz * i / rate));

function powerAt(samples, hertz, rate) {
	let re = 0, im = 0;

	samples.forEach((sample, i) => {
		re += sample * Math.cos(2 * Math.PI * hertz * i / rate);
		im += sample * Math.sin(2 * Math.PI * hertz * i / rate);
	});
	return 2 * Math.hypot(re, im) / samples.length;
}

function resampled(samples, from, to, piece) {
	const resampler = makeResampler(from, to);
	let out = new Float32Array(0);

	for (let i = 0; i < samples.length; i += piece)
		out = joined(out, resampler.push(samples.slice(i, i + piece)));
	return joined(out, resampler.end());
}

test("a tone keeps its height, its loudness and its length at every rate", async () => {
	for (const from of [8000, 16000, 22050, 24000, 44100, 48000, 96000])
		for (const to of [16000, 44100, 48000]) {
			const out = resampled(sine(440, from, 1), from, to, 128);

			assert.ok(Math.abs(out.length - to) <= 2, `${from} to ${to}: ${out.length} samples`);
			assert.ok(Math.abs(powerAt(out, 440, to) - 0.5) < 0.01, `${from} to ${to}: ${powerAt(out, 440, to)}`);
		}
});

test("what the lower rate cannot have is gone, and does not come back as another tone", async () => {
	for (const hertz of [8300, 10000, 12000, 15000, 20000]) {
		const out = resampled(sine(hertz, 48000, 1), 48000, 16000, 128);
		const loudest = Math.max(...out.slice(100, -100).map(Math.abs));

		assert.ok(loudest < 0.01, `${hertz} Hz: ${loudest}`);
	}
});

test("it does not matter in which pieces sound comes", async () => {
	const sound = sine(1000, 44100, 0.3);
	const whole = resampled(sound, 44100, 16000, sound.length);

	for (const piece of [1, 7, 128, 1000])
		assert.deepEqual(resampled(sound, 44100, 16000, piece), whole);
	assert.equal(makeResampler(16000, 16000).push(sound), sound);
	assert.ok(canResample(22050) && !canResample(7999) && !canResample(1e9) && !canResample(16000.5));
});

test("samples are written with the low byte first, and what is no sound is none", async () => {
	const pcm = toPcm(Float32Array.of(0, 1, -1, 2, 0.5));

	assert.deepEqual([...pcm], [0, 32767, -32767, 32767, 16384]);
	assert.equal(toBase64(Int16Array.of(1, -2)), Buffer.from([1, 0, 0xfe, 0xff]).toString("base64"));
	assert.deepEqual([...fromBase64(toBase64(pcm))], [...pcm]);
	assert.deepEqual([...fromBase64(toBase64(Int16Array.of(100, 300, -4, -8)), 2)], [200, -6]);
	assert.equal(fromBase64("%%%"), null);
	assert.equal(fromBase64(Buffer.from([1, 2, 3]).toString("base64")), null);
	assert.equal(fromBase64(toBase64(Int16Array.of(1, 2, 3)), 2), null);
	assert.deepEqual([...toFloats(Int16Array.of(-32768, 16384))], [-1, 0.5]);
	assert.equal(levelOf(new Int16Array(320)), 0);
	assert.ok(levelOf(toPcm(sine(440, 16000, 0.02, 1))) > 0.9);
	assert.ok(levelOf(toPcm(sine(440, 16000, 0.02, 0.001))) < 0.1);
});

/* ---- before the loudspeaker ---- */

function pulled(ring, count) {
	const all = [];

	for (let i = 0; i < count; i++) {
		const out = new Float32Array(128);

		ring.pull(out);
		all.push(...out);
	}
	return Float32Array.from(all);
}

test("what comes in pieces is played as one, also where their rates differ", async () => {
	const ring = makeRing(48000);
	const pcm = toPcm(sine(500, 16000, 0.5));

	for (let i = 0; i < pcm.length; i += 1000)
		assert.ok(ring.add(pcm.subarray(i, i + 1000), 16000));
	assert.ok(ring.add(toPcm(sine(500, 22050, 0.5)), 22050));
	const out = pulled(ring, 400);
	assert.ok(Math.abs(powerAt(out.slice(0, 24000), 500, 48000) - 0.5) < 0.01);
	assert.ok(Math.abs(powerAt(out.slice(24100, 47900), 500, 48000) - 0.5) < 0.02);
	assert.ok(Math.abs(ring.played - 48000) < 5, String(ring.played));
	assert.ok(!ring.pull(new Float32Array(128)));
});

test("it begins when a little waits, or when nothing more came for as long", async () => {
	const ring = makeRing(16000);
	const out = new Float32Array(160);

	assert.ok(!ring.pull(out));
	ring.add(new Int16Array(480).fill(1000), 16000);
	assert.ok(!ring.pull(out), "30 ms are not enough,");
	ring.add(new Int16Array(480).fill(1000), 16000);
	assert.ok(ring.pull(out), "60 are");
	const late = makeRing(16000);
	late.add(new Int16Array(160).fill(1000), 16000);
	let silent = 0;
	while (!late.pull(out))
		silent++;
	assert.ok(silent >= 4 && silent <= 6, String(silent));
	assert.ok(Math.abs(out[0] - 1000 / 32768) < 1e-6);
});

test("it is empty a few milliseconds after it was cleared, without a crack, and takes what comes next", async () => {
	const ring = makeRing(48000);

	ring.add(toPcm(sine(300, 16000, 60)), 16000);
	pulled(ring, 100);
	ring.clear();
	const out = pulled(ring, 100);
	const last = out.findLastIndex((sample) => sample !== 0);
	assert.ok(last < 48000 * 0.005, `${last / 48} ms`);
	for (let i = 1; i < 1000; i++)
		assert.ok(Math.abs(out[i] - out[i - 1]) < 0.05, `a step at ${i}`);
	assert.ok(!ring.pull(new Float32Array(128)));
	ring.add(toPcm(sine(300, 16000, 1)), 16000);
	assert.ok(powerAt(pulled(ring, 300), 300, 48000) > 0.3);
});

test("it is full after ten minutes, and room again when some was played", async () => {
	const ring = makeRing(48000);
	const minute = new Int16Array(60 * 8000);

	for (let i = 0; i < 10; i++)
		assert.ok(ring.add(minute, 8000));
	assert.ok(!ring.add(minute, 8000));
	ring.clear();
	assert.ok(ring.add(minute, 8000));
});

/* ---- what a server says ---- */

const SAMPLES = [
	["session.ready", { sessionId: "s", features: ["turns"] }],
	["session.state", { value: "idle" }],
	["transcript.partial", { text: "a" }],
	["transcript.final", { text: "a" }],
	["response.text.delta", { text: "a" }],
	["response.completed", {}],
	["error", { code: "no_speech", message: "m", retryable: true }],
	["output_audio.delta", { chunk: "AAA=", format: { encoding: "pcm16", rate: 16000, channels: 1 } }],
	["output_audio.clear", {}],
	["tool.started", { name: "t" }],
	["tool.finished", { name: "t" }],
	["speech.started", {}],
	["speech.stopped", {}],
];

test("every event of the schema is read, and nothing that lacks a member of it", async () => {
	const schema = JSON.parse(readFileSync(new URL("../../schema/voice.schema.json", import.meta.url), "utf8"));
	const known = schema.$defs.serverEvent.oneOf.map(({ properties }) => properties.type.const);

	assert.deepEqual(SAMPLES.map(([type]) => type), known);
	for (const [type, payload] of SAMPLES) {
		const event = { type, payload: { ...payload, turnId: "t", seq: 3, ts: 1.5 } };
		const required = schema.$defs.serverEvent.oneOf.find(({ properties }) => properties.type.const === type).properties.payload.required ?? [];

		assert.deepEqual(readEvent(JSON.stringify(event)), event);
		for (const name of required) {
			const { [name]: gone, ...rest } = payload;

			assert.equal(readEvent(JSON.stringify({ type, payload: rest })), null, `${type} without ${name}`);
			assert.equal(readEvent(JSON.stringify({ type, payload: { ...rest, [name]: [gone, 7] } })), null, `${type} with another ${name}`);
		}
		assert.equal(readEvent(JSON.stringify({ type })), null);
		assert.equal(readEvent(JSON.stringify({ type, payload: [] })), null);
	}
});

test("what is no message of ours is none, whatever it is", async () => {
	for (const text of ["", "{", "null", "7", "[]", '"session.ready"', '{"type":"toString","payload":{}}', '{"type":"__proto__","payload":{}}',
		'{"type":7,"payload":{}}', '{"type":"session.state","payload":{"value":"asleep"}}', new ArrayBuffer(4), undefined])
		assert.equal(readEvent(text), null, String(text));
	const { payload } = readEvent('{"type":"session.ready","payload":{"sessionId":"s","features":["turns","flying",3],"seq":-1,"turnId":7,"more":1}}');
	assert.deepEqual(payload, { sessionId: "s", features: ["turns"] });
});

/* ---- the session ---- */

/* A session that is there, and a server's words with their turn. */
function session(features = ["turns", "text", "resume"]) {
	const voice = model.makeVoice();
	let seq = 0;
	const says = (type, payload = {}, turnId = undefined) =>
		model.hear(voice, { type, payload: { ...payload, seq: ++seq, ...turnId === undefined ? {} : { turnId } } });

	assert.deepEqual(model.connected(voice), [{ type: "session.start", payload: { features: model.WANTED } }]);
	model.hear(voice, { type: "session.ready", payload: { sessionId: "s" } });
	model.hear(voice, { type: "session.state", payload: { value: "idle" } });
	assert.ok(!voice.isReady);
	says("session.ready", { sessionId: "s", features });
	says("session.state", { value: "idle" });
	return { voice, says, types: (events) => events.map(({ type }) => type) };
}

const looks = ({ turns }) => turns.map(({ heard, answer, state }) => [heard, answer, state]);

test("a turn of push to talk: partials replace each other, the final one them, the answer grows, and it is done", async () => {
	const { voice, says, types } = session();

	assert.deepEqual(types(model.append(voice, "x")), ["input_audio.append"]);
	assert.deepEqual(types(model.append(voice, "y")), ["input_audio.append"]);
	assert.ok(voice.isTalking && !model.isInFlight(voice));
	says("session.state", { value: "listening" }, "1");
	says("transcript.partial", { text: "one" }, "1");
	says("transcript.partial", { text: "two" }, "1");
	assert.deepEqual(looks(voice), [["two", "", "open"]]);
	assert.deepEqual(types(model.commit(voice)), ["input_audio.commit"]);
	assert.deepEqual(model.commit(voice), []);
	assert.ok(model.isInFlight(voice));
	says("transcript.final", { text: "three" }, "1");
	says("session.state", { value: "thinking" }, "1");
	says("tool.started", { name: "look" }, "1");
	says("session.state", { value: "speaking" }, "1");
	says("tool.finished", { name: "look" }, "1");
	says("response.text.delta", { text: "A " }, "1");
	says("response.text.delta", { text: "b." }, "1");
	says("response.completed", {}, "1");
	says("session.state", { value: "idle" });
	assert.deepEqual(looks(voice), [["three", "A b.", "done"]]);
	assert.deepEqual(voice.turns[0].tools, [{ name: "look", isDone: true }]);
	assert.ok(!model.isInFlight(voice));
});

test("what was drawn of a cancelled turn stays, and nothing is added to it, whatever comes late", async () => {
	const { voice, says, types } = session();

	model.trigger(voice);
	says("transcript.final", { text: "asked" }, "1");
	says("response.text.delta", { text: "An" }, "1");
	assert.deepEqual(types(model.cancel(voice)), ["response.cancel"]);
	says("response.text.delta", { text: " answer" }, "1");
	assert.deepEqual(says("output_audio.delta", { chunk: "AAA=", format: { rate: 16000, channels: 1 } }, "1").effect, null);
	assert.equal(says("output_audio.clear").effect, "clear");
	says("session.state", { value: "idle" });
	assert.deepEqual(looks(voice), [["asked", "An", "cancelled"]]);
	/* The next one begins before the server has heard of the cancel. */
	model.type(voice, "again");
	model.cancel(voice);
	model.append(voice, "x");
	says("transcript.final", { text: "again" }, "2");
	says("response.text.delta", { text: "late" }, "2");
	says("session.state", { value: "idle" });
	assert.deepEqual(looks(voice).slice(1), [["", "", "cancelled"], ["", "", "open"]]);
	says("transcript.partial", { text: "new" }, "3");
	assert.deepEqual(looks(voice)[2], ["new", "", "open"]);
	assert.ok(voice.isTalking);
});

test("the server may end a turn: cancelled elsewhere, or failed with words, and the session goes on", async () => {
	const { voice, says, types } = session();

	model.append(voice, "x");
	says("session.state", { value: "listening" }, "1");
	/* Sound on its way begins another turn there, which ends here: nobody says any more that this was all. */
	assert.deepEqual(types(says("session.state", { value: "idle" }).send), ["response.cancel"]);
	assert.deepEqual(types(says("session.state", { value: "idle" }).send), []);
	assert.deepEqual(looks(voice), [["", "", "cancelled"]]);
	assert.ok(!voice.isTalking);
	model.append(voice, "x");
	says("error", { code: "too_long", message: "at most two minutes", retryable: false }, "2");
	says("session.state", { value: "idle" });
	assert.equal(voice.turns[1].state, "failed");
	assert.equal(voice.turns[1].fault, "at most two minutes");
	assert.equal(voice.fault.code, "too_long");
	model.type(voice, "again");
	assert.equal(voice.fault, null);
});

test("a refusal ends the turn that was not begun, and no other", async () => {
	const { voice, says } = session();

	model.trigger(voice);
	says("transcript.final", { text: "first" }, "1");
	says("error", { code: "mocked_turn_in_flight", message: "One.", retryable: true }, "1");
	assert.deepEqual(looks(voice), [["first", "", "open"]]);
	says("session.state", { value: "idle" });
	model.trigger(voice);
	says("error", { code: "unsupported_mocked_turn_trigger", message: "Off." });
	assert.deepEqual(looks(voice)[1], ["", "", "failed"]);
	model.type(voice, "next");
	says("transcript.final", { text: "next" }, "2");
	assert.deepEqual(looks(voice)[2], ["next", "", "open"]);
});

test("what is not understood is a fault and no end; and a stray idle ends no turn that was just begun", async () => {
	const { voice, says } = session();

	model.hear(voice, null);
	assert.equal(voice.fault.code, "not_understood");
	model.append(voice, "x");
	says("session.state", { value: "idle" });
	assert.deepEqual(looks(voice), [["", "", "open"]]);
});

test("a connection that was lost is taken up again where it stopped, and what was being said is cancelled", async () => {
	const { voice, says } = session();

	model.type(voice, "question");
	says("transcript.final", { text: "question" }, "1");
	model.lost(voice, "disconnected", "gone");
	assert.deepEqual(looks(voice), [["question", "", "open"]]);
	assert.deepEqual(model.connected(voice), [{ type: "session.resume", payload: { sessionId: "s", seq: 3 } }]);
	/* Of the session that nobody wants: */
	model.hear(voice, { type: "session.ready", payload: { sessionId: "other" } });
	model.hear(voice, { type: "session.state", payload: { value: "idle" } });
	assert.deepEqual(looks(voice), [["question", "", "open"]]);
	says("response.text.delta", { text: "Answer." }, "1");
	says("response.completed", {}, "1");
	says("session.state", { value: "idle" });
	assert.deepEqual(says("session.ready", { sessionId: "s", features: ["turns", "resume"] }).send, []);
	assert.deepEqual(looks(voice), [["question", "Answer.", "done"]]);
	/* The microphone was open. */
	model.append(voice, "x");
	says("session.state", { value: "listening" }, "2");
	model.lost(voice, "disconnected", "gone");
	assert.ok(!voice.isTalking);
	model.connected(voice);
	assert.deepEqual(says("session.ready", { sessionId: "s", features: ["turns", "resume"] }).send, [{ type: "response.cancel", payload: {} }]);
});

test("where there is nothing to resume a new session begins, and the open turn has failed", async () => {
	const { voice, says } = session();

	model.type(voice, "question");
	says("transcript.final", { text: "question" }, "1");
	model.lost(voice, "disconnected", "gone");
	model.connected(voice);
	const { send } = model.hear(voice, { type: "error", payload: { code: "expired", message: "gone" } });
	assert.equal(send[0].type, "session.start");
	model.hear(voice, { type: "session.ready", payload: { sessionId: "t", features: ["turns"], seq: 1 } });
	assert.deepEqual(looks(voice), [["question", "", "failed"]]);
	assert.ok(voice.isReady && voice.fault === null);
	/* Without `resume` nobody tries. */
	model.lost(voice, "disconnected", "gone");
	assert.equal(model.connected(voice)[0].type, "session.start");
});

test("a turn that nobody here began is shown, too; and no more than 200 are kept", async () => {
	const { voice, says } = session();

	for (let i = 1; i <= 250; i++) {
		says("transcript.final", { text: `turn ${i}` }, String(i));
		says("response.completed", {}, String(i));
		says("session.state", { value: "idle" });
	}
	assert.equal(voice.turns.length, 200);
	assert.deepEqual(looks(voice).at(-1), ["turn 250", "", "done"]);
});

/* ---- what can be pressed ---- */

const MOCK = readEngine({ engine: "mock", hosted: false, hear: { kind: "mock" }, think: { kind: "none" }, say: { kind: "none" } });
const REAL = readEngine({ engine: "custom", hosted: true, hear: { kind: "wyoming", place: "tcp://ear.example:1", hosted: true },
	think: { kind: "none", why: "nobody is asked" }, say: { kind: "wyoming", place: "tcp://127.0.0.1:2", hosted: false } });
const ROOM = { mayTalk: true, isServed: true, mic: "off", isPlaying: false };
const can = (voice, more = {}) => {
	const { canTalk, canTrigger, canCancel, canType } = controlsOf(voice, { ...ROOM, engine: voice.features?.includes("audio") ? REAL : voice.features && MOCK, ...more });

	return [canTalk, canTrigger, canCancel, canType].map(Number).join("");
};

test("with the mock one turn runs at a time: talk, trigger, cancel, type", async () => {
	const { voice, says } = session();
	const none = model.makeVoice();

	assert.equal(can(none), "0000");
	none.connection = "connecting";
	assert.equal(can(none), "0000");
	none.connection = "connected";
	assert.equal(can(none), "0000", "before session.ready");
	assert.equal(can(voice), "1101");
	model.append(voice, "x");
	assert.equal(can(voice), "1010", "while it is held");
	model.commit(voice);
	assert.equal(can(voice), "0010", "in flight");
	says("transcript.final", { text: "x" }, "1");
	model.cancel(voice);
	assert.equal(can(voice), "1101");
	model.lost(voice, "disconnected", "gone");
	assert.equal(can(voice), "0000");
	assert.equal(controlsOf(voice, { ...ROOM, engine: null }).why, "gone");
	assert.match(controlsOf(voice, { ...ROOM, mayTalk: false, engine: null }).why, /may observe/);
});

test("with an engine that hears, who talks interrupts; and while it is spoken, it can be cancelled", async () => {
	const { voice } = session(["turns", "audio", "text", "tools", "vad"]);

	assert.equal(can(voice), "1001");
	model.type(voice, "x");
	assert.equal(can(voice), "1010");
	assert.equal(controlsOf(voice, { ...ROOM, engine: REAL }).talk, "Hold to interrupt");
	model.cancel(voice);
	assert.equal(can(voice, { isPlaying: true }), "1011");
	assert.equal(can(voice, { mic: "opening" }), "1010");
	assert.equal(can(voice, { mic: "ending" }), "0001");
	assert.equal(can(voice, { engine: null }), "0000");
});

test("who hears is told before anybody talks: what is elsewhere is named, what is missing is said", async () => {
	assert.equal(readEngine({ ok: true }), null);
	assert.equal(readEngine(null), null);
	assert.ok(MOCK.isMock && MOCK.hosted.length === 0 && MOCK.lacks === "");
	assert.deepEqual([REAL.isMock, REAL.hosted, REAL.lacks], [false, ["tcp://ear.example:1"], "nobody is asked"]);
	assert.equal(readEngine({ engine: "custom", think: { source: "claude" } }).name, "custom, claude answers");
	const { voice } = session();
	assert.equal(controlsOf(voice, { ...ROOM, engine: REAL }).why, "nobody is asked");
});

test("what browsers throw, and what goes wrong, is said in words", async () => {
	for (const [name, said] of [["NotAllowedError", /does not let/], ["NotFoundError", /no microphone/], ["NotReadableError", /another program/],
		["InsecureContext", /https/], ["Strange", /could not be opened: why/]])
		assert.match(words.wordsOfMicrophone(new DOMException("why", name)), said);
	assert.equal(words.wordsOfFault({ code: "engine_unavailable", message: "nobody at tcp://x", retryable: true }),
		"The speech engine is not available: nobody at tcp://x. You can try again.");
	assert.match(words.wordsOfFault({ code: "else", message: "\u202ehi", retryable: false }), /^Something went wrong: (?!\u202e)/);
});

await run();
