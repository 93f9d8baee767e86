/* One row of the log, and writing an entry into it. */

import { h } from "../text/dom";
import { clock, colourOf, knownAs, visible } from "../text/signal";
import type { LogEntry } from "./entry";

export interface Row {
	element: HTMLElement;
	time: HTMLElement;
	badge: HTMLElement;
	source: HTMLElement;
	who: HTMLElement;
	summary: HTMLElement;
	seq: HTMLElement;
	entry: LogEntry | null;
	y: number;
	isLost: boolean;
	isSelected: boolean;
	names: number;          /* which names of sessions it was written with */
}

export function newRow(index: number): Row {
	const time = h("span", { class: "time" });
	const badge = h("span", { class: "badge" });
	const source = h("span", { class: "source" });
	const who = h("b");
	const summary = h("span");
	const seq = h("span", { class: "seq" });
	const element = h("div", {
		class: "row", role: "option", id: `log-row-${index}`, "aria-selected": "false",
		"aria-setsize": -1,
	}, time, badge, source, h("span", { class: "text" }, who, summary), seq);

	return {
		element, time, badge, source, who, summary, seq,
		entry: null, y: NaN, isLost: false, isSelected: false, names: 0,
	};
}

/* What a session is called; undefined: it is nobody's. */
export type Called = (entry: LogEntry) => string | undefined;

export function writeRow(row: Row, entry: LogEntry, called: Called): void {
	const { kind, failed, lost, demo } = entry;
	const session = called(entry);

	row.entry = entry;
	row.isLost = lost === true;
	row.element.className = `row ${kind}${failed ? " failed" : ""}${lost ? " lost" : ""}`
		+ `${demo ? " demo" : ""}${session === undefined ? "" : " named"}`;
	row.element.setAttribute("aria-posinset", String(Math.max(1, entry.seq)));
	row.time.textContent = clock(entry.at);
	row.badge.textContent = visible(entry.type);
	row.badge.className = `badge ${colourOf(entry.type)}`;
	row.source.textContent = session ?? visible(knownAs(entry.source));
	row.source.title = visible(entry.source);
	row.who.textContent = session === undefined ? entry.who : "";
	row.summary.textContent = entry.summary;
	row.seq.textContent = kind === "gap" ? "" : String(entry.seq);
}
