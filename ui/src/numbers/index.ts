/* Numbers: what agents spent, by day, project, model, program and session, as plots, tables and CSV; what is left of their limits. */

import type { Desk, Spent, View, ViewKind } from "../desk";
import { costWords, tokenWords } from "../crew/words";
import { keep } from "../shell/theme";
import { h, write } from "../text/dom";
import { makeLimits, type Limit } from "./limits";
import { dayBefore, everyDay, offsets, type By, type Row, type Toil } from "./model";
import { makeSection } from "./section";
import { makeTools, makeWork, workDays } from "./toil";

const KEPT = "signalbox.numbers";
const AGAIN_MS = 60_000;      /* while it is looked at */
const SPANS: readonly [number, string][] = [[7, "7 days"], [30, "30 days"], [90, "90 days"], [365, "a year"]];
const SECTIONS: readonly [By, string][] = [["day", "day"], ["project", "project"], ["model", "model"], ["harness", "agent"],
	["session", "session"]];

interface Tools { tools: Toil[]; days: Toil[] }
interface Answer { rows: Row[]; total?: Spent; prices?: { date?: string }; at?: number; limits?: Limit[] }

export const kind: ViewKind = {
	name: "numbers", title: "Numbers", icon: "numbers",
	keys: [["[, ]", "a shorter span of time, a longer one"]],
	open: openNumbers,
};

function openNumbers(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const sum = h("p", { class: "numbers-sum" });
	const said = h("p", { class: "numbers-none", role: "status", hidden: true });
	const prices = h("p", { class: "numbers-note" });
	const spans = h("div", { class: "numbers-spans", role: "group", "aria-label": "How far back" });
	const buttons = SPANS.map(([days, words]) => h("button", { type: "button", onclick: () => choose(days) }, words));
	const sections = SECTIONS.map(([by, title]) => ({ by, section: makeSection(by, title) }));
	const tools = makeTools();
	const work = makeWork();
	const limits = makeLimits();
	const sheets = h("div", { class: "numbers-sheets" }, ...sections.map(({ section }) => section.root), tools.root, work.root);
	let days = SPANS.some(([known]) => String(known) === keep.get(KEPT)) ? Number(keep.get(KEPT)) : 30;
	let isSeen = false;
	let asked = 0;
	let timer: number | undefined;
	let width = 0;

	spans.append(...buttons);
	root.append(h("div", { class: "numbers" }, h("header", { class: "numbers-head" }, spans, sum), limits.root, said, sheets, prices));
	desk.onTheme(() => { if (isSeen) redraw(); });
	new ResizeObserver(() => {
		if (isSeen && sheets.clientWidth !== width) {
			width = sheets.clientWidth;
			redraw();
		}
	}).observe(sheets);
	link.on("hello", () => { if (isSeen) void ask(); });

	function redraw(): void {
		for (const one of [...sections.map(({ section }) => section), tools, work])
			one.redraw();
	}

	function choose(next: number): void {
		days = next;
		keep.set(KEPT, String(days));
		void ask();
	}

	/* Of several questions only the last is drawn. */
	async function ask(): Promise<void> {
		const now = Date.now() + link.skewMs;
		const since = dayBefore(now, days - 1);
		const offset = offsets(since, now);
		const number = ++asked;

		buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(SPANS[at]?.[0] === days)));
		try {
			const [toil, ...answers] = await Promise.all([link.request<Tools>("GET", `/api/usage/tools?since=${since}&offset=${offset}`),
				...SECTIONS.map(([by]) => link.request<Answer>("GET", `/api/usage?by=${by}&since=${since}&offset=${offset}`))]);
			if (number === asked && isSeen)
				draw(answers, toil, since, now);
		} catch (why) {
			if (number === asked)
				write(said, `The numbers could not be had: ${why instanceof Error ? why.message : why}`);
			said.hidden = false;
		}
	}

	function draw(answers: readonly Answer[], toil: Tools, since: number, now: number): void {
		const [first] = answers;
		const isNothing = (first?.rows.length ?? 0) === 0 && toil.tools.length === 0;
		const cost = costWords(first?.total);

		said.hidden = !isNothing;
		write(said, isNothing ? "Nothing was spent in this time. Tokens are counted as soon as an agent tells of them." : "");
		sheets.hidden = isNothing;
		const words = [cost === "unknown" ? "cost unknown" : cost, tokenWords(first?.total)];
		write(sum, isNothing ? "" : words.filter((word) => word !== "").join(" · "));
		write(prices, isNothing ? "" : `List prices of ${first?.prices?.date ?? "an unknown day"}, not a bill. `
			+ "Days are those of your time zone.");
		limits.draw(first?.limits ?? [], first?.at ?? now);
		width = sheets.clientWidth;
		answers.forEach(({ rows, total }, at) => {
			const found = sections[at];

			if (found !== undefined)
				found.section.draw(found.by === "day" ? everyDay(rows, since, now, (key) => ({ key, cost: 0 })) : rows, total);
		});
		tools.draw(toil.tools);
		work.draw(toil.days.length === 0 ? [] : workDays(toil.days, since, now));
	}

	return {
		show() {
			isSeen = true;
			clearInterval(timer);
			timer = window.setInterval(() => { if (!document.hidden) void ask(); }, AGAIN_MS);
			void ask();
		},
		hide() {
			isSeen = false;
			clearInterval(timer);
		},
		key({ key }) {
			const at = SPANS.findIndex(([known]) => known === days);
			const next = SPANS[key === "[" ? at - 1 : key === "]" ? at + 1 : -1];

			if (next === undefined)
				return false;
			choose(next[0]);
			return true;
		},
	};
}
