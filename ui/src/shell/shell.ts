/* What holds the views: it shows the one that the address names, opens it when it is first gone
 * to, and hands it the keys that nobody else wanted. */

import type { Desk, View } from "../desk";
import type { PageLink } from "../link/link";
import { fill, h, icon } from "../text/dom";
import { makeNames } from "../text/names";
import type { Registered } from "../views";
import { codeOf, hashOf, placeBehindCode, placeOf } from "./address";
import { STATE_WORDS, makeHeader } from "./header";
import { makeHelp } from "./help";
import { makeNotices } from "./notices";
import { keep, makeTheme } from "./theme";
import { makeToasts } from "./toasts";

const VIEW_KEY = "signalbox.view";
const CALM_MS = 4000;
const PAINT_MS = 200;
const EDITABLE = "input, textarea, select, [contenteditable]";
const PRESSABLE = "button, summary, [role=button], [role=menuitem], [role=tab]";

const part = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

interface Slot {
	kind: Registered;
	link: HTMLAnchorElement;
	badge: HTMLElement;
	root: HTMLElement;
	view: Promise<View> | null;
	shown: View | null;
}

export function openShell(views: readonly Registered[], link: PageLink): Desk {
	const slots = views.map(makeSlot);
	const theme = makeTheme(part("theme"));
	const less = matchMedia("(prefers-reduced-motion: reduce)");
	const help = makeHelp(part("keys") as HTMLDialogElement, views);
	const desk: Desk = {
		link, names: makeNames(link),
		go, toQuestion: () => {},
		say: makeToasts(part("said"), part("warned")),
		get isDark() { return theme.isDark; },
		onTheme: theme.onChange,
		get wantsLessMotion() { return less.matches; },
	};
	let current: Slot | null = null;
	let version = "";

	fill(part("views"), slots.map((slot) => slot.link));
	fill(part("stack"), slots.map((slot) => slot.root));
	makeHeader(link);
	makeNotices(part("notice"), part("trouble"), link);
	keepTitle(link, slots);
	fetchLater(link, views);
	link.on("hello", ({ server }) => {
		if (version !== "" && version !== server.version)
			desk.say("The server has a new version. Reload the page.", "bad");
		version = server.version;
	});

	/* Of a view that is slow to load, only the last that was gone to is shown. */
	async function show(slot: Slot, rest: string): Promise<void> {
		if (current !== slot)
			current?.shown?.hide();
		current = slot;
		keep.set(VIEW_KEY, slot.kind.name);
		for (const other of slots) {
			other.root.hidden = other !== slot;
			if (other === slot)
				other.link.setAttribute("aria-current", "page");
			else
				other.link.removeAttribute("aria-current");
		}
		slot.view ??= slot.kind.load().then(({ kind }) => kind.open(slot.root, desk));
		try {
			const view = await slot.view;
			slot.shown = view;
			if (current === slot)
				view.show(rest);
		} catch (why) {
			slot.view = null;
			desk.say(`${slot.kind.title} could not be shown. Reload the page. (${why instanceof Error ? why.message : why})`, "bad");
		}
	}

	/* The first view is for those who are here for the first time. */
	function home(): string {
		const last = keep.get(VIEW_KEY);

		return slots.some(({ kind }) => kind.name === last) ? String(last) : slots[0]?.kind.name ?? "";
	}

	function follow(): void {
		const place = placeOf(location.hash);
		const slot = slots.find(({ kind }) => kind.name === place?.view);

		if (slot !== undefined && place !== null)
			void show(slot, place.rest);
		else
			go(home(), "replace");
	}

	/* At once, and not when the browser gets round to telling that the address changed: the next key
	 * may come sooner, and is meant for where we went. */
	function go(place: string, how?: "replace"): void {
		const { hash } = new URL(hashOf(place), location.href);

		if (how === "replace")
			history.replaceState(null, "", hash);
		else if (hash !== location.hash)
			history.pushState(null, "", hash);
		follow();
	}

	/* A code is taken out of the address before anything is sent. */
	function signIn(): void {
		const code = codeOf(location.hash);

		if (code === null)
			return;
		history.replaceState(null, "", hashOf(placeBehindCode(location.hash) || home()));
		link.signIn(code);
	}

	addEventListener("hashchange", () => {
		signIn();
		follow();
	});
	part("help").addEventListener("click", help.open);
	part("skip").addEventListener("click", (event) => {
		event.preventDefault();
		part("main").focus();
	});
	document.addEventListener("keydown", (event) => {
		if (meansSomething(event, slots, current, help.open, go))
			event.preventDefault();
	});
	signIn();
	afterPaint(follow);
	return desk;
}

