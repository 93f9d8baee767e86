/* What of a run went to people in chats, and what became of it: below its head, when there is
 * something. What failed can be sent again. */

import type { Desk } from "../desk";
import { fill, h } from "../text/dom";
import { visible } from "../text/signal";
import { keeper } from "./keeper";

const REST_MS = 500;          /* between two questions */
const SHOWN_MAX = 20;         /* the newest */

export interface Delivery {
	id: string; account: string; peer?: string; kind: string; state: string; accepted: number; at: number; why?: string;
}

export interface Deliveries {
	readonly root: HTMLElement;
	/* Another run, or none. */
	choose(run: string | null): void;
	look(isSeen: boolean): void;
	/* Something was delivered, of whatever run. */
	touch(): void;
}

export function deliveries(desk: Desk): Deliveries {
	const list = h("ul", { class: "runs-letters" });
	const root = h("section", { class: "runs-delivered", "aria-label": "Deliveries", hidden: true }, list);
	let run: string | null = null;

	const keep = keeper({ restMs: REST_MS, async ask(isWanted) {
		if (run === null)
			return false;
		try {
			const answer = await desk.link.request<{ deliveries: Delivery[] }>(
				"GET", `/api/deliveries?run=${encodeURIComponent(run)}`);
			if (isWanted())
				draw(answer.deliveries);
		} catch (error) {
			if (isWanted())
				tell(`Its deliveries could not be read: ${(error as Error).message}.`);
		}
		return false;
	} });

	function draw(all: readonly Delivery[]): void {
		fill(list, all.slice(-SHOWN_MAX).map(row));
		root.hidden = all.length === 0;
	}

	function tell(words: string): void {
		fill(list, [h("li", { class: "is-failed" }, visible(words))]);
		root.hidden = false;
	}

	function row(one: Delivery): HTMLElement {
		const again = h("button", { type: "button", class: "quiet", disabled: !desk.link.scopes.has("control"),
			onclick: () => void retry(one.id) }, "Send again");

		return h("li", { class: `is-${one.state}`, "data-delivery": one.id }, wordsOf(one),
			...(one.state === "failed" ? [again] : []));
	}

	async function retry(id: string): Promise<void> {
		try {
			await desk.link.request("POST", `/api/deliveries/${encodeURIComponent(id)}/retry`, {});
			desk.say("It is sent again.", "good");
		} catch (error) {
			desk.say(`It is not sent again: ${visible((error as Error).message)}.`, "bad");
		}
		keep.touch();
	}

	return {
		root,
		choose(wanted) {
			run = wanted;
			draw([]);
			keep.drop();
		},
		look: keep.look,
		touch: keep.touch,
	};
}

const STATES: Record<string, string> = {
	prepared: "waits", queued: "waits for the channel", started: "is on its way", accepted: "is on its way",
	delivered: "delivered", unknown: "may have arrived", failed: "failed",
};

/* "final to ada on telegram: delivered, in 2 messages" */
export function wordsOf({ account, peer, kind, state, accepted, why }: Delivery): string {
	const where = peer === undefined ? account : `${peer} on ${account}`;
	const count = state === "delivered" && accepted > 1 ? `, in ${accepted} messages` : "";

	return visible(`${kind} to ${where}: ${STATES[state] ?? state}${count}${why === undefined ? "" : `: ${why}`}`);
}
