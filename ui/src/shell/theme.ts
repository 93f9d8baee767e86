/* Dark, light, or as the system has it. The choice is kept for the next time. */

import { fill, icon } from "../text/dom";

type Choice = "auto" | "dark" | "light";

const KEY = "signalbox.theme";
const NEXT: Record<Choice, Choice> = { auto: "dark", dark: "light", light: "auto" };
const WORDS: Record<Choice, string> = { auto: "as the system", dark: "dark", light: "light" };

export interface Theme {
	readonly isDark: boolean;
	onChange(changed: () => void): void;
}

export function makeTheme(button: HTMLElement): Theme {
	const system = matchMedia("(prefers-color-scheme: light)");
	const hearers = new Set<() => void>();
	let choice = remembered();

	const isDark = (): boolean => choice === "auto" ? !system.matches : choice === "dark";
	const apply = (): void => {
		if (choice === "auto")
			delete document.documentElement.dataset["theme"];
		else
			document.documentElement.dataset["theme"] = choice;
		fill(button, [icon(`theme-${choice}`)]);
		button.setAttribute("aria-label", `Theme: ${WORDS[choice]}. Change`);
		button.title = `Theme: ${WORDS[choice]}`;
		for (const changed of hearers)
			changed();
	};

	button.addEventListener("click", () => {
		choice = NEXT[choice];
		remember(choice);
		apply();
	});
	system.addEventListener("change", apply);
	apply();
	return {
		get isDark() { return isDark(); },
		onChange: (changed) => { hearers.add(changed); },
	};
}

function remembered(): Choice {
	const found = keep.get(KEY);

	return found === "dark" || found === "light" ? found : "auto";
}

function remember(choice: Choice): void {
	keep.set(KEY, choice);
}

/* A browser may forbid its storage; then nothing is remembered, and all else works. */
export const keep = {
	get(key: string): string | null {
		try {
			return localStorage.getItem(key);
		} catch {
			return null;
		}
	},
	set(key: string, value: string): void {
		try {
			localStorage.setItem(key, value);
		} catch {
			/* It will not be remembered. */
		}
	},
};
