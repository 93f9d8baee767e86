/* What the log keeps of a signal: what a row shows, and whether it is one of those that come
 * round by the clock and that nobody asked for, or that tell again what was told. */

import type { Envelope, Gap } from "../desk";
import { type Entry, entryOf, gapEntryOf } from "../text/signal";

export const BACKGROUNDS = ["heartbeat", "cron", "gateway.frame"] as const;
export type Background = "" | typeof BACKGROUNDS[number];

export interface LogEntry extends Entry {
	background: Background;
	gap?: Gap;              /* of a hole: what is missing */
}

export function logEntryOf(envelope: Envelope, text: string): LogEntry {
	return Object.assign(entryOf(envelope, text), { background: backgroundOf(envelope) });
}

export function logGapOf(gap: Gap): LogEntry {
	return Object.assign(gapEntryOf(gap), { background: "" as const, gap });
}

/* Parsers mark what a gateway does by the clock in `_meta`, of the payload where the whole signal
 * is such a thing, of the metadata where it belongs to a run that is. Other producers name their
 * types so. */
export function backgroundOf({ type, payload, metadata }: Partial<Envelope>): Background {
	for (const name of BACKGROUNDS)
		if (type === name || marks(payload, name) || marks(metadata, name))
			return name;
	return "";
}

function marks(members: unknown, name: string): boolean {
	const meta = of(members, "_meta");

	return of(meta, name) === true;
}

function of(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null && Object.hasOwn(value, name)
		? (value as Record<string, unknown>)[name] : undefined;
}
