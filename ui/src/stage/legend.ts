/* What the stage means, for who sees it for the first time: the states that agents are in, the
 * places and what is done there, and what flies between them. All of it is read from the show. */

import type { Look, ShowDocument } from "./frame";
import { placesOf } from "./feed";
import { STATES } from "./said";
import { h } from "../text/dom";
import { visible } from "../text/signal";

function row(colour: string, glyph: string, name: string, words: string): HTMLElement {
	const sign = h("i", { class: "stage-sign" }, visible(glyph));

	sign.style.setProperty("--who", colour);
	return h("li", {}, sign, h("b", {}, visible(name)), words ? h("span", {}, visible(words)) : null);
}

/* Things of the scene that have one of these tags, each look once. */
function looksWith(document: ShowDocument, isMeant: (look: Look) => boolean): { name: string; look: Look }[] {
	const found = new Map<Look, string>();

	for (const { entityId, semanticId } of document.scene.entities) {
		const look = Object.hasOwn(document.entities, entityId) ? document.entities[entityId] : undefined;

		if (look && isMeant(look) && !found.has(look))
			found.set(look, semanticId ?? "");
	}
	return [...found].map(([look, name]) => ({ name, look }));
}

function part(title: string, rows: HTMLElement[]): HTMLElement | null {
	return rows.length ? h("section", {}, h("h3", {}, title), h("ul", { role: "list" }, ...rows)) : null;
}

export function makeLegend(document: ShowDocument, close: () => void): HTMLElement {
	const titles = placesOf(document);
	const isPlace = (look: Look): boolean => look.tags?.includes("tool") === true;
	const isLetter = (look: Look): boolean => look.tags?.includes("message") === true;
	const isThing = (look: Look): boolean => !look.tags?.length && look.label !== undefined;
	const doneAt = (place: string): string => titles.filter((one) => one.place === place).map((one) => one.title).join(", ");
	const describe = ({ name, look }: { name: string; look: Look }): HTMLElement =>
		row(look.fallbackColor, "", look.label ?? name, doneAt(name));

	return h("aside", { class: "stage-legend", "aria-label": "Legend" },
		h("header", {}, h("h2", {}, visible(document.name ?? "The stage")),
			h("button", { type: "button", class: "bare", "aria-label": "Close the legend", onclick: close }, "✕")),
		document.description ? h("p", {}, visible(document.description)) : null,
		part("Agents", STATES.map(({ state, words, glyph }) => row(`var(--stage-${state})`, glyph, state, words))),
		part("Places", looksWith(document, isPlace).map(describe)),
		part("What flies", looksWith(document, isLetter).map(describe)),
		part("Signs", looksWith(document, isThing).map(describe)));
}
