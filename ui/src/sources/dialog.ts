/* A dialog that is there while it is needed: a title, something in it, and buttons. What it did
 * is said by whoever opened it; what went wrong is said in it, and it stays. */

import { h, icon, write, type Child } from "../text/dom";
import { wordsOf } from "../text/fault";
import { visible } from "../text/signal";

export interface Dialog {
	readonly element: HTMLDialogElement;
	/* Words above the buttons, read out; none takes them away. */
	complain(words: string): void;
	close(): void;
}

export interface DialogPlan {
	title: string;
	body: Child[];
	/* What the button says that does it. */
	verb: string;
	isGrave?: boolean;
	/* Done when it is settled well; what is thrown is said. */
	act(dialog: Dialog): Promise<void>;
	closed?(): void;
}

let count = 0;

export function openDialog(plan: DialogPlan): Dialog {
	const id = `sources-dialog-${++count}`;
	const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
	const go = h("button", { type: "submit", class: plan.isGrave ? "grave" : "primary" }, plan.verb);
	const cancel = h("button", { type: "button", onclick: () => dialog.close() }, "Cancel");
	const form = h("form", { novalidate: true, autocomplete: "off" }, ...plan.body, trouble,
		h("footer", {}, cancel, go));
	const element = h("dialog", { class: "sources-dialog", "aria-labelledby": id },
		h("header", {}, h("h2", { id }, visible(plan.title)),
			h("button", { type: "button", class: "bare", "aria-label": "Close", onclick: () => dialog.close() },
				icon("close"))),
		form);
	const dialog: Dialog = {
		element,
		complain(words) {
			write(trouble, visible(words));
			trouble.hidden = words === "";
		},
		close: () => element.close(),
	};

	form.addEventListener("submit", (event) => {
		event.preventDefault();
		if (!go.disabled)
			void run(plan, dialog, go);
	});
	element.addEventListener("close", () => {
		element.remove();
		plan.closed?.();
	});
	document.body.append(element);
	element.showModal();
	(element.querySelector<HTMLElement>("[data-first]") ?? (plan.isGrave ? cancel : go)).focus();
	return dialog;
}

async function run(plan: DialogPlan, dialog: Dialog, go: HTMLButtonElement): Promise<void> {
	go.disabled = true;
	dialog.complain("");
	try {
		await plan.act(dialog);
		dialog.close();
	} catch (why) {
		dialog.complain(wordsOf(why));
		go.disabled = false;
	}
}

/* Asks once. */
export function confirmIt(title: string, words: string, verb: string, act: () => Promise<void>): Dialog {
	return openDialog({ title, body: [h("p", {}, visible(words))], verb, isGrave: true, act });
}

/* A label, what it is for, and what helps to fill it in. */
export function field(label: string, input: HTMLElement, ...more: Child[]): HTMLElement {
	const id = input.id || `sources-field-${++count}`;

	input.id = id;
	return h("div", { class: "field" }, h("label", { for: id }, label), input, ...more);
}
