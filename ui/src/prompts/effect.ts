/* What allowing a tool would do, in one sentence, by the members that it is given: every agent has
 * names of its own for its tools. Pure. What is not understood is not guessed at. */

import { diff } from "../talk/diff";
import { objectOf } from "../talk/fold";
import { oneLine } from "../text/signal";
import { beginning } from "../text/whole";

const NAME_MAX = 120;
const LINES_MAX = 2000;       /* of an edit that is counted */

type Payload = Record<string, unknown>;

/* `cwd` is where the session works, if that is known; "": no sentence is true. */
export function effectOf(tool: string, input: unknown, cwd: string | undefined): string {
	const p = objectOf(input);
	const file = text(p, ["file_path", "notebook_path", "path", "filename"]);
	const url = text(p, ["url"]);
	const where = cwd === undefined || cwd === "" ? "" : ` in ${named(cwd)}`;

	if (p.command !== undefined || p.cmd !== undefined)
		return `Runs a command${where}${p.run_in_background === true ? ", in the background" : ""}.`;
	if (file !== undefined && edits(p) !== null)
		return `Changes ${named(file)}: ${edits(p)!}.`;
	if (file !== undefined && text(p, ["content", "file_text", "new_source"]) !== undefined)
		return `Writes ${named(file)}, ${lines(text(p, ["content", "file_text", "new_source"])!)}, over what is there.`;
	if (file !== undefined && /read|view|cat/i.test(tool))
		return `Reads ${named(file)}.`;
	if (url !== undefined)
		return `Fetches ${named(hostOf(url))} from the network.`;
	if (/^mcp__/.test(tool))
		return `Calls ${named(tool.split("__").slice(2).join("__") || tool)} of the MCP server ${named(tool.split("__")[1] ?? "")}.`;
	return "";
}

function edits(p: Payload): string | null {
	const all = Array.isArray(p.edits) ? p.edits.map(objectOf) : [p];
	const pairs = all.map((edit) => [text(edit, ["old_string", "old_str"]), text(edit, ["new_string", "new_str"])] as const);
	let added = 0, removed = 0;

	if (pairs.length === 0 || pairs.some(([before, after]) => before === undefined || after === undefined))
		return null;
	for (const [before, after] of pairs) {
		if (before!.split("\n").length + after!.split("\n").length > LINES_MAX)
			return "a long part of it";
		for (const { how } of diff(before!, after!)) {
			added += how === "new" ? 1 : 0;
			removed += how === "gone" ? 1 : 0;
		}
	}
	const every = all.some((edit) => edit.replace_all === true) ? ", wherever that stands" : "";
	return `${added} ${added === 1 ? "line" : "lines"} added, ${removed} removed${every}`;
}

function lines(content: string): string {
	const count = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;

	return `${count} ${count === 1 ? "line" : "lines"}`;
}

function hostOf(url: string): string {
	return URL.canParse(url) && new URL(url).host !== "" ? new URL(url).host : url;
}

function named(name: string): string {
	return oneLine(beginning(name, NAME_MAX)) + (name.length > NAME_MAX ? "…" : "");
}

function text(p: Payload, names: readonly string[]): string | undefined {
	const found = names.find((name) => typeof p[name] === "string");

	return found === undefined ? undefined : p[found] as string;
}
