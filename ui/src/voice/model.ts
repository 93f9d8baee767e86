/* One voice session as the page knows it; pure. The connection, the phase of the session, and its turns: of each what
 * was heard, what was answered and how it ended. It is told what a person does and what the server says, and gives
 * what has to be sent. What was drawn of a turn that is cancelled stays, and nothing is added to it. */

import type { ClientEvent, Feature, ServerEvent, State } from "./events";

export type Connection = "not connected" | "connecting" | "connected" | "disconnected" | "error";
export type TurnState = "open" | "done" | "cancelled" | "failed";

export interface Turn {
	readonly number: number;
	id: string | null;             /* null: the server has not named it; "": it took it not */
	state: TurnState;
	heard: string;
	isHeard: boolean;              /* all of it; before, `heard` is replaced again and again */
	answer: string;
	isWhole: boolean;
	tools: { name: string; isDone: boolean }[];
	fault: string;
	chunks: number;                /* pieces of sound that were sent */
}

export interface Fault { code: string; message: string; retryable: boolean }

export interface Voice {
	connection: Connection;
	why: string;                   /* of a connection that is none */
	isReady: boolean;
	state: State;
	sessionId: string | null;
	seq: number;                   /* of the newest event */
	features: readonly Feature[] | null;   /* null: not told yet */
	turns: Turn[];
	isTalking: boolean;            /* sound of ours goes out */
	isSpeechHeard: boolean;        /* somebody speaks, the server says */
	fault: Fault | null;
}

/* What the loudspeaker does about an event. */
export type Effect = { sound: string; rate: number; channels: number } | "clear" | null;

export const WANTED: readonly Feature[] = ["turns", "audio", "text", "tools", "vad", "resume"];
const TURNS_MAX = 200;           /* that are kept to be looked at */
const ANSWER_MAX = 256 * 1024;   /* characters */
const OF_TURN = ["engine_unavailable", "no_speech", "too_long", "cancelled_upstream"];

export function makeVoice(): Voice {
	return {
		connection: "not connected", why: "", isReady: false, state: "idle", sessionId: null, seq: 0, features: null,
		turns: [], isTalking: false, isSpeechHeard: false, fault: null,
	};
}

export function openTurn({ turns }: Voice): Turn | null {
	const last = turns.at(-1);

	return last?.state === "open" ? last : null;
}

/* A turn that takes no sound any more and is not over. */
export function isInFlight(voice: Voice): boolean {
	return openTurn(voice) !== null && !voice.isTalking;
}

/* ---- the connection ---- */

/* A session that was lost is gone on with; what was being said then is not. */
export function connected(voice: Voice): ClientEvent[] {
	const { sessionId, seq, features } = voice;

	voice.connection = "connected";
	voice.why = "";
	voice.isReady = false;
	return sessionId !== null && features?.includes("resume") === true
		? [{ type: "session.resume", payload: { sessionId, seq } }] : [start(voice)];
}

/* The first word of a server is of a session that is new, and not wanted where one is resumed: see hear(). */
export function start(voice: Voice): ClientEvent {
	voice.features = null;
	voice.sessionId = null;
	voice.seq = 0;
	return { type: "session.start", payload: { features: [...WANTED] } };
}

export function lost(voice: Voice, connection: "disconnected" | "error", why: string): void {
	voice.connection = connection;
	voice.why = why;
	voice.isReady = false;
	voice.isSpeechHeard = false;
	if (voice.isTalking)
		stopTalking(voice, "cancelled");
}

/* ---- what a person does ---- */

/* A piece of sound; the first one begins a turn. */
export function append(voice: Voice, chunk: string): ClientEvent[] {
	const turn = voice.isTalking ? openTurn(voice) : begin(voice);

	if (turn === null)
		return [];
	voice.isTalking = true;
	turn.chunks++;
	return [{ type: "input_audio.append", payload: { chunk } }];
}

export function commit(voice: Voice): ClientEvent[] {
	if (!voice.isTalking)
		return [];
	voice.isTalking = false;
	return [{ type: "input_audio.commit", payload: {} }];
}

export function trigger(voice: Voice): ClientEvent[] {
	begin(voice);
	return [{ type: "mocked.turn.trigger", payload: {} }];
}

export function type(voice: Voice, text: string): ClientEvent[] {
	begin(voice);
	return [{ type: "input_text", payload: { text } }];
}

/* It does no harm where nothing is under way. */
export function cancel(voice: Voice): ClientEvent[] {
	stopTalking(voice, "cancelled");
	return [{ type: "response.cancel", payload: {} }];
}

function stopTalking(voice: Voice, state: TurnState): void {
	const turn = openTurn(voice);

	voice.isTalking = false;
	if (turn !== null)
		turn.state = state;
}

/* What was under way goes on in nobody's sight: who begins anew has cancelled it before. */
function begin(voice: Voice, id: string | null = null): Turn {
	const turn: Turn = { number: (voice.turns.at(-1)?.number ?? 0) + 1, id, state: "open", heard: "", isHeard: false,
		answer: "", isWhole: false, tools: [], fault: "", chunks: 0 };

	stopTalking(voice, "cancelled");
	voice.fault = null;
	voice.turns.push(turn);
	voice.turns.splice(0, voice.turns.length - TURNS_MAX);
	return turn;
}

/* ---- what the server says ---- */

