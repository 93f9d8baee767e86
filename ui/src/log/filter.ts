/* The language of the filter field, and what it lets through. Words must all be in
 * the signal; type:, source: and correlation: compare the whole value, `*` standing
 * for anything; several of one key mean any of them; a leading minus means not. */

import type { Entry } from "../text/signal";
import type { Background } from "./entry";

export type Key = "type" | "source" | "correlation";
export interface Term { not: boolean; key: Key | "text"; value: string }
export type Passes = (entry: Entry) => boolean;

const KEYS: readonly Key[] = ["type", "source", "correlation"];
const TERM = /(-)?(?:(type|source|correlation):)?(?:"([^"]*)"?|(\S+))/g;

export function terms(filter: string): Term[] {
	const found: Term[] = [];

	for (const [, minus, key, quoted, bare] of filter.matchAll(TERM)) {
		const value = quoted ?? bare ?? "";
		const unfinished = KEYS.some((k) => bare === `${k}:`);
		if (!unfinished && (value !== "" || key !== undefined))
			found.push({ not: minus === "-", key: (key as Key | undefined) ?? "text", value });
	}
	return found;
}

/* Gives a function that tells whether an entry passes. Gaps always pass. */
export function matcher(filter: string): Passes {
	const any = new Map<string, Passes[]>();
	const all: Passes[] = [];

	for (const { not, key, value } of terms(filter)) {
		const test = key === "text" ? textTest(value) : valueTest(key, value);
		if (not)
			all.push((entry) => !test(entry));
		else if (key === "text")
			all.push(test);
		else
			any.set(key, [...any.get(key) ?? [], test]);
	}
	for (const tests of any.values())
		all.push((entry) => tests.some((test) => test(entry)));
	return (entry) => entry.kind === "gap" || all.every((test) => test(entry));
}

/* Does the filter itself ask for what is hidden otherwise? */
export function asksFor(filter: string, what: Exclude<Background, "">): boolean {
	return terms(filter).some(({ not, key, value }) =>
		!not && (key === "text" || key === "type") && value.toLowerCase().includes(what));
}

/* Adds a term to a filter, or takes it out where it stands already. A quote cannot
 * be written inside a value; a star stands for it. */
export function toggle(filter: string, key: Key, value: string): string {
	const rest = terms(filter);
	const at = rest.findIndex((term) => isTerm(term, key, value));

	if (at < 0)
		rest.push({ not: false, key, value: value.replaceAll('"', "*") });
	else
		rest.splice(at, 1);
	return rest.map(write).join(" ");
}

export function has(filter: string, key: Key, value: string): boolean {
	return terms(filter).some((term) => isTerm(term, key, value));
}

function isTerm(term: Term, key: Key, value: string): boolean {
	return !term.not && term.key === key && term.value === value.replaceAll('"', "*");
}

function write({ not, key, value }: Term): string {
	const plain = /^[^\s"-][^\s"]*$/.test(value) && !(key === "text" && value.includes(":"));

	return (not ? "-" : "") + (key === "text" ? "" : `${key}:`) + (plain ? value : `"${value}"`);
}

function textTest(value: string): Passes {
	const wanted = new RegExp(escaped(value), "i");

	return (entry) => wanted.test(entry.text) || wanted.test(entry.summary);
}

function valueTest(key: Key, value: string): Passes {
	const wanted = wildcard(value);

	return (entry) => wanted.test(entry[key]);
}

/* What a value with stars in it means. */
export function wildcard(value: string): RegExp {
	return new RegExp(`^${value.split(/\*+/).map(escaped).join(".*")}$`, "is");
}

function escaped(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
