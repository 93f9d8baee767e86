/* What can be done now, and why not; pure. With the mock this is the seed's control shell: one turn at a time. With an engine
 * that hears, talking interrupts what is under way. */

import { visible } from "../text/signal";
import { isInFlight, openTurn, type Voice } from "./model";

/* Who hears, thinks and says. `hosted` names what stands elsewhere; `lacks` says in words what does not work. */
export interface Engine {
	name: string;
	isMock: boolean;
	hosted: readonly string[];
	lacks: string;
}

/* As GET /api/voice tells it; null: it does not. */
export function readEngine(answer: unknown): Engine | null {
	const { engine, ...parts } = objectOf(answer);
	const [hear, think, say] = [parts["hear"], parts["think"], parts["say"]].map(objectOf) as [Part, Part, Part];
	const source = typeof think["source"] === "string" ? `, ${think["source"]} answers` : "";
	const text = (all: Part[], name: string): string[] => all.map((one) => one[name]).filter((one) => typeof one === "string");

	return typeof engine !== "string" ? null : {
		name: visible(`${engine}${source}`), isMock: engine === "mock",
		hosted: [...new Set(text([hear, say].filter(({ hosted }) => hosted === true), "place"))].map((place) => visible(place)),
		lacks: text([hear, think, say], "why").map((why) => visible(why)).join("; "),
	};
}

type Part = Record<string, unknown>;

function objectOf(value: unknown): Part {
	return typeof value === "object" && value !== null ? value as Part : {};
}

export type Mic = "off" | "opening" | "on" | "ending";

/* What is true of the page beside its session. */
export interface Room {
	mayTalk: boolean;            /* its session has the scope */
	isServed: boolean;           /* the page has a connection to the box */
	engine: Engine | null;       /* null: not told yet */
	mic: Mic;
	isPlaying: boolean;
}

export interface Controls {
	connect: "Connect" | "Disconnect";
	canConnect: boolean;
	talk: string;                /* what stands on the button */
	canTalk: boolean;
	canTrigger: boolean;
	canCancel: boolean;
	canType: boolean;
	takesText: boolean;
	isMock: boolean;
	why: string;                 /* why nobody can talk; else empty */
}

export function controlsOf(voice: Voice, room: Room): Controls {
	const { connection, isReady, features } = voice;
	const { engine, mic, isPlaying } = room;
	const isMock = engine?.isMock ?? false;
	const isThere = connection === "connected" && isReady && engine !== null;
	const isHeld = mic === "opening" || mic === "on" || voice.isTalking;
	const isFree = !isInFlight(voice);
	const takesText = features?.includes("text") ?? false;

	return {
		connect: connection === "connecting" || connection === "connected" ? "Disconnect" : "Connect",
		canConnect: room.mayTalk && room.isServed,
		talk: talkWords(room, isHeld, isFree, isPlaying),
		canTalk: isThere && (isHeld || mic === "off" && (!isMock || isFree)),
		canTrigger: isThere && isMock && isFree && !isHeld,
		canCancel: connection === "connected" && isReady && (openTurn(voice) !== null || isHeld || isPlaying),
		canType: isThere && takesText && !isHeld && isFree,
		takesText,
		isMock,
		why: whyNot(voice, room),
	};
}

function talkWords({ engine, mic }: Room, isHeld: boolean, isFree: boolean, isPlaying: boolean): string {
	if (mic === "opening")
		return "Opening the microphone…";
	if (isHeld)
		return engine?.isMock === true ? "Release to end" : "Listening: release to send";
	return engine?.isMock !== true && (!isFree || isPlaying) ? "Hold to interrupt" : "Hold to talk";
}

function whyNot({ connection, why, isReady }: Voice, { mayTalk, isServed, engine }: Room): string {
	if (!mayTalk)
		return "This session of the page may observe, but not talk.";
	if (!isServed)
		return "There is no connection to the server now.";
	if (connection === "disconnected" || connection === "error")
		return why;
	return isReady ? engine?.lacks ?? "" : "";
}
