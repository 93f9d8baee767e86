/* Draws an episode as a line of time: a strip on which the lanes of its agents run side by side,
 * and below it an item for each thing that happened. An item opens to the whole envelope. The
 * arrow keys go from item to item. */

import { fill, h, svg, write } from "../text/dom";
import { clock, colourOf, visible } from "../text/signal";
import { counted, lasted } from "../talk/plain";
import type { Episode, Item } from "./episode";

const SHOWN = 300;             /* items that are drawn before more are asked for */
const WIDTH = 1000;            /* of the strip, in its own units */
const LANE = 14;
const HUES = ["blue", "violet", "teal", "amber", "pink", "green", "indigo", "slate"];

export interface TimelineParts {
	/* Makes what an item shows when it is opened. */
	open: (seq: number) => Promise<HTMLElement>;
}

export interface Timeline {
	readonly element: HTMLElement;
	draw(episode: Episode): void;
}

interface Drawn { element: HTMLElement; button: HTMLElement; version: number }

interface Inside extends TimelineParts {
	head: HTMLElement;
	strip: SVGSVGElement;
	legend: HTMLElement;
	earlier: HTMLElement;
	list: HTMLElement;
	drawn: Map<Item, Drawn>;
	pages: number;
	episode: Episode | null;
	stripOf: number;           /* how many signals the strip was drawn with */
}

export function createTimeline(parts: TimelineParts): Timeline {
	const m: Inside = {
		...parts,
		head: h("p", { class: "ep-head" }),
		strip: svg("svg", { class: "ep-strip", preserveAspectRatio: "none", role: "img",
			"aria-label": "Activity of each agent" }),
		legend: h("ul", { class: "ep-legend", "aria-label": "Agents" }),
		earlier: h("button", { type: "button", class: "ep-earlier", hidden: true, onclick: () => {
			m.pages++;
			if (m.episode !== null)
				draw(m, m.episode);
		} }),
		list: h("ol", { class: "ep-items", "aria-label": "What happened", onkeydown: (e: KeyboardEvent) => step(e) }),
		drawn: new Map(), pages: 1, episode: null, stripOf: -1,
	};

	return {
		element: h("div", { class: "ep" }, m.head, m.strip, m.legend, m.earlier, m.list),
		draw: (episode) => draw(m, episode),
	};
}

function draw(m: Inside, episode: Episode): void {
	const { items, lanes, signals, firstAt, lastAt } = episode;
	const shown = items.slice(-SHOWN * m.pages);
	const before = items.length - shown.length;
	const span = lasted(lastAt - firstAt);

	m.episode = episode;
	write(m.head, [counted(signals, "signal"), counted(lanes.length, "agent"), span]
		.filter((words) => words !== "").join(" · "));
	if (m.stripOf !== signals)
		drawStrip(m, episode);
	m.earlier.hidden = before === 0 && episode.forgotten === 0;
	m.earlier.toggleAttribute("disabled", before === 0);
	write(m.earlier, before > 0 ? `Show earlier (${before.toLocaleString("en")})`
		: `${counted(episode.forgotten, "earlier item")} can be read in the log`);
	const kept = new Set(shown);
	for (const [item, { element }] of m.drawn)
		if (!kept.has(item)) {
			element.remove();
			m.drawn.delete(item);
		}
	shown.forEach((item, i) => place(m, item, i));
}

function place(m: Inside, item: Item, index: number): void {
	const known = m.drawn.get(item);
	const one = known ?? newItem(m, item);

	if (known === undefined) {
		m.drawn.set(item, one);
		m.list.insertBefore(one.element, m.list.children[index] ?? null);
	}
	if (one.version === item.version)
		return;
	one.version = item.version;
	writeItem(one.button, item, m.episode?.firstAt ?? NaN);
}

function newItem(m: Inside, item: Item): Drawn {
	const button = h("button", { type: "button", class: "ep-item", "aria-expanded": "false" });
	const element = h("li", { class: HUES[item.lane] ?? "slate" }, button);

	element.style.setProperty("--lane", String(item.lane));
	button.disabled = item.isGap;
	button.addEventListener("click", () => void toggle(m, item, element, button));
	return { element, button, version: 0 };
}

