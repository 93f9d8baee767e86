/* What is plotted: the rows of GET /api/usage, days without gaps, shares, and CSV. Pure. */

import type { Spent } from "../desk";
import { tokensOf } from "../crew/words";

/* A day, a project, a model, a program or a session, and what was spent by it. */
export interface Row extends Spent { key: string; handle?: string }

/* What a tool took, or all tools of a day; atOnce: the most sessions at work at one moment. */
export interface Toil { key: string; calls: number; failures: number; ms: number; atOnce?: number }

export type By = "day" | "project" | "model" | "harness" | "session";

const DAY_MS = 86_400_000;
const CHANGES_MAX = 64;       /* that the server takes */
const COLUMNS = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "calls"] as const;
const FORMULA = /^[=+\-@\t\r]/;

/* The day of a moment in the reader's zone, as the server writes it. */
export function dayKey(at: number): string {
	const day = new Date(at);
	const two = (n: number) => String(n).padStart(2, "0");

	return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/* The beginning of the day so many days before this one. */
export function dayBefore(at: number, days: number): number {
	const day = new Date(at);

	return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime();
}

/* Minutes that the reader's zone is east of UTC, and each change since then, as the server wants it:
 * days of summer and of winter are not equally far. */
export function offsets(since: number, now: number, east = (at: number) => -new Date(at).getTimezoneOffset()): string {
	const changes: string[] = [];
	let minutes = east(since);
	const first = minutes;

	for (let at = since; at < now && changes.length < CHANGES_MAX;) {
		const next = Math.min(at + DAY_MS, now);

		if (east(next) === minutes) {
			at = next;
			continue;
		}
		at = changeBetween(at, next, east);
		minutes = east(at);
		changes.push(`,${minutes}@${at}`);
	}
	return `${first}${changes.join("")}`;
}

/* The first moment that has not the minutes of the first. */
function changeBetween(from: number, to: number, east: (at: number) => number): number {
	let before = from, after = to;

	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);

		if (east(middle) === east(from))
			before = middle;
		else
			after = middle;
	}
	return after;
}

/* Every day from the first that has something on, or from `since`, to now: a day without work is
 * a day, too. */
export function everyDay<T extends { key: string }>(rows: readonly T[], since: number, now: number, empty: (key: string) => T): T[] {
	const known = new Map(rows.map((row) => [row.key, row]));
	const first = rows.reduce((least, { key }) => key < least ? key : least, dayKey(now));
	const days: T[] = [];

	for (let at = since; at <= now; at = dayBefore(at + DAY_MS * 1.5, 0)) {
		const key = dayKey(at);

		if (key >= first)
			days.push(known.get(key) ?? empty(key));
	}
	return days;
}

/* How much of what models read came from a cache, in per cent; null where they read nothing. */
export function cacheShare({ input = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 }: Spent): number | null {
	const all = input + cacheRead + cacheWrite + cacheWrite1h;

	return all > 0 ? cacheRead / all * 100 : null;
}

export const costOf = ({ cost }: Spent): number | null => typeof cost === "number" ? cost : null;

export const tokens = (row: Spent): number => tokensOf(row);

export const nameOf = (row: Row): string => row.handle ?? (row.key === "" ? "not known" : row.key);

/* A cell that a spreadsheet would take for a formula gets a quote in front. */
function cell(text: string): string {
	return `"${FORMULA.test(text) ? "'" : ""}${text.replaceAll('"', '""')}"`;
}

/* A sum that some calls are not in says so here, too. */
function costCells(row: Row): [string, string] {
	const cost = costOf(row);

	return cost === null ? ["", ""] : [cost.toFixed(6), String(row.atLeast === true || row.unknown === true)];
}

export function csvOf(by: By, rows: readonly Row[]): string {
	const lines = rows.map((row) => [cell(nameOf(row)), ...COLUMNS.map((name) => String(row[name] ?? 0)), ...costCells(row)].join(","));

	return [[by, ...COLUMNS, "cost", "atLeast"].join(","), ...lines, ""].join("\r\n");
}

export function toilCsv(by: "tool" | "work", rows: readonly Toil[]): string {
	const names = by === "work" ? ["calls", "failures", "ms", "atOnce"] as const : ["calls", "failures", "ms"] as const;
	const lines = rows.map((row) => [cell(row.key), ...names.map((name) => String(row[name] ?? 0))].join(","));

	return [[by === "work" ? "day" : by, ...names].join(","), ...lines, ""].join("\r\n");
}
