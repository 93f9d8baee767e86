/* The panel that shows one signal whole: its fields, the envelope exactly as it came, and the
 * episode that it belongs to, as a line of time and as a conversation. */

import type { Desk } from "../desk";
import { h, icon, write } from "../text/dom";
import { clock, colourOf, visible } from "../text/signal";
import type { LogEntry } from "./entry";
import { drawEnvelope } from "./envelope";
import { createEpisodeTab, type EpisodeTab } from "./episode-tab";
import type { Key } from "./filter";

export interface DetailParts {
	desk: Desk;
	/* Shows only what shares a field, or no longer only that. */
	onFilter: (key: Key, value: string) => void;
	onClose: () => void;
	find: (seq: number) => Promise<LogEntry | null>;
}

export interface Detail {
	readonly element: HTMLElement;
	readonly seq: number | null;       /* what it shows, or is to show */
	readonly entry: LogEntry | null;
	show(entry: LogEntry): void;
	/* A signal that is being looked for, or is not there: words say how it stands. */
	await(seq: number, words: string): void;
	hide(): void;
	/* What has changed since it was shown: that the server lost it. */
	draw(): void;
}

type Tab = "envelope" | "episode" | "conversation";
const TABS: readonly [Tab, string][] = [
	["envelope", "Envelope"], ["episode", "Episode"], ["conversation", "Conversation"],
];
const KEYS: readonly Key[] = ["type", "source", "correlation"];

interface Inside extends DetailParts {
	element: HTMLElement;
	badge: HTMLElement;
	number: HTMLElement;
	words: HTMLElement;
	lost: HTMLElement;
	copy: HTMLElement;
	fields: HTMLElement;
	time: HTMLElement;
	links: Map<Key, HTMLButtonElement>;
	tabs: Map<Tab, HTMLButtonElement>;
	tabList: HTMLElement;
	panel: HTMLElement;
	tab: Tab;
	episode: EpisodeTab;
	seq: number | null;
	entry: LogEntry | null;
}

export function createDetail(parts: DetailParts): Detail {
	const m = build(parts);

	return {
		element: m.element,
		get seq() { return m.seq; },
		get entry() { return m.entry; },
		show: (entry) => show(m, entry),
		await: (seq, words) => awaitOne(m, seq, words),
		hide() {
			m.seq = null;
			m.entry = null;
			m.element.hidden = true;
			m.episode.end();
			m.panel.replaceChildren();
		},
		draw() {
			m.lost.hidden = m.entry?.lost !== true;
		},
	};
}

function build(parts: DetailParts): Inside {
	const m: Inside = {
		...parts,
		badge: h("span", { class: "badge" }),
		number: h("span", { class: "number" }),
		words: h("p", { class: "words", role: "status" }),
		lost: h("p", { class: "warning", hidden: true }, "The server lost this signal after you had seen it."),
		copy: h("button", { type: "button", onclick: () => void copyLine(m) }, "Copy"),
		fields: h("dl"),
		time: h("dd"),
		links: new Map(KEYS.map((key) => [key, h("button", { type: "button", onclick: () => {
			if (m.entry !== null)
				m.onFilter(key, m.entry[key]);
		} })])),
		tabs: new Map(),
		tabList: h("div", { role: "tablist", "aria-label": "Signal", onkeydown: (e: KeyboardEvent) => turn(m, e) }),
		panel: h("div", { class: "panel", role: "tabpanel", id: "log-panel" }),
		tab: "envelope",
		episode: createEpisodeTab(parts.desk, parts.find),
		seq: null, entry: null,
		element: h("aside", { id: "detail", "aria-label": "Signal", tabindex: -1, hidden: true }),
	};

	m.fields.append(h("dt", {}, "time"), m.time);
	for (const [key, button] of m.links)
		m.fields.append(h("dt", {}, key), h("dd", {}, button));
	for (const [tab, title] of TABS)
		m.tabs.set(tab, h("button", {
			type: "button", role: "tab", id: `log-tab-${tab}`, "aria-controls": "log-panel",
			onclick: () => choose(m, tab),
		}, title));
	m.tabList.append(...m.tabs.values());
	m.element.append(
		h("header", {}, h("h2", {}, m.badge, " ", m.number),
			m.copy,
			h("button", { type: "button", onclick: () => void copyLink(m) }, "Copy link"),
			h("button", { type: "button", class: "bare", "aria-label": "Close", onclick: m.onClose }, icon("close"))),
		m.words, m.lost, m.fields, m.tabList, m.panel);
	return m;
}

