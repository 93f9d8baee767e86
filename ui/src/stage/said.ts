/* What the stage is in words: names, states, what somebody does. */

import type { Actor } from "./frame";
import { clockWords, stateWords as crewWords, targetWords } from "../crew/words";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";

export const STATES: readonly { state: string; words: string; glyph: string }[] = [
	{ state: "idle", words: "is idle", glyph: "" },
	{ state: "thinking", words: "thinks", glyph: "…" },
	{ state: "acting", words: "writes rules or decides", glyph: "" },
	{ state: "work", words: "uses a tool", glyph: "⚙" },
	{ state: "waiting", words: "waits for you", glyph: "?" },
	{ state: "done", words: "is done", glyph: "✓" },
	{ state: "error", words: "failed", glyph: "!" },
];

const LONGEST = 160;

export function stateWords(state: string): string {
	if (state === "walk")
		return "is on the way";
	return STATES.find((one) => one.state === state)?.words ?? state;
}

export const nameOf = (actor: Actor): string => visible(beginning(actor.label || actor.semanticId || actor.id, 80));

/* What a session or a subagent does, in the crew's own words; "" of everybody else. */
export function doingOf({ session }: Actor): { state: string; target: string; since: number } | null {
	if (session === null)
		return null;
	const { state } = session.sub ?? session.member;

	return { state: crewWords(state), target: targetWords(state), since: state.since };
}

export function clockOf(since: number, now: number): string {
	return since > 0 ? clockWords(now - since) : "";
}

/* A sentence about somebody, for who cannot see them. */
export function sentenceOf(actor: Actor): { name: string; state: string; words: string } {
	const { speech } = actor;
	const doing = doingOf(actor);
	const words = speech && speech.phase !== "typing" ? speech.full : "";
	const isAside = words !== "" && speech?.thought === true && actor.state !== "thinking";

	return {
		name: nameOf(actor),
		state: doing === null ? visible(stateWords(actor.state)) : [doing.state, doing.target].filter(Boolean).join(" "),
		words: (isAside ? "thinks: " : "") + visible(beginning(words, LONGEST)),
	};
}
