/* Claude Code's hooks: the exact change of its settings is shown first, and what was shown is
 * what is done. When somebody changed the file meanwhile, nothing is done and the change is
 * shown anew. */

import { fill, h, write, type Child } from "../text/dom";
import { wordsOf } from "../text/fault";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";
import type { Acts, Change, Tap, TapVerb } from "./acts";
import { openDialog, type Dialog } from "./dialog";
import type { Refusal } from "../desk";

const LINES_MAX = 4000;
const LINE_MAX = 100000;

/* Lines of a unified diff, and what each is; pure. */
export function diffLines(diff: string): { kind: "added" | "removed" | "place" | "name" | "same"; text: string }[] {
	const lines = diff.replace(/\n$/, "").split("\n");
	let inHunk = false;

	return diff === "" ? [] : lines.map((text) => {
		if (text.startsWith("@@"))
			inHunk = true;
		const kind = !inHunk ? "name" : text.startsWith("@@") ? "place" : text.startsWith("+") ? "added"
			: text.startsWith("-") ? "removed" : "same";
		return { kind, text } as const;
	});
}

/* A tab is a tab; all else that would deceive is made visible. */
function shown(text: string): string {
	const start = beginning(text, LINE_MAX);
	const cut = start === text ? text : `${start} … ${text.length - start.length} more characters`;

	return cut.split("\t").map(visible).join("\t");
}

function drawDiff(diff: string): Child[] {
	const lines = diffLines(diff);
	const rows = lines.slice(0, LINES_MAX).map(({ kind, text }) => h("span", { class: kind }, `${shown(text)}\n`));

	return lines.length <= LINES_MAX ? rows : [...rows,
		`… ${lines.length - LINES_MAX} more lines; signalbox tap install --dry-run shows them all\n`];
}

interface Words { title: string; verb: string; done: string; nothing: string }

const WORDS: Record<TapVerb, Words> = {
	connect: {
		title: "Install hooks for Claude Code", verb: "Install", done: "From now on Claude Code reports what it does to the box.",
		nothing: "They are installed correctly: nothing would change.",
	},
	disconnect: {
		title: "Remove the hooks of Claude Code", verb: "Remove hooks", done: "The hooks are removed.",
		nothing: "There are none: nothing would change.",
	},
};

const APPROVE = "Two hooks then wait for an answer and obey it. But any process of your own user that can read the"
	+ " box's directory is you: it can allow what Claude Code asks for, and so can an agent whose commands run as you. This"
	+ " lets you answer from other screens; it is not a wall around an agent.";

/* What is shown at the moment. */
function makePreview(verb: TapVerb, acts: Acts) {
	const pre = h("pre", { class: "diff", tabindex: "0", "aria-label": "The change" });
	const head = h("p", { class: "hint", "aria-live": "polite" }, "Looking at the settings …");
	let change: Change | null = null;
	let latest = 0;

	return {
		element: h("div", { class: "change" }, head, pre),
		tag: () => change?.tag ?? null,
		async look(approve: boolean): Promise<Tap | null> {
			const mine = ++latest;

			change = null;
			const tap = await acts.tapPreview(verb, approve);
			if (mine !== latest)
				return null;
			change = tap.change ?? null;
			fill(pre, drawDiff(change?.diff ?? ""));
			pre.hidden = change === null || change.diff === "";
			write(head, pre.hidden ? `${WORDS[verb].nothing} ${visible(tap.file)}` : `This is all that changes in ${visible(tap.file)}:`);
			return tap;
		},
	};
}

export function openTapDialog(verb: TapVerb, now: Tap | null, acts: Acts, say: (words: string) => void): void {
	const words = WORDS[verb];
	const preview = makePreview(verb, acts);
	const approve = h("input", { type: "checkbox", checked: now?.approve === true });
	const danger = h("p", { class: "hint warning", hidden: !approve.checked }, APPROVE);
	const choice = h("div", { class: "field" },
		h("label", { class: "check" }, approve, "Let people on any screen answer what Claude Code asks permission for"), danger);
	const look = async (then = "") => {
		try {
			const tap = await preview.look(verb === "connect" && approve.checked);
			dialog.complain(then || (tap?.warning ?? ""));
		} catch (why) {
			dialog.complain(wordsOf(why));
		}
	};
	const dialog: Dialog = openDialog({
		title: words.title,
		body: [verb === "connect" ? choice : null, preview.element],
		verb: words.verb,
		async act() {
			const tag = preview.tag();

			if (tag === null)
				throw new Error("The change is not known yet.");
			try {
				await acts.tapDo(verb, tag, verb === "connect" && approve.checked);
			} catch (why) {
				if ((why as Partial<Refusal>).status === 409)
					await look();
				throw why;
			}
			say(words.done);
		},
	});

	approve.addEventListener("change", () => {
		danger.hidden = !approve.checked;
		void look();
	});
	void look();
}
