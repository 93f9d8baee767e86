/* The conversation of a session: the signals of its run, from the journal and as they come, with what
 * agents say as Markdown. */

import type { Desk } from "../desk";
import { episode } from "../runs/episode";
import { runOf, type Run } from "../runs/model";
import { drawTalk, stickToEnd } from "../talk/talk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";

const DRAW_MS = 60;           /* between two drawings of what streams */
const ELSEWHERE = new Set(["debug", "phase", "agent_state_change"]);   /* the head shows them */

export interface Conversation {
	readonly root: HTMLElement;
	/* Whose it is; "": nobody's. */
	readonly run: string;
	/* Of this run from now on; "": of none. */
	follow(run: string): void;
	look(isSeen: boolean): void;
	tick(now: number): void;
	toEnd(): void;
}

export function makeConversation(desk: Desk, onQuestion: () => void): Conversation {
	const { link } = desk;
	const said = episode(link, drawSoon, ELSEWHERE);
	const note = h("p", { class: "session-note", role: "status" });
	const older = h("button", { type: "button", class: "quiet", onclick: () => {
		older.disabled = true;
		said.older().catch((why: Error) => desk.say(`Older signals could not be read: ${visible(why.message)}.`, "bad"))
			.finally(() => { older.disabled = false; });
	} }, "Load older signals");
	const scroller = h("div", { class: "session-scroll", tabindex: "0", role: "group", "aria-label": "Conversation" });
	const stick = stickToEnd(scroller);
	const toEnd = h("button", { type: "button", class: "session-to-end", hidden: true, onclick: () => stick.toEnd() }, "↓ To the end");
	scroller.append(h("div", { class: "session-notes" }, note, older));
	const talk = drawTalk(scroller, said.talk, { stick, isMarkdown: true, onQuestion,
		nameOf: (agent) => desk.names.who(run, agent) ?? agent });
	let run = "";
	let fault = "";
	let isSeen = false;
	let isDrawing = false;

	scroller.addEventListener("scroll", () => { toEnd.hidden = stick.isAtEnd; }, { passive: true });
	link.on("signal", ({ envelope }) => {
		if (run !== "" && runOf(envelope) === run)
			said.hear(envelope);
	});
	link.on("gap", ({ why }) => {
		if (why === "lost" && run !== "")
			said.again();
	});
	link.on("state", ({ name }) => {
		if (name === "live" && run !== "" && said.state === "failed")
			said.again();
	});

	/* How far the journal goes is asked once; signals come with those of all. */
	async function read(wanted: string): Promise<void> {
		try {
			const answer = await link.request<{ run: Run }>("GET", `/api/runs/${encodeURIComponent(wanted)}`);
			if (run === wanted)
				said.choose(answer.run, 0);
		} catch (why) {
			if (run === wanted)
				fault = (why as Error).message;
			drawSoon();
		}
	}

	function words(): string {
		const why = fault === "" && said.state === "failed" ? said.why : fault;

		if (said.state === "loading")
			return "Reading its conversation…";
		if (why !== "")
			return `Its conversation could not be read: ${visible(why)}`;
		return said.hasOlder && said.isFull ? "Older signals are in the log." : "";
	}

	function draw(): void {
		write(note, words());
		note.hidden = note.textContent === "";
		older.hidden = !said.hasOlder || said.isFull;
		talk.draw();
		toEnd.hidden = stick.isAtEnd;
	}

	/* What streams is drawn together with what came meanwhile. */
	function drawSoon(): void {
		if (isDrawing || !isSeen)
			return;
		isDrawing = true;
		setTimeout(() => requestAnimationFrame(() => {
			isDrawing = false;
			if (isSeen)
				draw();
		}), DRAW_MS);
	}

	return {
		root: h("div", { class: "session-talk" }, scroller, toEnd),
		get run() { return run; },
		follow(wanted) {
			if (wanted === run)
				return;
			run = wanted;
			fault = "";
			said.choose(null, 0);
			stick.toEnd();
			if (wanted !== "")
				void read(wanted);
		},
		look(seen) {
			isSeen = seen;
			drawSoon();
		},
		tick: talk.tick,
		toEnd: stick.toEnd,
	};
}
