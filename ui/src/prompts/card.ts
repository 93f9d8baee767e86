/* One question on the screen: who asks, what, how long there is, and the means to answer. It is
 * made once; what changes is written into it, so that nothing that somebody types is lost. */

import { placeWords, titleWords } from "../crew/words";
import type { Desk, Names } from "../desk";
import { fill, h, icon, write } from "../text/dom";
import { knownAs, oneLine, unhidden, visible } from "../text/signal";
import { beginning } from "../text/whole";
import { drawWhole, isCut } from "../talk/parts";
import { cut } from "../talk/plain";
import { inputLine, inputParts } from "../talk/tool";
import { effectOf } from "./effect";
import { makeForm, type Send } from "./form";
import { approvalOf, endOf, leftOf, missingOf, type Item } from "./model";

const UNREADY_MS = 350;       /* a click within this was meant for something else */
const VALUE_MAX = 200;
const BRIEF_MAX = 160;

export interface Card {
	readonly element: HTMLElement;
	isExpanded: boolean;
	/* Somebody has begun to do something with it. */
	readonly isTouched: boolean;
	/* What has changed of it; `now` is the server's time. */
	draw(now: number): void;
	/* Expands it and gives it the focus. */
	open(now: number): void;
}

export function makeCard(item: Item, desk: Desk, send: Send): Card {
	const { prompt } = item;
	const approval = approvalOf(prompt);
	const left = h("span", { class: "prompt-left" });
	const state = h("p", { class: "prompt-state", role: "status" });
	const fault = h("p", { class: "prompt-fault", role: "alert" });
	const body = h("div", { class: "prompt-body" });
	const title = h("b", {});
	const where = h("span", { class: "prompt-where" });
	const toggle = h("button", { type: "button", class: "prompt-title bare", onclick: () => {
		card.isExpanded = !card.isExpanded;
		draw(Date.now() + desk.link.skewMs);
	} }, title, where, h("span", { class: "prompt-brief" }, visible(briefOf(item))));
	const element = h("article", { class: "prompt-card", "data-id": item.id },
		h("header", {}, toggle, left, h("button", { type: "button", class: "bare prompt-run",
			"aria-label": "Show its session", title: "Show its session",
			onclick: () => desk.go(placeOf(item, desk.names)) }, icon("crew"))),
		body, fault, state);
	let drawn = 0;
	let isFilled = false;
	let isTouched = false;

	const asked = h("div", { class: "prompt-asked" });
	const unread = h("p", { class: "prompt-unread", role: "status" });

	/* The form is made when it is first wanted: there may be hundreds of questions. */
	function fillBody(): void {
		if (isFilled)
			return;
		isFilled = true;
		drawAsked();
		fill(body, [asked, unread, makeForm(prompt, send), h("p", { class: "prompt-others" }, othersOf(item))]);
		setReady(false);
		setTimeout(() => setReady(!item.isSending), UNREADY_MS);
	}

	function drawAsked(): void {
		fill(asked, [...effect(), ...wordsOf(item), ...missingOf(prompt) === "" ? [] : [loadButton()]]);
	}

	/* What saying yes would do, before what it is given word for word. */
	function effect(): HTMLElement[] {
		const words = approval === null ? "" : effectOf(approval.tool, prompt.input, desk.names.of(prompt.run)?.cwd);

		return words === "" ? [] : [h("p", { class: "prompt-effect" }, unhidden(words))];
	}

	/* Who asks may be known by another name by now. */
	function drawNames(): void {
		const words = titleOf(item, desk.names);
		const member = desk.names.of(prompt.run);
		const place = member === undefined ? "" : [placeWords(member), titleWords(member)].filter((part) => part !== "").join(" · ");

		if (element.getAttribute("aria-label") === words && where.textContent === place)
			return;
		write(title, words);
		element.setAttribute("aria-label", words);
		write(where, place);
		where.hidden = place === "";
	}

	/* What did not come with the question is fetched by who wants to see it. */
	function loadButton(): HTMLElement {
		const button = h("button", { type: "button", class: "talk-more", onclick: () => {
			if (prompt.tool === undefined) {
				button.remove();
				desk.go(`log/?f=correlation:"${prompt.run.replaceAll("\"", "*")}"`);
				return;
			}
			desk.link.request<{ input: unknown }>("GET", `/api/prompts/${encodeURIComponent(prompt.id)}/input`).then(({ input }) => {
				prompt.input = input ?? null;
				drawAsked();
				for (const more of asked.querySelectorAll<HTMLButtonElement>(".talk-more"))
					more.click();
				setReady(!item.isSending);
			}, (error: Error) => write(fault, visible(error.message)));
		} }, prompt.tool === undefined ? "Show all its signals in the log" : `Show all ${missingOf(prompt)} of its input`);

		return button;
	}

	/* What is not safe can be chosen only when all of what is asked is there. */
	function setReady(isReady: boolean): void {
		const isWhole = !isCut(asked);

		for (const control of body.querySelectorAll<HTMLButtonElement>("button, input, textarea")) {
			const isKept = !isWhole && control.hasAttribute("data-unsafe");

			control.disabled = !control.classList.contains("talk-more") && (!isReady || isKept);
		}
		write(unread, isWhole ? "" : "You have not seen all of it. Expand it first; until then you can only decline.");
		unread.hidden = isWhole;
	}

	/* After the button that was pressed has shown more, or the form is another one. */
	body.addEventListener("click", () => setTimeout(() => setReady(!item.isSending && performance.now() - madeAt > UNREADY_MS)));

	function draw(now: number): void {
		const isOpen = item.state === "open";

		drawNames();
		write(left, isOpen ? leftOf(prompt.deadline, now) : "");
		left.classList.toggle("is-soon", isOpen && (prompt.deadline ?? Infinity) - now < 30_000);
		toggle.setAttribute("aria-expanded", String(isOpen && card.isExpanded));
		element.classList.toggle("is-brief", !card.isExpanded || !isOpen);
		body.hidden = !isOpen || !card.isExpanded;
		if (!body.hidden)
			fillBody();
		if (drawn === item.version)
			return;
		drawn = item.version;
		element.dataset.state = item.state;
		if (isFilled && performance.now() - madeAt > UNREADY_MS)
			setReady(!item.isSending);
		write(fault, isOpen ? visible(item.fault) : "");
		write(state, item.isSending ? "Sending…" : isOpen ? "" : visible(overWords(item)));
	}

	const madeAt = performance.now();
	const touch = () => { isTouched = true; };
	for (const act of ["pointerenter", "pointerdown", "keydown", "focusin"])
		element.addEventListener(act, touch);
	const card: Card = {
		element, draw, isExpanded: true,
		get isTouched() { return isTouched; },
		open(now) {
			card.isExpanded = isTouched = true;
			draw(now);
			const first = body.querySelector<HTMLElement>(":is(textarea, [data-safe], input:checked):enabled");

			(first === null || body.hidden ? toggle : first).focus();
			element.scrollIntoView({ block: "nearest" });
		},
	};
	return card;
}

