/* One source on the screen. It is built once and written to as the source changes, so that what
 * somebody is about to press stays where it is. */

import type { Protocol, Source } from "../desk";
import { fill, h, write } from "../text/dom";
import { visible } from "../text/signal";
import type { Service, Tap } from "./acts";
import { makeSpark } from "./spark";
import {
	agoWords, countWords, isHook, isListedOnly, keyWord, mayPaste, remedy, sizeWords, stateWords, takesKey, tryWords,
} from "./words";

/* What somebody wants of a source. */
export type Want = "connect" | "disconnect" | "ask" | "edit" | "remove" | "key" | "forget" | "paste" | "install" | "uninstall";

export interface Moment {
	now: number;               /* by the server's clock */
	pulse: readonly number[];
	protocol: Protocol | undefined;   /* that the source speaks, if anybody here does */
	tap: Tap | null;           /* of Claude Code's card */
	mayAdmin: boolean;
	mayAsk: boolean;
}

export interface Card {
	readonly element: HTMLElement;
	draw(source: Source, moment: Moment): void;
}

export interface Hands {
	want(what: Want): void;
	choose(model: string): void;
}

const shown = (element: HTMLElement, on: boolean): void => { element.hidden = !on; };

function button(words: string, act: () => void, kind = ""): HTMLButtonElement {
	return h("button", { type: "button", class: kind, onclick: act }, words);
}

/* A lamp, and the same in words. */
function makeState() {
	const words = h("b", {});
	const more = h("span", { class: "more" });
	const element = h("p", { class: "state" }, h("span", { class: "lamp", "aria-hidden": "true" }), words, more);

	return {
		element,
		draw(source: Source, now: number): void {
			write(words, visible(stateWords(source, now)));
			write(more, tryWords(source));
		},
	};
}

function makeNumbers() {
	const spark = makeSpark("Signals per second during the last minute");
	const parts = {
		rate: h("dd", { class: "rate" }), signals: h("dd", {}), bytes: h("dd", {}), last: h("dd", {}),
		bad: h("dd", {}), dropped: h("dd", {}),
	};
	const pair = (label: string, value: HTMLElement) => h("div", {}, h("dt", {}, label), value);
	const bad = pair("bad frames", parts.bad), dropped = pair("dropped", parts.dropped);
	const list = h("dl", {}, pair("per second", parts.rate), pair("signals", parts.signals),
		pair("received", parts.bytes), pair("last", parts.last), bad, dropped);

	return {
		element: h("div", { class: "numbers" }, spark.element, list),
		draw(source: Source, { now, pulse }: Moment): void {
			spark.draw(pulse);
			write(parts.rate, countWords(Math.round(pulse.at(-1) ?? 0)));
			write(parts.signals, countWords(source.signals));
			write(parts.bytes, sizeWords(source.bytes));
			write(parts.last, agoWords(source.lastSignalAt, now));
			write(parts.bad, countWords(source.badFrames));
			write(parts.dropped, countWords(source.dropped));
			shown(bad, source.badFrames > 0);
			shown(dropped, source.dropped > 0);
		},
	};
}

/* The model that is asked, of those that the source lists. */
function makeModel(hands: Hands) {
	const select = h("select", { onchange: () => hands.choose(select.value) });
	const element = h("label", { class: "model" }, h("span", {}, "Model"), select);
	let listed = "";

	return {
		element,
		draw(source: Source, mayAdmin: boolean): void {
			const models = source.model === null || source.models.includes(source.model)
				? source.models : [source.model, ...source.models];
			const list = models.join("\n");

			shown(element, source.models.length > 0);
			if (list !== listed)
				fill(select, models.map((name) => h("option", { value: name }, visible(name))));
			listed = list;
			if (source.model !== null && document.activeElement !== select)
				select.value = source.model;
			select.disabled = !mayAdmin;
		},
	};
}

/* Whether there is a key, and never which. */
function makeKey(hands: Hands) {
	const words = h("span", { class: "words" });
	const badge = h("span", { class: "badge green" });
	const set = button("", () => hands.want("key"));
	const forget = button("Forget", () => hands.want("forget"));
	const paste = button("Paste from config", () => hands.want("paste"));
	const element = h("div", { class: "key" }, words, badge, set, paste, forget);

	return {
		element,
		draw(source: Source, { protocol, mayAdmin }: Moment): void {
			const word = keyWord(protocol);
			const from = source.credentialFrom;
			const isFound = from !== null && from !== "user";

			shown(element, takesKey(protocol));
			write(words, from === "user" ? `a ${word} is set` : `no ${word}`);
			shown(words, !isFound);
			write(badge, `${word} auto-filled`);
			shown(badge, isFound);
			write(set, from === "user" ? `Replace ${word} …` : `Set ${word} …`);
			shown(set, !source.configured);
			shown(forget, from === "user" && !source.configured);
			shown(paste, mayPaste(source, protocol));
			for (const one of [set, forget, paste])
				one.disabled = !mayAdmin;
		},
	};
}

