/* What stands between a person and the show: that it is not there yet, that it is stopped, that
 * something is wrong with it. */

import type { Desk } from "../desk";
import type { Feed } from "./feed";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";

const PATIENCE_MS = 700;    /* so long nothing is said */

export interface Notes {
	readonly element: HTMLElement;
	/* Nothing has to be said. */
	readonly isQuiet: boolean;
	look(feed: Feed, isThere: boolean, localNow: number): void;
}

export function makeNotes(desk: Desk): Notes {
	const words = h("p");
	const start = h("button", { type: "button", hidden: true, onclick: () => void begin() }, "Start the show");
	const element = h("div", { class: "stage-note", role: "status", hidden: true }, words, start);
	let since = NaN;

	async function begin(): Promise<void> {
		try {
			await desk.link.request("POST", "/api/show/start");
		} catch (why) {
			desk.say(`The show could not be started: ${why instanceof Error ? visible(why.message) : "unknown"}`, "bad");
		}
	}

	function said(feed: Feed, isThere: boolean): string {
		if (feed.trouble)
			return `The show cannot be read just now: ${visible(feed.trouble)}`;
		if (!isThere)
			return desk.link.state.name === "live" ? "Setting up the stage." : "The stage appears when the server is reachable.";
		return feed.model.isRunning ? "" : "The show is stopped: signals arrive, but the stage does not play them.";
	}

	return {
		element,
		get isQuiet() { return Boolean(element.hidden); },
		look(feed, isThere, localNow) {
			const text = said(feed, isThere);

			since = text === "" ? NaN : Number.isNaN(since) ? localNow : since;
			element.hidden = !(localNow - since > PATIENCE_MS);
			start.hidden = feed.model.isRunning || !isThere || !desk.link.scopes.has("admin");
			if (text)
				write(words, text);
		},
	};
}
