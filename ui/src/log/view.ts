/* The log view: joins the log with the link, the list, the journal's pages and the panel, and
 * does what the reader asks for. What comes is drawn a little later, with whatever came meanwhile. */

import type { Desk, View } from "../desk";
import { h, write } from "../text/dom";
import { wordsOf } from "../text/fault";
import { createDetail, type Detail } from "./detail";
import { BACKGROUNDS, logEntryOf, type LogEntry } from "./entry";
import { save } from "./export";
import { createFacets, type Facets } from "./facets";
import { asksFor, type Key, matcher, toggle } from "./filter";
import { createList, type List } from "./list";
import { createLog, type Log } from "./model";
import { createPages, type Edge, type Pages } from "./pages";
import { addressOf, placeOf } from "./place";
import { layOut, makeScreen, type Screen } from "./screen";
import { searchOf } from "./search";

const DRAW_MS = 40;            /* Nobody reads faster than 25 pictures a second, */
const FLOOD_MS = 100;          /* nor rows that are gone again with the next picture. */
const TICK_MS = 500;
const TYPING_MS = 120;         /* A filter is applied when the typing rests so long. */

interface Inside {
	desk: Desk;
	root: HTMLElement;
	screen: Screen;
	log: Log;
	list: List;
	pages: Pages;
	detail: Detail;
	facets: [Facets, Facets];
	filter: string;
	showsAll: boolean;
	isSeen: boolean;               /* the view is shown */
	isFilled: boolean;             /* the past was read */
	isFilling: boolean;
	isPausedByHand: boolean;
	isDrawing: boolean;
	drawnAt: number;
	drawnTotal: number;            /* signals heard when it was drawn */
	isFlood: boolean;              /* more came than a screen has rows */
	typing: ReturnType<typeof setTimeout> | undefined;
}

export function openView(root: HTMLElement, desk: Desk): View {
	const screen = makeScreen();
	const log = createLog();
	const pages = createPages(desk.link, log, () => drawSoon(m));
	const m: Inside = {
		desk, root, screen, log, pages,
		list: createList({ log, above: screen.above, below: screen.below,
			called: ({ correlation, agent }) => desk.names.who(correlation, agent),
			onScroll: (isAtEnd) => scrolled(m, isAtEnd), onSize: () => drawSoon(m) }),
		detail: createDetail({ desk, onClose: () => back(m),
			onFilter: (key, value) => setFilter(m, toggle(m.filter, key, value)),
			find: async (seq) => (await pages.find(seq)).entry }),
		facets: [createFacets("Types", "type", (key, value) => toggleTerm(m, key, value)),
			createFacets("Sources", "source", (key, value) => toggleTerm(m, key, value))],
		filter: "", showsAll: false, isSeen: false, isFilled: false, isFilling: false,
		isPausedByHand: false, isDrawing: false, drawnAt: 0, drawnTotal: 0, isFlood: false,
		typing: undefined,
	};

	screen.facets.append(...m.facets.map(({ element }) => element));
	layOut(root, screen, m.list.box, m.detail.element);
	log.filter(matcher(""), shows(m));
	hear(m);
	heed(m);
	return {
		show: (rest) => show(m, rest),
		hide() { m.isSeen = false; },
		key: (event) => key(m, event),
	};
}

/* ---- what comes in ---- */

function hear(m: Inside): void {
	const { link } = m.desk;

	link.on("signal", ({ envelope, text }) => {
		m.log.add(logEntryOf(envelope, text));
		drawSoon(m);
	});
	m.desk.names.on(() => {
		m.list.rename();
		drawSoon(m);
	});
	link.on("gap", (gap) => {
		m.log.gap(gap);
		drawSoon(m);
	});
	link.on("state", ({ name }) => {
		if (name === "live") {
			void fill(m);
			tryAgain(m);
		}
		drawSoon(m);
	});
	void fill(m);
}

/* The past is read once, as soon as there is somebody to ask. */
async function fill(m: Inside): Promise<void> {
	if (m.isFilled || m.isFilling || m.desk.link.state.name !== "live")
		return;
	m.isFilling = true;
	m.isFilled = await m.pages.fill().then(() => true, () => false);
	m.isFilling = false;
	drawSoon(m);
}

