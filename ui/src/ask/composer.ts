/* Where a question is written: whom to ask, which of its models, in which session, and the words.
 * What was written stays until it was taken. */

import type { Protocol, Source } from "../desk";
import { h, icon, write } from "../text/dom";
import { visible } from "../text/signal";
import { newSession } from "./model";

const PROMPT_MAX = 256 * 1024;   /* bytes that the server takes */

export interface Question { source: string; model: string; session: string; text: string }

export interface Composer {
	readonly element: HTMLElement;
	readonly source: string;
	/* Who can be asked now, connected ones first, and what they may speak. */
	sources(all: Source[], protocols: readonly Protocol[]): void;
	/* What a conversation is about; null begins another one. */
	choose(source: string | null, session: string | null): void;
	/* Whether something can be sent now; if not, why. */
	allow(why: string | null): void;
	/* Something can be cancelled; nothing can be sent; it is being cancelled. */
	running(isRunning: boolean, isBusy: boolean, isCancelling: boolean): void;
	refuse(words: string): void;
	/* These words were sent. What was written since then stays. */
	taken(words: string): void;
	focus(): void;
}

interface Hands {
	send(question: Question): void;
	cancel(): void;
	connect(source: string): void;
	chosen(): void;
}

export function makeComposer(hands: Hands): Composer {
	const source = h("select", { id: "ask-source", onchange: () => pick(source.value, null) });
	const wishes = new Map<string, string>();   /* of a source: the model that somebody chose here */
	const model = h("select", { id: "ask-model", onchange: () => wishes.set(source.value, model.value) });
	const session = h("input", { id: "ask-session", autocomplete: "off", spellcheck: "false",
		placeholder: "no memory", maxlength: "200" });
	const text = h("textarea", { id: "ask-text", rows: "1", placeholder: "Ask something",
		"aria-describedby": "ask-hint", onkeydown: onKey, oninput: resize });
	const send = h("button", { type: "submit", class: "ask-send primary" }, "Ask");
	const stop = h("button", { type: "button", class: "ask-cancel", onclick: () => hands.cancel() },
		icon("close"), h("span", {}, "Cancel"));
	const fault = h("p", { class: "ask-fault", role: "alert" });
	const note = h("p", { class: "ask-note" });
	const connect = h("button", { type: "button", onclick: () => hands.connect(source.value) }, "Connect it");
	const element = h("form", { class: "ask-composer", onsubmit: submit },
		fault, h("div", { class: "ask-blocked" }, note, connect),
		h("div", { class: "ask-write" }, h("label", { class: "hidden", for: "ask-text" }, "Your question"),
			text, stop, send),
		h("div", { class: "ask-choices" },
			field("Source", source), field("Model", model), field("Session", session),
			h("p", { id: "ask-hint" }, "Enter sends, Shift+Enter starts a new line")));
	const m = { all: [] as Source[], protocols: [] as readonly Protocol[], wish: null as [string, string | null] | null,
		why: null as string | null, isBusy: false };

	function pick(id: string, chosenSession: string | null): void {
		const found = m.all.find((one) => one.id === id);

		source.value = id;
		m.wish = null;
		session.value = chosenSession ?? newSession(m.protocols.find(({ name }) => name === found?.protocol));
		drawModels();
		hands.chosen();
	}

	/* The one that the source is set to comes first; a gateway chooses for itself. */
	function drawModels(): void {
		const found = m.all.find((one) => one.id === source.value);
		const names = [...new Set([found?.model, ...found?.models ?? []])]
			.filter((name): name is string => typeof name === "string" && name !== "");
		const wish = wishes.get(source.value);

		if (names.join("\n") !== [...model.options].map(({ value }) => value).join("\n"))
			model.replaceChildren(...names.map((name) => h("option", { value: name }, visible(name))));
		model.value = wish !== undefined && names.includes(wish) ? wish : names[0] ?? "";
		model.parentElement!.hidden = names.length === 0;
	}

	function submit(event: Event): void {
		event.preventDefault();
		const words = text.value;

		if (m.why !== null || m.isBusy || words.trim() === "")
			return;
		if (new TextEncoder().encode(words).length > PROMPT_MAX)
			return write(fault, "The question is too long: the limit is 256 KiB.");
		write(fault, "");
		hands.send({ source: source.value, model: model.value, session: session.value.trim(), text: words });
	}

	/* Enter that ends the choice of a word by an input method sends nothing. */
	function onKey(event: KeyboardEvent): void {
		if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
			event.preventDefault();
			element.requestSubmit();
		}
	}

	function resize(): void {
		text.style.height = "auto";
		text.style.height = `${text.scrollHeight + 2}px`;
	}

	return {
		element,
		get source() { return source.value; },
		sources(all, protocols) {
			const before = source.value;

			m.all = all;
			m.protocols = protocols;
			drawOptions(source, all);
			if (m.wish !== null && all.some(({ id }) => id === m.wish?.[0]))
				return pick(...m.wish);
			if (all.some((one) => one.id === before))
				source.value = before;
			else if (all.length > 0)
				return pick(all[0]!.id, null);
			drawModels();
		},
		choose(id, chosenSession) {
			if (id === null || m.all.some((one) => one.id === id))
				pick(id ?? source.value, chosenSession);
			else
				m.wish = [id, chosenSession];     /* it may come yet */
		},
		allow(why) {
			const found = m.all.find((one) => one.id === source.value);

			m.why = why;
			send.disabled = why !== null || m.isBusy;
			write(note, why ?? "");
			note.parentElement!.hidden = why === null;
			connect.hidden = found === undefined || found.state === "connected" || found.state === "connecting";
		},
		running(isRunning, isBusy, isCancelling) {
			m.isBusy = isBusy;
			stop.hidden = !isRunning;
			stop.disabled = isCancelling;
			write(stop.lastElementChild!, isCancelling ? "Cancelling…" : "Cancel");
			send.disabled = isBusy || m.why !== null;
		},
		refuse: (words) => write(fault, visible(words)),
		taken(words) {
			if (text.value === words)
				text.value = "";
			resize();
		},
		focus: () => text.focus(),
	};
}

function drawOptions(select: HTMLSelectElement, all: Source[]): void {
	const options = all.map(({ id, name, state }) => h("option", { value: id },
		state === "connected" ? visible(name) : `${visible(name)} (${state === "connecting" ? "connecting" : "not connected"})`));
	const isSame = options.length === select.options.length && options.every((option, i) =>
		option.value === select.options[i]!.value && option.text === select.options[i]!.text);

	if (!isSame)
		select.replaceChildren(...options);
}

function field(label: string, input: HTMLElement): HTMLElement {
	return h("div", { class: "ask-field" }, h("label", { for: input.id }, label), input);
}
