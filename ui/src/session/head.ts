/* The top of a session's page: who it is, where it works, on what, in which state and since when,
 * and what it has cost. A person who may control it can give it another title. */

import { cell, contextBar } from "../crew/row";
import { groupOf } from "../crew/model";
import { clockWords, costWords, GROUP_MARKS, placeWords, stateWords, targetWords, titleWords, tokenWords, usageDetail }
	from "../crew/words";
import type { Member } from "../desk";
import { fill, h, icon } from "../text/dom";
import { shortened } from "../text/names";
import { beginning } from "../text/whole";

const TITLE_MAX = 200;

export interface Head {
	readonly root: HTMLElement;
	draw(member: Member, mayControl: boolean): void;
	tick(now: number): void;
}

export interface HeadHands {
	back(): void; answer(): void; interrupt(): void; signals(): void; run(): void;
	rename(title: string): Promise<void>;
}

export function makeHead(hands: HeadHands): Head {
	const handle = h("h2", { class: "session-handle", tabindex: "-1" });
	const place = h("span", { class: "session-place" });
	const mark = h("span", { class: "crew-mark", "aria-hidden": "true" });
	const doing = h("b", { class: "session-doing" });
	const target = h("span", { class: "crew-target" });
	const clock = h("span", { class: "crew-clock" });
	const facts = h("dl", { class: "session-facts" });
	const context = contextBar();
	const title = renamer(hands.rename);
	const answer = button("Answer", hands.answer, "primary session-answer");
	const interrupt = button("Interrupt", hands.interrupt);
	const root = h("header", { class: "session-head" },
		h("div", { class: "session-top" },
			h("button", { type: "button", class: "bare session-back", "aria-label": "Back to the crew", title: "Back to the crew (Esc)",
				onclick: hands.back }, "←"),
			handle, place,
			h("div", { class: "session-now" }, h("p", { class: "session-state", role: "status" }, mark, doing, target), clock),
			h("div", { class: "session-acts" }, answer, interrupt, button("Signals", hands.signals), button("Run", hands.run))),
		title.root, h("div", { class: "session-figures" }, facts, context.root));
	const write = { handle: cell(handle), place: cell(place), mark: cell(mark), doing: cell(doing), target: cell(target),
		clock: cell(clock) };
	let since = NaN;
	let drawn = "";

	return {
		root,
		draw(member, mayControl) {
			const { state } = member;

			since = state.since;
			root.dataset.group = groupOf(member);
			write.handle(shortened(member.handle));
			write.place(placeWords(member));
			place.title = member.cwd === undefined ? "" : shortened(member.cwd, 400);
			write.mark(GROUP_MARKS[groupOf(member)]);
			mark.hidden = false;
			write.doing(stateWords(state));
			write.target(targetWords(state));
			answer.hidden = state.name !== "asks" || state.prompt === undefined;
			interrupt.hidden = !mayControl || groupOf(member) === "over";
			title.draw(titleWords(member), mayControl, member.titleFrom === "person");
			context.draw(member.context);
			const rows = factsOf(member);
			if (JSON.stringify(rows) === drawn)
				return;
			drawn = JSON.stringify(rows);
			fill(facts, rows.map(([name, value, detail]) => h("div", {}, h("dt", {}, name), h("dd", { title: detail || null }, value))));
		},
		tick(now) {
			write.clock(clockWords(now - since));
		},
	};
}

function button(words: string, act: () => void, kind = ""): HTMLButtonElement {
	return h("button", { type: "button", class: kind || null, onclick: act }, words);
}

function factsOf(member: Member): [string, string, string][] {
	const { agent, harness, version, model, mode, usage, user, host, plan, changes } = member;
	const name = agent ?? harness ?? "";
	const rows: [string, string, string][] = [
		["agent", [name, version].filter((word) => word).map((word) => shortened(word!)).join(" "), ""],
		["model", model === undefined ? "" : shortened(model), ""],
		["mode", mode === undefined ? "" : shortened(mode), ""],
		["plan", plan ? `${plan.done} of ${plan.total}` : "", ""],
		["changes", changes ? `${changes.files} ${changes.files === 1 ? "file" : "files"}, +${changes.added} −${changes.removed}` : "", ""],
		["tokens", tokenWords(usage).replace(/ tok$/, ""), usageDetail(usage)],
		["cost", costWords(usage), ""],
		["by", [user, host].filter((word) => word).map((word) => shortened(word!)).join(" on "), ""],
	];

	return rows.filter(([, value]) => value !== "");
}

interface Renamer { root: HTMLElement; draw(title: string, mayRename: boolean, isOurs: boolean): void }

function renamer(rename: (title: string) => Promise<void>): Renamer {
	const words = h("span", { class: "session-words" });
	const edit = h("button", { type: "button", class: "bare session-rename", "aria-label": "Give it another title", title: "Rename",
		onclick: begin }, icon("pen"));
	const input = h("input", { type: "text", class: "session-input", maxlength: String(TITLE_MAX),
		"aria-label": "Its title; empty for its own" });
	const form = h("form", { class: "session-renaming", hidden: true, onsubmit: (event: Event) => {
		event.preventDefault();
		void rename(beginning(input.value.trim(), TITLE_MAX)).finally(end);
	} }, input, h("button", { type: "submit" }, "Rename"), h("button", { type: "button", onclick: end }, "Keep"));
	const line = h("p", { class: "session-title" }, words, edit);
	let isOwn = true;

	function begin(): void {
		form.hidden = false;
		line.hidden = true;
		input.value = words.textContent ?? "";
		input.select();
		input.focus();
	}

	function end(): void {
		const hadFocus = form.contains(document.activeElement);

		form.hidden = true;
		line.hidden = false;
		if (hadFocus)
			edit.focus();
	}

	form.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			event.preventDefault();
			event.stopPropagation();
			end();
		}
	});
	return {
		root: h("div", {}, line, form),
		draw(title, mayRename, isOurs) {
			isOwn = !isOurs;
			if (words.textContent !== title)
				words.textContent = title;
			words.title = isOwn ? "" : "A person gave it this title";
			edit.hidden = !mayRename;
			line.classList.toggle("is-untitled", title === "");
		},
	};
}
