/* The log on the screen: a few dozen rows that slide over thousands of entries. All rows are of
 * one height, which the style sheet decides. A row element belongs to a number of the view modulo
 * how many there are, so that while new ones come at the bottom only new ones are written. Above
 * and below the rows stand the edges, which say what is beyond. */

import { h } from "../text/dom";
import type { LogEntry } from "./entry";
import type { Log } from "./model";
import { type Called, newRow, type Row, writeRow } from "./row";

const SPARE = 6;              /* Rows beyond each edge, so that fast scrolling shows no holes. */
const AT_END_PX = 4;

export interface ListParts {
	log: Log;
	called: Called;
	above: HTMLElement;
	below: HTMLElement;
	/* Hears of scrolling that the reader did. */
	onScroll: (isAtEnd: boolean) => void;
	/* Hears of another size: more of the log may be wanted now. */
	onSize: () => void;
}

export interface List {
	readonly box: HTMLElement;
	readonly track: HTMLElement;   /* has the focus */
	selected: LogEntry | null;
	readonly isAtEnd: boolean;
	/* Less than a screen is between what is seen and an end of the view. */
	readonly isNearTop: boolean;
	readonly isNearBottom: boolean;
	readonly page: number;         /* rows on a screen */
	readonly first: LogEntry | null;       /* at the top of what is seen */
	/* Draws what is to be seen now. While not paused that is the end. */
	draw(): void;
	/* Sessions are called otherwise: what is drawn next is written anew. */
	rename(): void;
	/* Moves the selection by so many rows, or to an end; Infinity is welcome. */
	move(by: number): void;
	reveal(entry: LogEntry): void;
	entryAt(target: EventTarget | null): LogEntry | null;
}

interface Inside extends ListParts {
	box: HTMLElement;
	track: HTMLElement;
	rows: Row[];
	rowHeight: number;
	height: number;        /* of the box */
	offset: number;        /* of the rows in the box */
	base: number;          /* the number of the view's first row when it was last drawn */
	length: number;        /* and how many there were */
	names: number;         /* which names of sessions rows are written with */
	selected: LogEntry | null;
}

export function createList(parts: ListParts): List {
	const track = h("div", {
		class: "track", role: "listbox", tabindex: 0, "aria-label": "Signals, oldest first",
	});
	const box = h("div", { id: "log" }, parts.above, track, parts.below);
	const m: Inside = {
		...parts, box, track, rows: [], rowHeight: 1, height: 0, offset: 0, base: 0, length: -1, names: 0,
		selected: null,
	};

	new ResizeObserver(() => measure(m)).observe(box);
	box.addEventListener("scroll", () => {
		const wasPaused = m.log.isPaused;

		m.onScroll(isAtEnd(m));
		if (wasPaused || m.log.isPaused)
			draw(m);
	}, { passive: true });
	box.addEventListener("wheel", ({ deltaY }) => {
		if (deltaY < 0 && box.scrollHeight > box.clientHeight)
			m.onScroll(false);
	}, { passive: true });
	return {
		box, track,
		get selected() { return m.selected; },
		set selected(entry) { m.selected = entry; },
		get isAtEnd() { return isAtEnd(m); },
		get isNearTop() { return box.scrollTop < m.offset + m.height; },
		get isNearBottom() { return box.scrollTop + 2 * m.height > box.scrollHeight; },
		get page() { return Math.max(1, Math.floor(m.height / m.rowHeight) - 1); },
		get first() { return m.log.view[Math.floor(topOf(m) / m.rowHeight)] ?? null; },
		draw: () => draw(m),
		move: (by) => move(m, by),
		rename() { m.names++; },
		reveal: (entry) => reveal(m, entry),
		entryAt: (target) => entryAt(m, target),
	};
}

function isAtEnd({ box }: Inside): boolean {
	return box.scrollTop + box.clientHeight >= box.scrollHeight - AT_END_PX;
}

/* How much of the rows is above what is seen. */
function topOf({ box, offset }: Inside): number {
	return Math.max(0, box.scrollTop - offset);
}

