/* What is shown, as a file: one signal a line, byte for byte as the journal has it, and a hole as
 * the line that the server would write for it. It is made from memory. */

import { saveFile } from "../text/save";
import type { LogEntry } from "./entry";

/* The lines in their order. What the server lost is no longer in the journal, and not here. */
export function linesOf(view: readonly LogEntry[]): string[] {
	return view.filter(({ lost }) => !lost).map(({ kind, text, gap }) => kind === "signal" ? text
		: JSON.stringify({ op: "gap", from: gap?.from, to: gap?.to, why: gap?.why }));
}

export function fileNameOf(view: readonly LogEntry[]): string {
	const numbers = [view[0]?.seq, view.at(-1)?.seq].filter((seq) => seq !== undefined);

	return `signalbox-${numbers.join("-")}.ndjson`;
}

/* Says how many lines were written. */
export function save(view: readonly LogEntry[]): number {
	const lines = linesOf(view);

	saveFile(fileNameOf(view), "application/x-ndjson", lines.map((line) => `${line}\n`));
	return lines.length;
}
