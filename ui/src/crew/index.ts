/* The home of the page: who works on what, who waits for you, what failed, what it costs. The list
 * of sessions, or one of them; the crew itself is told by the server, and nothing here derives what
 * a session does. */

import type { Desk, Member, Refusal, Spent, View, ViewKind } from "../desk";
import { openSession } from "../session/page";
import { notifyButton } from "../shell/attention";
import { keep } from "../shell/theme";
import { h } from "../text/dom";
import { visible } from "../text/signal";
import { makeBar } from "./bar";
import { makeList } from "./list";
import { createCrew, filterFrom, nextWaiting, shelves, type Filter } from "./model";
import { askSure } from "./sure";
import { costWords } from "./words";

const TICK_MS = 1000;
const COST_MS = 15000;        /* between two questions for what today costs */
const KEPT = "signalbox.crew";

const STEPS: Record<string, number> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e6, End: 1e6 };

export const kind: ViewKind = {
	name: "crew", title: "Crew", icon: "crew",
	keys: [["j, k", "the next session, the one before"], ["Enter", "open it"], ["a", "answer what it asks"],
		["n", "the next that waits for you"], ["x", "interrupt it, after a question"], ["/", "filter"], ["Esc", "back, or show all"]],
	open: openCrew,
};

function openCrew(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const now = () => Date.now() + link.skewMs;
	const crew = createCrew();
	const none = welcome();
	const scroller = h("div", { class: "crew-scroll" });
	const bar = makeBar((change) => {
		filter = { ...filter, ...change };
		keep.set(KEPT, JSON.stringify(filter));
		draw(null, true);
	}, notifyButton(desk, "Notify me"));
	const list = makeList(scroller, { answer, handleOf: (id) => crew.get(id)?.handle }, now, () => draw([], true));
	const home = h("div", { class: "crew-home" }, bar.root, scroller);
	const page = openSession(desk, now, { interrupt });
	let filter: Filter = filterFrom(keep.get(KEPT));
	let isSeen = false;
	let isStale = true;           /* There is something that was not drawn. */
	let named: string | null = null;
	let timer: number | undefined;
	let askedAt = -Infinity;

	scroller.append(none, list.root);
	root.append(h("div", { class: "crew" }, home, page.root));

	link.on("crew", (news) => {
		const changed = crew.hear(news);

		draw(changed, false);
		const shown = named === null ? undefined : crew.find(named);
		if (named !== null && (changed === null || shown === undefined || changed.includes(shown.id)))
			page.hear(shown);
	});

	/* ---- drawing ---- */

	function draw(changed: readonly string[] | null, atOnce: boolean): void {
		if (!isSeen || named !== null) {
			isStale = true;
			return;
		}
		const all = crew.all();
		const shown = shelves(all, filter);

		none.hidden = all.length > 0;
		bar.root.hidden = all.length === 0;
		bar.draw(all, filter, shown.reduce((sum, { members }) => sum + members.length, 0));
		list.draw(shown, isStale ? null : changed, atOnce || isStale);
		isStale = false;
	}

	function tick(): void {
		if (document.hidden)
			return;
		if (named === null)
			list.tick(now());
		else
			page.tick(now());
		void askCost();
	}

	/* Sums of days are the server's; without any, nothing is said. */
	async function askCost(): Promise<void> {
		if (performance.now() - askedAt < COST_MS || link.state.name !== "live" || crew.size === 0)
			return;
		askedAt = performance.now();
		const midnight = new Date(now()).setHours(0, 0, 0, 0);
		const answer = await link.request<{ total?: Spent }>("GET", `/api/usage?by=day&since=${midnight}`).catch(() => null);
		const words = costWords(answer?.total);
		bar.cost(words === "" ? "" : `${words === "unknown" ? "cost unknown" : words} today`);
	}

	/* ---- doing ---- */

	function answer(id: string): void {
		const member = crew.get(id);

		if (member?.state.prompt === undefined)
			desk.say(member === undefined ? "Nobody is chosen." : `${member.handle} asks nothing.`);
		else
			desk.toQuestion(member.state.prompt);
	}

	function interrupt(member: Member): void {
		if (!link.scopes.has("control"))
			return desk.say("This session of the page may not control agents.", "bad");
		askSure(member.handle, () => void link.control(member.run ?? member.id, "ui-interrupt").then(
			() => desk.say(`Asked ${member.handle} to stop.`, "good"),
			(why: Refusal) => desk.say(`${member.handle} cannot be interrupted from here: ${visible(why.message)}.`, "bad")));
	}

	function act(key: string): boolean {
		const id = named === null ? list.at : crew.find(named)?.id ?? null;
		const member = id === null ? undefined : crew.get(id);

		if (key === "a" && id !== null)
			answer(id);
		else if (key === "x" && member !== undefined)
			interrupt(member);
		else if (key === "n")
			goToWaiting(id);
		else
			return false;
		return true;
	}

	function goToWaiting(from: string | null): void {
		const next = nextWaiting(crew.all(), from);

		if (next === null)
			return desk.say("Nobody waits for you.");
		if (named !== null)
			return desk.go(`crew/${next.handle}`);
		if (filter.group !== "" && filter.group !== "waits" || filter.words + filter.project + filter.harness !== "")
			filter = { ...filter, words: "", project: "", harness: "", group: "" };
		draw([], true);
		list.stand(next.id);
	}

	function keyAtHome(key: string): boolean {
		if (key === "/")
			bar.focus();
		else if (key === "Enter" && list.at !== null)
			desk.go(`crew/${crew.get(list.at)?.handle ?? list.at}`);
		else if (Object.hasOwn(STEPS, key))
			list.move(STEPS[key]!);
		else if (key === "Escape" && JSON.stringify(filter) !== JSON.stringify(filterFrom(null))) {
			filter = filterFrom(null);
			keep.set(KEPT, JSON.stringify(filter));
			draw(null, true);
		} else
			return false;
		return true;
	}

	function look(seen: boolean): void {
		isSeen = seen;
		clearInterval(timer);
		if (seen)
			timer = window.setInterval(tick, TICK_MS);
		page.look(seen && named !== null);
	}

	return {
		show(rest) {
			const before = named;

			named = rest === "" ? null : rest;
			home.hidden = named !== null;
			page.choose(named, named === null ? undefined : crew.find(named));
			look(true);
			draw([], true);
			tick();
			if (named === null && before !== null) {
				const from = crew.find(before);

				if (from !== undefined)
					list.stand(from.id);
			}
		},
		hide: () => look(false),
		key({ key }) {
			if (act(key))
				return true;
			if (named === null)
				return keyAtHome(key);
			if (key !== "Escape")
				return page.key(key);
			desk.go("crew");
			return true;
		},
	};
}

function welcome(): HTMLElement {
	return h("div", { class: "crew-none", hidden: true }, h("h2", {}, "Nobody is at work yet"),
		h("p", {}, "Each session of an agent appears here: what it works on, whether it waits for you, what it costs."),
		h("p", {}, "For Claude Code, run this once in a terminal, then start a session:"),
		h("p", {}, h("code", {}, "signalbox tap install")),
		h("p", {}, "Or add another agent as a ", h("a", { href: "#/sources" }, "source"), ", or ",
			h("a", { href: "#/stage" }, "play the demo on the stage"), "."));
}
