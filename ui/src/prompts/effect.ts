/* What allowing a tool would do, in one sentence, by the members that it is given: every agent has
 * names of its own for its tools. Pure. What is not understood is not guessed at. */

import { diff } from "../talk/diff";
import { objectOf } from "../talk/payload";
import { oneLine } from "../text/signal";
import { beginning } from "../text/whole";

const NAME_MAX = 120;
const LINES_MAX = 2000;       /* of an edit that is counted */

/* Whole names: "truncate" has a cat in it, and "thread" has read. */
const READS = /^(?:read|view|cat|notebook_?read|(?:read|view)_?file|read_many_files)$/i;
const WRITES = /^(?:write|create|(?:write|create)_?file|write_to_file)$/i;
const EDITOR = /edit/i;
const CELLS: Record<string, string> = { replace: "Changes a cell of", insert: "Adds a cell to", delete: "Removes a cell of" };

type Payload = Record<string, unknown>;

/* `cwd` is where the session works, if that is known; "": no sentence is true. */
export function effectOf(tool: string, input: unknown, cwd: string | undefined): string {
	const p = objectOf(input);
	const file = text(p, ["file_path", "notebook_path", "path", "filename"]);
	const url = text(p, ["url"]);
	const where = cwd === undefined || cwd === "" ? "" : ` in ${named(cwd)}`;

	/* Members of a stranger's tool mean whatever it likes. */
	if (/^mcp__/.test(tool))
		return `Calls ${named(tool.split("__").slice(2).join("__") || tool)} of the MCP server ${named(tool.split("__")[1] ?? "")}.`;
	if (file !== undefined && EDITOR.test(tool) && typeof p.command === "string")
		return ofFile(p.command, p, file);
	if (p.command !== undefined || p.cmd !== undefined)
		return `Runs a command${where}${p.run_in_background === true ? ", in the background" : ""}.`;
	if (file !== undefined)
		return ofFile(tool, p, file);
	if (url !== undefined)
		return `Fetches ${named(hostOf(url))} from the network.`;
	return "";
}

/* `act` is a tool that does one thing, or what an editor is told to do. */
function ofFile(act: string, p: Payload, file: string): string {
	const content = text(p, ["content", "file_text"]);

	if (text(p, ["notebook_path"]) !== undefined && text(p, ["new_source"]) !== undefined)
		return `${CELLS[text(p, ["edit_mode"]) ?? "replace"] ?? "Changes a cell of"} ${named(file)}.`;
	if (edits(p) !== null)
		return `Changes ${named(file)}: ${edits(p)!}.`;
	if (content !== undefined && WRITES.test(act))
		return `Writes ${named(file)}, ${lines(content)}, over what is there.`;
	return READS.test(act) ? `Reads ${named(file)}.` : "";
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
