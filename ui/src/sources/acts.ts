/* What can be done to sources, as requests. A key goes out once, in the body of one of these,
 * and comes back in none. */

import type { Link, Source } from "../desk";

/* What a URL would be as a source, by its looks alone. */
export interface Recognised {
	protocol: string;
	mayBecome: string | null;
	category: string;
	id: string | null;
	name: string | null;
	known: string | null;      /* the source that has this URL already */
	problem: string | null;
}

/* A service of this machine, whether it is there or not. */
export interface Service {
	id: string;
	label: string;
	protocol: string;
	url: string;
	available: boolean;
	needsApiKey?: boolean;
	models: string[];
}

export interface Found { services: Service[]; midi: Service[] }

/* Our hooks in Claude Code's settings, and what would change in them. */
export interface Tap {
	state: "absent" | "installed" | "outdated";
	hooks: number;
	approve: boolean;
	file: string;
	claude?: { version?: string; where: string };   /* the oldest that reads the file, as far as is known */
	backup?: string;
	warning?: string;
	change?: Change;
}

export interface Change { file: string; tag: string; diff: string }

/* What may be said of a source. */
export interface Wish {
	id?: string;
	name?: string;
	url?: string;
	protocol?: string;
	model?: string;
	color?: string;
	credential?: string | null;
	credentialFrom?: string;   /* a protocol: what its producer's own configuration names */
	connect?: boolean;
}

/* What is told of the transcripts of agents, and what the configuration says. */
export interface Telling { mode: "off" | "facts" | "text"; configured: "off" | "facts" | "text" }

/* A client that waits to be let in, in its own words. */
export interface Visitor {
	name: string;
	scopes: string[];
	deviceId?: string;
	clientId?: string;
	platform?: string;
	deviceFamily?: string;
	displayName?: string;
	from?: string;
}

export type TapVerb = "connect" | "disconnect";

export type Acts = ReturnType<typeof makeActs>;

export function makeActs(link: Link) {
	const at = (id: string, what = "") => `/api/sources/${encodeURIComponent(id)}${what}`;
	const source = (answer: { source: Source }) => answer.source;

	return {
		recognise: (url: string) =>
			link.request<Recognised>("GET", `/api/sources/recognise?url=${encodeURIComponent(url)}`),
		add: (wish: Wish) => link.request<{ source: Source }>("POST", "/api/sources", wish).then(source),
		change: (id: string, wish: Wish) =>
			link.request<{ source: Source }>("PATCH", at(id), wish).then(source),
		remove: (id: string) => link.request("DELETE", at(id), {}),
		connect: (id: string) => link.request("POST", at(id, "/connect"), {}),
		disconnect: (id: string) => link.request("POST", at(id, "/disconnect"), {}),
		look: () => link.request<Found>("GET", "/api/discover/local"),
		rescan: () => link.request<Found>("POST", "/api/discover/rescan", {}),
		telling: () => link.request<Telling>("GET", "/api/transcripts"),
		tell: (mode: "facts" | "text") => link.request<Telling>("POST", "/api/transcripts", { mode }),
		visitors: () => link.request<{ waiting: Visitor[] }>("GET", "/api/devices").then(({ waiting }) => waiting),
		admit: (name: string, verb: "approve" | "reject", wish: { scopes?: string } = {}) =>
			link.request("POST", `/api/devices/${encodeURIComponent(name)}/${verb}`, wish),
		tap: () => link.request<Tap>("GET", "/api/tap/status"),
		tapPreview: (verb: TapVerb, approve: boolean) =>
			link.request<Tap>("GET", `/api/tap/status?preview=${verb}${approve ? "&approve=true" : ""}`),
		tapDo: (verb: TapVerb, tag: string, approve: boolean) =>
			link.request<Tap>("POST", `/api/tap/${verb}`, { tag, ...approve ? { approve } : {} }),
	};
}
