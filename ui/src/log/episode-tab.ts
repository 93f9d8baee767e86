/* The episode of a signal in its panel: followed while it is looked at, and no longer. */

import type { Desk } from "../desk";
import { h, write } from "../text/dom";
import type { LogEntry } from "./entry";
import { drawEnvelope } from "./envelope";
import { follow, type Followed } from "./follow";
import { createTimeline } from "./timeline";

const DRAW_MS = 100;

export type How = "episode" | "conversation";

export interface EpisodeTab {
	show(host: HTMLElement, correlation: string, how: How): void;
	end(): void;
}

interface Shown { key: string; end: () => void }

export function createEpisodeTab(
	desk: Desk, find: (seq: number) => Promise<LogEntry | null>,
): EpisodeTab {
	let shown: Shown | null = null;

	const end = () => {
		shown?.end();
		shown = null;
	};

	return {
		end,
		/* Another signal of the same episode leaves it as it stands. */
		show(host, correlation, how) {
			const key = `${how} ${correlation}`;
			if (shown?.key === key)
				return;
			end();
			shown = { key, end: how === "episode" ? openTimeline(host, desk, correlation, find)
				: openTalk(host, desk, correlation) };
		},
	};
}

function openTimeline(
	host: HTMLElement, desk: Desk, correlation: string, find: (seq: number) => Promise<LogEntry | null>,
): () => void {
	const status = h("p", { class: "words", role: "status" }, "Reading the journal");
	const retry = h("button", { type: "button", hidden: true, onclick: () => followed.reload() }, "Try again");
	const timeline = createTimeline({ open: async (seq) => envelopeOf(desk, seq, await find(seq).catch(() => null)) });
	const draw = everySoOften(() => drawState(followed, status, retry, () => timeline.draw(followed.episode)));
	const followed = follow(desk.link, correlation, draw.soon);

	host.replaceChildren(status, retry, timeline.element);
	host.scrollTop = 0;
	return () => {
		followed.end();
		draw.end();
	};
}

function drawState(
	{ state, error, episode }: Followed, status: HTMLElement, retry: HTMLElement, draw: () => void,
): void {
	status.hidden = state === "there" && episode.signals > 0;
	write(status, state === "failed" ? `The journal could not be read: ${error}`
		: state === "loading" ? "Reading the journal" : "The journal has no signals of it any more.");
	retry.hidden = state !== "failed";
	draw();
}

function envelopeOf(desk: Desk, seq: number, entry: LogEntry | null): HTMLElement {
	if (entry === null)
		return h("p", {}, "It is no longer in the journal.");
	return h("div", {}, drawEnvelope(entry.text),
		h("button", { type: "button", onclick: () => desk.go(`log/${seq}`) }, "Show in the log"));
}

/* The conversation is drawn by those who draw it everywhere, loaded when it is first wanted. */
function openTalk(host: HTMLElement, desk: Desk, correlation: string): () => void {
	const status = h("p", { class: "words", role: "status" }, "Reading the journal");
	let end = () => {};
	let isOver = false;

	host.replaceChildren(status);
	void Promise.all([import("../talk/talk"), import("../talk/episode")]).then(([talks, episodes]) => {
		if (isOver)
			return;
		const draw = everySoOften(() => {
			status.hidden = episode.state === "there";
			write(status, episode.state === "failed" ? `The journal could not be read: ${episode.error}`
				: "Reading the journal");
			drawing.draw();
		});
		const episode = episodes.followTalk(desk.link, correlation, { changed: draw.soon });
		const drawing = talks.drawTalk(host, episode.talk);
		end = () => {
			episode.end();
			draw.end();
		};
	}).catch(() => write(status, "The server did not answer."));
	return () => {
		isOver = true;
		end();
	};
}

/* Calls of soon() become one call of draw, a little later. */
function everySoOften(draw: () => void): { soon: () => void; end: () => void } {
	let timer: ReturnType<typeof setTimeout> | null = null;

	return {
		soon() {
			timer ??= setTimeout(() => {
				timer = null;
				draw();
			}, DRAW_MS);
		},
		end() {
			if (timer !== null)
				clearTimeout(timer);
		},
	};
}
