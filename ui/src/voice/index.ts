/* Voice: push to talk. What is said becomes text while it is said, an agent answers, and the answer is spoken. */

import type { Desk, View, ViewKind } from "../desk";
import { h } from "../text/dom";
import { makeAudio, type Audio, type Microphone } from "./audio";
import { controlsOf, readEngine, type Controls, type Engine, type Mic, type Room } from "./controls";
import type { ClientEvent } from "./events";
import * as model from "./model";
import { makePanel, type Panel } from "./panel";
import { makePress, type Press } from "./press";
import { readEvent } from "./read";
import { canResample } from "./resample";
import { makeSocket, type VoiceSocket } from "./socket";
import { fromBase64, levelOf, toBase64 } from "./sound";
import { makeTurns, type Turns } from "./turns";
import * as words from "./words";

/* What a shell without a microphone sends in the place of sound. */
const PLACEHOLDER = "placeholder";
const FALL = 0.85;           /* of the level, from one piece of sound to the next */

export const kind: ViewKind = {
	name: "voice", title: "Voice", icon: "voice",
	keys: [["Space", "talk, as long as it is held"], ["Enter", "on the button: begin to talk, and end it"],
		["Esc", "cancel"], ["/", "type instead"]],
	open: openVoice,
};

/* All that the functions below share. */
interface Booth {
	desk: Desk;
	voice: model.Voice;
	engine: Engine | null;
	socket: VoiceSocket;
	audio: Audio;
	microphone: Microphone | null;
	mic: Mic;
	loudness: number;
	hold: number;                /* counts up: what an older hold opened is closed again */
	isShown: boolean;
	panel: Panel;
	turns: Turns;
	press: Press;
	frame: number;
}

function openVoice(root: HTMLElement, desk: Desk): View {
	const booth = furnish(root, desk);
	const { panel, press } = booth;

	desk.link.on("state", () => look(booth));
	desk.link.on("hello", () => look(booth));
	return {
		show() {
			booth.isShown = true;
			look(booth);
			draw(booth);
		},
		/* What one does not see does not listen. */
		hide() {
			booth.isShown = false;
			breakOff(booth, words.LEFT);
		},
		key(event) {
			if (event.key === " ")
				press.space(event);
			else if (event.key === "Escape")
				cancel(booth);
			else if (event.key === "/")
				panel.focus();
			else
				return false;
			return true;
		},
	};
}

function furnish(root: HTMLElement, desk: Desk): Booth {
	const scroller = h("div", { class: "voice-thread", tabindex: "0", role: "region", "aria-label": "What was said" });
	const panel = makePanel({
		connect: () => connect(booth),
		disconnect: () => booth.socket.disconnect(),
		cancel: () => cancel(booth),
		trigger() {
			panel.fault("");
			act(booth, model.trigger(booth.voice));
		},
		type(text) {
			panel.fault("");
			act(booth, model.type(booth.voice, text));
		},
	});
	const booth: Booth = {
		desk, panel, voice: model.makeVoice(), engine: null, turns: makeTurns(scroller, desk),
		microphone: null, mic: "off", loudness: 0, hold: 0, isShown: false, frame: 0,
		audio: makeAudio(() => drawSoon(booth), () => fault(booth, words.TOO_FULL)),
		socket: makeSocket(desk.link, {
			connecting() {
				booth.voice.connection = "connecting";
				drawSoon(booth);
			},
			connected() {
				act(booth, model.connected(booth.voice));
				void askEngine(booth);
			},
			lost(connection, why) {
				stopMic(booth);
				model.lost(booth.voice, connection, why);
				drawSoon(booth);
			},
			heard: (text) => hear(booth, text),
		}),
		press: makePress(panel.button, {
			press: () => begin(booth),
			release: () => end(booth),
			abort: () => breakOff(booth, words.LEFT),
		}),
	};

	root.append(h("div", { class: "voice" }, panel.head, scroller, panel.foot));
	return booth;
}

function roomOf({ desk: { link }, engine, mic, audio }: Booth): Room {
	return {
		mayTalk: link.scopes.has("control"), isServed: link.state.name === "live" || link.state.name === "catching-up",
		engine, mic, isPlaying: audio.isPlaying,
	};
}

/* Nobody talks before it is known who hears it. */
async function askEngine(booth: Booth): Promise<void> {
	booth.engine = null;
	try {
		booth.engine = readEngine(await booth.desk.link.request("GET", "/api/voice"));
	} catch (why) {
		booth.panel.fault(words.wordsOfNoEngine(why));
	}
	drawSoon(booth);
}

function controls(booth: Booth): Controls {
	return controlsOf(booth.voice, roomOf(booth));
}

