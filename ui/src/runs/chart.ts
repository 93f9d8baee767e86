/* Where a run stands among its states, and how it came there: every change of state that the
 * signals at hand tell of, the newest first. */

import type { Envelope, Member } from "../desk";
import { fill, h } from "../text/dom";
import { brief, clock, visible } from "../text/signal";
import { beginning } from "../text/whole";
import { chartOf, type Run } from "./model";

const CHANGES_MAX = 300;
const NAME_MAX = 200;

export interface Chart {
	readonly root: HTMLElement;
	draw(run: Run, envelopes: readonly Envelope[], session?: Member): void;
}

export function chart(): Chart {
	const states = h("ul", { class: "runs-states", "aria-label": "States" });
	const changes = h("ol", { class: "runs-changes", "aria-label": "Changes of state, newest first" });
	const none = h("p", { class: "runs-none" }, "No state change was reported yet.");
	const root = h("div", { class: "runs-chart" }, states, changes, none);
	let drawn = "";

	return {
		root,
		draw(run, envelopes, session) {
			const found = changesIn(envelopes);
			const last = found[0];
			const key = JSON.stringify([run.id, run.config, run.breadcrumb, run.siblings, found.length, last?.seq]);

			if (key === drawn)
				return;
			drawn = key;
			fill(states, chartOf(run.config, session).length > 0 ? statesOf(run) : []);
			states.hidden = states.childElementCount === 0;
			fill(changes, found.map(({ at, words, why }) => h("li", {},
				h("span", { class: "runs-when" }, clock(at)), h("span", {}, words),
				why === "" ? null : h("span", { class: "runs-because" }, why))));
			none.hidden = found.length > 0 || !states.hidden;
		},
	};
}

/* The path to where it is, each state below the one that holds it; then what lies beside. */
function statesOf(run: Run): HTMLElement[] {
	const path = run.breadcrumb.length > 0 ? run.breadcrumb : run.config;
	const here = new Set([...run.config, ...path]);
	const item = (name: string, depth: number, kind: string) => {
		const element = h("li", { class: kind }, visible(beginning(name, NAME_MAX)));

		element.style.setProperty("--depth", String(depth));
		return element;
	};

	return [
		...path.map((name, i) => item(name, i, i + 1 < path.length ? "holds" : "here")),
		...run.siblings.filter((name) => !here.has(name)).map((name) => item(name, Math.max(0, path.length - 1), "other")),
	];
}

interface Change { seq: number; at: number; words: string; why: string }

function changesIn(envelopes: readonly Envelope[]): Change[] {
	const found: Change[] = [];

	for (let i = envelopes.length - 1; i >= 0 && found.length < CHANGES_MAX; i--) {
		const change = changeOf(envelopes[i]!);
		if (change !== null)
			found.push(change);
	}
	return found;
}

function changeOf({ seq, type, timestamp, payload }: Envelope): Change | null {
	if (type === "agent_state_change") {
		const who = brief(payload.agentId);
		return {
			seq, at: timestamp, why: visible(brief(payload.reason)),
			words: visible(`${who === "" ? "" : `${who}: `}${brief(payload.from)} → ${brief(payload.to)}`),
		};
	}
	if (type === "phase" && Array.isArray(payload.config))
		return { seq, at: timestamp, why: "", words: visible(beginning(payload.config.map(brief).join(" › "), 2 * NAME_MAX)) };
	return null;
}
