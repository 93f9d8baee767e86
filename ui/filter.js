/* The language of the filter field, and what it lets through. Words must all be in
 * the signal; type:, source: and correlation: compare the whole value, `*` standing
 * for anything; several of one key mean any of them; a leading minus means not. */

const KEYS = ["type", "source", "correlation"];
const TERM = /(-)?(?:(type|source|correlation):)?(?:"([^"]*)"?|(\S+))/g;

/* The terms of a filter: {not, key, value}; the key of plain words is "text". */
export function terms(filter) {
	const found = [];

	for (const [, minus, key, quoted, bare] of filter.matchAll(TERM)) {
		const value = quoted ?? bare;
		const unfinished = KEYS.some((k) => bare === `${k}:`);
		if (!unfinished && (value !== "" || key !== undefined))
			found.push({ not: minus === "-", key: key ?? "text", value });
	}
	return found;
}

/* Gives a function that tells whether an entry passes. Gaps always pass. */
export function matcher(filter) {
	const tests = new Map();
	const all = [];

	for (const { not, key, value } of terms(filter)) {
		const test = key === "text" ? textTest(value) : valueTest(key, value);
		if (not)
			all.push((entry) => !test(entry));
		else if (key === "text")
			all.push(test);
		else
			tests.set(key, [...tests.get(key) ?? [], test]);
	}
	for (const any of tests.values())
		all.push((entry) => any.some((test) => test(entry)));
	return (entry) => entry.kind === "gap" || all.every((test) => test(entry));
}

/* Adds a term to a filter, or takes it out where it stands already. A quote cannot
 * be written inside a value; a star stands for it. */
export function toggle(filter, key, value) {
	const rest = terms(filter);
	const at = rest.findIndex((term) => isTerm(term, key, value));

	if (at < 0)
		rest.push({ not: false, key, value: value.replaceAll('"', "*") });
	else
		rest.splice(at, 1);
	return rest.map(write).join(" ");
}

export function has(filter, key, value) {
	return terms(filter).some((term) => isTerm(term, key, value));
}

function isTerm(term, key, value) {
	return !term.not && term.key === key && term.value === value.replaceAll('"', "*");
}

function write({ not, key, value }) {
	const plain = /^[^\s"-][^\s"]*$/.test(value) && !(key === "text" && value.includes(":"));

	return (not ? "-" : "") + (key === "text" ? "" : `${key}:`) + (plain ? value : `"${value}"`);
}

function textTest(value) {
	const wanted = new RegExp(escaped(value), "i");

	return (entry) => wanted.test(entry.text) || wanted.test(entry.summary);
}

function valueTest(key, value) {
	const wanted = new RegExp(`^${value.split(/\*+/).map(escaped).join(".*")}$`, "is");

	return (entry) => wanted.test(entry[key]);
}

function escaped(text) {
	return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
