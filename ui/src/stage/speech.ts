/* What an entity says: typed letter by letter, kept, faded. Everything follows from what was
 * said and when, as on the server, so nothing has to be ticked. */

import type { Speech } from "./frame";

const CHARS = 200;          /* the first ones are kept, unless the entity says */
const RETENTION = 5000;     /* likewise, in milliseconds */
const RATE = 0.03;          /* letters a millisecond */
const RATE_MAX = 1e6;       /* at once */
const GAP = 3000;           /* a pause like this begins a new message */
const IDLE = 1500;
const FADE = 400;

export interface Voice {
	letters: string[];
	full: string;
	charsMax: number;
	retention: number;
	rate: number;
	shown: number;          /* letters that were there at `mark` */
	mark: number;
	last: number;           /* when something was said */
	isThought: boolean;     /* rather than said */
	/* What is told of it; the same object again and again. */
	told: Speech;
	toldCount: number;      /* letters of `told.text` */
}

/* As a snapshot has it. */
export interface SpeechSeen extends Omit<Speech, "thought" | "cut"> {
	thought?: boolean;
	typed?: number;
	since?: number;
	rate?: number;
	last?: number;
}

export function makeVoice(charsMax: number = CHARS, retention: number = RETENTION): Voice {
	return {
		letters: [], full: "", charsMax, retention, rate: RATE, shown: 0, mark: 0, last: 0, isThought: false,
		told: { text: "", full: "", phase: "typing", opacity: 1, thought: false, cut: false }, toldCount: -1,
	};
}

function shownAt(voice: Voice, now: number): number {
	const passed = now > voice.mark ? now - voice.mark : 0;

	return Math.min(voice.letters.length, voice.shown + passed * voice.rate);
}

function add(voice: Voice, words: string, now: number): void {
	for (const letter of words) {
		if (voice.letters.length >= voice.charsMax)
			break;
		voice.letters.push(letter);
	}
	voice.full = voice.letters.join("");
	voice.toldCount = -1;
	voice.last = now;
}

/* Something new, typed in this time (0: at the usual rate); what was said is forgotten. */
export function say(voice: Voice, words: string, duration: number, now: number): void {
	voice.letters = [];
	voice.shown = 0;
	voice.mark = now;
	voice.isThought = false;
	add(voice, words, now);
	voice.rate = RATE;
	if (duration > 0 && voice.letters.length)
		voice.rate = Math.min(voice.letters.length / duration, RATE_MAX);
}

/* More of the same, or something new: after a pause, and where thinking ends or begins. */
export function goOn(voice: Voice, words: string, isThought: boolean, now: number): void {
	if (voice.letters.length === 0 || voice.isThought !== isThought || now - voice.last > GAP) {
		say(voice, words, 0, now);
		voice.isThought = isThought;
		return;
	}
	voice.shown = shownAt(voice, now);
	voice.mark = now;
	add(voice, words, now);
}

export function hush(voice: Voice): void {
	voice.letters = [];
	voice.full = "";
	voice.toldCount = -1;
}

/* As somebody who came late finds it, at this time. */
export function overhear(voice: Voice, seen: SpeechSeen, now: number): void {
	say(voice, seen.full, 0, now);
	voice.shown = seen.typed ?? 0;
	voice.mark = seen.since ?? now;
	voice.rate = seen.rate && seen.rate > 0 ? seen.rate : RATE;
	voice.last = seen.last ?? now;
	voice.isThought = seen.thought === true;
}

/* When all is typed and it was quiet for a while. */
function visibleFrom(voice: Voice): number {
	return Math.max(voice.last + IDLE, voice.mark + (voice.letters.length - voice.shown) / voice.rate);
}

/* What is heard of it at this time; null: nothing. `atOnce`: for who does not want letters to
 * run. */
export function heard(voice: Voice, now: number, atOnce = false): Speech | null {
	if (voice.letters.length === 0)
		return null;
	const from = visibleFrom(voice);
	const fading = now - from - voice.retention;
	const { told } = voice;

	if (fading >= FADE)
		return null;
	const count = atOnce ? voice.letters.length : Math.floor(shownAt(voice, now));
	if (count !== voice.toldCount) {
		voice.toldCount = count;
		told.text = count === voice.letters.length ? voice.full : voice.letters.slice(0, count).join("");
		told.full = voice.full;
	}
	told.phase = now < from ? "typing" : fading < 0 ? "visible" : "fading";
	told.thought = voice.isThought;
	told.cut = voice.letters.length >= voice.charsMax;
	told.opacity = fading > 0 ? 1 - fading / FADE : 1;
	return told;
}
