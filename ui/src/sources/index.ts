/* The sources: a card for each, live, and what can be done to it. Services of this machine come
 * first, also those that are not there, in grey. */

import type { Desk, Source, View, ViewKind } from "../desk";
import { fill, h, write } from "../text/dom";
import { makeActs, type Acts, type Found, type Service, type Tap } from "./acts";
import { makeBook, isLocal, type Book } from "./book";
import { makeCard, makeGhost, type Card, type Want } from "./card";
import { confirmIt, wordsOf } from "./dialog";
import { openAddDialog, openEditDialog } from "./form";
import { openForgetDialog, openKeyDialog, pasteFromConfig } from "./key";
import { openTapDialog } from "./tap";
import { CLAUDE_CODE, foundWords } from "./words";

const TICK_MS = 1000;

export const kind: ViewKind = {
	name: "sources",
	title: "Sources",
	icon: "sources",
	keys: [["a", "add a source"], ["r", "rescan this machine"], ["j k", "next and previous source"]],
	open,
};

/* What is on the screen, and stays for as long as the page. */
function makeFrame(add: () => void, rescan: () => void) {
	const here = h("ul", { class: "cards" }), others = h("ul", { class: "cards" });
	const summary = h("p", { class: "summary" }), found = h("p", { class: "found", role: "status" });
	const scan = h("button", { type: "button", onclick: rescan }, "Rescan");
	const plus = h("button", { type: "button", class: "primary", onclick: add }, "Add a source …");
	const empty = h("div", { class: "empty" },
		h("p", {}, "No source from elsewhere yet."),
		h("p", { class: "hint" }, "Anything that speaks WebSocket, event streams, or a protocol of models can be one: add it by its URL. On a command line: signalbox sources add URL"));
	const scroll = h("div", { class: "scroll" },
		h("header", {}, h("h2", {}, "Sources"), summary, h("span", { class: "space" }), scan, plus),
		found,
		h("section", { "aria-label": "On this machine" }, h("h3", { class: "group" }, "On this machine"), here),
		h("section", { "aria-label": "From elsewhere" }, h("h3", { class: "group" }, "From elsewhere"), others, empty));

	return { scroll, here, others, summary, found, scan, plus, empty };
}

type Frame = ReturnType<typeof makeFrame>;

/* The cards, in step with the book. */
function makeCards(frame: Frame, book: Book, hands: (id: string) => { want(what: Want): void; choose(model: string): void }) {
	const cards = new Map<string, Card>();
	const ghosts = new Map<string, HTMLElement>();

	function ghost(service: Service): HTMLElement {
		const element = ghosts.get(service.id) ?? makeGhost(service);

		ghosts.set(service.id, element);
		return element;
	}

	function place(list: HTMLElement, wanted: HTMLElement[]): void {
		const there = [...list.children];

		if (wanted.length !== there.length || wanted.some((element, i) => element !== there[i]))
			arrange(list, wanted);
	}

	return {
		order(): void {
			const sources = book.list();
			const element = (source: Source): HTMLElement => {
				const card = cards.get(source.id) ?? makeCard(source.id, hands(source.id));

				cards.set(source.id, card);
				return card.element;
			};

			for (const id of [...cards.keys()])
				if (book.get(id) === undefined)
					cards.delete(id);
			place(frame.here, [...sources.filter(isLocal).map(element), ...book.missing().map(ghost)]);
			place(frame.others, sources.filter((source) => !isLocal(source)).map(element));
		},
		each: () => cards.entries(),
		element: (id: string) => cards.get(id)?.element,
	};
}

/* Elements that stay are not taken out: the focus may be in one. */
function arrange(list: HTMLElement, wanted: HTMLElement[]): void {
	const keeps = new Set<Element>(wanted);

	for (const child of [...list.children])
		if (!keeps.has(child))
			child.remove();
	wanted.forEach((element, i) => {
		if (list.children[i] !== element)
			list.insertBefore(element, list.children[i] ?? null);
	});
}

function summaryWords(sources: Source[]): string {
	const on = sources.filter(({ state }) => state === "connected").length;
	const bad = sources.filter(({ state }) => state === "error").length;

	return [`${on} of ${sources.length} connected`, bad > 0 ? `${bad} given up` : ""].filter((word) => word !== "").join(", ");
}

