/* Who is on the stage, as a list: for those who do not see the canvas, for the keyboard, and for
 * everybody where the browser cannot draw. It is brought up to date now and then, so that what is
 * read out can be listened to. */

import type { Actor, StageFrame } from "./frame";
import { makeMore } from "./more";
import { nameOf, sentenceOf } from "./said";
import { h, write } from "../text/dom";

const EVERY_MS = 1500;
const MOST = 200;

export interface Crowd {
	readonly element: HTMLElement;
	/* Shows the frame, if it is time, and how many are not in it. */
	look(frame: StageFrame, offstage: number, localNow: number): void;
	select(id: string | null): void;
	/* It is all there is to see. */
	fill(words: string | null): void;
}

interface Row { element: HTMLElement; button: HTMLButtonElement; name: HTMLElement; state: HTMLElement; words: HTMLElement }

export function makeCrowd(choose: (id: string) => void, menu: (id: string, at: HTMLElement) => void): Crowd {
	const rows = new Map<string, Row>();
	const title = h("h2", { id: "stage-crowd-title" }, "On stage");
	const why = h("p", { class: "stage-crowd-why", hidden: true });
	const nobody = h("p", { class: "stage-crowd-nobody" }, "The stage is empty.");
	const list = h("ul", { role: "list", "aria-live": "polite", "aria-relevant": "additions text",
		"aria-labelledby": "stage-crowd-title" });
	const more = makeMore("stage-crowd-more");
	const element = h("section", { class: "stage-crowd", "aria-labelledby": "stage-crowd-title" }, title, why, nobody, list, more.element);
	let lookedAt = -Infinity;

	function makeRow(actor: Actor): Row {
		const name = h("b"), state = h("span", { class: "stage-crowd-state" }), words = h("q", { hidden: true });
		const button = h("button", { type: "button", "data-actor": actor.id, onclick: () => choose(actor.id) }, h("i"), name, state, words);

		button.style.setProperty("--who", actor.look.fallbackColor);
		button.addEventListener("contextmenu", (event) => {
			event.preventDefault();
			menu(actor.id, button);
		});
		return { element: h("li", {}, button), button, name, state, words };
	}

	/* Arrows go from one to the next. */
	list.addEventListener("keydown", (event) => {
		const buttons = [...list.querySelectorAll("button")];
		const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
		const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];

		if (step === undefined || now < 0)
			return;
		buttons.at((now + step) % buttons.length)?.focus();
		event.preventDefault();
		event.stopPropagation();
	});

	function draw(actors: readonly Actor[]): void {
		const there = new Set(actors.map((actor) => actor.id));

		for (const [id, row] of rows)
			if (!there.has(id)) {
				row.element.remove();
				rows.delete(id);
			}
		for (const actor of actors) {
			const row = rows.get(actor.id) ?? makeRow(actor);
			const { name, state, words } = sentenceOf(actor);

			write(row.name, name);
			write(row.state, state);
			write(row.words, words);
			row.words.hidden = words === "";
			row.button.dataset.state = actor.state;
			if (!rows.has(actor.id))
				list.append(row.element);
			rows.set(actor.id, row);
		}
		nobody.hidden = actors.length > 0;
	}

	return {
		element,
		look(frame, offstage, localNow) {
			if (localNow - lookedAt < EVERY_MS)
				return;
			lookedAt = localNow;
			more.look(offstage);
			draw(frame.entities.filter((actor) => actor.visible && actor.isSomebody).slice(0, MOST)
				.sort((a, b) => nameOf(a).localeCompare(nameOf(b))));
		},
		select(id) {
			for (const [other, row] of rows)
				if (other === id)
					row.button.setAttribute("aria-current", "true");
				else
					row.button.removeAttribute("aria-current");
		},
		fill(words) {
			element.classList.toggle("alone", words !== null);
			why.hidden = words === null;
			write(why, words ?? "");
		},
	};
}