function show(m: Inside, entry: LogEntry): void {
	const isGap = entry.kind === "gap";

	m.seq = entry.seq;
	m.entry = entry;
	m.element.hidden = false;
	m.words.hidden = true;
	write(m.badge, visible(entry.type) || "gap");
	m.badge.className = `badge ${colourOf(entry.type)}`;
	write(m.number, isGap ? "" : `#${entry.seq}`);
	m.lost.hidden = entry.lost !== true;
	m.copy.hidden = isGap;
	m.fields.hidden = false;
	write(m.time, fullTime(entry.at));
	for (const [key, button] of m.links) {
		button.parentElement!.hidden = entry[key] === "";
		(button.parentElement!.previousElementSibling as HTMLElement).hidden = entry[key] === "";
		write(button, visible(entry[key]));
		button.title = `Show only this ${key}`;
	}
	m.tabList.hidden = isGap || entry.correlation === "";
	drawPanel(m);
}

function awaitOne(m: Inside, seq: number, words: string): void {
	m.seq = seq;
	m.entry = null;
	m.element.hidden = false;
	m.words.hidden = false;
	write(m.words, words);
	write(m.badge, "signal");
	m.badge.className = "badge slate";
	write(m.number, `#${seq}`);
	for (const part of [m.lost, m.copy, m.fields, m.tabList])
		part.hidden = true;
	m.episode.end();
	m.panel.replaceChildren();
}

/* ---- tabs ---- */

function choose(m: Inside, tab: Tab): void {
	m.tab = tab;
	drawPanel(m);
}

function drawPanel(m: Inside): void {
	const entry = m.entry;

	if (entry === null)
		return;
	const tab = m.tabList.hidden ? "envelope" : m.tab;
	for (const [name, button] of m.tabs) {
		button.setAttribute("aria-selected", String(name === tab));
		button.tabIndex = name === tab ? 0 : -1;
	}
	m.panel.setAttribute("aria-labelledby", `log-tab-${tab}`);
	if (tab !== "envelope")
		return m.episode.show(m.panel, entry.correlation, tab);
	m.episode.end();
	m.panel.replaceChildren(entry.kind === "gap" ? h("p", { class: "words" }, entry.summary)
		: drawEnvelope(entry.text));
	m.panel.scrollTop = 0;
}

function turn(m: Inside, event: KeyboardEvent): void {
	const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
	const at = TABS.findIndex(([tab]) => tab === m.tab);
	const next = TABS[(at + by + TABS.length) % TABS.length];

	if (by === 0 || next === undefined)
		return;
	event.preventDefault();
	choose(m, next[0]);
	m.tabs.get(next[0])?.focus();
}

/* ---- copying ---- */

async function copyLine(m: Inside): Promise<void> {
	if (m.entry !== null)
		m.desk.say(await copied(m.entry.text, "The envelope is copied, byte for byte."));
}

async function copyLink(m: Inside): Promise<void> {
	if (m.seq !== null)
		m.desk.say(await copied(`${location.origin}/#/log/${m.seq}`, "The link is copied."));
}

function copied(text: string, words: string): Promise<string> {
	return navigator.clipboard.writeText(text)
		.then(() => words, () => "The browser did not allow it.");
}

function fullTime(at: number): string {
	const date = new Date(at);

	if (Number.isNaN(date.getTime()))
		return String(at);
	return `${date.toLocaleDateString("en-CA")} ${clock(at)}`;
}