/* The frame is seen before a view takes its time. In the background nothing is ever painted. */
function afterPaint(then: () => void): void {
	let waits = true;
	const go = (): void => {
		if (waits)
			then();
		waits = false;
	};

	requestAnimationFrame(() => setTimeout(go));
	setTimeout(go, PAINT_MS);
}

function meansSomething(event: KeyboardEvent, slots: Slot[], current: Slot | null, help: () => void,
	go: (place: string) => void): boolean {
	const { key, target } = event;
	const on = target instanceof Element ? target : document.body;
	const number = /^[1-9]$/.test(key) ? slots[Number(key) - 1] : undefined;

	if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.isComposing)
		return false;
	if (document.querySelector("dialog[open]") !== null)
		return false;
	if (key !== "Escape" && on.closest(EDITABLE) !== null)
		return false;
	/* The space bar follows no link. */
	if ((key === "Enter" && on.closest(`a, ${PRESSABLE}`) !== null) || (key === " " && on.closest(PRESSABLE) !== null))
		return false;
	if (key === "?")
		help();
	else if (number !== undefined)
		go(number.kind.name);
	else
		return current?.shown?.key?.(event) ?? false;
	return true;
}

/* What was not gone to yet is fetched when all is calm, so that it is there when the server is not. */
function fetchLater(link: PageLink, views: readonly Registered[]): void {
	const end = link.on("state", ({ name }) => {
		if (name !== "live")
			return;
		end();
		setTimeout(() => {
			for (const { load } of views)
				load().catch(() => {});
		}, CALM_MS);
	});
}

function makeSlot(kind: Registered, index: number): Slot {
	const badge = h("span", { class: "count", hidden: true });
	const link = h("a", { href: `#/${kind.name}`, title: `${kind.title} (${index + 1})` },
		icon(kind.icon), h("span", { class: "name" }, kind.title), badge);
	const root = h("section", { class: "view", id: `view-${kind.name}`, "aria-label": kind.title, hidden: true });

	return { kind, link, badge, root, view: null, shown: null };
}

/* How many questions are open stands beside the view that shows who waits, and in the title, which
 * is all that is seen of a tab in the background. */
function keepTitle(link: PageLink, slots: Slot[]): void {
	const open = new Set<string>();
	const asks = slots.find(({ kind }) => kind.name === "crew");

	function draw(): void {
		const { name } = link.state;
		const words = [open.size > 0 ? `(${open.size})` : "", name === "live" ? "" : `${STATE_WORDS[name]} ·`];

		document.title = [...words, "signalbox"].filter((word) => word !== "").join(" ");
		if (asks === undefined)
			return;
		asks.badge.hidden = open.size === 0;
		fill(asks.badge, [h("span", { "aria-hidden": "true" }, open.size),
			h("span", { class: "hidden" }, `, ${open.size} open`)]);
	}

	/* After both, all that are open are told again. */
	link.on("hello", () => { open.clear(); draw(); });
	link.on("prompts", () => { open.clear(); draw(); });
	link.on("prompt", ({ id, state }) => {
		if (state === "open")
			open.add(id);
		else
			open.delete(id);
		draw();
	});
	link.on("state", draw);
	draw();
}
