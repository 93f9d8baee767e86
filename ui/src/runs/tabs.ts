/* Panels of which one is shown, and the tabs that choose it: arrows go from tab to tab. */

import { h } from "../text/dom";

export interface Tab { name: string; words: string; panel: HTMLElement }

export interface Tabs {
	readonly root: HTMLElement;
	readonly chosen: string;
	choose(name: string): void;
}

export function tabs(label: string, all: readonly Tab[], changed: () => void): Tabs {
	const bar = h("div", { class: "runs-tabs", role: "tablist", "aria-label": label });
	const root = h("div", { class: "runs-below" }, bar);
	const buttons = new Map<string, HTMLButtonElement>();
	let chosen = all[0]?.name ?? "";

	for (const { name, words, panel } of all) {
		const button = h("button", {
			type: "button", role: "tab", id: `runs-tab-${name}`, "aria-controls": `runs-panel-${name}`,
			onclick: () => choose(name),
		}, words);
		panel.id = `runs-panel-${name}`;
		panel.setAttribute("role", "tabpanel");
		panel.setAttribute("aria-labelledby", button.id);
		buttons.set(name, button);
		bar.append(button);
		root.append(panel);
	}

	function choose(name: string): void {
		chosen = name;
		for (const tab of all) {
			const button = buttons.get(tab.name);
			tab.panel.hidden = tab.name !== name;
			button?.setAttribute("aria-selected", String(tab.name === name));
			button?.setAttribute("tabindex", tab.name === name ? "0" : "-1");
		}
		changed();
	}

	bar.addEventListener("keydown", (event) => {
		const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		const here = all.findIndex(({ name }) => name === chosen);
		const next = all[(here + by + all.length) % all.length];

		if (by === 0 || next === undefined)
			return;
		event.preventDefault();
		choose(next.name);
		buttons.get(next.name)?.focus();
	});
	choose(chosen);
	return { root, get chosen() { return chosen; }, choose };
}
