/* The line above the sessions: how many wait, failed, work, are idle, and what today costs; each
 * count is a filter. Below it the filters by word, project and agent. */

import type { Member } from "../desk";
import { fill, h, write } from "../text/dom";
import { shortened } from "../text/names";
import { choices, counts, harnessOf, type Filter } from "./model";
import { countWords, GROUPS, type Group } from "./words";

const ALWAYS = new Set<Group>(["waits", "work", "idle"]);      /* A nought is told of these. */

export interface Bar {
	readonly root: HTMLElement;
	draw(all: readonly Member[], filter: Filter, shown: number): void;
	/* What today costs, in words. */
	cost(words: string): void;
	focus(): void;
}

/* `more` stands behind the counts. */
export function makeBar(changed: (filter: Partial<Filter>) => void, more: HTMLElement): Bar {
	const buttons = new Map<Group, HTMLButtonElement>();
	const line = h("div", { class: "crew-line", role: "group", "aria-label": "Sessions by state" });
	const cost = h("span", { class: "crew-today", hidden: true });
	const words = h("input", { type: "search", class: "crew-words", placeholder: "Filter", "aria-label": "Filter the sessions",
		autocomplete: "off", spellcheck: "false", oninput: () => changed({ words: words.value }),
		onkeydown: (event: KeyboardEvent) => {
			if (event.key === "Escape" || event.key === "Enter") {
				if (event.key === "Escape")
					changed({ words: "" });
				words.blur();
				event.preventDefault();
			}
		} });
	const project = chooser("Project", "All projects", (name) => changed({ project: name }));
	const harness = chooser("Agent", "All agents", (name) => changed({ harness: name }));
	const all = h("button", { type: "button", class: "crew-all", hidden: true,
		onclick: () => changed({ words: "", project: "", harness: "", group: "" }) });
	const said = h("p", { class: "hidden", role: "status" });

	for (const group of GROUPS) {
		const button = h("button", { type: "button", class: "crew-tally", "data-group": group, "aria-pressed": "false",
			onclick: () => changed({ group: button.getAttribute("aria-pressed") === "true" ? "" : group }) });

		buttons.set(group, button);
		line.append(button);
	}
	line.append(cost, more);
	return {
		root: h("header", { class: "crew-head" }, line,
			h("div", { class: "crew-filters" }, words, project.root, harness.root, all), said),
		draw(members, filter, shown) {
			const count = counts(members);

			for (const [group, button] of buttons) {
				write(button, countWords(group, count[group]));
				button.hidden = count[group] === 0 && filter.group !== group && !ALWAYS.has(group);
				button.classList.toggle("is-none", count[group] === 0);
				button.setAttribute("aria-pressed", String(filter.group === group));
			}
			/* Who waits is told once to whoever listens instead of looking. */
			write(said, count.waits === 0 ? "" : countWords("waits", count.waits));
			if (words.value !== filter.words)
				words.value = filter.words;
			project.draw(choices(members, ({ project: name }) => name), filter.project);
			harness.draw(choices(members, harnessOf), filter.harness, names(members));
			all.hidden = shown === members.length;
			write(all, `Show all, ${members.length - shown} hidden`);
		},
		cost(text) {
			write(cost, text);
			cost.hidden = text === "";
		},
		focus() {
			words.focus();
			words.select();
		},
	};
}

/* What people call an agent. */
function names(members: readonly Member[]): Map<string, string> {
	return new Map(members.map((member) => [harnessOf(member), member.agent ?? harnessOf(member)]));
}

interface Chooser { root: HTMLElement; draw(names: readonly string[], chosen: string, words?: ReadonlyMap<string, string>): void }

/* A choice that is kept although nobody is there stays in the list. An option has no value: what an agent wrote is text. */
function chooser(label: string, everything: string, choose: (name: string) => void): Chooser {
	const root = h("select", { "aria-label": label, hidden: true, onchange: () => choose(listed[root.selectedIndex - 1] ?? "") });
	let listed: readonly string[] = [];
	let drawn = "";

	return {
		root,
		draw(names, chosen, words) {
			const all = chosen === "" || names.includes(chosen) ? names : [...names, chosen];
			const key = JSON.stringify([all, chosen]);

			root.hidden = all.length < 2 && chosen === "";
			if (key === drawn)
				return;
			drawn = key;
			listed = all;
			fill(root, [h("option", {}, everything), ...all.map((name) => h("option", {}, shortened(words?.get(name) ?? name)))]);
			root.selectedIndex = 1 + all.indexOf(chosen);
		},
	};
}
