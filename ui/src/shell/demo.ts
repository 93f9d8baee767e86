/* Whether what comes is made up: all of it, some of it, or none. Pure: it hears signals and is
 * asked; times are milliseconds of this machine. */

import type { Envelope } from "../desk";

const SHOWN_MS = 30000;     /* The label stays so long after the last signal of a demo. */

export const DEMO_WORDS = {
	all: "These signals are made up, no agent is running.",
	some: "Some of these signals are made up.",
};

export interface DemoWatch {
	/* `at` is when it happened: what is caught up with may be of last week. */
	hear(envelope: Envelope, at: number): void;
	now(now: number): keyof typeof DEMO_WORDS | null;
}

export function makeDemoWatch(): DemoWatch {
	let madeUp = -Infinity, real = -Infinity;

	return {
		hear(envelope, at) {
			if (isDemo(envelope))
				madeUp = at > madeUp ? at : madeUp;
			else if (isOfAgent(envelope))
				real = at > real ? at : real;
		},
		now: (now) => now > madeUp + SHOWN_MS ? null : now > real + SHOWN_MS ? "all" : "some",
	};
}

function isDemo({ source, metadata }: Envelope): boolean {
	return typeof source === "string" && /^demo($|[:/])/.test(source) || Boolean(metadata?.["demo"]);
}

/* What the box says of itself and what people do on a page is nobody's at work. */
function isOfAgent({ source, type }: Envelope): boolean {
	return source !== "signalbox" && !type.startsWith("user.");
}
