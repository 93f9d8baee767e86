/* The sources as the page knows them, and how lively each was during the last minute. Pure: it
 * hears news and is asked; time is an argument, in milliseconds of this machine. */

import type { News, Protocol, Source } from "../desk";
import type { Service } from "./acts";

export const BINS = 60;        /* one a second */
const SPREAD_MS = 2500;        /* news of counters that are older than this came late, not slowly */

interface Pulse {
	bins: Float64Array;        /* signals that came in each second, round and round */
	second: number;            /* which the newest bin is of */
	signals: number;           /* the counter when it was last told... */
	at: number;                /* ...and when that was */
}

export interface Book {
	hear(news: News["sources"], now: number): void;
	/* What a look at this machine told: services that are not there are shown too. */
	find(services: readonly Service[]): void;
	get(id: string): Source | undefined;
	/* What can be spoken, in the order of the server; none until it has told. */
	protocols(): readonly Protocol[];
	/* In the order of the server, those of this machine first. */
	list(): Source[];
	/* Those that were never there. */
	missing(): Service[];
	/* Signals in each of the last 60 whole seconds, oldest first. */
	pulse(id: string, now: number): number[];
	rate(id: string, now: number): number;
}

export function makeBook(): Book {
	const sources = new Map<string, Source>();
	const pulses = new Map<string, Pulse>();
	let services: readonly Service[] = [];
	let protocols: readonly Protocol[] = [];

	function put(source: Source, now: number): void {
		const pulse = pulses.get(source.id);

		if (pulse === undefined)
			pulses.set(source.id, begin(source, now));
		else
			count(pulse, source, now);
		sources.set(source.id, source);
	}

	return {
		hear({ all, protocols: told, changed, removed }, now) {
			protocols = told ?? protocols;
			if (all !== undefined) {
				sources.clear();
				for (const id of [...pulses.keys()])
					if (!all.some((source) => source.id === id))
						pulses.delete(id);
			}
			for (const source of [...all ?? [], ...changed ?? []])
				put(source, now);
			for (const id of removed ?? []) {
				sources.delete(id);
				pulses.delete(id);
			}
		},
		find(found) {
			services = found;
		},
		get: (id) => sources.get(id),
		protocols: () => protocols,
		list() {
			const all = [...sources.values()];

			return [...all.filter(isLocal), ...all.filter((source) => !isLocal(source))];
		},
		missing: () => services.filter(({ id, available }) => !available && !sources.has(id)),
		pulse(id, now) {
			const pulse = pulses.get(id);

			return pulse === undefined ? new Array<number>(BINS).fill(0) : read(pulse, now);
		},
		rate(id, now) {
			return this.pulse(id, now).at(-1) ?? 0;
		},
	};
}

export function isLocal(source: Source): boolean {
	return source.category === "local";
}

function begin(source: Source, now: number): Pulse {
	return { bins: new Float64Array(BINS + 1), second: Math.floor(now / 1000), signals: source.signals, at: now };
}

/* Empties the bins of the seconds that went by. */
function turn(pulse: Pulse, second: number): void {
	const steps = Math.min(second - pulse.second, BINS + 1);

	for (let i = 0; i < steps; i++)
		pulse.bins[(second - i) % (BINS + 1)] = 0;
	pulse.second = Math.max(pulse.second, second);
}

/* Counters are told about once a second, never quite with ours: what came since the last time
 * is spread over the time since. A counter that went back is of another life of the server. */
function count(pulse: Pulse, source: Source, now: number): void {
	const came = source.signals >= pulse.signals ? source.signals - pulse.signals : source.signals;
	const from = Math.max(pulse.at, now - SPREAD_MS);
	const since = Math.max(now - from, 1);

	turn(pulse, Math.floor(now / 1000));
	for (let at = from; at < now;) {
		const second = Math.floor(at / 1000);
		const end = Math.min((second + 1) * 1000, now);
		const bin = second % (BINS + 1);

		pulse.bins[bin] = (pulse.bins[bin] ?? 0) + came * (end - at) / since;
		at = end;
	}
	pulse.signals = source.signals;
	pulse.at = now;
}

/* The second that is under way is not among them. */
function read(pulse: Pulse, now: number): number[] {
	const second = Math.floor(now / 1000);

	turn(pulse, second);
	return Array.from({ length: BINS }, (_, i) => pulse.bins[(second - BINS + i) % (BINS + 1)] ?? 0);
}