/* What failed while nobody was there is asked for again. */
function tryAgain({ pages }: Inside): void {
	if (pages.above.name === "failed")
		pages.older(true);
	if (pages.below.name === "failed")
		pages.newer(true);
}

/* ---- what is drawn ---- */

function drawSoon(m: Inside): void {
	if (m.isDrawing || !m.isSeen)
		return;
	m.isDrawing = true;
	setTimeout(() => requestAnimationFrame(() => draw(m)),
		Math.max(0, m.drawnAt + (m.isFlood ? FLOOD_MS : DRAW_MS) - performance.now()));
}

function draw(m: Inside): void {
	const { log, screen } = m;
	const number = (n: number) => n.toLocaleString("en");

	m.isDrawing = false;
	if (!m.isSeen)
		return;
	m.drawnAt = performance.now();
	m.isFlood = log.total - m.drawnTotal > m.list.page;
	m.drawnTotal = log.total;
	m.list.draw();
	m.detail.draw();
	write(screen.pause, log.isPaused ? "Resume" : "Pause");
	screen.pause.setAttribute("aria-pressed", String(log.isPaused));
	write(screen.matches, m.filter.trim() === "" ? ""
		: `${number(log.view.length)} shown, ${number(log.entries.length)} in memory`);
	screen.waiting.hidden = !log.isPaused;
	write(screen.waiting, log.isApart ? "To the present"
		: log.waiting === 0 ? "Paused · resume" : `${number(log.waiting)} waiting · resume`);
	drawBackground(m);
	drawNote(m);
	drawEdge(m, screen.above, m.pages.above, () => m.pages.older(true));
	drawEdge(m, screen.below, log.isApart ? m.pages.below : null, () => m.pages.newer(true));
	reach(m);
}

function drawBackground({ log, screen: { background, save }, showsAll }: Inside): void {
	write(background.lastElementChild!, showsAll ? "shown" : `${log.hidden.toLocaleString("en")} hidden`);
	background.setAttribute("aria-pressed", String(showsAll));
	background.title = showsAll ? "Hide heartbeats, cron signals and repeated frames"
		: "Show heartbeats, cron signals and repeated frames";
	save.disabled = log.view.length === 0;
}

/* What ought to be known where there is nothing to see. */
function noteNow({ log, pages, desk, isFilled, filter }: Inside): [string, string, string] | null {
	if (log.view.length > 0)
		return null;
	if (log.entries.length === 0 && filter === "")
		return desk.link.state.name !== "live" || !isFilled ? null
			: ["No signals yet", "Everything that your agents do will appear here. Send a first signal from a terminal:",
				"signalbox emit '{\"type\":\"hello\"}'"];
	if (pages.above.name === "busy" || pages.above.name === "more")
		return ["Searching", "No signal in memory matches the filter. Searching the journal.", ""];
	if (filter === "")
		return ["Only heartbeats", `${log.hidden.toLocaleString("en")} signals of the background are hidden.`, ""];
	return ["Nothing matches the filter", pages.above.name === "end" ? "The whole journal was searched."
		: `${log.entries.length.toLocaleString("en")} signals are in memory, and none matches.`, ""];
}

function drawNote(m: Inside): void {
	const { note, noteTitle, noteWords, noteCommand } = m.screen;
	const said = noteNow(m);

	note.hidden = said === null;
	if (said === null)
		return;
	write(noteTitle, said[0]);
	write(noteWords, said[1]);
	write(noteCommand, said[2]);
	noteCommand.parentElement!.hidden = said[2] === "";
}

const EDGE_BUTTONS: Partial<Record<Edge["name"], string>> = {
	busy: "Stop", stopped: "Search on", failed: "Try again",
};

function drawEdge(m: Inside, element: HTMLElement, edge: Edge | null, again: () => void): void {
	const name = edge?.name ?? "";

	if (element.dataset["edge"] !== name) {
		const title = edge === null ? undefined : EDGE_BUTTONS[edge.name];
		element.dataset["edge"] = name;
		element.replaceChildren(h("span"), title === undefined ? "" : h("button",
			{ type: "button", onclick: () => name === "busy" ? m.pages.stop() : again() }, title));
	}
	write(element.firstElementChild!, edge?.words ?? "");
}

