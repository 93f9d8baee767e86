/* What the log remembers. There is the newest of everything, which grows at its end and is
 * trimmed at its front; and there is the view: what passes the filter, with pages of the journal
 * put in front of it as the reader goes back. While the reader has paused, the view stands still
 * and what passes is counted. A view that was opened at an old signal, or that has grown too long
 * at its front, does not reach to the present: it is apart. No clock, no screen. */

import type { Gap } from "../desk";
import { type LogEntry, logGapOf } from "./entry";

export const KEEP = 10_000;
export const KEEP_CHARACTERS = 32 * 1024 * 1024;
export const VIEW_MAX = 20_000;        /* of a view that stands still */
const TRIM_EVERY = 256;                /* The ceilings are soft by this much. */

type Test = (entry: LogEntry) => boolean;

export interface Log {
	readonly entries: readonly LogEntry[];
	readonly view: readonly LogEntry[];
	readonly types: ReadonlyMap<string, number>;    /* of the entries */
	readonly sources: ReadonlyMap<string, number>;
	readonly base: number;         /* A view's row keeps its number while others come and go: base + i. */
	readonly waiting: number;      /* came since the pause, and pass */
	readonly hidden: number;       /* pass the filter, but are not shown */
	readonly total: number;        /* heard so far */
	readonly isPaused: boolean;
	readonly isApart: boolean;
	readonly top: number;          /* Nothing before this seq is in the view; 0 before the first. */
	readonly bottom: number;       /* Nothing after this seq is in the view, where it stands still. */
	add(entry: LogEntry): void;
	gap(gap: Gap): void;
	/* A page without holes that ends before the first entry, or at the present. */
	fill(page: readonly LogEntry[]): void;
	/* Pages of the journal for the ends of the view; `top` and `bottom` are how far they reach.
	 * Each says how many of them are shown. */
	prepend(page: readonly LogEntry[], top: number): number;
	append(page: readonly LogEntry[], bottom: number, isPresent: boolean): number;
	/* Makes a view of its own around somewhere. */
	stand(page: readonly LogEntry[], top: number, bottom: number): void;
	filter(passes: Test, shows: Test): void;
	pause(): void;
	resume(): void;
	find(seq: number): LogEntry | null;
}

interface Memory extends Log {
	entries: LogEntry[];
	view: LogEntry[];
	types: Map<string, number>;
	sources: Map<string, number>;
	base: number;
	waiting: number;
	hidden: number;
	total: number;
	isPaused: boolean;
	isApart: boolean;
	top: number;
	bottom: number;
	passes: Test;
	shows: Test;
	characters: number;        /* of the entries */
	viewCharacters: number;
	lastSeq: number;
	held: number;              /* how many were heard when the reader paused */
}

export function createLog(): Log {
	const m: Memory = {
		entries: [], view: [], types: new Map(), sources: new Map(),
		base: 0, waiting: 0, hidden: 0, total: 0, isPaused: false, isApart: false, top: 0, bottom: 0,
		passes: () => true, shows: () => true, characters: 0, viewCharacters: 0, lastSeq: 0, held: 0,
		add: (entry) => add(m, entry),
		gap: (gap) => hearGap(m, gap),
		fill: (page) => fill(m, page),
		prepend: (page, top) => prepend(m, page, top),
		append: (page, bottom, isPresent) => append(m, page, bottom, isPresent),
		stand: (page, top, bottom) => stand(m, page, top, bottom),
		filter: (passes, shows) => { Object.assign(m, { passes, shows }); rebuild(m); },
		pause: () => pause(m),
		resume: () => resume(m),
		find: (seq) => find(m, seq),
	};

	return m;
}

/* ---- what comes in ---- */

