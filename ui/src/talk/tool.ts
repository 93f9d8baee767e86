/* What a tool is given and gives back, made readable: a command as code, an edit as what it
 * changes, a file as its text, anything else as JSON. By the members that are there, not by the
 * tool's name, because every agent has names of its own. Pure: parts, not elements. */

import { diff, patchLines, type DiffLine } from "./diff";
import { objectOf } from "./payload";
import { beginning } from "../text/whole";

export type Part =
	| { kind: "code"; label: string; text: string }
	| { kind: "diff"; label: string; lines: DiffLine[] }
	| { kind: "json"; label: string; text: string }
	| { kind: "words"; label: string; text: string };

type Payload = Record<string, unknown>;

const FILES = ["file_path", "notebook_path", "path", "file", "filename"] as const;
const OLD = ["old_string", "old_str"] as const;
const NEW = ["new_string", "new_str"] as const;
const CONTENTS = ["content", "new_source", "file_text"] as const;

/* Each member is shown exactly once: whoever allows a tool must see all that it is given. */
export function inputParts(input: unknown): Part[] {
	if (input === undefined || input === null)
		return [];
	if (typeof input !== "object" || Array.isArray(input))
		return [{ kind: "json", label: "", text: JSON.stringify(input) }];
	const rest: Payload = { ...objectOf(input) };
	const parts = [...commandOf(rest), ...editsOf(rest), ...contentOf(rest)];

	return [...parts, ...remainder(rest, parts.length > 0)];
}

/* The words for one line: the command, the file, or the first text that there is. */
export function inputLine(input: unknown): string {
	const p = objectOf(input);
	const first = commandText(p.command) ?? commandText(p.cmd) ?? text(p, FILES)
		?? text(p, ["pattern", "query", "url", "description"])
		?? Object.values(p).find((value) => typeof value === "string");

	return typeof first === "string" ? beginning(first.trim().split("\n", 1)[0]!, 200) : "";
}

function commandText(value: unknown): string | undefined {
	if (typeof value === "string")
		return value;
	if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string"))
		return value.map(quoted).join(" ");
	return undefined;
}

/* As a shell would want it, so that one word does not look like two. */
function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function commandOf(rest: Payload): Part[] {
	const key = ["command", "cmd"].find((name) => commandText(rest[name]) !== undefined);

	if (key === undefined)
		return [];
	const command = commandText(rest[key])!;
	const why = pull(rest, ["description"]);
	delete rest[key];
	return [...why === undefined ? [] : [{ kind: "words", label: "", text: why } as const],
		{ kind: "code", label: "command", text: command }];
}

function editsOf(rest: Payload): Part[] {
	const patch = typeof rest.patch === "string" || typeof rest.diff === "string";
	const many = Array.isArray(rest.edits) && rest.edits.length > 0
		&& rest.edits.every((edit) => isEdit(objectOf(edit)));
	const parts: Part[] = [];

	if (!isEdit(rest) && !many && !patch)
		return parts;
	const file = pull(rest, FILES) ?? "";
	if (isEdit(rest))
		parts.push(pullEdit(rest, file));
	if (many)
		for (const edit of pullList(rest, "edits")) {
			const left = { ...objectOf(edit) };
			parts.push(pullEdit(left, file), ...remainder(left, true));
		}
	if (patch)
		parts.push({ kind: "diff", label: file, lines: patchLines(pull(rest, ["patch", "diff"])!) });
	return parts;
}

function isEdit(p: Payload): boolean {
	return text(p, OLD) !== undefined && text(p, NEW) !== undefined;
}

function pullEdit(p: Payload, file: string): Part {
	return { kind: "diff", label: file, lines: diff(pull(p, OLD)!, pull(p, NEW)!) };
}

function contentOf(rest: Payload): Part[] {
	if (text(rest, FILES) === undefined || text(rest, CONTENTS) === undefined)
		return [];
	return [{ kind: "code", label: pull(rest, FILES)!, text: pull(rest, CONTENTS)! }];
}

function remainder(rest: Payload, isMore: boolean): Part[] {
	const isEmpty = Object.keys(rest).length === 0;

	if (isEmpty && isMore)
		return [];
	return [{ kind: "json", label: isMore ? "and" : "", text: JSON.stringify(rest) }];
}

/* ---- what came back ---- */

export function outputParts(output: unknown): Part[] {
	if (output === undefined || output === null)
		return [];
	if (typeof output === "string")
		return output === "" ? [] : [{ kind: "code", label: "", text: output }];
	const p = objectOf(output);
	const keys = Object.keys(p);

	if (typeof p.stdout === "string" || typeof p.stderr === "string")
		return [said("", p.stdout), said("stderr", p.stderr), exitOf(p)].filter(isPart);
	if (typeof p.aggregated_output === "string")
		return [said("", p.aggregated_output), exitOf(p)].filter(isPart);
	if (typeof objectOf(p.file).content === "string")
		return [said(text(objectOf(p.file), FILES) ?? "", objectOf(p.file).content)].filter(isPart);
	if (Array.isArray(p.content) && p.content.length > 0
		&& p.content.every((part) => typeof objectOf(part).text === "string"))
		return [said("", p.content.map((part) => objectOf(part).text).join("\n"))].filter(isPart);
	if (keys.length === 1 && typeof p[keys[0]!] === "string")
		return [said("", p[keys[0]!])].filter(isPart);
	return keys.length === 0 ? [] : [{ kind: "json", label: "", text: JSON.stringify(output) }];
}

function said(label: string, value: unknown): Part | null {
	return typeof value === "string" && value !== "" ? { kind: "code", label, text: value } : null;
}

function exitOf(p: Payload): Part | null {
	const code = p.exit_code ?? p.exitCode;

	return typeof code === "number" && code !== 0
		? { kind: "words", label: "", text: `exit ${code}` } : null;
}

function isPart(part: Part | null): part is Part {
	return part !== null;
}

/* ---- members ---- */

function text(p: Payload, names: readonly string[]): string | undefined {
	const found = names.find((name) => typeof p[name] === "string");

	return found === undefined ? undefined : p[found] as string;
}

/* The same, and takes it out. */
function pull(p: Payload, names: readonly string[]): string | undefined {
	const found = names.find((name) => typeof p[name] === "string");

	if (found === undefined)
		return undefined;
	const value = p[found] as string;
	delete p[found];
	return value;
}

function pullList(p: Payload, name: string): unknown[] {
	const list = p[name] as unknown[];

	delete p[name];
	return list;
}
