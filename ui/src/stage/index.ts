/* The stage as one of the views: what the page shows first. */

import type { ViewKind } from "../desk";
import { openStage } from "./view";

export const kind: ViewKind = {
	name: "stage",
	title: "Stage",
	icon: "stage",
	keys: [
		["n, N", "select the next or previous entity; arrows continue from there"],
		["Enter", "open the selected session, or click the entity"],
		["Menu key, Shift+F10", "their actions"],
		["+, -, 0", "zoom in, zoom out, show all"],
		["Arrows", "move the view"],
		["f", "follow the acting agent"],
		["x", "point at a place"],
		["z", "draw a zone"],
		["w", "the list of who is on stage"],
		["l", "what is what"],
		["o", "script time of each frame"],
		["Esc", "give it up"],
	],
	open: openStage,
};
