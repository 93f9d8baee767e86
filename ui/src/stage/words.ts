/* Reads members of what the server told, none of which may be believed: a member that is not
 * of its kind is as if it were not there. */

export type Members = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown): Members {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Members : {};
}

export function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown, other: number): number {
	return typeof value === "number" && Number.isFinite(value) ? value : other;
}

export function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}
