/* What of a filter the server can look for in the journal. It compares to the letter and knows
 * fewer signs than our language, so it is asked for a little more than is wanted, never for less,
 * and what comes goes through the filter here. */

import { type Term, terms, wildcard } from "./filter";

const NAMES_MAX = 64;
const NAME_BYTES = 256;
/* The types that have a schema: someone may have written one in capitals. */
const WELL_KNOWN = ["task_dispatch", "tool_call", "tool_result", "token_usage",
	"agent_state_change", "error", "completion", "text_delta", "thinking"];

/* The names that are known here, by which a name in other letters is recognised. */
export interface Known { types: Iterable<string>; sources: Iterable<string> }

/* The parameters of GET /api/signals, without the place and the limit. */
export function searchOf(filter: string, known: Known): URLSearchParams {
	const wanted = terms(filter).filter(({ not }) => !not);
	const of = (key: Term["key"]) => wanted.filter((term) => term.key === key)
		.map(({ value }) => value);
	const query = new URLSearchParams();
	const types = names(of("type"), [...WELL_KNOWN, ...known.types], prefixOf);
	const sources = names(of("source"), [...known.sources], () => null);
	const [correlation, ...others] = of("correlation");
	const words = of("text").map(plainPart).filter((part) => part !== "");

	for (const type of types)
		query.append("type", type);
	for (const source of sources)
		query.append("source", source);
	if (correlation && others.length === 0 && !correlation.includes("*"))
		query.set("correlationId", correlation);
	if (words.length > 0)
		query.set("q", words.reduce((a, b) => b.length > a.length ? b : a));
	return query;
}

/* The server's words for these values, or none where one of them cannot be said. */
function names(values: string[], known: string[], patternOf: (value: string) => string | null) {
	const found = new Set<string>();

	for (const value of values) {
		const asked = value.includes("*") ? patternOf(value) : value;
		if (asked === null || !isSayable(asked))
			return [];
		found.add(asked);
		const test = wildcard(value);
		for (const name of known)
			if (test.test(name) && !covers(asked, name) && isSayable(name))
				found.add(name);
	}
	return found.size > NAMES_MAX ? [] : [...found];
}

function covers(asked: string, name: string): boolean {
	return asked.endsWith("*") ? name.startsWith(asked.slice(0, -1)) : asked === name;
}

/* As far as the first star; the star in front of everything says nothing. */
function prefixOf(value: string): string | null {
	const prefix = value.slice(0, value.indexOf("*"));

	return prefix === "" ? null : `${prefix}*`;
}

/* A comma would be read as the end of a name. */
function isSayable(name: string): boolean {
	return name !== "" && !name.includes(",") && new TextEncoder().encode(name).length <= NAME_BYTES;
}

/* The longest stretch of a text that stands in a line of JSON as it is, whatever its writer
 * escapes. */
function plainPart(value: string): string {
	const parts = value.match(/[\w !#$%()*,.:;=?@[\]^`{|}~-]+/g) ?? [];

	return parts.reduce((a, b) => b.length > a.length ? b : a, "").trim();
}
