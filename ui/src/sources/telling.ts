/* May the texts be read that agents keep of their sessions? One sentence on what is read now, and a
 * button for the other way. Texts are read only after a yes. */

import { h, write } from "../text/dom";
import type { Telling } from "./acts";
import { confirmIt } from "./dialog";

const NOW: Record<Telling["mode"], string> = {
	off: "Nothing is read of what agents keep about their sessions.",
	facts: "Of what agents keep about their sessions the box reads facts: who works where, on which files, with which tools and"
		+ " tokens. No prompt, answer, command or output is told.",
	text: "Of what agents keep about their sessions the box reads facts and texts: prompts, answers, thoughts, and what tools are"
		+ " given and give back. They are in the log, and every screen that may observe shows them.",
};

const ASK = "Prompts, answers, thoughts, commands and outputs of all sessions of Claude Code, Codex and Gemini CLI on this machine"
	+ " will be read from their transcripts, from now on, where no hook tells them already. They are kept in the box's log like"
	+ " every signal, secrets in them too, and every screen that may observe sees them. It stays so until you turn it off here.";

export interface TellingHands {
	tell(mode: "facts" | "text"): Promise<void>;
}

export function makeTelling(hands: TellingHands) {
	const words = h("p", {});
	const why = h("p", { class: "hint", hidden: true });
	const button = h("button", { type: "button", onclick: () => press() });
	const element = h("div", { class: "telling", hidden: true }, words, why, button);
	let now: Telling | null = null;

	function press(): void {
		if (now?.mode === "text")
			void hands.tell("facts");
		else
			confirmIt("Read the texts of transcripts?", ASK, "Read texts", () => hands.tell("text"));
	}

	return {
		element,
		draw(telling: Telling | null, mayAdmin: boolean): void {
			now = telling;
			element.hidden = telling === null;
			if (telling === null)
				return;
			write(words, NOW[telling.mode]);
			write(why, `The configuration says so: transcripts: ${telling.configured}`);
			why.hidden = telling.configured === "facts";
			write(button, telling.mode === "text" ? "Read facts alone" : "Read texts, too …");
			button.hidden = telling.configured !== "facts" || !mayAdmin;
		},
	};
}
