/* The tray: what agents ask, in every view. It takes no focus from anybody, and no more room
 * than a reader wants to give it; p goes to it, and Escape back to where one was. */

import type { Desk, Prompt } from "../desk";
import { h, icon, write } from "../text/dom";
import { visible } from "../text/signal";
import { counted } from "../talk/plain";
import { briefOf, makeCard, who } from "./card";
import { makeCards } from "./cards";
import type { Send } from "./form";
import { canAskToNotify, notifyButton } from "../shell/attention";
import { createPrompts, type Item } from "./model";

const SHOWN = 20;             /* cards in the document; a button shows more */
const DRAW_MS = 30;
const TICK_MS = 500;
const SETTLE_MS = 1500;       /* after coming back, until it is asked what is open */

export interface Tray { readonly count: number; focus(id?: string): void }

export function openTray(root: HTMLElement, desk: Desk): Tray {
	const { link } = desk;
	const prompts = createPrompts();
	const title = h("h2", {});
	const said = h("p", { class: "hidden", role: "status" });
	const list = h("div", { class: "prompts-list" });
	const more = h("button", { type: "button", class: "prompts-more", onclick: () => {
		shown += SHOWN;
		draw();
	} });
	const ask = notifyButton(desk, "Notify me");
	const fold = h("button", { type: "button", class: "bare prompts-fold", onclick: () => {
		isFolded = !isFolded;
		draw();
	} }, icon("close"));
	const cards = makeCards(list, (item) => makeCard(item, desk, sendOf(item)));
	let shown = SHOWN;
	let isFolded = false;
	let before: HTMLElement | null = null;
	let settling = 0;
	let drawing = 0;

	root.classList.add("prompts");
	root.append(h("header", {}, title, ask, fold), said, h("div", { class: "prompts-scroll" }, list, more));
	fold.setAttribute("aria-controls", list.id = "prompts-list");

	/* ---- what comes in ---- */

	link.on("hello", settleSoon);
	link.on("prompts", settleSoon);
	link.on("prompt", (prompt) => {
		const item = prompts.hear(prompt, now());

		if (item !== null)
			announce(item);
		drawSoon();
	});
	link.on("signal", ({ envelope }) => {
		if (prompts.take(envelope, now()))
			drawSoon();
	});

	function now(): number {
		return Date.now() + link.skewMs;
	}

	function announce(item: Item): void {
		write(said, visible(`${who(item, desk.names)} asks: ${briefOf(item)}`));
	}

	/* All open ones come again. What does not was ended while we were away, and if the journal
	 * does not say how, the list of open ones says at least that. */
	function settleSoon(): void {
		prompts.forget();
		clearTimeout(settling);
		settling = window.setTimeout(() => {
			if (prompts.open().some((item) => !item.isSure))
				link.request<{ prompts: Prompt[] }>("GET", "/api/prompts")
					.then(({ prompts: open }) => { prompts.settle(open, now()); draw(); }, () => {});
		}, SETTLE_MS);
	}

	/* ---- what a person does ---- */

	const sendOf = (item: Item): Send => (answer) => {
		prompts.sending(item.id);
		draw();
		link.answer(item.id, answer).then(
			() => prompts.sent(item.id, "value" in answer ? answer.value : undefined),
			(error: Error & { code?: string }) => prompts.refused(item.id, error.code ?? "", error.message, now()))
			.finally(draw);
	};

	function focus(id?: string): void {
		const card = id === undefined ? undefined : cards.get(id);
		const first = prompts.open()[0];

		if (!root.contains(document.activeElement))
			before = document.activeElement as HTMLElement | null;
		isFolded = false;
		const to = card ?? (first === undefined ? undefined : cards.get(first.id));
		draw();
		to?.open(now());
	}

	document.addEventListener("keydown", (event) => {
		const target = event.target as Element;

		if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.isComposing)
			return;
		if (event.key === "Escape" && root.contains(target)) {
			if (before?.isConnected === true)
				before.focus();
			else
				(target as HTMLElement).blur();
		} else if (event.key === "p" && target.closest("input, textarea, select, [contenteditable], dialog[open]") === null
			&& prompts.open().length > 0) {
			focus();
		} else {
			return;
		}
		event.preventDefault();
	}, { capture: true });

	/* ---- what is drawn ---- */

	/* Hundreds may come at once. */
	function drawSoon(): void {
		drawing ||= window.setTimeout(draw, DRAW_MS);
	}

	function draw(): void {
		const open = prompts.open();

		clearTimeout(drawing);
		drawing = 0;
		const used = open.slice(shown).filter(({ id }) => cards.get(id)?.isTouched === true);
		const items = [...open.slice(0, shown), ...used, ...prompts.over()].sort((a, b) => b.since - a.since);

		root.hidden = items.length === 0;
		if (open.length === 0)
			isFolded = false;
		root.classList.toggle("is-folded", isFolded);
		fold.setAttribute("aria-expanded", String(!isFolded));
		fold.setAttribute("aria-label", isFolded ? "Show the questions" : "Collapse the questions");
		write(title, open.length === 0 ? "No more questions" : counted(open.length, "question"));
		ask.hidden = !canAskToNotify() || isFolded;
		more.hidden = open.length <= shown;
		write(more, `Show ${counted(open.length - shown, "more question")}`);
		cards.draw(items, now());
	}

	setInterval(() => {
		if (cards.size === 0)
			return;
		prompts.age(now(), (id) => cards.get(id)?.element.matches(":hover, :focus-within") === true);
		draw();
	}, TICK_MS);
	draw();
	return { get count() { return prompts.open().length; }, focus };
}