/* Where the reader comes near to an end of what is there, more is read. */
function reach(m: Inside): void {
	if (m.isFilled && m.list.isNearTop)
		m.pages.older();
	if (m.log.isApart && m.list.isNearBottom)
		m.pages.newer();
}

function drawFacets(m: Inside): void {
	if (!m.isSeen || document.hidden)
		return;
	m.facets[0].draw(m.log.types, m.filter);
	m.facets[1].draw(m.log.sources, m.filter);
}

/* ---- where the reader goes ---- */

function show(m: Inside, rest: string): void {
	const place = placeOf(rest);

	m.isSeen = true;
	if (place.filter !== m.filter || place.showsAll !== m.showsAll) {
		m.showsAll = place.showsAll;
		m.filter = place.filter;
		if (m.screen.filter.value.trim() !== place.filter)
			m.screen.filter.value = place.filter;
		applyFilter(m);
	}
	if (place.seq === null && m.detail.seq !== null)
		m.detail.hide();
	else if (place.seq !== null && place.seq !== m.detail.seq)
		void openSeq(m, place.seq);
	drawFacets(m);
	drawSoon(m);
}

/* The address is where everything about the view is told, so it changes first. */
function go(m: Inside, change: { seq?: number | null; filter?: string; showsAll?: boolean }, how?: "replace") {
	m.desk.go(addressOf({ seq: m.detail.seq, filter: m.filter, showsAll: m.showsAll, ...change }), how);
}

function setFilter(m: Inside, filter: string): void {
	m.screen.filter.value = filter;
	go(m, { filter: filter.trim() }, "replace");
}

function toggleTerm(m: Inside, key: Key, value: string): void {
	setFilter(m, toggle(m.filter, key, value));
}

/* What is of the background is shown when the filter asks for it by name. */
function shows(m: Inside): (entry: LogEntry) => boolean {
	const asked = new Set(["", ...BACKGROUNDS.filter((name) => m.showsAll || asksFor(m.filter, name))]);

	return ({ background }) => asked.has(background);
}

/* A view that is apart from the present is read anew where it stands. */
function applyFilter(m: Inside): void {
	const { log, pages, list } = m;
	const at = log.isApart ? list.selected?.seq ?? list.first?.seq ?? log.bottom : 0;

	pages.look(searchOf(m.filter, { types: log.types.keys(), sources: log.sources.keys() }));
	log.filter(matcher(m.filter), shows(m));
	if (at > 0)
		pages.around(at).catch((why: unknown) => m.desk.say(wordsOf(why), "bad"));
	drawFacets(m);
	drawSoon(m);
}

/* ---- one signal ---- */

async function openSeq(m: Inside, seq: number): Promise<void> {
	const known = m.log.find(seq);

	if (known !== null)
		return openEntry(m, known);
	m.detail.await(seq, "Looking for it in the journal.");
	try {
		const { entry, why } = await m.pages.find(seq);
		if (m.detail.seq !== seq)
			return undefined;
		if (entry === null)
			return m.detail.await(seq, why);
		openEntry(m, entry);
		if (!m.log.view.includes(entry)) {
			await m.pages.around(seq);
			const there = m.log.find(seq);
			if (there !== null && m.detail.seq === seq)
				openEntry(m, there);
		}
	} catch (why) {
		if (m.detail.seq === seq && m.detail.entry === null)
			m.detail.await(seq, `The journal could not be read: ${wordsOf(why)}`);
	}
	return undefined;
}

function openEntry(m: Inside, entry: LogEntry): void {
	m.log.pause();
	m.detail.show(entry);
	m.list.reveal(entry);
	drawSoon(m);
}

/* A hole has no number of its own to go to. */
function openSelected(m: Inside): void {
	const entry = m.list.selected;
	const isOpen = m.detail.seq !== null;

	if (entry === null)
		return;
	m.log.pause();
	m.detail.show(entry);
	if (entry.kind === "signal")
		go(m, { seq: entry.seq }, isOpen ? "replace" : undefined);
	drawSoon(m);
}

