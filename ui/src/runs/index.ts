/* The runs: what agents are at. The list and the chosen run are asked for again when signals
 * came, at most twice a second and only while somebody looks; what a run says comes over the
 * link as it is said. */

import type { Desk, News, Prompt, View, ViewKind } from "../desk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import { CONTROL_KEYS, controlKey } from "./controls";
import { episode } from "./episode";
import { keeper } from "./keeper";
import { list } from "./list";
import { inOrder, passes, runOf, type Brief, type Run } from "./model";
import { pane, type Shown } from "./pane";

const REST_MS = 500;          /* between two questions for the same thing */
const TICK_MS = 1000;
const DRAW_MS = 60;           /* between two drawings of what streams */
const FEW = 100;
const ALL = 4096;

interface AllRuns { seq: number; runs: Brief[] }
interface OneRun { run: Run; can?: string[]; prompts: Prompt[] }

export const kind: ViewKind = {
	name: "runs", title: "Runs", icon: "runs",
	keys: [["j, k", "the next run, the one before"], ["Enter", "look at it"], ["/", "filter the runs"],
		["Esc", "back to the list"], ...CONTROL_KEYS],
	open: (root, desk) => openRuns(root, desk),
};

function openRuns(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const prompts = new Map<string, Prompt>();
	let runs: Brief[] = [];
	let hasAsked = false;
	let folded = 0;             /* how far the server had folded its journal */
	let heard = 0;              /* the newest signal */
	let heardOfIt = 0;          /* the newest of the chosen run */
	let limit = FEW;
	let chosen: string | null = null;
	let shown: Shown | null = null;
	let isInSight = false;
	let timer: number | undefined;
	let isDrawing = false;

	/* ---- what is on the screen ---- */

	const filter = h("input", {
		type: "search", class: "runs-filter", placeholder: "Filter by id, source or phase", "aria-label": "Filter the runs",
		autocomplete: "off", spellcheck: "false",
	});
	const rows = list(go);
	const more = h("button", { type: "button", class: "quiet runs-all", onclick: () => {
		limit = ALL;
		listKeeper.touch();
	} }, "Show older runs");
	const none = h("div", { class: "runs-empty" });
	const failed = h("p", { class: "runs-failed", role: "status", hidden: true });
	const nothing = h("p", { class: "runs-empty runs-choose" }, "Choose a run to see who works in it, and what they say.");
	const episodes = episode(link, drawSoon);
	const one = pane(desk, episodes, { back: () => desk.go("runs"), changed: () => runKeeper.touch(), answer: toQuestions });
	const side = h("nav", { class: "runs-side", "aria-label": "Runs" },
		h("div", { class: "runs-search" }, filter), failed, none, rows.root, more);

	root.append(h("div", { class: "runs" }, side, h("div", { class: "runs-main" }, nothing, one.root)));
	more.hidden = true;
	filter.addEventListener("input", () => {
		if (filter.value !== "" && limit !== ALL) {
			limit = ALL;
			listKeeper.touch();
		}
		drawList();
	});
	rows.root.addEventListener("keydown", (event) => {
		if (listKey(event.key))
			event.preventDefault();
	});

	/* ---- what is asked of the server ---- */

	const listKeeper = keeper({ restMs: REST_MS, async ask() {
		try {
			const answer = await link.request<AllRuns>("GET", `/api/runs?limit=${limit}`);
			runs = inOrder(answer.runs);
			folded = answer.seq;
			hasAsked = true;
			tell("");
		} catch (error) {
			tell(`The runs could not be read: ${(error as Error).message}`);
			return false;
		}
		drawList();
		return folded < heard;
	} });

	const runKeeper = keeper({ restMs: REST_MS, async ask(isWanted) {
		const id = chosen;

		if (id === null)
			return false;
		try {
			const answer = await link.request<OneRun>("GET", `/api/runs/${encodeURIComponent(id)}`);
			if (!isWanted())
				return false;
			take(answer);
			return answer.run.lastSeq < heardOfIt;
		} catch (error) {
			if (isWanted() && shown === null)
				missing((error as Error).message);
			return heardOfIt > 0 && shown === null;
		}
	} });

	function take({ run, can, prompts: open }: OneRun): void {
		const isNew = shown === null;

		shown = { run, can: new Set(can ?? []), prompts: open };
		nothing.hidden = true;
		if (isNew)
			episodes.choose(run, folded);
		one.draw(shown);
		one.tick(now());
	}

	function missing(why: string): void {
		nothing.hidden = false;
		write(nothing, `There is nothing to see of ${visible((chosen ?? "").slice(0, 200))}: ${visible(why)}.`);
	}

	function tell(words: string): void {
		write(failed, visible(words));
		failed.hidden = words === "";
	}

	/* ---- what is drawn ---- */

	function now(): number {
		return Date.now() + link.skewMs;
	}

	function questions(): Map<string, number> {
		const counts = new Map<string, number>();

		for (const { run } of prompts.values())
			counts.set(run, (counts.get(run) ?? 0) + 1);
		return counts;
	}

	function drawList(): void {
		const some = runs.filter((run) => passes(run, filter.value));

		if (!isInSight)
			return;
		rows.draw(some, questions(), chosen);
		rows.tick(now());
		more.hidden = limit === ALL || runs.length < limit;
		rows.root.hidden = some.length === 0;
		drawNone(some.length);
	}

	function drawNone(count: number): void {
		none.hidden = count > 0 || !hasAsked;
		if (runs.length > 0)
			none.replaceChildren(h("p", {}, "No run has these words."));
		else
			none.replaceChildren(h("h2", {}, "No runs yet"),
				h("p", {}, "A run is one piece of an agent's work: a session of Claude Code, an answer, a program."),
				h("p", {}, "Ask a source something, or start one in a terminal:"),
				h("p", {}, h("code", {}, "signalbox run -- your-agent")));
	}

	/* What streams is drawn together with what came meanwhile. */
	function drawSoon(): void {
		if (isDrawing || !isInSight)
			return;
		isDrawing = true;
		setTimeout(() => requestAnimationFrame(() => {
			isDrawing = false;
			if (isInSight)
				one.drawEpisode(shown);
		}), DRAW_MS);
	}

	function tick(): void {
		rows.tick(now());
		one.tick(now());
	}

	/* ---- what comes ---- */

	link.on("signal", ({ envelope }: News["signal"]) => {
		heard = envelope.seq;
		listKeeper.touch();
		if (chosen === null || runOf(envelope) !== chosen)
			return;
		heardOfIt = envelope.seq;
		episodes.hear(envelope);
		runKeeper.touch();
	});
	link.on("gap", ({ why }: News["gap"]) => {
		if (why !== "lost" && why !== "replaced")
			return;
		heard = heardOfIt = 0;
		episodes.again();
		listKeeper.touch();
		runKeeper.touch();
	});
	link.on("prompt", (prompt) => {
		if (prompt.state === "open")
			prompts.set(prompt.id, prompt);
		else
			prompts.delete(prompt.id);
		drawList();
		if (prompt.run === chosen)
			runKeeper.touch();
	});
	link.on("prompts", () => prompts.clear());
	link.on("state", ({ name }) => {
		if (name !== "live")
			return;
		listKeeper.touch();
		runKeeper.touch();
	});

	/* ---- what people do ---- */

	function go(id: string): void {
		desk.go(`runs/${encodeURIComponent(id)}`);
	}

	function choose(id: string | null): void {
		if (id === chosen)
			return;
		chosen = id;
		shown = null;
		heardOfIt = 0;
		root.classList.toggle("has-run", id !== null);
		write(nothing, id === null ? "Choose a run to see who works in it, and what they say." : "");
		nothing.hidden = id !== null;
		episodes.choose(null, 0);
		one.begin();
		runKeeper.drop();
	}

	function toQuestions(): void {
		const tray = document.getElementById("prompts");

		tray?.querySelector<HTMLElement>("input:not([disabled]), textarea:not([disabled]), button:not([disabled])")?.focus();
	}

	function listKey(key: string): boolean {
		const steps: Record<string, number> = {
			j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -ALL, End: ALL,
		};

		if (key === "Enter" || key === " ")
			rows.enter();
		else if (Object.hasOwn(steps, key))
			rows.move(steps[key] ?? 0);
		else
			return false;
		return true;
	}

	return {
		show(rest) {
			isInSight = true;
			clearInterval(timer);
			timer = window.setInterval(tick, TICK_MS);
			choose(rest === "" ? null : decoded(rest));
			listKeeper.look(true);
			runKeeper.look(true);
			drawList();
			one.drawEpisode(shown);
		},
		hide() {
			isInSight = false;
			clearInterval(timer);
			listKeeper.look(false);
			runKeeper.look(false);
		},
		key({ key }) {
			if (key === "/") {
				filter.focus();
				return true;
			}
			if (key === "Escape" && chosen !== null) {
				desk.go("runs");
				return true;
			}
			return controlKey(key) ? one.key(key) : listKey(key);
		},
	};
}

/* What somebody typed into the address may be anything. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
