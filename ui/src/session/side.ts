/* Beside the conversation: the plan, the subagents as a tree, the files that were changed, and what
 * it cost by model and by turn. */

import { treeOf } from "../crew/model";
import { amountWords, clockWords, costWords, stateWords, targetWords, tokensOf, usageDetail } from "../crew/words";
import type { Spent, Subagent } from "../desk";
import { fill, h, type Child } from "../text/dom";
import { shortened } from "../text/names";
import { clock, oneLine } from "../text/signal";
import { beginning } from "../text/whole";

const LINES_MAX = 200;        /* of a list; more are counted */
const TURNS_MAX = 50;
const TEXT_MAX = 300;

/* What GET /api/crew/ID tells besides the member. */
export interface Details {
	items?: { id?: string; text?: string; status?: string }[];
	files?: { path: string; kind?: string; added?: number; removed?: number; calls?: number }[];
	models?: (Spent & { key?: string })[];
	turns?: (Spent & { at?: number; first?: number; last?: number; ms?: number; asked?: string })[];
	agents?: Subagent[];
}

export interface Side {
	readonly root: HTMLElement;
	draw(details: Details, now: number): void;
}

interface Part { root: HTMLElement; draw(key: unknown, make: () => { words: string; children: Child[] } | null): void }

export function makeSide(): Side {
	const [plan, agents, files, models, turns] = [part("Plan", "ol"), part("Subagents", "ul"), part("Files", "ul"),
		part("Cost by model", "table"), part("Cost by turn", "table")];
	const none = h("p", { class: "session-nothing" }, "It has told of no plan, no subagents, no changed files and no cost yet.");
	const root = h("aside", { class: "session-side", "aria-label": "Plan, files and cost", tabindex: "0" },
		plan.root, agents.root, files.root, models.root, turns.root, none);

	return {
		root,
		draw(details, now) {
			const all = { items: details.items ?? [], agents: details.agents ?? [], files: details.files ?? [],
				models: details.models ?? [], turns: details.turns ?? [] };

			plan.draw(all.items, () => planOf(all.items));
			agents.draw([all.agents, Math.floor(now / 1000)], () => agentsOf(all.agents, now));
			files.draw(all.files, () => filesOf(all.files));
			models.draw(all.models, () => costsOf("model", all.models, ({ key }) => shortened(key ?? "unknown")));
			turns.draw(all.turns, () => costsOf("turn", all.turns.slice(-TURNS_MAX).reverse(),
				({ at, first, asked }) => [clock(at ?? first ?? NaN).slice(0, 5), asked === undefined ? "" : oneLine(beginning(asked, 60))]
					.filter((word) => word !== "" && !word.startsWith("--")).join(" ")));
			none.hidden = Object.values(all).some((list) => list.length > 0);
		},
	};
}

/* A part that is not there takes no room; it is made anew only when it says something else. */
function part(title: string, tag: "ol" | "ul" | "table"): Part {
	const words = h("span", { class: "session-sum" });
	const list = h(tag, { class: `session-${tag}` });
	const root = h("section", { class: "session-part", "aria-label": title, hidden: true }, h("h3", {}, title, " ", words), list);
	let drawn = "";

	return {
		root,
		draw(key, make) {
			const text = JSON.stringify(key);

			if (text === drawn)
				return;
			drawn = text;
			const made = make();
			root.hidden = made === null;
			words.textContent = made?.words ?? "";
			fill(list, made?.children ?? []);
		},
	};
}

const MARKS: Record<string, [string, string]> = {
	completed: ["✓", "done"], in_progress: ["▸", "now"], pending: ["○", "to do"],
};

function planOf(items: NonNullable<Details["items"]>) {
	const done = items.filter(({ status }) => status === "completed").length;

	return items.length === 0 ? null : { words: `${done} of ${items.length}`, children: [
		...items.slice(0, LINES_MAX).map(({ text = "", status = "pending" }) => {
			const [mark, word] = MARKS[status] ?? ["○", shortened(status)];

			return h("li", { "data-status": Object.hasOwn(MARKS, status) ? status : "pending" }, h("span", { "aria-hidden": "true" }, mark),
				h("span", {}, h("span", { class: "hidden" }, `${word}: `), oneLine(beginning(text, TEXT_MAX))));
		}), rest(items.length)] };
}

function agentsOf(agents: readonly Subagent[], now: number) {
	return agents.length === 0 ? null : { words: String(agents.length), children: [
		...treeOf(agents).slice(0, LINES_MAX).map(({ one, depth }) => {
			const { state, first, last } = one;
			const isOver = state.name === "finished" || state.name === "failed" || state.name === "gone";
			const took = clockWords((isOver ? last ?? NaN : now) - (first ?? NaN));
			const line = h("li", { "data-state": state.name },
				h("p", {}, h("b", {}, shortened(one.name ?? one.id)), h("span", { class: "session-took" }, took)),
				one.task === undefined ? null : h("p", {}, oneLine(beginning(one.task, TEXT_MAX))),
				h("p", { class: "session-small" }, [stateWords(state), targetWords(state)].filter((word) => word !== "").join(" ")));

			line.style.setProperty("--depth", String(depth));
			return line;
		}), rest(agents.length)] };
}

function filesOf(files: NonNullable<Details["files"]>) {
	const sum = (of: "added" | "removed") => files.reduce((all, file) => all + (file[of] ?? 0), 0);

	return files.length === 0 ? null : { words: `${files.length}, +${sum("added")} −${sum("removed")}`, children: [
		...files.slice(0, LINES_MAX).map(({ path, kind, added = 0, removed = 0 }) => h("li", { class: "session-file" },
			h("span", { class: "session-path", title: shortened(path, 1000) }, h("bdi", {}, shortened(path, 400))),
			kind === "create" || kind === "delete" ? h("span", { class: "session-small" }, kind === "create" ? "new" : "deleted") : null,
			h("span", { class: "session-added" }, `+${added}`), h("span", { class: "session-removed" }, `−${removed}`))),
		rest(files.length)] };
}

function costsOf<T extends Spent>(first: string, all: readonly T[], nameOf: (one: T) => string) {
	const head = [first, "in", "out", "cost"];
	const tokensIn = (one: T) => tokensOf(one) - (one.output ?? 0);

	return all.length === 0 ? null : { words: "", children: [
		h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
		h("tbody", {}, ...all.map((one) => h("tr", { title: usageDetail(one) }, h("th", { scope: "row" }, nameOf(one) || "–"),
			h("td", {}, amountWords(tokensIn(one))), h("td", {}, amountWords(one.output ?? 0)), h("td", {}, costWords(one) || "–"))))] };
}

function rest(count: number): HTMLElement | null {
	return count <= LINES_MAX ? null : h("li", {}, `and ${count - LINES_MAX} more`);
}
