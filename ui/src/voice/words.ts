/* What the voice view says: why there is no microphone, what went wrong, and who hears what is said. */

import type { Fault, Turn } from "./model";
import { wordsOf } from "../text/fault";
import { visible } from "../text/signal";

const MICROPHONE: Record<string, string> = {
	InsecureContext: "The browser gives no microphone to a page that came over plain HTTP from another machine. "
		+ "Open it with https, or on the machine of the box.",
	NotAllowedError: "The browser does not let this page use the microphone. Allow it beside the address, then press again.",
	SecurityError: "The browser does not let this page use the microphone.",
	NotFoundError: "There is no microphone on this machine.",
	OverconstrainedError: "There is no microphone on this machine that can be used.",
	NotReadableError: "The microphone cannot be opened: another program may be using it.",
	AbortError: "The microphone could not be opened.",
};

const FAULTS: Record<string, string> = {
	not_understood: "The box said something that this page does not understand. The session goes on.",
	invalid_json: "The box did not understand this page",
	invalid_message: "The box did not understand this page",
	mocked_turn_in_flight: "A turn is under way: wait for its end, or cancel it.",
	unsupported_mocked_turn_trigger: "Mocked turns are switched off in the configuration (voice.trigger).",
	engine_unavailable: "The speech engine is not available",
	no_speech: "No speech was heard",
	too_long: "That was too long",
	cancelled_upstream: "The answer was broken off where it comes from",
};

/* Those that say it all themselves. */
const WHOLE = ["not_understood", "mocked_turn_in_flight", "unsupported_mocked_turn_trigger"];

export const GONE = "The microphone was switched off or unplugged. What you said is dropped.";
export const TOO_SHORT = "Hold it while you talk.";
export const TOO_SLOW = "The network is too slow for sound. What you said is dropped.";
export const TOO_FULL = "The answer is too long to be spoken, or this browser plays no sound. It is here to be read.";
export const LEFT = "You left the page while you talked. The microphone is off, and what you said is dropped.";
export const NOT_PLAYABLE = "The box sent sound that this page cannot play.";

export function wordsOfMicrophone(why: unknown): string {
	const { name, message } = why as DOMException;

	return MICROPHONE[name] ?? `The microphone could not be opened: ${visible(String(message))}`;
}

export function wordsOfFault({ code, message, retryable }: Fault): string {
	const known = FAULTS[code] ?? "Something went wrong";

	if (WHOLE.includes(code))
		return known;
	const said = message === "" ? known : `${known}: ${visible(message)}`;
	return `${/[.!?]$/.test(said) ? said : `${said}.`}${retryable ? " You can try again." : ""}`;
}

export function wordsOfEnd({ state, fault }: Turn): string {
	return state === "cancelled" ? "cancelled" : state === "failed" ? `failed${fault === "" ? "" : `: ${visible(fault)}`}` : "";
}

export function wordsOfNoEngine(why: unknown): string {
	return `The box does not say who hears what you say: ${visible(wordsOf(why))}`;
}
