/* An envelope exactly as it came, laid out as text: every number keeps its digits, every string
 * its escapes. Of a very long one the beginning is shown, and the rest when it is asked for. */

import { h } from "../text/dom";
import { pretty } from "../text/json";
import { beginning } from "../text/whole";

const COLOURED_MAX = 5000;     /* Beyond so many tokens it is in one colour. */
const SHOWN_MAX = 100_000;     /* characters that are laid out at once */

export function drawEnvelope(text: string): HTMLElement {
	const tokens = pretty(text);
	const pre = h("pre", { class: "envelope", tabindex: 0, "aria-label": "Envelope" });

	if (tokens.length <= COLOURED_MAX && text.length <= SHOWN_MAX) {
		pre.append(...tokens.map(([kind, part]) =>
			kind === "mark" ? part : h("span", { class: kind }, part)));
		return pre;
	}
	const laid = tokens.map(([, part]) => part).join("");
	const shown = beginning(laid, SHOWN_MAX);
	pre.append(shown);
	if (laid.length > shown.length)
		pre.append(restOf(pre, laid, laid.length - shown.length));
	return pre;
}

function restOf(pre: HTMLElement, laid: string, left: number): HTMLElement {
	return h("button", { type: "button", class: "rest", onclick: () => pre.replaceChildren(laid) },
		`Show ${left.toLocaleString("en")} more characters`);
}