function overWords(item: Item): string {
	const isElsewhere = item.settled !== null && (item.settled.isAgents || !item.isMine);
	const value = item.value === undefined || item.value === null || item.state === "cancelled" || isElsewhere ? ""
		: typeof item.value === "string" ? item.value : JSON.stringify(item.value);

	return [endOf(item), cut(value, VALUE_MAX)].filter((words) => words !== "").join(": ");
}

/* What is asked: the input of a tool, every member of it, or the words. */
function wordsOf(item: Item): HTMLElement[] {
	const { prompt } = item;
	const approval = approvalOf(prompt);

	if (approval !== null && approval.input !== undefined)
		return [h("div", { class: "prompt-input" }, ...inputParts(approval.input).map(drawWhole))];
	return prompt.prompt === "" ? [] : [h("div", { class: "prompt-words", tabindex: "0" }, unhidden(String(prompt.prompt)))];
}

/* The session by its handle; who has none, by its source. */
export function who({ prompt }: Item, names: Names): string {
	return names.who(prompt.run) ?? (knownAs(prompt.source) || "An agent");
}

function titleOf(item: Item, names: Names): string {
	const approval = approvalOf(item.prompt);

	return visible(approval === null ? `${who(item, names)} asks` : `${who(item, names)} wants to use ${approval.tool}`);
}

function placeOf({ prompt }: Item, names: Names): string {
	return `crew/${names.of(prompt.run)?.handle ?? prompt.run}`;
}

/* Whoever else can answer it: the agent's own dialog, where it has one, and whoever has this box on
 * a screen. */
function othersOf({ prompt }: Item): string {
	return approvalOf(prompt) !== null && prompt.source === "adapter:tap"
		? "Also asked: its own terminal and your other screens. The first answer counts."
		: "Also asked: your other screens. The first answer counts.";
}

export function briefOf({ prompt }: Item): string {
	const approval = approvalOf(prompt);

	const words = approval === null || approval.input === undefined ? String(prompt.prompt) : inputLine(approval.input);

	return oneLine(beginning(words.trim(), BRIEF_MAX)) + (words.trim().length > BRIEF_MAX ? " …" : "");
}