function draw(m: Inside): void {
	const { box, log: { view, base, isPaused } } = m;

	stretch(m);
	if (!isPaused)
		box.scrollTop = box.scrollHeight;
	else if (base !== m.base)
		box.scrollTop += (m.base - base) * m.rowHeight;
	m.base = base;
	const top = isPaused ? topOf(m) : Math.max(0, m.length * m.rowHeight - m.height);
	const first = Math.max(0, Math.floor(top / m.rowHeight) - SPARE);
	for (let i = first; i < first + m.rows.length; i++) {
		const row = m.rows[modulo(base + i, m.rows.length)]!;
		const entry = view[i];
		row.element.hidden = entry === undefined;
		if (entry !== undefined)
			place(m, row, entry, i);
	}
	pointAtSelected(m);
}

function stretch(m: Inside): void {
	if (m.length === m.log.view.length)
		return;
	m.length = m.log.view.length;
	m.track.style.height = `${m.length * m.rowHeight}px`;
}

function modulo(n: number, by: number): number {
	return ((n % by) + by) % by;
}

function place(m: Inside, row: Row, entry: LogEntry, index: number): void {
	const y = index * m.rowHeight;
	const isSelected = entry === m.selected;

	if (row.y !== y) {
		row.y = y;
		row.element.style.transform = `translateY(${y}px)`;
	}
	if (row.entry !== entry || row.isLost !== (entry.lost === true) || row.names !== m.names) {
		row.names = m.names;
		writeRow(row, entry, m.called);
	}
	if (row.isSelected !== isSelected) {
		row.isSelected = isSelected;
		row.element.setAttribute("aria-selected", String(isSelected));
	}
}

function pointAtSelected({ rows, track }: Inside): void {
	const row = rows.find(({ element, isSelected }) => !element.hidden && isSelected);

	if (row === undefined)
		track.removeAttribute("aria-activedescendant");
	else
		track.setAttribute("aria-activedescendant", row.element.id);
}

function move(m: Inside, by: number): void {
	const { view } = m.log;

	if (view.length === 0)
		return;
	const from = m.selected === null ? -1 : view.indexOf(m.selected);
	const above = Math.ceil(topOf(m) / m.rowHeight) - 1;
	const below = Math.floor((topOf(m) + m.height) / m.rowHeight);
	const start = from >= 0 ? from : by > 0 ? above : Math.min(below, view.length);
	const at = Math.min(view.length - 1, Math.max(0, start + by));
	m.selected = view[at] ?? null;
	bringIn(m, at);
	draw(m);
}

/* With the next one below it, where something may be laid over the last. */
function bringIn({ box, offset, rowHeight, height }: Inside, index: number): void {
	const top = offset + index * rowHeight;
	const bottom = top + 2 * rowHeight;

	if (top < box.scrollTop)
		box.scrollTop = top;
	else if (bottom > box.scrollTop + height)
		box.scrollTop = bottom - height;
}

/* Chooses an entry and shows it in the middle, unless it is in sight already. */
function reveal(m: Inside, entry: LogEntry): void {
	const index = m.log.view.indexOf(entry);
	const top = m.offset + index * m.rowHeight;

	m.selected = entry;
	draw(m);
	if (index < 0 || (top >= m.box.scrollTop && top + m.rowHeight <= m.box.scrollTop + m.height))
		return;
	m.box.scrollTop = top - (m.height - m.rowHeight) / 2;
	draw(m);
}

function entryAt(m: Inside, target: EventTarget | null): LogEntry | null {
	const element = target instanceof Element ? target.closest(".row") : null;

	return m.rows.find((row) => row.element === element)?.entry ?? null;
}

/* The size of the box or of a row changed. The row that was first stays first, and the selected
 * one in sight. */
function measure(m: Inside): void {
	const { box, rows, log } = m;
	const first = topOf(m) / m.rowHeight;

	if (box.clientHeight === 0)
		return;
	grow(m, 1);
	rows[0]!.element.hidden = false;
	m.rowHeight = rows[0]!.element.offsetHeight || 1;
	m.height = box.clientHeight;
	m.offset = m.track.offsetTop;
	grow(m, Math.ceil(m.height / m.rowHeight) + 2 * SPARE);
	for (const row of rows)
		row.entry = null;
	m.length = -1;
	stretch(m);
	if (log.isPaused && first > 0)
		box.scrollTop = m.offset + first * m.rowHeight;
	if (log.isPaused && m.selected !== null && log.view.includes(m.selected))
		bringIn(m, log.view.indexOf(m.selected));
	draw(m);
	m.onSize();
}

function grow(m: Inside, count: number): void {
	while (m.rows.length < count) {
		const row = newRow(m.rows.length);
		m.rows.push(row);
		m.track.append(row.element);
	}
}
