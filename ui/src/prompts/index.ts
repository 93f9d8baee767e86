/* The tray: what agents ask, in every view. It takes no focus from anybody, and no more room
 * than a reader wants to give it; p goes to it, and Escape back to where one was. */

import type { Desk, Prompt } from "../desk";
import { h, icon, write } from "../text/dom";
import { visible } from "../text/signal";
import { counted } from "../talk/plain";
import { briefOf, makeCard, who, type Card } from "./card";
import type { Send } from "./form";
import { createPrompts, type Item } from "./model";
import { makeNotifier } from "./notify";

const SHOWN = 20;             /* cards in the document; a button shows more */
const EXPANDED = 3;           /* of those that come, how many are opened at once */
const TICK_MS = 500;
const SETTLE_MS = 1500;       /* after coming back, until it is asked what is open */

export interface Tray { readonly count: number; focus(id?: string): void }

export function openTray(root: HTMLElement, desk: Desk): Tray {
	const { link } = desk;
	const prompts = createPrompts();
	const cards = new Map<string, Card>();
	const title = h("h2", {});
	const said = h("p", { class: "hidden", role: "status" });
	const list = h("div", { class: "prompts-list" });
	const more = h("button", { type: "button", class: "prompts-more", onclick: () => {
		shown += SHOWN;
		draw();
	} });
	const ask = h("button", { type: "button", class: "prompts-notify", onclick: () =>
		void notifier.ask().then((answer) => {
			desk.say(answer === "granted" ? "You will be notified of questions while this page is out of sight."
				: "The browser will not notify you.", answer === "granted" ? "good" : "bad");
			draw();
		}) }, "Notify me");
	const fold = h("button", { type: "button", class: "bare prompts-fold", onclick: () => {
		isFolded = !isFolded;
		draw();
	} }, icon("close"));
	const notifier = makeNotifier((id) => focus(id));
	let shown = SHOWN;
	let isFolded = false;
	let before: HTMLElement | null = null;
	let settling = 0;
	const offered = new Set<string>();    /* that were opened because no other was */

	root.classList.add("prompts");
	root.append(h("header", {}, title, ask, fold), said, h("div", { class: "prompts-scroll" }, list, more));
	fold.setAttribute("aria-controls", list.id = "prompts-list");

	/* ---- what comes in ---- */

	link.on("prompt", (prompt) => {
		const item = prompts.hear(prompt, now());

		if (item !== null)
			announce(item);
		else if (prompt.state !== "open")
			notifier.over(prompt.id);
		draw();
	});
	link.on("signal", ({ envelope }) => {
		if (prompts.take(envelope, now()))
			draw();
	});
	link.on("prompts", settleSoon);
	link.on("hello", settleSoon);
	document.addEventListener("visibilitychange", () => {
		if (document.visibilityState === "visible")
			notifier.clear();
	});

	function now(): number {
		return Date.now() + link.skewMs;
	}

	function announce(item: Item): void {
		const open = prompts.open().length;

		write(said, visible(`${who(item)} asks: ${briefOf(item)}`));
		notifier.tell(item, open);
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
		if (to !== undefined)
			to.isExpanded = true;
		draw();
		to?.focus();
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
			&& cards.size > 0) {
			focus();
		} else {
			return;
		}
		event.preventDefault();
	}, { capture: true });

	/* ---- what is drawn ---- */

	function draw(): void {
		const open = prompts.open();
		const items = [...open.slice(0, shown), ...prompts.over()].sort((a, b) => b.since - a.since);
		const at = now();

		root.hidden = items.length === 0;
		if (open.length === 0)
			isFolded = false;
		root.classList.toggle("is-folded", isFolded);
		fold.setAttribute("aria-expanded", String(!isFolded));
		fold.setAttribute("aria-label", isFolded ? "Show the questions" : "Fold the questions away");
		write(title, open.length === 0 ? "No more questions" : counted(open.length, "question"));
		ask.hidden = !notifier.canAsk || isFolded;
		more.hidden = open.length <= shown;
		write(more, `Show ${counted(open.length - shown, "more question")}`);
		place(items);
		for (const item of items)
			cards.get(item.id)!.draw(at);
	}

	/* A card that is being used stays where it is when another comes above it. */
	function place(items: Item[]): void {
		const scroll = list.parentElement!;
		const isUsed = list.matches(":hover, :focus-within");
		const height = list.scrollHeight;
		const ids = new Set(items.map(({ id }) => id));

		for (const [id, card] of cards)
			if (!ids.has(id)) {
				card.element.remove();
				cards.delete(id);
			}
		let added = 0;
		items.forEach((item, i) => {
			let card = cards.get(item.id);
			if (card === undefined) {
				card = makeCard(item, desk, sendOf(item));
				card.isExpanded = expanded() < EXPANDED;
				cards.set(item.id, card);
				card.draw(now());
				added++;
			}
			if (list.children[i] !== card.element)
				list.insertBefore(card.element, list.children[i] ?? null);
		});
		if (expanded() === 0)
			openFirst(items);
		if (added > 0 && isUsed)
			scroll.scrollTop += list.scrollHeight - height;
	}

	function expanded(): number {
		return [...cards].filter(([id, card]) => card.isExpanded && prompts.get(id)?.state === "open").length;
	}

	function openFirst(items: Item[]): void {
		const first = items.find(({ id, state }) => state === "open" && cards.get(id) !== undefined && !offered.has(id));

		if (first !== undefined) {
			offered.add(first.id);
			cards.get(first.id)!.isExpanded = true;
		}
	}

	setInterval(() => {
		const isKept = (id: string) => cards.get(id)?.element.matches(":hover, :focus-within") === true;

		if (cards.size > 0) {
			prompts.age(now(), isKept);
			draw();
		}
	}, TICK_MS);
	draw();
	return { get count() { return prompts.open().length; }, focus };
}