/* What is open is made anew each time: nothing of it is kept while it is closed. */
async function toggle(m: Inside, item: Item, element: HTMLElement, button: HTMLElement) {
	const isOpen = button.getAttribute("aria-expanded") === "true";

	button.setAttribute("aria-expanded", String(!isOpen));
	if (isOpen)
		return element.lastElementChild?.remove();
	const more = h("div", { class: "ep-more" }, "…");
	element.append(more);
	fill(more, [await m.open(item.seq)]);
	return undefined;
}

function writeItem(button: HTMLElement, item: Item, firstAt: number): void {
	const { type, text, took, count, at, lastAt, hasFailed, isGap } = item;
	const spread = count > 1 ? `${counted(count, "piece")}, ${lasted(lastAt - at) || "0 ms"}`
		: Number.isNaN(took) ? ""
		: type === "tool_call" ? `took ${lasted(took) || "0 ms"}` : `after ${lasted(took) || "0 ms"}`;

	button.classList.toggle("failed", hasFailed);
	button.classList.toggle("gap", isGap);
	fill(button, [
		h("span", { class: "ep-time", title: Number.isNaN(at) ? "" : clock(at) }, sinceStart(at - firstAt)),
		h("span", { class: "ep-dot", "aria-hidden": "true" }),
		h("span", { class: `badge ${colourOf(type)}` }, visible(type)),
		h("span", { class: "ep-took number" }, spread),
		h("span", { class: "ep-text" }, text),
	]);
}

/* A producer's clock may go backwards. */
export function sinceStart(ms: number): string {
	if (Number.isNaN(ms))
		return "";
	return ms < 0 ? `−${lasted(-ms)}` : `+${lasted(ms)}`;
}

/* ---- the strip ---- */

function drawStrip(m: Inside, episode: Episode): void {
	const { lanes, items, firstAt, lastAt } = episode;
	const span = Math.max(1, lastAt - firstAt);
	const isShown = items.length > 1 && lastAt > firstAt;

	m.stripOf = episode.signals;
	m.strip.toggleAttribute("hidden", !isShown);
	m.strip.setAttribute("viewBox", `0 0 ${WIDTH} ${lanes.length * LANE}`);
	m.strip.style.setProperty("--lanes", String(lanes.length));
	if (isShown)
		fill(m.strip, lanes.flatMap((_, lane) => drawLane(items, lane, (at) => (at - firstAt) / span * WIDTH)));
	fill(m.legend, lanes.map((name, lane) => h("li", { class: HUES[lane] ?? "slate" },
		h("span", { class: "ep-dot", "aria-hidden": "true" }), visible(name) || "(nobody)")));
}

/* One path for what went well and one for what failed, however much there is. */
function drawLane(items: readonly Item[], lane: number, x: (at: number) => number): SVGElement[] {
	const y = (lane + 0.5) * LANE;
	const parts = { good: "", bad: "" };
	const last = { good: -Infinity, bad: -Infinity };

	for (const { lane: its, at, lastAt, hasFailed, isGap } of items) {
		const how = hasFailed ? "bad" : "good";
		const from = x(at);
		const to = Math.max(x(lastAt), from + 3);
		if (its !== lane || isGap || Number.isNaN(from) || Number.isNaN(to) || to < last[how] + 1)
			continue;
		last[how] = to;
		parts[how] += `M${from.toFixed(1)} ${y}H${Math.min(WIDTH, to).toFixed(1)}`;
	}
	return [
		svg("path", { class: "ep-base", d: `M0 ${y}H${WIDTH}` }),
		svg("path", { class: `ep-run ${HUES[lane] ?? "slate"}`, d: parts.good || "M0 0" }),
		svg("path", { class: "ep-run red", d: parts.bad || "M0 0" }),
	];
}

/* ---- keys ---- */

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

function step(event: KeyboardEvent): void {
	const list = event.currentTarget as HTMLElement;
	const by = Object.hasOwn(STEPS, event.key) ? STEPS[event.key] : undefined;
	const items = [...list.querySelectorAll<HTMLElement>(".ep-item")];
	const at = items.indexOf(event.target as HTMLElement);

	if (by === undefined || at < 0)
		return;
	event.preventDefault();
	event.stopPropagation();
	items[Math.min(items.length - 1, Math.max(0, at + by))]?.focus();
}