/* Gives what has to be answered, and what is to be heard. */
export function hear(voice: Voice, event: ServerEvent | null): { send: ClientEvent[]; effect: Effect } {
	if (event === null) {
		voice.fault = { code: "not_understood", message: "", retryable: false };
		return { send: [], effect: null };
	}
	if (event.type === "session.ready")
		return { send: ready(voice, event.payload), effect: null };
	if (event.type === "error" && event.payload.code === "expired")
		return { send: [start(voice)], effect: null };
	/* What a session says that will not be ours is passed over. */
	if (!isOurs(voice, event))
		return { send: [], effect: null };
	voice.seq = Math.max(voice.seq, event.payload.seq ?? 0);
	if (event.type === "session.state")
		return { send: takeState(voice, event.payload.value, event.payload.turnId), effect: null };
	if (event.type === "error")
		takeError(voice, event.payload);
	else
		return { send: [], effect: takeOfTurn(voice, event) };
	return { send: [], effect: null };
}

/* Until it is ready only what is resumed is ours: it has numbers that go on. */
function isOurs(voice: Voice, { payload }: ServerEvent): boolean {
	return voice.isReady || voice.sessionId === null || (payload.seq ?? 0) > voice.seq;
}

function ready(voice: Voice, { sessionId, features, seq }: Payload<"session.ready">): ClientEvent[] {
	/* The session that the connection came with: the answer to our own words comes next. */
	if (features === undefined)
		return [];
	const isNew = voice.sessionId !== sessionId;
	const turn = openTurn(voice);

	if (isNew && turn !== null && !voice.isTalking)
		fail(turn, "The connection was lost.");
	if (isNew)
		voice.turns.filter(({ id, state }) => id === null && state !== "open").forEach((one) => { one.id = ""; });
	voice.isReady = true;
	voice.sessionId = sessionId;
	voice.features = features;
	voice.seq = Math.max(isNew ? 0 : voice.seq, seq ?? 0);
	voice.fault = null;
	/* What was cancelled while nobody heard it. */
	const last = voice.turns.at(-1);
	return !isNew && last?.state === "cancelled" ? [{ type: "response.cancel", payload: {} }] : [];
}

/* At rest the turn is over, if it is one that the server knows: a state may be older than the turn. Sound that was still on its
 * way then begins another, which nobody would end. */
function takeState(voice: Voice, state: State, id: string | undefined): ClientEvent[] {
	const turn = id === undefined ? openTurn(voice) : turnOf(voice, id);
	const wasTalking = voice.isTalking;

	voice.state = state;
	if (turn === null || turn.state !== "open" || id !== undefined)
		return [];
	if (state === "idle" && turn.id === null && voice.features?.includes("turns") === true)
		return [];
	if (state !== "idle" && !(turn.isWhole && state === "listening"))
		return [];
	endTurn(voice, turn);
	return wasTalking ? [{ type: "response.cancel", payload: {} }] : [];
}

function endTurn(voice: Voice, turn: Turn): void {
	voice.isTalking = false;
	voice.isSpeechHeard = false;
	turn.state = turn.isWhole ? "done" : turn.fault === "" ? "cancelled" : "failed";
}

function takeError(voice: Voice, { code, message, retryable, turnId }: Payload<"error">): void {
	const isOfTurn = OF_TURN.includes(code);
	const named = turnId === undefined ? openTurn(voice) : isOfTurn ? turnOf(voice, turnId) : null;
	const last = openTurn(voice);

	voice.fault = { code, message, retryable: retryable === true };
	if (named !== null && isOfTurn)
		named.fault = message;
	/* It was never begun. */
	if (last !== null && last.id === null && !isOfTurn) {
		voice.isTalking = false;
		last.id = "";
		fail(last, message);
	}
}

function fail(turn: Turn, why: string): void {
	turn.state = "failed";
	turn.fault = why;
}

type Payload<T extends ServerEvent["type"]> = Extract<ServerEvent, { type: T }>["payload"];
type OfTurn = Exclude<ServerEvent, { type: "session.ready" | "session.state" | "error" }>;

function takeOfTurn(voice: Voice, event: OfTurn): Effect {
	const { turnId } = event.payload;
	const turn = turnId === undefined ? openTurn(voice) : turnOf(voice, turnId);

	if (event.type === "output_audio.clear")
		return "clear";
	if (turn === null || turn.state !== "open")
		return null;
	switch (event.type) {
	case "transcript.partial":
	case "transcript.final":
		turn.heard = event.payload.text;
		turn.isHeard = event.type === "transcript.final";
		break;
	case "response.text.delta": turn.answer = (turn.answer + event.payload.text).slice(0, ANSWER_MAX); break;
	case "response.completed": turn.isWhole = true; break;
	case "tool.started": turn.tools.push({ name: event.payload.name, isDone: false }); break;
	case "tool.finished": finishTool(turn, event.payload.name); break;
	case "speech.started": voice.isSpeechHeard = true; break;
	case "speech.stopped": voice.isSpeechHeard = false; break;
	case "output_audio.delta": {
		const { chunk, format: { rate, channels } } = event.payload;
		return { sound: chunk, rate, channels };
	}
	}
	return null;
}

function finishTool(turn: Turn, name: string): void {
	const tool = turn.tools.find((one) => one.name === name && !one.isDone);

	if (tool !== undefined)
		tool.isDone = true;
}

/* Turns begin at the server in the order in which we began them; one that we did not begin begins now. */
function turnOf(voice: Voice, id: string): Turn {
	const known = voice.turns.find((turn) => turn.id === id) ?? voice.turns.find((turn) => turn.id === null);

	if (known === undefined)
		return begin(voice, id);
	known.id = id;
	return known;
}
