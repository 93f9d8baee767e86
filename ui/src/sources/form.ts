/* Adding a source by its URL, and changing one. As the URL is typed the daemon says what it
 * would be, by the very look that will decide; nobody is contacted for it. */

import type { Protocol, Source } from "../desk";
import { h, write } from "../text/dom";
import { wordsOf } from "../text/fault";
import { visible } from "../text/signal";
import type { Acts, Recognised, Wish } from "./acts";
import { field, openDialog } from "./dialog";
import { keyInput, takeKey } from "./key";
import { isLoopback, recognisedWords, spoken } from "./words";

const PAUSE_MS = 120;          /* between two keys, before anybody is asked */

/* What a form needs of the room that it is opened in. */
interface Needs {
	acts: Acts;
	protocols: readonly Protocol[];
	say(words: string): void;
}

function textInput(value: string, more: Record<string, string> = {}): HTMLInputElement {
	const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...more });

	input.value = value;
	return input;
}

function protocolSelect(protocols: readonly Protocol[], chosen: string): HTMLSelectElement {
	const select = h("select", {}, h("option", { value: "auto" }, "as recognised"),
		...protocols.map(({ name, label }) => h("option", { value: name }, visible(`${name}: ${label}`))));

	select.value = chosen;
	return select;
}

interface Look {
	readonly element: HTMLElement;
	/* What was said last, of the URL that is there now; null while it is not known. */
	current(): Recognised | null;
}

/* Says what the URL is, as it is typed. Of answers that overtake one another the last counts. */
function lookAt(url: HTMLInputElement, { acts, protocols }: Needs, heard: (found: Recognised | null) => void): Look {
	const element = h("output", { class: "recognised", "aria-live": "polite" });
	let latest = 0, timer = 0;
	let found: Recognised | null = null;

	function tell(next: Recognised | null, words: string, how: string): void {
		found = next;
		element.dataset.how = how;
		write(element, visible(words));
		heard(next);
	}

	async function ask(): Promise<void> {
		const mine = ++latest;
		const text = url.value.trim();

		if (text === "")
			return tell(null, "", "");
		try {
			const answer = await acts.recognise(text);
			if (mine === latest)
				tell(answer, answer.problem ?? wordsFor(answer, protocols), answer.problem === null ? "good" : "bad");
		} catch (why) {
			if (mine === latest)
				tell(null, wordsOf(why), "bad");
		}
		return undefined;
	}

	url.addEventListener("input", () => {
		latest++;
		clearTimeout(timer);
		timer = window.setTimeout(ask, PAUSE_MS);
	});
	return { element, current: () => found };
}

function wordsFor(found: Recognised, protocols: readonly Protocol[]): string {
	const words = recognisedWords(found, protocols);

	return found.known === null ? words : `${words} You have it already, as ${found.known}.`;
}

/* A key, or for a producer of this machine what its own configuration names. */
function makeKeyPart() {
	const input = keyInput();
	let pastes = false;
	let from: Protocol | undefined;
	const paste = h("button", { type: "button", hidden: true, onclick: () => set(!pastes) });
	const element = field("Key, if it needs one", input, paste);

	function set(on: boolean): void {
		pastes = on;
		takeKey(input);
		input.disabled = on;
		input.placeholder = on ? `the box reads it from ${from?.ownCredential}'s configuration` : "";
		write(paste, on ? "Type it instead" : "Paste from config");
	}

	set(false);
	return {
		element,
		suit(protocol: Protocol | undefined, url: string): void {
			const can = (protocol?.ownCredential ?? null) !== null && isLoopback(url);

			paste.hidden = !can;
			if (pastes && (!can || protocol !== from))
				set(false);
			from = protocol;
		},
		take(): Wish {
			const credential = takeKey(input);

			if (pastes && from !== undefined)
				return { credentialFrom: from.name };
			return credential === "" ? {} : { credential };
		},
		forget: () => takeKey(input),
	};
}

export function openAddDialog(needs: Needs & { added(source: Source): void }): void {
	const { acts, protocols, say, added } = needs;
	const url = textInput("", { inputmode: "url", placeholder: "ws://127.0.0.1:9100", "data-first": "" });
	const name = textInput("", { maxlength: "64" });
	const model = textInput("", { maxlength: "128", placeholder: "the first in its list" });
	const protocol = protocolSelect(protocols, "auto");
	const connect = h("input", { type: "checkbox", checked: true });
	const key = makeKeyPart();
	const suit = (found: Recognised | null) => {
		name.placeholder = found?.name ?? "";
		key.suit(spoken(protocols, protocol.value === "auto" ? found?.protocol ?? "" : protocol.value), url.value.trim());
	};
	const look = lookAt(url, needs, suit);
	let made: Source | null = null;

	protocol.addEventListener("change", () => suit(look.current()));
	openDialog({
		title: "Add a source",
		body: [
			field("URL", url, look.element), field("Name", name), key.element,
			h("details", {}, h("summary", {}, "More"), field("Protocol", protocol), field("Model", model)),
			h("label", { class: "check" }, connect, "Connect it now"),
		],
		verb: "Add",
		async act() {
			const found = look.current();
			const wish: Wish = {
				url: url.value.trim(), connect: connect.checked, ...key.take(),
				...protocol.value === "auto" ? {} : { protocol: protocol.value },
				...model.value.trim() === "" ? {} : { model: model.value.trim() },
				...named(name.value.trim() || (found?.name ?? ""), found?.id ?? ""),
			};
			if (wish.url === "")
				throw new Error("Type or paste a URL first.");
			made = await acts.add(wish);
			say(`${made.name} is added.`);
		},
		/* Only then: a dialog that closes gives the focus back to where it was. */
		closed() {
			key.forget();
			if (made !== null)
				added(made);
		},
	});
}

function named(name: string, id: string): Wish {
	return { ...name === "" ? {} : { name }, ...id === "" ? {} : { id } };
}

export function openEditDialog(source: Source, needs: Needs): void {
	const { acts, protocols, say } = needs;
	const name = textInput(source.name, { maxlength: "64", "data-first": "" });
	const url = textInput(source.url ?? "", { inputmode: "url" });
	const protocol = protocolSelect(protocols, source.protocol);
	const color = h("input", { type: "color", value: source.color });
	const warning = h("p", { class: "hint warning", hidden: true },
		"The key belongs to the old address: a new address deletes it.");
	const look = lookAt(url, needs, () => {});

	url.addEventListener("input", () => {
		warning.hidden = source.credentialFrom === null || url.value.trim() === source.url;
	});
	openDialog({
		title: `Edit ${source.name}`,
		body: [field("Name", name), field("URL", url, look.element, warning), field("Protocol", protocol), field("Colour", color)],
		verb: "Save",
		async act() {
			const wish: Wish = {
				...differs(source.name, name.value.trim(), "name"), ...differs(source.url, url.value.trim(), "url"),
				...differs(source.protocol, protocol.value, "protocol"),
				...differs(source.color.toLowerCase(), color.value, "color"),
			};

			if (Object.keys(wish).length > 0)
				say(`${(await acts.change(source.id, wish)).name} is changed.`);
		},
	});
}

function differs(old: string | null, now: string, name: keyof Wish): Wish {
	return now === "" || now === old ? {} : { [name]: now };
}
