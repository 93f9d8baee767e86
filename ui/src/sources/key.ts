/* Keys go in and never come out. What is typed leaves the page in one request and is forgotten
 * here before that is answered; from then on there is only the word that a key is set. */

import type { Source } from "../desk";
import { h } from "../text/dom";
import { visible } from "../text/signal";
import type { Acts } from "./acts";
import { confirmIt, field, openDialog } from "./dialog";

/* A field that a browser neither shows, nor remembers, nor fills in. */
export function keyInput(): HTMLInputElement {
	return h("input", {
		type: "password", autocomplete: "new-password", autocapitalize: "off", spellcheck: "false",
		maxlength: "4096", "data-1p-ignore": true, "data-lpignore": "true",
	});
}

/* What was typed, and the field is empty. */
export function takeKey(input: HTMLInputElement): string {
	const key = input.value.trim();

	input.value = "";
	return key;
}

export const keyWord = (source: Pick<Source, "protocol">): string => source.protocol === "openclaw" ? "token" : "key";

export function openKeyDialog(source: Source, acts: Acts, say: (words: string) => void): void {
	const input = keyInput();
	const word = keyWord(source);

	input.setAttribute("data-first", "");
	openDialog({
		title: source.credentialFrom === "user" ? `Replace the ${word}` : `Set a ${word}`,
		body: [
			h("p", {}, `For ${visible(source.name)}, and for its address only: another address forgets it.`),
			field(word === "key" ? "Key" : "Token", input,
				h("p", { class: "hint" },
					"The box keeps it in a file that only you can read, and never shows it again.")),
		],
		verb: "Save",
		async act() {
			const credential = takeKey(input);

			input.focus();
			if (credential === "")
				throw new Error(`Type or paste the ${word} first.`);
			await acts.change(source.id, { credential });
			say(`${source.name}: a ${word} is set.`);
		},
		closed: () => takeKey(input),
	});
}

export function openForgetDialog(source: Source, acts: Acts, say: (words: string) => void): void {
	const word = keyWord(source);

	confirmIt(`Forget the ${word}?`, `${source.name} will be used without it. It cannot be restored.`,
		"Forget it", async () => {
			await acts.change(source.id, { credential: null });
			say(`${source.name}: the ${word} is forgotten.`);
		});
}

/* The daemon reads OpenClaw's own configuration; the token never comes here. */
export async function pasteFromConfig(source: Source, acts: Acts, say: (words: string) => void): Promise<void> {
	await acts.change(source.id, { credentialFrom: "openclaw" });
	say(`${source.name}: the token of OpenClaw's own configuration is used.`);
}
