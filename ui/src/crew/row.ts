/* One session as a row, or as a card where there is little room. It is made once; what changes is
 * written into it, and only where it is another text. */

import type { Member, Subagent } from "../desk";
import { makeSpark } from "../sources/spark";
import { fill, h } from "../text/dom";
import { shortened } from "../text/names";
import { oneLine } from "../text/signal";
import { beginning } from "../text/whole";
import { groupOf, treeOf } from "./model";
import { clockWords, costWords, fullness, GROUP_MARKS, placeWords, stateWords, targetWords, titleWords, tokenWords,
	usageDetail } from "./words";

const SUBS_MAX = 4;           /* More are counted; the session's page has them all. */
const TASK_MAX = 80;
const NEARLY_FULL = 0.8;
const QUIET = new Set(["finished", "failed", "gone"]);

export interface Row {
	readonly root: HTMLElement;
	readonly link: HTMLAnchorElement;
	draw(member: Member): void;
	/* Only what depends on the time, which is the server's. */
	tick(now: number): void;
}

/* handleOf: of a session by its id; undefined: it is not known. */
export interface RowHands { answer(id: string): void; handleOf(id: string): string | undefined }

/* Writes what is not there yet, without a look at the document. */
export function cell(element: HTMLElement): (text: string) => void {
	let last = element.textContent ?? "";

	return (text) => {
		if (text === last)
			return;
		last = text;
		element.textContent = text;
		element.hidden = text === "";
	};
}

export function makeRow(id: string, hands: RowHands): Row {
	const part = (name: string) => h("span", { class: `crew-${name}`, hidden: true });
	const [place, title, doing, target, clock] = [part("place"), part("title"), part("doing"), part("target"), part("clock")];
	const [plan, tokens, cost] = [part("plan"), part("tokens"), part("cost")];
	const mark = h("span", { class: "crew-mark", "aria-hidden": "true" });
	const link = h("a", { class: "crew-handle", tabindex: "-1" });
	const context = contextBar();
	const spark = makeSpark("Signals in the last 30 minutes");
	const subs = h("ul", { class: "crew-subs", "aria-label": "Its subagents", hidden: true });
	const answer = h("button", { type: "button", class: "crew-answer", hidden: true, onclick: () => hands.answer(id) }, "Answer");
	const root = h("li", { class: "crew-row", "data-id": id },
		mark, h("div", { class: "crew-who" }, link, place),
		h("div", { class: "crew-what" }, title, h("span", { class: "crew-state" }, clock, doing, target), subs),
		answer, plan, context.root, h("div", { class: "crew-numbers" }, cost, tokens), spark.element);
	const write = { mark: cell(mark), handle: cell(link), place: cell(place), title: cell(title), doing: cell(doing),
		target: cell(target), plan: cell(plan), tokens: cell(tokens), cost: cell(cost), clock: cell(clock) };
	/* Whoever stands below its parent need not name it. */
	const parentWords = ({ parent }: Member): string => {
		const handle = parent === undefined || parent === null || root.dataset.depth !== undefined ? undefined : hands.handleOf(parent);

		return handle === undefined ? "" : `of ${shortened(handle)}`;
	};
	const drawSubs = subagents(subs);
	let since = NaN;

	return {
		root, link,
		draw(member) {
			const { state, usage, handle } = member;
			const group = groupOf(member);

			since = state.since;
			root.dataset.group = group;
			root.dataset.state = state.name;
			write.mark(GROUP_MARKS[group]);
			mark.hidden = false;
			write.handle(shortened(handle));
			link.href = `#/crew/${encodeURIComponent(handle)}`;
			write.place([parentWords(member), placeWords(member)].filter((word) => word !== "").join(" · "));
			write.title(titleWords(member));
			write.doing(stateWords(state));
			write.target(targetWords(state));
			answer.hidden = state.name !== "asks" || state.prompt === undefined;
			answer.setAttribute("aria-label", `Answer ${shortened(handle)}`);
			write.plan(member.plan ? `${member.plan.done} of ${member.plan.total}` : "");
			plan.title = member.plan?.now === undefined ? "Its plan" : `Its plan: ${oneLine(beginning(member.plan.now, TASK_MAX))}`;
			write.tokens(tokenWords(usage));
			write.cost(costWords(usage));
			tokens.title = usageDetail(usage);
			context.draw(member.context);
			spark.draw(member.spark ?? []);
			drawSubs(member.agents ?? []);
		},
		tick(now) {
			write.clock(clockWords(now - since));
		},
	};
}

export function contextBar(): { root: HTMLElement; draw(context: Member["context"]): void } {
	const fillBar = h("span", { class: "crew-full" });
	const words = h("span", { class: "crew-percent" });
	const write = cell(words);
	const root = h("div", { class: "crew-context", hidden: true },
		h("span", { class: "hidden" }, "context "), h("span", { class: "crew-bar", "aria-hidden": "true" }, fillBar), words);

	return {
		root,
		draw(context) {
			const full = fullness(context);

			root.hidden = full === null;
			if (full === null)
				return;
			const percent = Math.round(full * 100);
			write(`${percent} %`);
			fillBar.style.setProperty("--full", String(full));
			root.classList.toggle("is-nearly-full", full >= NEARLY_FULL);
			root.title = `Context: ${context!.used.toLocaleString("en")} of ${context!.window!.toLocaleString("en")} tokens`;
		},
	};
}

/* Those at work, each below its parent; what they do, without a clock of their own. */
function subagents(root: HTMLElement): (all: readonly Subagent[]) => void {
	let drawn = "";

	return (all) => {
		const live = treeOf(all.filter(({ state }) => !QUIET.has(state.name)));
		const lines = live.slice(0, SUBS_MAX).map(({ one, depth }) => ({ depth, name: shortened(one.name ?? one.id),
			words: [stateWords(one.state), targetWords(one.state) || oneLine(beginning(one.task ?? "", TASK_MAX))]
				.filter((word) => word !== "").join(" ") }));
		const key = JSON.stringify([lines, live.length]);

		root.hidden = lines.length === 0;
		if (key === drawn)
			return;
		drawn = key;
		fill(root, [...lines.map(({ depth, name, words }) => {
			const line = h("li", {}, h("b", {}, name), " ", h("span", {}, words));

			line.style.setProperty("--depth", String(Math.min(depth, 4)));
			return line;
		}), live.length > SUBS_MAX ? h("li", {}, `and ${live.length - SUBS_MAX} more at work`) : null]);
	};
}
