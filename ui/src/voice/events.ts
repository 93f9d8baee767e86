/* Generated from schema/voice.schema.json by `tools/schema-tables --page`. */

/** What a session is at. */
export const states = [
	"idle",
	"listening",
	"thinking",
	"speaking",
] as const;
export type State = (typeof states)[number];

/** What a client may ask for besides the first version of the protocol. */
export const features = [
	"turns",
	"audio",
	"text",
	"tools",
	"vad",
	"resume",
	"hands-free",
] as const;
export type Feature = (typeof features)[number];

/** What went wrong, for programs. */
export const errorCodes = [
	"invalid_json",
	"invalid_message",
	"mocked_turn_in_flight",
	"unsupported_mocked_turn_trigger",
	"expired",
	"engine_unavailable",
	"no_speech",
	"too_long",
	"cancelled_upstream",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** With the feature turns every payload of the server has these. */
export type Numbered = { turnId?: string; seq?: number; ts?: number };

/** How sound is written. */
export type AudioFormat = { encoding: "pcm16"; rate: number; channels: number };

export type ClientEvent =
	/** Begins, or asks again for readiness and state; may ask for features, in the place of those asked for before. */
	| { type: "session.start"; payload: { features?: string[]; source?: string } }
	/** Asks for one mocked turn. */
	| { type: "mocked.turn.trigger"; payload: Record<string, unknown> }
	/** A piece of sound. */
	| { type: "input_audio.append"; payload: { chunk: string } }
	/** That was all that was said. */
	| { type: "input_audio.commit"; payload: Record<string, unknown> }
	/** Stops whatever is under way. */
	| { type: "response.cancel"; payload: Record<string, unknown> }
	/** What was typed instead of said. (feature text) */
	| { type: "input_text"; payload: { text: string } }
	/** On a new connection: goes on with a session whose connection was lost, after the event of that number. */
	| { type: "session.resume"; payload: { sessionId: string; seq: number } };

export type ServerEvent =
	/** There is a session. */
	| { type: "session.ready"; payload: Numbered & { sessionId: string; features?: Feature[]; source?: string } }
	/** What the session is at. */
	| { type: "session.state"; payload: Numbered & { value: State } }
	/** What is heard so far, in the place of the one before. */
	| { type: "transcript.partial"; payload: Numbered & { text: string } }
	/** What was said or typed. */
	| { type: "transcript.final"; payload: Numbered & { text: string } }
	/** The next words of the answer. */
	| { type: "response.text.delta"; payload: Numbered & { text: string } }
	/** The answer is whole. */
	| { type: "response.completed"; payload: Numbered }
	/** Something went wrong; the session goes on. */
	| { type: "error"; payload: Numbered & { code: ErrorCode; message: string; retryable?: boolean } }
	/** The next sound of the answer. (feature audio) */
	| { type: "output_audio.delta"; payload: Numbered & { chunk: string; format: AudioFormat } }
	/** Sound that was not played yet must not be. (feature audio) */
	| { type: "output_audio.clear"; payload: Numbered }
	/** A tool is at work for the answer. (feature tools) */
	| { type: "tool.started"; payload: Numbered & { name: string } }
	/** It is done. (feature tools) */
	| { type: "tool.finished"; payload: Numbered & { name: string } }
	/** Somebody begins to speak. (feature vad) */
	| { type: "speech.started"; payload: Numbered }
	/** And is silent again. (feature vad) */
	| { type: "speech.stopped"; payload: Numbered };
