/* What a payload may hold, read without believing any of it. */

import type { Envelope } from "../desk";
import { beginning } from "../text/whole";

const NAME_MAX = 200;
export const TEXT_MAX = 400_000;       /* of a task, an error, a result */

export type Payload = Record<string, unknown>;

export function timeOf({ timestamp }: Envelope): number {
	return typeof timestamp === "number" ? timestamp : NaN;
}

export function objectOf(value: unknown): Payload {
	return typeof value === "object" && value !== null ? value as Payload : {};
}

export function name(value: unknown): string {
	return typeof value === "string" ? beginning(value, NAME_MAX) : "";
}

export function long(value: unknown): string {
	if (typeof value !== "string")
		return value === undefined || value === null ? "" : beginning(JSON.stringify(value), TEXT_MAX);
	const start = beginning(value, TEXT_MAX);
	return start === value ? value
		: `${start}\n… ${value.length - start.length} more characters are in the log.`;
}

export function number(value: unknown): number {
	return typeof value === "number" && value > 0 ? value : 0;
}

/* About how many characters a value has as JSON. */
export function sizeOf(value: unknown): number {
	if (typeof value === "string")
		return value.length + 2;
	if (typeof value !== "object" || value === null)
		return 8;
	let size = 2;
	for (const [key, member] of Object.entries(value))
		size += key.length + 4 + sizeOf(member);
	return size;
}
