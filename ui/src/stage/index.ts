/* The stage as one of the views: what the page shows first. */

import type { ViewKind } from "../desk";
import { openStage } from "./view";

export const kind: ViewKind = {
	name: "stage",
	title: "Stage",
	icon: "stage",
	keys: [
		["n, N", "select the next or the last on stage; arrows go on from there"],
		["Enter", "touch who is selected"],
		["Menu key, Shift+F10", "what can be done with them"],
		["+, -, 0", "nearer, farther, all of it"],
		["Arrows", "move the view"],
		["f", "follow who acts"],
		["x", "point at a place"],
		["z", "draw a zone"],
		["w", "who is on stage"],
		["l", "what is what"],
		["o", "script time of each frame"],
		["Esc", "give it up"],
	],
	open: openStage,
};