function open(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const acts = makeActs(link);
	const book = makeBook();
	const frame = makeFrame(add, () => void rescan());
	const cards = makeCards(frame, book, (id) => ({
		want: (what) => void doIt(id, what),
		choose: (model) => void attempt(() => acts.change(id, { model })),
	}));
	let timer = 0, tap: Tap | null = null, focusOn = "", isShown = false;

	const say = (words: string) => desk.say(words);
	const now = () => Date.now() + link.skewMs;
	const may = (scope: string) => link.scopes.size === 0 || link.scopes.has(scope);

	async function attempt(act: () => Promise<unknown>): Promise<void> {
		try {
			await act();
		} catch (why) {
			desk.say(wordsOf(why), "bad");
		}
	}

	function draw(): void {
		if (!isShown)
			return;
		cards.order();
		for (const [id, card] of cards.each()) {
			const source = book.get(id);
			if (source !== undefined)
				card.draw(source, {
					now: now(), pulse: book.pulse(id, Date.now()), tap: id === CLAUDE_CODE ? tap : null,
					mayAdmin: may("admin"), mayAsk: may("control"),
				});
		}
		write(frame.summary, summaryWords(book.list()));
		frame.scan.disabled = frame.plus.disabled = !may("admin");
		frame.empty.hidden = book.list().some((source) => !isLocal(source));
		focusCard();
	}

	function focusCard(): void {
		const element = cards.element(focusOn);

		if (focusOn === "" || element === undefined)
			return;
		focusOn = "";
		element.focus();
		element.scrollIntoView({ block: "nearest" });
	}

	async function lookAtTap(): Promise<void> {
		if (may("admin"))
			tap = await acts.tap().catch(() => null);
		draw();
	}

	function heardOf(found: Found): void {
		book.find(found.services);
		draw();
	}

	function add(): void {
		openAddDialog(acts, say, ({ id }) => {
			focusOn = id;
			draw();
		});
	}

	async function rescan(): Promise<void> {
		frame.scan.disabled = true;
		write(frame.found, "Looking …");
		await attempt(async () => {
			const found = await acts.rescan();
			heardOf(found);
			write(frame.found, foundWords(found));
		});
		if (frame.found.textContent === "Looking …")
			write(frame.found, "");
		frame.scan.disabled = false;
		void lookAtTap();
	}

	async function doIt(id: string, what: Want): Promise<void> {
		const source = book.get(id);

		if (source === undefined)
			return;
		if (what === "ask")
			desk.go(`ask/${id}`);
		else if (what === "install" || what === "uninstall")
			openTapDialog(what === "install" ? "connect" : "disconnect", tap, acts, (words) => {
				say(words);
				void lookAtTap();
			});
		else
			await attempt(() => act(source, what, acts, say));
	}

	link.on("sources", (news) => {
		const was = book.get(CLAUDE_CODE)?.state;

		book.hear(news, Date.now());
		if (book.get(CLAUDE_CODE)?.state !== was && isShown)
			void lookAtTap();
		else
			draw();
	});
	link.on("state", ({ name }) => {
		if (name === "live" && isShown)
			void attempt(async () => heardOf(await acts.look()));
	});
	fill(root, [frame.scroll]);
	return {
		show(rest) {
			const first = !isShown;

			isShown = true;
			focusOn = rest;
			if (first)
				timer = window.setInterval(draw, TICK_MS);
			draw();
			if (first && link.state.name === "live") {
				void acts.look().then(heardOf, () => {});
				void lookAtTap();
			}
		},
		hide() {
			isShown = false;
			clearInterval(timer);
		},
		key(event) {
			if (event.key === "a" && may("admin"))
				add();
			else if (event.key === "r" && may("admin"))
				void rescan();
			else
				return moves(event.key) && step(frame.scroll, event.key === "j" || event.key === "ArrowDown" ? 1 : -1);
			return true;
		},
	};
}

async function act(source: Source, what: Want, acts: Acts, say: (words: string) => void): Promise<void> {
	if (what === "connect")
		await acts.connect(source.id);
	else if (what === "disconnect")
		await acts.disconnect(source.id);
	else if (what === "paste")
		await pasteFromConfig(source, acts, say);
	else if (what === "key")
		openKeyDialog(source, acts, say);
	else if (what === "forget")
		openForgetDialog(source, acts, say);
	else if (what === "edit")
		openEditDialog(source, acts, say);
	else if (what === "remove")
		confirmIt(`Remove ${source.name}?`, "It is disconnected, and its key is forgotten. What it said stays in the log.",
			"Remove", async () => {
				await acts.remove(source.id);
				say(`${source.name} is removed.`);
			});
}

function moves(key: string): boolean {
	return ["j", "k", "ArrowDown", "ArrowUp"].includes(key);
}

/* The focus to the next card, or the one before. */
function step(scroll: HTMLElement, by: number): boolean {
	const all = [...scroll.querySelectorAll<HTMLElement>(".card")];
	const at = all.findIndex((card) => card.contains(document.activeElement));
	const next = all[at < 0 ? by > 0 ? 0 : all.length - 1 : Math.min(all.length - 1, Math.max(0, at + by))];

	next?.focus();
	next?.scrollIntoView({ block: "nearest" });
	return next !== undefined;
}
