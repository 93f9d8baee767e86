/* The views of the page, in the order of their keys: the first is the first sight. Each is
 * loaded when it is first gone to. */

import type { ViewKind } from "./desk";

export interface Registered {
	name: string;
	title: string;
	icon: string;
	load(): Promise<{ kind: ViewKind }>;
}

export const views: readonly Registered[] = [
	{ name: "crew", title: "Crew", icon: "crew", load: () => import("./crew/index") },
	{ name: "stage", title: "Stage", icon: "stage", load: () => import("./stage/index") },
	{ name: "log", title: "Log", icon: "log", load: () => import("./log/index") },
	{ name: "sources", title: "Sources", icon: "sources", load: () => import("./sources/index") },
	{ name: "ask", title: "Ask", icon: "ask", load: () => import("./ask/index") },
	{ name: "runs", title: "Runs", icon: "runs", load: () => import("./runs/index") },
	{ name: "numbers", title: "Numbers", icon: "numbers", load: () => import("./numbers/index") },
	{ name: "voice", title: "Voice", icon: "voice", load: () => import("./voice/index") },
];
