/* What went wrong, for a person. */
export function wordsOf(why: unknown): string {
	return why instanceof Error && why.message !== "" ? why.message : "it did not answer";
}
