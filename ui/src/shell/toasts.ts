/* Words that come up for a while, and are read out: what went well as a status, what went wrong
 * as an alert. A pointer or the focus on one keeps it. */

import { h, icon } from "../text/dom";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";

const GOOD_MS = 5000;
const BAD_MS = 12000;
const MOST = 4;
const LONGEST = 400;

export function makeToasts(said: HTMLElement, warned: HTMLElement): (words: string, kind?: "good" | "bad") => void {
	return (words, kind = "good") => {
		const box = kind === "bad" ? warned : said;
		const toast = h("div", { class: `toast ${kind}` },
			h("p", {}, visible(beginning(words, LONGEST))),
			h("button", { type: "button", class: "bare", "aria-label": "Dismiss", onclick: () => toast.remove() }, icon("close")));

		box.append(toast);
		while (box.childElementCount > MOST)
			box.firstElementChild?.remove();
		leaveLater(toast, kind === "bad" ? BAD_MS : GOOD_MS);
	};
}

function leaveLater(toast: HTMLElement, after: number): void {
	setTimeout(() => {
		if (toast.matches(":hover, :focus-within"))
			leaveLater(toast, after);
		else
			toast.remove();
	}, after);
}
