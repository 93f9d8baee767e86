/* What the server says in a voice session, read; pure. Nothing in it may be believed: what is not as
 * schema/voice.schema.json has it is null, and what is of a type that is not known, too. */

import { features, states, type Feature, type Numbered, type ServerEvent, type State } from "./events";

type Payload = Record<string, unknown>;

export function readEvent(text: unknown): ServerEvent | null {
	const { type, payload } = objectOf(parsed(text)) ?? {};
	const body = objectOf(payload);
	const read = typeof type === "string" && Object.hasOwn(readers, type) ? readers[type as ServerEvent["type"]] : undefined;
	const found = body === null ? null : read?.(body) ?? null;

	return found === null || body === null ? null : { type, payload: { ...numbers(body), ...found } } as ServerEvent;
}

/* Of each type what it must have; null: it has it not. */
const readers: Record<ServerEvent["type"], (payload: Payload) => Payload | null> = {
	"session.ready": ({ sessionId, features: on }) => typeof sessionId !== "string" ? null
		: { sessionId, ...Array.isArray(on) ? { features: on.filter(isFeature) } : {} },
	"session.state": ({ value }) => states.includes(value as State) ? { value } : null,
	"transcript.partial": words,
	"transcript.final": words,
	"response.text.delta": words,
	"response.completed": () => ({}),
	"error": ({ code, message, retryable }) => typeof code !== "string" || typeof message !== "string" ? null
		: { code, message, retryable: retryable === true },
	"output_audio.delta": sound,
	"output_audio.clear": () => ({}),
	"tool.started": name,
	"tool.finished": name,
	"speech.started": () => ({}),
	"speech.stopped": () => ({}),
};

function words({ text }: Payload): Payload | null {
	return typeof text === "string" ? { text } : null;
}

function name({ name: called }: Payload): Payload | null {
	return typeof called === "string" ? { name: called } : null;
}

function sound({ chunk, format }: Payload): Payload | null {
	const { encoding, rate, channels } = objectOf(format) ?? {};

	return typeof chunk === "string" && encoding === "pcm16" && isCount(rate) && isCount(channels)
		? { chunk, format: { encoding, rate, channels } } : null;
}

function numbers({ turnId, seq, ts }: Payload): Numbered {
	return {
		...typeof turnId === "string" ? { turnId } : {},
		...isCount(seq) ? { seq } : {},
		...typeof ts === "number" ? { ts } : {},
	};
}

function isFeature(value: unknown): value is Feature {
	return features.includes(value as Feature);
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && value as number >= 1;
}

function parsed(text: unknown): unknown {
	try {
		return typeof text === "string" ? JSON.parse(text) : null;
	} catch {
		return null;
	}
}

function objectOf(value: unknown): Payload | null {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Payload : null;
}