/* What was filled in from the journal may come once more over the link. */
function add(m: Memory, entry: LogEntry): void {
	if (entry.kind === "signal") {
		if (entry.seq <= m.lastSeq)
			return;
		m.lastSeq = entry.seq;
	}
	m.total++;
	m.entries.push(entry);
	count(m, entry, 1);
	if (m.top === 0)
		m.top = entry.seq;
	if (m.passes(entry)) {
		if (!m.shows(entry))
			m.hidden++;
		else if (m.isPaused)
			m.waiting++;
		else
			push(m, entry);
	}
	if (m.entries.length >= KEEP + TRIM_EVERY || m.characters > KEEP_CHARACTERS)
		trim(m);
}

/* What the server lost after we had seen it is marked, and its numbers are given again. */
function hearGap(m: Memory, gap: Gap): void {
	if (gap.why === "lost" && gap.from <= m.lastSeq) {
		m.lastSeq = gap.from - 1;
		disown(m.entries, gap.from);
		disown(m.view, gap.from);
	} else {
		m.lastSeq = Math.max(m.lastSeq, gap.to);
	}
	add(m, logGapOf(gap));
}

function disown(entries: LogEntry[], from: number): void {
	for (let i = entries.length - 1; i >= 0; i--) {
		const entry = entries[i]!;

		if (entry.seq < from)
			break;
		entry.lost = true;
	}
}

function fill(m: Memory, page: readonly LogEntry[]): void {
	const first = m.entries[0];
	const older = first === undefined ? page : page.filter(({ seq }) => seq < first.seq);
	const room = older.slice(-Math.max(0, KEEP - m.entries.length));

	if (room.length === 0)
		return;
	m.lastSeq = Math.max(m.lastSeq, room.at(-1)!.seq);
	m.entries = [...room, ...m.entries];
	for (const entry of room)
		count(m, entry, 1);
	if (m.characters > KEEP_CHARACTERS)
		trim(m);
	if (!m.isApart)
		rebuild(m);
}

function count(m: Memory, { kind, type, source, text }: LogEntry, by: 1 | -1): void {
	m.characters += by * text.length;
	if (kind === "gap")
		return;
	bump(m.types, type, by);
	bump(m.sources, source, by);
}

/* A name that nothing in memory has any more goes, or a producer that invents names would fill
 * the page with them. */
function bump(counts: Map<string, number>, name: string, by: 1 | -1): void {
	const now = (counts.get(name) ?? 0) + by;

	if (now > 0)
		counts.set(name, now);
	else
		counts.delete(name);
}

/* The front goes until both ceilings hold. */
function trim(m: Memory): void {
	let gone = Math.max(0, m.entries.length - KEEP);
	let characters = m.characters;

	for (let i = 0; i < gone; i++)
		characters -= m.entries[i]!.text.length;
	while (characters > KEEP_CHARACTERS)
		characters -= m.entries[gone++]!.text.length;
	for (const entry of m.entries.splice(0, gone)) {
		count(m, entry, -1);
		if (entry.background !== "" && m.passes(entry) && !m.shows(entry))
			m.hidden--;
	}
}

/* ---- the view ---- */

function push(m: Memory, entry: LogEntry): void {
	m.view.push(entry);
	m.viewCharacters += entry.text.length;
	if (m.view.length >= KEEP + TRIM_EVERY || m.viewCharacters > KEEP_CHARACTERS)
		trimFront(m);
}

function trimFront(m: Memory): void {
	let gone = 0;

	while (m.view.length - gone > KEEP
		|| (m.viewCharacters > KEEP_CHARACTERS && m.view.length - gone > 1))
		m.viewCharacters -= m.view[gone++]!.text.length;
	m.view.splice(0, gone);
	m.base += gone;
	m.top = m.view[0]?.seq ?? m.top;
}

/* A view that has grown too long at its front loses its end, and with it the present. */
function trimEnd(m: Memory): void {
	let kept = m.view.length;

	while (kept > VIEW_MAX || (m.viewCharacters > KEEP_CHARACTERS && kept > 1))
		m.viewCharacters -= m.view[--kept]!.text.length;
	if (kept === m.view.length)
		return;
	m.view.length = kept;
	m.bottom = m.view.at(-1)?.seq ?? m.bottom;
	m.isApart = true;
}

