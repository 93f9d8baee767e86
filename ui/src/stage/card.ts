/* The card of somebody on the stage: who it is, what it does, what it said last, its run and its
 * log, and a line to tell it something. It stands beside them and goes along. */

import type { Member } from "../desk";
import type { Actor, Camera } from "./frame";
import { toScreen, type Size } from "./camera";
import type { Episode } from "./episodes";
import { nameOf, sentenceOf } from "./said";
import { h, icon, write } from "../text/dom";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";

const EVERY_MS = 250;
const WORDS_MAX = 400;
const TELL_MAX = 500;
const MUTE_MS = 2000;       /* between two looks at what can be done */

export interface CardActions {
	go(place: string): void;
	/* True when it was taken. */
	tell(actor: Actor, words: string): Promise<boolean>;
	/* Why it cannot be told anything; empty: it can. Not sure: the server does not say. */
	whyMute(actor: Actor): Promise<{ why: string; isSure: boolean }>;
	menu(actor: Actor, at: HTMLElement): void;
	close(): void;
}

export interface Card {
	readonly element: HTMLElement;
	show(actor: Actor, episode: Episode | undefined): void;
	hide(): void;
	/* Goes along with them, on a screen of this size. */
	follow(actor: Actor, episode: Episode | undefined, camera: Camera, screen: Size): void;
}

export function placeOfRun(episode: Episode): string {
	return `runs/${episode.correlationId}`;
}

export function placeOfSession({ handle }: Member): string {
	return `crew/${encodeURIComponent(handle)}`;
}

export function placeOfLog(episode: Episode): string {
	return `log/?f=correlation:"${episode.correlationId.replaceAll("\"", "*")}"`;
}

export function makeCard(actions: CardActions): Card {
	let shown: Actor | null = null;
	let episode: Episode | undefined;
	let drawnAt = -Infinity;
	let askedAt = -Infinity;
	let size: Size = { width: 0, height: 0 };
	const dot = h("i", { class: "stage-dot" });
	const name = h("h2", { id: "stage-card-name" });
	const state = h("p", { class: "stage-card-state" });
	const words = h("blockquote", { hidden: true });
	const session = h("button", { type: "button", onclick: () => shown?.session && actions.go(placeOfSession(shown.session.member)) },
		icon("crew"), "Its session");
	const run = h("button", { type: "button", onclick: () => episode && actions.go(placeOfRun(episode)) }, icon("runs"), "Its run");
	const log = h("button", { type: "button", onclick: () => episode && actions.go(placeOfLog(episode)) }, icon("log"), "Its log");
	const none = h("p", { class: "stage-card-none" }, "It has no known run.");
	const field = h("input", { type: "text", maxlength: TELL_MAX, autocomplete: "off", placeholder: "Tell it what to do",
		"aria-label": "Tell it what to do" });
	const send = h("button", { type: "submit" }, "Tell");
	const form = h("form", { class: "stage-tell" }, field, send);
	const mute = h("p", { class: "stage-card-none", hidden: true });
	const more = h("button", { type: "button", class: "bare", "aria-label": "More actions", title: "More (context menu)",
		"aria-haspopup": "menu", onclick: () => shown && actions.menu(shown, more) }, "⋯");
	const close = h("button", { type: "button", class: "bare", "aria-label": "Close the card", onclick: () => actions.close() },
		icon("close"));
	const element = h("div", { class: "stage-card", role: "dialog", "aria-labelledby": "stage-card-name", hidden: true },
		h("header", {}, dot, name, more, close), state, words, h("p", { class: "stage-card-go" }, session, run, log), none, form, mute);

	form.addEventListener("submit", (event) => {
		const text = field.value.trim();

		event.preventDefault();
		if (!shown || text === "")
			return;
		/* What was written stays until it was taken. */
		void actions.tell(shown, text).then((isTaken) => {
			if (isTaken && field.value.trim() === text)
				field.value = "";
		});
	});
	element.addEventListener("keydown", (event) => {
		if (event.key !== "Escape")
			return;
		event.stopPropagation();
		event.preventDefault();
		actions.close();
	});

	/* Until it is known that somebody would hear it, nothing can be written. */
	function setMute(why: string): void {
		field.disabled = send.disabled = why !== "";
		write(mute, why === "" ? "" : visible(`It takes no commands: ${why}.`));
		mute.hidden = mute.textContent === "" || form.hidden;
	}

	function askMute(actor: Actor): void {
		if (!actor.isSomebody)
			return;
		askedAt = Infinity;
		void actions.whyMute(actor).then(({ why, isSure }) => {
			askedAt = performance.now();
			/* What is being written while the server is away stays as it is. */
			if (shown?.id === actor.id && (isSure || field.disabled))
				setMute(why);
		});
	}

	function draw(actor: Actor): void {
		const said = sentenceOf(actor);
		const full = actor.speech?.full ?? "";

		write(name, nameOf(actor));
		write(state, actor.isSomebody ? said.state : "a part of the stage");
		dot.style.setProperty("--who", actor.look.fallbackColor);
		if (full)
			write(words, visible(beginning(full, WORDS_MAX)));
		words.classList.toggle("thought", full !== "" && actor.speech?.thought === true);
		words.hidden = words.textContent === "";
		session.hidden = actor.session === null;
		run.hidden = episode === undefined || actor.session !== null;
		log.hidden = episode === undefined;
		none.hidden = episode !== undefined || actor.session !== null || !actor.isSomebody;
		form.hidden = !actor.isSomebody;
		element.dataset.state = actor.state;
	}

	/* Beside the actor, wholly in sight; a narrow screen has it at its foot, by style. */
	function put(actor: Actor, camera: Camera, screen: Size): void {
		const at = toScreen(camera, actor);
		const half = actor.look.displayWidth * actor.scaleX * camera.zoom / 2 + 18;
		const goesRight = at.x + half + size.width < screen.width - 8;
		const x = goesRight ? at.x + half : at.x - half - size.width;
		const y = at.y - size.height * 0.75;
		const clamp = (value: number, most: number): number => Math.round(Math.max(Math.min(value, most - 8), 8));

		element.style.transform = `translate(${clamp(x, screen.width - size.width)}px, ${clamp(y, screen.height - size.height)}px)`;
	}

	return {
		element,
		show(actor, next) {
			shown = actor;
			episode = next;
			words.textContent = "";
			field.value = "";
			element.hidden = false;
			drawnAt = -Infinity;
			field.disabled = send.disabled = true;
			mute.hidden = true;
			draw(actor);
			askMute(actor);
		},
		hide() {
			shown = null;
			element.hidden = true;
		},
		follow(actor, next, camera, screen) {
			const now = performance.now();

			if (now - drawnAt > EVERY_MS) {
				drawnAt = now;
				episode = next;
				/* Its source may come and go without a word of its run. */
				if (now - askedAt > MUTE_MS)
					askMute(actor);
				draw(actor);
				size = { width: element.offsetWidth, height: element.offsetHeight };
			}
			put(actor, camera, screen);
		},
	};
}
