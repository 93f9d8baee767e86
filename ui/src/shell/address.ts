/* The address of a place in the page: #/view/rest. A #t= is no place but a key: it leaves the
 * address bar, and so the history, before anything is sent. */

export interface Place { view: string; rest: string }

export function placeOf(hash: string): Place | null {
	const [, view, rest = ""] = /^#\/([a-z]+)(?:\/(.*))?$/s.exec(hash) ?? [];

	return view === undefined ? null : { view, rest: decoded(rest) };
}

/* The one-time code that a link brought, and the place it leads to, or "". */
export function codeOf(hash: string): string | null {
	return /^#t=([^/]+)/.exec(hash)?.[1] ?? null;
}

export function placeBehindCode(hash: string): string {
	return /^#t=[^/]+\/(.+)$/s.exec(hash)?.[1] ?? "";
}

/* The code in a link that a person pasted: of this origin, as a code of another box is not ours to
 * hear. Null: it is no such link. */
export function codeOfLink(text: string, origin: string): string | null {
	const [, from, code] = /^(https:\/\/[^/?#\s]+)\/#t=([0-9a-f]{64})$/.exec(text.trim()) ?? [];

	return from === origin && code !== undefined ? code : null;
}

/* Only what would end or change the address is written otherwise. */
export function hashOf(place: string): string {
	return `#/${place.replace(/[%\s"<>\\^`{|}]/g, (c) => encodeURIComponent(c))}`;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
