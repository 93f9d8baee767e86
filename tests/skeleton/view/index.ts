/* The least that a view can be: how many signals came, and the type of the last. */

import type { Desk, View, ViewKind } from "../desk";
import { h, write } from "../text/dom";

/* It is opened once and hidden, not closed: it goes on hearing, but draws only while it is seen. */
function openView(root: HTMLElement, desk: Desk): View {
	const count = h("output", { class: "skeleton-count" });
	const last = h("p", { class: "skeleton-last" });
	let isShown = false;
	let heard = 0;
	let type = "";

	function draw(): void {
		if (!isShown)
			return;
		write(count, String(heard));
		write(last, type);
	}

	function forget(): void {
		heard = 0;
		draw();
	}

	root.append(h("section", { class: "skeleton-view" },
		count, last, h("button", { type: "button", onclick: forget }, "Count from here")));
	desk.link.on("signal", ({ envelope }) => {
		heard++;
		type = envelope.type;
		draw();
	});
	return {
		show(): void {
			isShown = true;
			draw();
		},
		hide(): void {
			isShown = false;
		},
		/* A key that nobody else wanted; true when it meant something. */
		key(event): boolean {
			if (event.key !== "z")
				return false;
			forget();
			return true;
		},
	};
}

export const kind: ViewKind = {
	name: "skeleton", title: "Skeleton", icon: "skeleton",
	keys: [["z", "count from here"]],
	open: openView,
};