/* The first time by itself, as soon as it can be. */
function look(booth: Booth): void {
	if (booth.isShown && booth.voice.connection === "not connected")
		connect(booth);
	drawSoon(booth);
}

function connect(booth: Booth): void {
	if (controls(booth).canConnect)
		booth.socket.connect();
}

/* Words of ours. Those that go no further for a slow network end what was being said. */
function act(booth: Booth, events: readonly ClientEvent[]): void {
	if (!booth.socket.send(events))
		breakOff(booth, words.TOO_SLOW);
	drawSoon(booth);
}

function fault(booth: Booth, said: string): void {
	booth.panel.fault(said);
	drawSoon(booth);
}

/* ---- talking ---- */

/* With a mock there is nothing to hear. Else what is under way is interrupted, and its sound stops at once. */
function begin(booth: Booth): void {
	const { voice, audio } = booth;
	const { canTalk, isMock } = controls(booth);

	if (!canTalk)
		return booth.press.forget();
	booth.panel.fault("");
	audio.clear();
	if (isMock)
		return act(booth, model.append(voice, PLACEHOLDER));
	if (model.openTurn(voice) !== null)
		act(booth, model.cancel(voice));
	void openMic(booth);
}

async function openMic(booth: Booth): Promise<void> {
	const mine = ++booth.hold;

	booth.mic = "opening";
	drawSoon(booth);
	try {
		const microphone = await booth.audio.listen((pcm) => {
			if (mine === booth.hold)
				takeSound(booth, pcm);
		}, () => breakOff(booth, words.GONE));

		if (mine !== booth.hold)
			return microphone.drop();
		booth.microphone = microphone;
		booth.mic = "on";
	} catch (why) {
		if (mine !== booth.hold)
			return;
		stopMic(booth);
		fault(booth, words.wordsOfMicrophone(why));
	}
	drawSoon(booth);
}

function takeSound(booth: Booth, pcm: Int16Array): void {
	booth.loudness = Math.max(levelOf(pcm), booth.loudness * FALL);
	booth.panel.level(booth.loudness);
	act(booth, model.append(booth.voice, toBase64(pcm)));
}

/* The last sound is heard before it is said that this was all. */
async function end(booth: Booth): Promise<void> {
	const { microphone, mic, voice, hold } = booth;

	if (mic === "opening") {
		stopMic(booth);
		fault(booth, words.TOO_SHORT);
	}
	if (mic === "on") {
		booth.mic = "ending";
		drawSoon(booth);
		await microphone?.end();
		if (hold !== booth.hold)
			return;
		stopMic(booth);
	}
	act(booth, model.commit(voice));
}

function stopMic(booth: Booth): void {
	booth.hold++;
	booth.microphone?.drop();
	booth.microphone = null;
	booth.mic = "off";
	booth.loudness = 0;
	booth.panel.level(0);
	booth.press.forget();
}

function breakOff(booth: Booth, why: string): void {
	const { voice, mic } = booth;

	if (mic === "off" && !voice.isTalking)
		return;
	stopMic(booth);
	if (voice.isTalking)
		booth.socket.send(model.cancel(voice));
	fault(booth, why);
}

function cancel(booth: Booth): void {
	if (!controls(booth).canCancel)
		return;
	stopMic(booth);
	booth.audio.clear();
	act(booth, model.cancel(booth.voice));
}

/* ---- hearing ---- */

function hear(booth: Booth, text: unknown): void {
	const { voice, audio } = booth;
	const wasTalking = voice.isTalking;
	const before = voice.fault;
	const { send, effect } = model.hear(voice, readEvent(text));

	if (effect === "clear")
		audio.clear();
	else if (effect !== null)
		play(booth, effect);
	/* The box has ended the turn. */
	if (wasTalking && !voice.isTalking)
		stopMic(booth);
	if (voice.fault !== before)
		booth.panel.fault(voice.fault === null ? "" : words.wordsOfFault(voice.fault));
	act(booth, send);
}

function play(booth: Booth, { sound, rate, channels }: { sound: string; rate: number; channels: number }): void {
	const pcm = canResample(rate) ? fromBase64(sound, channels) : null;

	if (pcm === null)
		booth.panel.fault(words.NOT_PLAYABLE);
	else if (pcm.length > 0)
		booth.audio.play(pcm, rate);
}

/* ---- drawing ---- */

function drawSoon(booth: Booth): void {
	if (!booth.isShown || booth.frame !== 0)
		return;
	booth.frame = window.setTimeout(() => {
		booth.frame = 0;
		draw(booth);
	});
}

function draw(booth: Booth): void {
	const { panel, turns, voice } = booth;

	panel.draw(voice, roomOf(booth), controls(booth));
	turns.draw(voice);
}
