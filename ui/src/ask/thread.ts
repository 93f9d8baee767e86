/* One conversation on the screen: the talks of its asks, one below the other, each with a line
 * that says how long it took and how fast it came. */

import type { Desk } from "../desk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import { followTalk, type Episode } from "../talk/episode";
import { counted, lasted } from "../talk/plain";
import { drawTalk, stickToEnd, tokensPerSecond, type Stats, type TalkDrawing } from "../talk/talk";
import type { Ask } from "./model";

const SHOWN = 8;         /* asks of a conversation, at first */
const TICK_MS = 200;

interface Turn { run: string; episode: Episode; drawing: TalkDrawing; element: HTMLElement; line: HTMLElement }

export interface Thread {
	/* Shows these asks; those that are there already stay as they are. */
	show(asks: readonly Pick<Ask, "run" | "seq">[]): void;
	/* The stats of a run that is shown. */
	statsOf(run: string): Stats | null;
	draw(): void;
	toEnd(): void;
}

export function makeThread(scroller: HTMLElement, desk: Desk, changed: () => void): Thread {
	const stick = stickToEnd(scroller);
	const earlier = h("button", { type: "button", class: "ask-earlier", onclick: () => {
		shown += SHOWN;
		show(all);
	} });
	const list = h("div", { class: "ask-turns" });
	const turns = new Map<string, Turn>();
	let all: readonly Pick<Ask, "run" | "seq">[] = [];
	let shown = SHOWN;

	scroller.append(earlier, list);
	setInterval(() => { if (!scroller.closest("[hidden]")) tick(); }, TICK_MS);

	function show(asks: readonly Pick<Ask, "run" | "seq">[]): void {
		if (asks[0]?.run !== all[0]?.run)
			shown = SHOWN;
		all = asks;
		const wanted = asks.slice(-shown);
		const runs = new Set(wanted.map(({ run }) => run));
		for (const [run, turn] of turns)
			if (!runs.has(run))
				drop(run, turn);
		wanted.forEach(({ run, seq }, i) => {
			const turn = turns.get(run) ?? begin(run, seq);
			if (list.children[i] !== turn.element)
				list.insertBefore(turn.element, list.children[i] ?? null);
		});
		earlier.hidden = asks.length <= shown;
		write(earlier, `Show ${counted(Math.max(0, asks.length - shown), "earlier ask")}`);
		draw();
	}

	/* Its first signal is the ask itself, so what is before that need not be searched. */
	function begin(run: string, seq: number): Turn {
		const body = h("div", {});
		const line = h("p", { class: "ask-line" });
		const episode = followTalk(desk.link, run, { after: Math.max(0, seq - 1), changed });
		const drawing = drawTalk(body, episode.talk, { stick, label: "Question and answer",
			onSignal: (at) => desk.go(`log/${at}`) });
		const turn = { run, episode, drawing, line, element: h("div", { class: "ask-turn", "data-run": run }, body, line) };

		turns.set(run, turn);
		return turn;
	}

	function drop(run: string, turn: Turn): void {
		turn.episode.end();
		turn.element.remove();
		turns.delete(run);
	}

	function draw(): void {
		for (const { drawing } of turns.values())
			drawing.draw();
		tick();
		stick.keep();
	}

	function tick(): void {
		const now = Date.now() + desk.link.skewMs;

		for (const { episode, line, element } of turns.values()) {
			element.dataset.state = episode.talk.stats.state;
			write(line, episode.state === "failed" ? `It cannot be read: ${visible(episode.error)}`
				: episode.state === "loading" ? "Reading…" : lineOf(episode.talk.stats, now));
		}
	}

	return {
		show, draw,
		statsOf: (run) => turns.get(run)?.episode.talk.stats ?? null,
		toEnd: stick.toEnd,
	};
}

/* How it goes, or how it went. Times are the producer's, and "now" is the server's. */
export function lineOf(stats: Stats, now: number): string {
	const isOver = stats.state !== "waiting" && stats.state !== "streaming";
	const elapsed = lasted(Math.max(0, (isOver ? stats.lastAt : now) - stats.firstAt));
	const rate = tokensPerSecond(stats);
	const tokens = stats.turnTokens > 0 ? stats.turnTokens : stats.pieces;

	if (Number.isNaN(stats.firstAt))
		return "Sent";
	return [stats.state === "waiting" ? "Waiting for the first word" : "", elapsed,
		Number.isNaN(rate) ? "" : `${rate.toFixed(1)} tok/s`,
		tokens === 0 ? "" : counted(tokens, stats.turnTokens > 0 ? "token" : "piece"),
		stats.cost > 0 ? `$${stats.cost.toFixed(4)}` : ""].filter((word) => word !== "").join(" · ");
}
