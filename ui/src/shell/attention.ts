/* The browser's own notifications: what matters while the page is out of sight. Asked for only by a
 * click, and shown only while nobody can see the page. Some browsers have none, or refuse them to a
 * page; then there are none, and nothing else changes.
 *
 * A matter is told once on one machine. Several tabs give it the same tag, so the browser shows one. A
 * box that notifies on the desktop of its own machine does that, and a page there does not. To a device
 * that is told by push, what is pushed is not told once more. */

import type { Desk, Matter } from "../desk";
import { h } from "../text/dom";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";

const AT_ONCE = 3;            /* more than that are one */
const BODY_MAX = 200;
const MANY = "many";
const PUSHED = ["asks", "failed"];
const HAS = typeof Notification === "function";
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/* Whether nobody has said yes or no yet. */
export function canAskToNotify(): boolean {
	return HAS && Notification.permission === "default";
}

export function notifyButton(desk: Desk, words: string): HTMLButtonElement {
	return h("button", { type: "button", class: "prompts-notify", hidden: !canAskToNotify(), onclick: async () => {
		const isGranted = await Notification.requestPermission() === "granted";

		desk.say(isGranted ? "The browser will notify you while this page is hidden." : "The browser will not notify you.",
			isGranted ? "good" : "bad");
		document.querySelectorAll<HTMLElement>(".prompts-notify").forEach((each) => { each.hidden = !canAskToNotify(); });
	} }, words);
}

export function openAttention(desk: Desk, isPushed: () => boolean): void {
	const shown = new Map<string, Notification>();
	const joined = new Set<string>();      /* the matters that the one for many is about */
	let known: Set<string> | null = null;  /* null: until the first are told, nothing is new */
	let isTold = false;                    /* on this machine, by the box */

	function show(tag: string, title: string, body: string, go: () => void): void {
		try {
			const note = new Notification(title, { body, tag: `signalbox-${tag}` });

			note.onclick = () => {
				window.focus();
				go();
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
		if (tag === MANY)
			joined.clear();
	}

	/* Others may stand that were seen before it. */
	function settle(id: string): void {
		close(id);
		if (joined.delete(id) && joined.size === 0)
			close(MANY);
	}

	function goTo(matter: Matter): void {
		if (matter.prompt !== undefined)
			desk.toQuestion(matter.prompt);
		else
			desk.go(matter.handle === undefined ? "crew" : `crew/${matter.handle}`);
	}

	function tell(matters: readonly Matter[]): void {
		const [last] = matters.slice(-1);

		if (last === undefined || !HAS || Notification.permission !== "granted" || document.visibilityState !== "hidden" || isTold)
			return;
		const count = new Set([...shown.keys(), ...matters.map(({ id }) => id)]).size;
		if (count > AT_ONCE || shown.has(MANY)) {
			const alone = [...shown.keys()].filter((tag) => tag !== MANY);

			[...alone, ...matters.map(({ id }) => id)].forEach((id) => joined.add(id));
			alone.forEach(close);
			return show(MANY, "Several agents need you", beginning(visible(last.title), BODY_MAX), () => desk.go("crew"));
		}
		for (const matter of matters)
			show(matter.id, beginning(visible(matter.title), BODY_MAX), beginning(visible(matter.words ?? ""), BODY_MAX),
				() => goTo(matter));
	}

	desk.link.on("matters", ({ all, desktop, raised = [], settled = [] }) => {
		const before = known;
		const fresh = (all ?? raised).filter(({ id }) => before?.has(id) === false);

		if (all !== undefined) {
			known = new Set(all.map(({ id }) => id));
			isTold = desktop === true && LOCAL.test(location.hostname);
			[...shown.keys(), ...joined].filter((tag) => tag !== MANY && known?.has(tag) === false).forEach(settle);
		}
		raised.forEach(({ id }) => known?.add(id));
		for (const id of settled) {
			known?.delete(id);
			settle(id);
		}
		tell(isPushed() ? fresh.filter(({ kind }) => !PUSHED.includes(kind)) : fresh);
	});
	document.addEventListener("visibilitychange", () => {
		if (document.visibilityState === "visible")
			[...shown.keys()].forEach(close);
	});
}
