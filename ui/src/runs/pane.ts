/* One run on the screen: its head, what can be done to it, who works in it, and below that the
 * conversation, the changes of its state or its transcript. */

import type { Desk, Prompt } from "../desk";
import { drawTalk, stickToEnd } from "../talk/talk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";
import { chart } from "./chart";
import { controls } from "./controls";
import { deliveries } from "./deliveries";
import type { Episode } from "./episode";
import { events } from "./events";
import { head } from "./head";
import { invocations } from "./invocations";
import { sessionOf, type Run } from "./model";
import { tabs } from "./tabs";

export interface Shown { run: Run; can: ReadonlySet<string>; prompts: readonly Prompt[] }

export interface Pane {
	readonly root: HTMLElement;
	/* Another run, or none: nothing of the one before is left. */
	begin(): void;
	draw(shown: Shown): void;
	/* What the episode has changed. */
	drawEpisode(shown: Shown | null): void;
	tick(now: number): void;
	key(key: string): boolean;
	look(isSeen: boolean): void;
	/* Something was delivered to a chat. */
	delivered(): void;
}

export interface Hands { back(): void; changed(): void; answer(question?: string): void }

export function pane(desk: Desk, episode: Episode, hands: Hands): Pane {
	let shown: Shown | null = null;
	let only: string | null = null;

	const top = head(desk.names, {
		back: hands.back, answer: hands.answer,
		copyId: () => void navigator.clipboard.writeText(shown?.run.id ?? "").then(
			() => desk.say("The id is in the clipboard.", "good"),
			() => desk.say("The browser does not allow access to the clipboard.", "bad")),
		signals: () => {
			if (shown !== null)
				desk.go(`log/?f=${filterOf(shown.run)}`);
		},
	});
	const bar = controls(desk, hands.changed);
	const sent = deliveries(desk);
	const who = invocations((name) => {
		only = only === name ? null : name;
		episode.only(only);
		redraw();
	});
	const states = chart();
	const transcript = events(desk);

	/* ---- the conversation ---- */

	const note = h("p", { class: "runs-note", role: "status" });
	const older = h("button", { type: "button", class: "quiet", onclick: () => void loadOlder() }, "Load older signals");
	const all = h("button", { type: "button", class: "quiet", onclick: () => {
		only = null;
		episode.only(null);
		redraw();
	} }, "Show everybody");
	const scroller = h("div", { class: "runs-scroll", tabindex: "0", role: "group", "aria-label": "Conversation" });
	const stick = stickToEnd(scroller);
	const toEnd = h("button", { type: "button", class: "runs-to-end", onclick: () => stick.toEnd() }, "↓ To the end");
	scroller.append(h("div", { class: "runs-notes" }, note, older, all));
	const talk = drawTalk(scroller, episode.talk, { stick, onQuestion: () => hands.answer(),
		nameOf: (agent) => (shown === null ? undefined : desk.names.who(shown.run.id, agent)) ?? agent });
	scroller.addEventListener("scroll", () => { toEnd.hidden = stick.isAtEnd; }, { passive: true });
	toEnd.hidden = true;

	async function loadOlder(): Promise<void> {
		older.disabled = true;
		try {
			await episode.older();
		} catch (error) {
			desk.say(`Older signals could not be read: ${visible((error as Error).message)}.`, "bad");
		}
		older.disabled = false;
	}

	const below = tabs("The run", [
		{ name: "talk", words: "Conversation", panel: h("div", { class: "runs-talk" }, scroller, toEnd) },
		{ name: "chart", words: "States", panel: states.root },
		{ name: "events", words: "Transcript", panel: transcript.root },
	], redraw);
	const root = h("article", { class: "runs-pane", "aria-label": "The chosen run", hidden: true },
		top.root, bar.root, sent.root, h("div", { class: "runs-body" }, who.root, below.root));

	function drawEpisode(now: Shown | null): void {
		shown = now ?? shown;
		if (shown === null)
			return;
		if (below.chosen === "talk")
			drawConversation();
		else if (below.chosen === "chart")
			states.draw(shown.run, episode.envelopes, sessionOf(desk.names.of(shown.run.id), shown.run.id));
		else
			transcript.show(shown.run.id);
	}

	function drawConversation(): void {
		write(note, noteWords(episode, only));
		note.hidden = note.textContent === "";
		older.hidden = !episode.hasOlder || episode.isFull;
		all.hidden = only === null;
		talk.draw();
		toEnd.hidden = stick.isAtEnd;
	}

	function redraw(): void {
		if (shown !== null)
			draw(shown);
	}

	function draw(now: Shown): void {
		if (now.run.id !== shown?.run.id)
			sent.choose(now.run.id);
		shown = now;
		root.hidden = false;
		top.draw(now.run, now.prompts);
		bar.draw(now.run, now.can);
		who.draw(now.run.invocations, only, sessionOf(desk.names.of(now.run.id), now.run.id));
		drawEpisode(now);
	}

	return {
		root, draw, drawEpisode,
		begin() {
			shown = null;
			only = null;
			sent.choose(null);
			root.hidden = true;
			transcript.stop();
			below.choose("talk");
			stick.toEnd();
		},
		tick: (now) => top.tick(now),
		key: (key) => shown !== null && bar.key(key),
		look: sent.look,
		delivered: sent.touch,
	};
}

function noteWords(episode: Episode, only: string | null): string {
	if (episode.state === "loading")
		return "Reading its output…";
	if (episode.state === "failed")
		return `Its output could not be read: ${visible(episode.why)}`;
	if (only !== null)
		return `Only the output of ${visible(beginning(only, 200))}.`;
	if (episode.hasOlder && episode.isFull)
		return "Older events are in the transcript.";
	return "";
}

/* What the log calls the signals of a run. A quote cannot be written there; a star is anything. */
function filterOf({ id, source }: Run): string {
	return `${id === source ? "source" : "correlation"}:"${id.replaceAll('"', "*")}"`;
}
