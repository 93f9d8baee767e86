/* The buttons over the stage. Each says what its key is. */

import { h, svg } from "../text/dom";

export interface Tool { name: string; words: string; key: string; draws: string; act(): void; isSwitch?: boolean }

export interface Tools {
	readonly element: HTMLElement;
	/* A switch is on, or off. */
	press(name: string, isOn: boolean): void;
}

export function makeTools(tools: readonly Tool[]): Tools {
	const buttons = new Map(tools.map((tool) => [tool.name, h("button", {
		type: "button", class: "bare", "data-tool": tool.name, title: `${tool.words} (${tool.key})`, "aria-label": tool.words,
		"aria-keyshortcuts": tool.key, ...tool.isSwitch ? { "aria-pressed": "false" } : {}, onclick: () => tool.act(),
	}, svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: tool.draws })))]));
	const element = h("div", { class: "stage-tools", role: "toolbar", "aria-label": "Stage" }, ...buttons.values());

	return {
		element,
		press: (name, isOn) => buttons.get(name)?.setAttribute("aria-pressed", String(isOn)),
	};
}

export const DRAWN = {
	nearer: "M12 5v14M5 12h14",
	farther: "M5 12h14",
	fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
	follow: "M12 8a4 4 0 1 0 .01 0M12 2v3M12 19v3M2 12h3M19 12h3",
	zone: "M4 4h3M10 4h4M17 4h3v3M20 10v4M20 17v3h-3M14 20h-4M7 20H4v-3M4 14v-4M4 7V4",
	legend: "M5 6h.01M5 12h.01M5 18h.01M9 6h10M9 12h10M9 18h6",
	crowd: "M9 10.5a3 3 0 1 0-.01 0M3.5 19c.5-4 3-5.5 5.5-5.5s5 1.5 5.5 5.5M16.5 11a2.4 2.4 0 1 0-.01 0M16.5 13.5c2 0 3.7 1.2 4 4.5",
} as const;