/* Claude Code comes to us: what can be done is to its settings. */
function makeHooks(hands: Hands) {
	const words = h("p", { class: "hint" });
	const install = button("", () => hands.want("install"), "primary");
	const uninstall = button("Remove hooks …", () => hands.want("uninstall"));

	return {
		words, install, uninstall,
		draw(source: Source, { tap, mayAdmin }: Moment): void {
			const state = tap?.state ?? (source.state === "connected" ? "installed" : "absent");
			const decide = tap?.approve === true ? ", two of which wait for an answer" : "";
			const reader = tap?.claude?.version === undefined || tap.hooks === 0 ? "" : `For Claude Code ${tap.claude.version}.`;
			const count = tap === null || tap.hooks === 0 ? "" : `${tap.hooks} hooks${decide} in ${tap.file}.`;
			const outdated = state === "outdated" ? "They belong to another box or version of Claude Code, or some are missing." : "";

			write(words, visible([count, reader, outdated, tap?.warning ?? ""].filter((text) => text !== "").join(" ")));
			shown(words, isHook(source) && words.textContent !== "");
			write(install, state === "installed" ? "Change hooks …" : state === "outdated" ? "Install again …" : "Install hooks …");
			install.classList.toggle("primary", state !== "installed");
			shown(install, isHook(source));
			shown(uninstall, isHook(source) && state !== "absent");
			install.disabled = uninstall.disabled = !mayAdmin;
		},
	};
}

function makeActions(hands: Hands) {
	const toggle = button("", () => hands.want(toggle.dataset.want as Want));
	const again = button("Try now", () => hands.want("connect"));
	const ask = button("Ask …", () => hands.want("ask"));
	const edit = button("Edit …", () => hands.want("edit"));
	const remove = button("Remove …", () => hands.want("remove"));
	const listed = h("p", { class: "hint" }, "It is only listed: signalbox does not support its protocol yet.");

	return {
		buttons: [toggle, again, ask, edit, remove], listed,
		draw(source: Source, { protocol, mayAdmin, mayAsk }: Moment): void {
			const isOn = source.state === "connected" || source.state === "connecting";
			const canMove = source.category === "remote" && !source.configured;

			toggle.dataset.want = isOn ? "disconnect" : "connect";
			toggle.classList.toggle("primary", !isOn);
			write(toggle, isOn ? "Disconnect" : "Connect");
			shown(toggle, !isHook(source) && !isListedOnly(source, protocol));
			toggle.disabled = !mayAdmin || source.state === "unavailable";
			shown(again, source.state === "connecting" && source.retryAt !== null);
			again.disabled = !mayAdmin;
			shown(ask, source.can.includes("ask"));
			ask.disabled = !mayAsk || source.state !== "connected";
			shown(edit, canMove);
			shown(remove, canMove);
			edit.disabled = remove.disabled = !mayAdmin;
			shown(listed, isListedOnly(source, protocol));
		},
	};
}

export function makeCard(id: string, hands: Hands): Card {
	const name = h("h4", { id: `source-${encodeURIComponent(id)}` });
	const protocol = h("span", { class: "badge slate" });
	const origin = h("span", { class: "badge slate" }, "configured");
	const where = h("p", { class: "where" });
	const why = h("p", { class: "why" });
	const gone = h("p", { class: "hint" }, remedy(id));
	const state = makeState(), numbers = makeNumbers(), model = makeModel(hands), key = makeKey(hands);
	const hooks = makeHooks(hands), actions = makeActions(hands);
	const element = h("li", { class: "card", tabindex: "-1", "aria-labelledby": name.id, "data-id": id },
		h("header", {}, h("div", { class: "title" }, name, protocol, origin), state.element, where),
		numbers.element, why, gone, hooks.words, actions.listed, model.element, key.element,
		h("footer", {}, hooks.install, hooks.uninstall, ...actions.buttons));

	return {
		element,
		draw(source, moment) {
			element.dataset.state = source.state;
			if (/^#[0-9a-f]{6}$/i.test(source.color))
				element.style.setProperty("--colour", source.color);
			write(name, visible(source.name));
			write(protocol, visible(source.protocol));
			shown(origin, source.configured);
			write(where, visible(isHook(source) ? "its hooks come to this box" : source.url ?? ""));
			state.draw(source, moment.now);
			numbers.draw(source, moment);
			drawWhy(why, source);
			shown(gone, source.state === "unavailable");
			model.draw(source, moment.mayAdmin);
			key.draw(source, moment);
			hooks.draw(source, moment);
			actions.draw(source, moment);
		},
	};
}

/* What is wrong now, or else what was wrong last. */
function drawWhy(why: HTMLElement, source: Source): void {
	const words = source.error ?? source.lastError;

	shown(why, words !== null);
	why.dataset.when = source.error === null ? "before" : "now";
	write(why, words === null ? "" : visible(source.error === null ? `Last error: ${words}` : words));
}

/* A service that was never here. */
export function makeGhost(service: Service): HTMLElement {
	return h("li", { class: "card", tabindex: "-1", "data-state": "missing", "data-id": service.id },
		h("header", {},
			h("div", { class: "title" }, h("h4", {}, visible(service.label)),
				h("span", { class: "badge slate" }, visible(service.protocol))),
			h("p", { class: "state" }, h("span", { class: "lamp", "aria-hidden": "true" }), h("b", {}, "not found"))),
		h("p", { class: "hint" }, remedy(service.id)));
}
