/* What can be on or off on the stage, by a button or a key: drawing zones, following who acts,
 * the legend, the list of who is there. */

import { makeLegend } from "./legend";
import { select, type Theatre } from "./theatre";
import { DRAWN, makeTools, type Tools } from "./tools";

const NEARER = 1.25;
const NARROW_PX = 700;      /* a screen on which a legend leaves no room for a card */

export function switchZones(theatre: Theatre, isOn: boolean): void {
	theatre.drawsZones = isOn;
	theatre.host.classList.toggle("draws-zones", isOn);
	theatre.tools.press("zone", isOn);
	if (!isOn)
		theatre.aim.end();
}

export function switchFollow(theatre: Theatre, isOn: boolean): void {
	theatre.follows = isOn;
	theatre.tools.press("follow", isOn);
	if (!isOn)
		theatre.eye.follow(null);
}

export function switchLegend(theatre: Theatre): void {
	const { legend, frame, root, eye, tools } = theatre;

	legend?.remove();
	theatre.legend = null;
	if (!legend && frame) {
		theatre.legend = makeLegend(frame.document, () => switchLegend(theatre));
		root.append(theatre.legend);
		if (eye.screen.width < NARROW_PX)
			select(theatre, null);
	}
	tools.press("legend", theatre.legend !== null);
}

export function switchCrowd(theatre: Theatre, isOn = !theatre.crowd.element.classList.contains("pinned")): void {
	theatre.crowd.element.classList.toggle("pinned", isOn);
	theatre.tools.press("crowd", isOn);
	theatre.isCrowdChosen = true;
}

export function showAll(theatre: Theatre): void {
	switchFollow(theatre, false);
	theatre.eye.fit();
}

export function makeStageTools(theatre: Theatre): Tools {
	const { eye } = theatre;

	return makeTools([
		{ name: "nearer", words: "Nearer", key: "+", draws: DRAWN.nearer, act: () => eye.zoom(NEARER) },
		{ name: "farther", words: "Farther", key: "-", draws: DRAWN.farther, act: () => eye.zoom(1 / NEARER) },
		{ name: "fit", words: "All of it", key: "0", draws: DRAWN.fit, act: () => showAll(theatre) },
		{ name: "follow", words: "Follow who acts", key: "f", draws: DRAWN.follow, isSwitch: true,
			act: () => switchFollow(theatre, !theatre.follows) },
		{ name: "zone", words: "Draw a zone", key: "z", draws: DRAWN.zone, isSwitch: true,
			act: () => switchZones(theatre, !theatre.drawsZones) },
		{ name: "crowd", words: "Who is on stage", key: "w", draws: DRAWN.crowd, isSwitch: true, act: () => switchCrowd(theatre) },
		{ name: "legend", words: "What is what", key: "l", draws: DRAWN.legend, isSwitch: true, act: () => switchLegend(theatre) },
	]);
}
