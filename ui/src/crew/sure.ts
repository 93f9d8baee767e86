/* Asks before something is interrupted: the safe answer has the focus, x again or y is a yes. */

import { fill, h } from "../text/dom";
import { shortened } from "../text/names";

export function askSure(handle: string, yes: () => void): void {
	const close = () => {
		dialog.close();
		dialog.remove();
	};
	const go = () => {
		close();
		yes();
	};
	const keep = h("button", { type: "button", class: "primary", onclick: close }, "Let it work");
	const dialog = h("dialog", { class: "crew-sure", "aria-labelledby": "crew-sure-title" });
	const before = document.activeElement;

	fill(dialog, [
		h("h2", { id: "crew-sure-title" }, `Interrupt ${shortened(handle)}?`),
		h("p", {}, "It stops what it does now. What it has done stays."),
		h("div", { class: "crew-choices" }, keep, h("button", { type: "button", onclick: go }, "Interrupt")),
	]);
	dialog.addEventListener("keydown", (event) => {
		if (event.key === "x" || event.key === "y") {
			event.preventDefault();
			go();
		} else if (event.key === "n") {
			event.preventDefault();
			close();
		}
	});
	dialog.addEventListener("close", () => {
		dialog.remove();
		if (before instanceof HTMLElement && before.isConnected)
			before.focus();
	});
	document.body.append(dialog);
	dialog.showModal();
	keep.focus();
}