function shown(m: Memory, page: readonly LogEntry[]): LogEntry[] {
	return page.filter((entry) => m.passes(entry) && m.shows(entry));
}

function charactersOf(entries: readonly LogEntry[]): number {
	return entries.reduce((sum, { text }) => sum + text.length, 0);
}

function show(m: Memory, view: LogEntry[]): void {
	m.view = view;
	m.viewCharacters = charactersOf(view);
	m.base = 0;
}

/* The view from what is in memory. */
function rebuild(m: Memory): void {
	const passing = m.entries.filter(m.passes);
	const view = passing.filter(m.shows);
	const first = m.entries[0]?.seq ?? 0;

	m.hidden = passing.length - view.length;
	if (m.isApart)
		return show(m, shown(m, m.view));
	if (!m.isPaused) {
		m.top = first;
		m.waiting = 0;
		return show(m, view);
	}
	const fresh = m.entries.slice(sinceHeld(m)).filter((e) => m.passes(e) && m.shows(e)).length;
	m.waiting = fresh;
	m.top = first === 0 ? m.bottom : Math.min(first, m.bottom + 1);
	show(m, view.slice(0, view.length - fresh));
}

/* The place among the entries of the first that came after the pause. */
function sinceHeld(m: Memory): number {
	return Math.max(0, m.entries.length - (m.total - m.held));
}

function prepend(m: Memory, page: readonly LogEntry[], top: number): number {
	const more = shown(m, page);

	m.top = top;
	if (more.length === 0)
		return 0;
	m.view = [...more, ...m.view];
	m.viewCharacters += charactersOf(more);
	m.base -= more.length;
	if (m.isPaused)
		trimEnd(m);
	else if (m.view.length >= KEEP + TRIM_EVERY)
		trimFront(m);
	return more.length;
}

function append(m: Memory, page: readonly LogEntry[], bottom: number, isPresent: boolean): number {
	const more = shown(m, page);

	m.view.push(...more);
	m.viewCharacters += charactersOf(more);
	m.bottom = bottom;
	if (m.view.length > VIEW_MAX || m.viewCharacters > KEEP_CHARACTERS)
		trimFront(m);
	const first = m.entries[0];
	if (isPresent || (first !== undefined && first.seq <= bottom + 1))
		join(m);
	return more.length;
}

/* The end of a view that was apart has come to what is in memory, which waits behind it. */
function join(m: Memory): void {
	const at = m.entries.findIndex(({ seq }) => seq > m.bottom);
	const behind = at < 0 ? 0 : m.entries.length - at;

	m.isApart = false;
	m.held = m.total - behind;
	m.waiting = behind === 0 ? 0 : shown(m, m.entries.slice(-behind)).length;
}

function stand(m: Memory, page: readonly LogEntry[], top: number, bottom: number): void {
	Object.assign(m, { isPaused: true, isApart: true, top, bottom, waiting: 0, held: m.total });
	show(m, shown(m, page));
}

function pause(m: Memory): void {
	if (m.isPaused)
		return;
	m.isPaused = true;
	m.held = m.total;
	m.bottom = m.lastSeq;
	m.waiting = 0;
}

/* What waited goes behind what stood still, if all of it is still there. */
function resume(m: Memory): void {
	const isWhole = !m.isApart && m.total - m.held <= m.entries.length;
	const fresh = isWhole ? shown(m, m.entries.slice(sinceHeld(m))) : [];

	m.isPaused = false;
	m.isApart = false;
	m.waiting = 0;
	if (!isWhole)
		return rebuild(m);
	m.view.push(...fresh);
	m.viewCharacters += charactersOf(fresh);
	if (m.view.length > KEEP || m.viewCharacters > KEEP_CHARACTERS)
		trimFront(m);
}

/* The newest first: after a loss a number may have been given twice. */
function find(m: Memory, seq: number): LogEntry | null {
	const is = (entry: LogEntry) => entry.kind === "signal" && entry.seq === seq;

	return m.view.findLast(is) ?? m.entries.findLast(is) ?? null;
}
