/* Keys go in and never come out. What is typed leaves the page in one request and is forgotten
 * here before that is answered; from then on there is only the word that a key is set. */

import type { Protocol, Source } from "../desk";
import { h } from "../text/dom";
import { visible } from "../text/signal";
import type { Acts } from "./acts";
import { confirmIt, field, openDialog } from "./dialog";
import { keyWord } from "./words";

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

/* A source that is shown, and what it speaks. */
export interface Keyed { source: Source; protocol: Protocol | undefined }

export function openKeyDialog({ source, protocol }: Keyed, acts: Acts, say: (words: string) => void): void {
	const input = keyInput();
	const word = keyWord(protocol);

	input.setAttribute("data-first", "");
	openDialog({
		title: source.credentialFrom === "user" ? `Replace the ${word}` : `Set a ${word}`,
		body: [
			h("p", {}, `For ${visible(source.name)}, and for its address only: another address forgets it.`),
			field(word.charAt(0).toUpperCase() + word.slice(1), input,
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

export function openForgetDialog({ source, protocol }: Keyed, acts: Acts, say: (words: string) => void): void {
	const word = keyWord(protocol);

	confirmIt(`Forget the ${word}?`, `${source.name} will be used without it. It cannot be restored.`,
		"Forget it", async () => {
			await acts.change(source.id, { credential: null });
			say(`${source.name}: the ${word} is forgotten.`);
		});
}

/* The daemon reads the producer's own configuration; the key never comes here. */
export async function pasteFromConfig({ source, protocol }: Keyed, acts: Acts, say: (words: string) => void): Promise<void> {
	await acts.change(source.id, { credentialFrom: source.protocol });
	say(`${source.name}: the ${keyWord(protocol)} of ${protocol?.ownCredential ?? source.protocol}'s own configuration is used.`);
}
