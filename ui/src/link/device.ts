/* What a paired device keeps: a secret of its own, for as long as the owner of the box lets it. It is
 * the Bearer of its requests. Only over TLS, where nobody else can serve a page of this origin and
 * find it: the server gives none otherwise, and takes none. */

const KEY = "signalbox.device";

export interface Device {
	secret(): string | null;
	keep(secret: string): void;
	forget(): void;
}

export function makeDevice(): Device {
	const isSafe = location.protocol === "https:";

	return {
		secret: () => isSafe ? localStorage.getItem(KEY) : null,
		keep(secret) {
			if (isSafe)
				localStorage.setItem(KEY, secret);
		},
		forget: () => localStorage.removeItem(KEY),
	};
}

/* Does the page come from where devices come in? Then who is signed out is told how to pair. */
export function isDevice(): boolean {
	return location.protocol === "https:";
}
