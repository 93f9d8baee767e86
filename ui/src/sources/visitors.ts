/* Clients with a key of their own that want to be let in: who they are, all that they ask for, and
 * two buttons. What they say of themselves proves nothing, and is shown as such. */

import { fill, h } from "../text/dom";
import { visible } from "../text/signal";
import type { Visitor } from "./acts";
import { openDialog } from "./dialog";

const MEANS: Record<string, string> = {
	observe: "see everything that agents say and do", control: "ask agents and stop them",
	answer: "answer what agents ask, and allow what they want to do", admin: "change the box itself",
};

export interface VisitorHands {
	approve(visitor: Visitor): Promise<void>;
	reject(visitor: Visitor): Promise<void>;
}

/* Never admin by a click: that is named on a command line. */
export function given({ scopes }: Visitor): string[] {
	return scopes.filter((scope) => scope !== "admin");
}

export function scopeWords(scopes: readonly string[]): string {
	return scopes.map((scope) => MEANS[scope] === undefined ? scope : `${scope} (${MEANS[scope]})`).join(", ") || "nothing";
}

/* As it calls itself, and by what. */
export function selfWords({ displayName, clientId, platform, deviceFamily, from }: Visitor): string {
	const about = [clientId, platform, deviceFamily, from === undefined ? undefined : `from ${from}`].filter((word) => word);

	return `It calls itself ${visible(displayName || clientId || "nothing")}: ${visible(about.join(", "))}`;
}

export function makeVisitors(hands: VisitorHands) {
	const list = h("ul", { class: "visitors" });
	const element = h("section", { "aria-label": "Clients that want in", hidden: true },
		h("h3", { class: "group" }, "Clients that want in"), list);
	let drawn = "";

	function approve(visitor: Visitor): void {
		const admin = "It asks for admin, too, which is given on a command line alone: "
			+ `signalbox devices approve ${visitor.name} --scopes ${visitor.scopes.join(",")}`;

		openDialog({
			title: `Let ${visitor.name} in?`,
			body: [
				h("p", {}, selfWords(visitor)),
				h("p", { class: "key" }, `Its key: ${visible(visitor.deviceId ?? "unknown")}`),
				h("p", {}, `From now on it may: ${visible(scopeWords(given(visitor)))}.`),
				visitor.scopes.includes("admin") ? h("p", {}, visible(admin)) : null,
			],
			verb: "Let it in", isGrave: true,
			act: () => hands.approve(visitor),
		});
	}

	function row(visitor: Visitor): HTMLElement {
		return h("li", {},
			h("h4", {}, visible(visitor.name)),
			h("p", {}, selfWords(visitor)),
			h("p", { class: "asks" }, `Asks for: ${visible(scopeWords(visitor.scopes))}`),
			h("p", {},
				h("button", { type: "button", disabled: given(visitor).length === 0, onclick: () => approve(visitor) }, "Approve …"), " ",
				h("button", { type: "button", onclick: () => void hands.reject(visitor) }, "Reject")));
	}

	return {
		element,
		/* Rows stay while nothing changed: the focus may be in one. */
		draw(visitors: readonly Visitor[]): void {
			const now = JSON.stringify(visitors);

			element.hidden = visitors.length === 0;
			if (now === drawn)
				return;
			drawn = now;
			fill(list, visitors.map(row));
		},
	};
}
