/* The dialog that lists what the keys do, of the page and of every view. */

import type { ViewKind } from "../desk";
import { fill, h, icon } from "../text/dom";
import type { Registered } from "../views";

type Key = readonly [string, string];

const ENDS: readonly Key[] = [
	["p", "questions of agents"],
	["?", "this list"],
	["Tab", "to the next element"],
	["Esc", "back, or close"],
];

export function makeHelp(dialog: HTMLDialogElement, views: readonly Registered[]): { open(): void } {
	dialog.addEventListener("click", (event) => {
		if (event.target === dialog)
			dialog.close();
	});
	return {
		open() {
			if (dialog.open)
				return;
			void draw(dialog, views);
			dialog.showModal();
		},
	};
}

async function draw(dialog: HTMLDialogElement, views: readonly Registered[]): Promise<void> {
	const everywhere: Key[] = views.map(({ title }, i) => [String(i + 1), title]);
	const close = h("button", { type: "button", class: "bare", "aria-label": "Close", onclick: () => dialog.close() },
		icon("close"));
	const head = h("header", {}, h("h2", { id: "keys-title" }, "Keys"), close);

	const groups = h("div", { class: "groups" }, group("Everywhere", [...everywhere, ...ENDS]));

	fill(dialog, [head, groups]);
	const kinds = await Promise.all(views.map((view) => view.load().then(({ kind }) => kind, () => null)));
	for (const kind of kinds.filter((found): found is ViewKind => found !== null && found.keys.length > 0))
		groups.append(group(kind.title, kind.keys));
}

/* Keys are parted by commas, or by spaces where there is no comma. */
function keysOf(press: string): string[] {
	return press.split(press.includes(", ") ? ", " : " ");
}

function group(title: string, keys: readonly Key[]): HTMLElement {
	const rows = keys.flatMap(([press, words]) => [
		h("dt", {}, ...keysOf(press).map((key) => h("kbd", {}, key))),
		h("dd", {}, words),
	]);

	return h("section", {}, h("h3", {}, title), h("dl", {}, ...rows));
}
