/* The browser's own notifications, for questions that come while the page is out of sight. Asked
 * for only by a click, and shown only while nobody can see the page. Some browsers have none, or
 * refuse them to a page; then there are none, and nothing else changes. */

import type { Desk, Names } from "../desk";
import { h } from "../text/dom";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";
import { counted } from "../talk/plain";
import { briefOf, titleOf, who } from "./card";
import type { Item } from "./model";

const AT_ONCE = 3;            /* more than that are one */
const BODY_MAX = 200;
const HAS = typeof Notification === "function";

/* Whether nobody has said yes or no yet. */
export function canAskToNotify(): boolean {
	return HAS && Notification.permission === "default";
}

export function notifyButton(desk: Desk, words: string): HTMLButtonElement {
	const button = h("button", { type: "button", class: "prompts-notify", hidden: !canAskToNotify(), onclick: async () => {
		const isGranted = await Notification.requestPermission() === "granted";

		desk.say(isGranted ? "The browser will notify you of questions while this page is hidden."
			: "The browser will not notify you.", isGranted ? "good" : "bad");
		button.hidden = !canAskToNotify();
	} }, words);

	return button;
}

export interface Notifier {
	/* `open` is how many there are in all. */
	tell(item: Item, open: number): void;
	over(id: string): void;
	clear(): void;
}

export function makeNotifier(names: Names, goTo: (id: string) => void): Notifier {
	const shown = new Map<string, Notification>();

	function show(tag: string, title: string, body: string, id: string): void {
		try {
			const note = new Notification(title, { body, tag: `signalbox-${tag}` });
			note.onclick = () => {
				window.focus();
				goTo(id);
				note.close();
			};
			shown.get(tag)?.close();
			shown.set(tag, note);
		} catch {
			/* Pages may not, here. */
		}
	}

	function close(tag: string): void {
		shown.get(tag)?.close();
		shown.delete(tag);
	}

	return {
		tell(item, open) {
			if (!HAS || Notification.permission !== "granted" || document.visibilityState !== "hidden")
				return;
			if (open > AT_ONCE) {
				[...shown.keys()].filter((tag) => tag !== "many").forEach(close);
				return show("many", counted(open, "question waits", "questions wait"),
					beginning(visible(who(item, names)), BODY_MAX), item.id);
			}
			show(item.id, beginning(titleOf(item, names), BODY_MAX), beginning(visible(briefOf(item)), BODY_MAX), item.id);
		},
		over: close,
		clear: () => [...shown.keys()].forEach(close),
	};
}