/* ---- what the reader does ---- */

/* Looking back pauses, coming back to the end resumes; unless the pause was made by
 * hand, or a signal is being read. */
function scrolled(m: Inside, isAtEnd: boolean): void {
	const { log } = m;

	if (!isAtEnd && !log.isPaused)
		log.pause();
	else if (isAtEnd && log.isPaused && !log.isApart && !m.isPausedByHand && m.detail.seq === null)
		log.resume();
	drawSoon(m);
}

function togglePause(m: Inside): void {
	m.isPausedByHand = !m.log.isPaused;
	if (m.log.isPaused)
		m.log.resume();
	else
		m.log.pause();
	draw(m);
}

function select(m: Inside, by: number): void {
	m.log.pause();
	m.list.move(by);
	m.list.track.focus({ preventScroll: true });
	if (m.detail.seq !== null)
		openSelected(m);
	drawSoon(m);
}

/* On a narrow screen the overview is a sheet that is called for. */
function browse(m: Inside, isShown: boolean): void {
	m.root.classList.toggle("browsing", isShown);
	m.screen.browse.setAttribute("aria-expanded", String(isShown));
}

function back(m: Inside): void {
	browse(m, false);
	if (m.detail.seq !== null) {
		m.detail.hide();
		m.list.track.focus({ preventScroll: true });
		go(m, { seq: null }, "replace");
	} else if (document.activeElement === m.screen.filter) {
		setFilter(m, "");
		m.list.track.focus({ preventScroll: true });
	} else {
		m.list.selected = null;
		m.isPausedByHand = false;
		m.log.resume();
	}
	drawSoon(m);
}

function exportShown(m: Inside): void {
	const count = save(m.log.view);

	m.desk.say(`Exported ${count.toLocaleString("en")} ${count === 1 ? "line" : "lines"}, as the journal has them.`);
}

const KEYS: Record<string, (m: Inside) => void> = {
	"/": (m) => m.screen.filter.focus(),
	" ": togglePause,
	j: (m) => select(m, 1),
	k: (m) => select(m, -1),
	ArrowDown: (m) => select(m, 1),
	ArrowUp: (m) => select(m, -1),
	PageDown: (m) => select(m, m.list.page),
	PageUp: (m) => select(m, -m.list.page),
	Home: (m) => select(m, -Infinity),
	End: (m) => select(m, Infinity),
	Enter: openSelected,
	Escape: back,
	h: (m) => go(m, { showsAll: !m.showsAll }, "replace"),
	e: exportShown,
};

/* In the panel the keys that scroll belong to what is read. */
function key(m: Inside, event: KeyboardEvent): boolean {
	const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
	const isIn = (element: HTMLElement) => event.target instanceof Node && element.contains(event.target);

	if (act === undefined || (event.key.length > 1 && event.key !== "Escape"
		&& (isIn(m.detail.element) || isIn(m.screen.facets))))
		return false;
	act(m);
	return true;
}

function heed(m: Inside): void {
	const { screen, list } = m;

	list.track.addEventListener("click", ({ target }) => {
		const entry = list.entryAt(target);
		if (entry === null || getSelection()?.type === "Range")
			return;
		list.selected = entry;
		openSelected(m);
	});
	screen.filter.addEventListener("input", () => {
		clearTimeout(m.typing);
		m.typing = setTimeout(() => go(m, { filter: screen.filter.value.trim() }, "replace"), TYPING_MS);
	});
	screen.filter.addEventListener("keydown", (event) => {
		if (event.key !== "Enter" && event.key !== "ArrowDown")
			return;
		list.track.focus({ preventScroll: true });
		event.preventDefault();
	});
	screen.pause.addEventListener("click", () => togglePause(m));
	screen.waiting.addEventListener("click", () => togglePause(m));
	screen.save.addEventListener("click", () => exportShown(m));
	screen.background.addEventListener("click", () => go(m, { showsAll: !m.showsAll }, "replace"));
	screen.browse.addEventListener("click", () => browse(m, !m.root.classList.contains("browsing")));
	setInterval(() => drawFacets(m), TICK_MS);
}
