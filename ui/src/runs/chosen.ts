/* The run that was chosen, kept fresh while somebody looks: how it stands is asked for again
 * when signals of it came, what it says comes over the link. */

import type { Desk, Envelope, Prompt } from "../desk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import { beginning } from "../text/whole";
import { episode } from "./episode";
import { keeper } from "./keeper";
import { runOf, type Run } from "./model";
import { pane, type Shown } from "./pane";
import { REST_MS } from "./side";

const DRAW_MS = 60;           /* between two drawings of what streams */
const CHOOSE = "Choose a run to see its agents and their output.";

export interface Chosen {
	readonly root: HTMLElement;
	readonly id: string | null;
	look(isSeen: boolean): void;
	hear(envelope: Envelope): void;
	/* What the server lost is not there any more. */
	again(): void;
	touch(): void;
	/* The server is there again: what could not be read is read. */
	back(): void;
	choose(id: string | null): void;
	tick(now: number): void;
	key(key: string): boolean;
}

export function chosen(desk: Desk, now: () => number, folded: () => number): Chosen {
	const note = h("p", { class: "runs-empty runs-choose" }, CHOOSE);
	let id: string | null = null;
	let shown: Shown | null = null;
	let heard = 0;              /* the newest signal of it */
	let isSeen = false;
	let isDrawing = false;

	const said = episode(desk.link, drawSoon);
	const one = pane(desk, said, {
		back: () => desk.go("runs"), changed: () => keep.touch(), answer: (question) => desk.toQuestion(question),
	});
	const keep = keeper({ restMs: REST_MS, async ask(isWanted) {
		const wanted = id;

		if (wanted === null)
			return false;
		try {
			const answer = await desk.link.request<Answer>("GET", `/api/runs/${encodeURIComponent(wanted)}`);
			if (isWanted())
				take(answer);
			return answer.run.lastSeq < heard;
		} catch (error) {
			if (isWanted() && shown === null)
				tell(`${beginning(wanted, 200)} cannot be shown: ${(error as Error).message}.`);
			return heard > 0 && shown === null;
		}
	} });

	/* The crew says where its session stands. */
	desk.link.on("crew", () => {
		if (shown !== null && isSeen && desk.names.of(shown.run.id) !== undefined)
			one.draw(shown);
	});

	function take({ run, can, prompts }: Answer): void {
		const isNew = shown === null;

		shown = { run, can: new Set(can), prompts };
		tell("");
		if (isNew)
			said.choose(run, folded());
		one.draw(shown);
		one.tick(now());
	}

	function tell(words: string): void {
		write(note, visible(words));
		note.hidden = words === "";
	}

	/* What streams is drawn together with what came meanwhile. */
	function drawSoon(): void {
		if (isDrawing || !isSeen)
			return;
		isDrawing = true;
		setTimeout(() => requestAnimationFrame(() => {
			isDrawing = false;
			if (isSeen)
				one.drawEpisode(shown);
		}), DRAW_MS);
	}

	return {
		root: h("div", { class: "runs-main" }, note, one.root),
		get id() { return id; },
		look(seen) {
			isSeen = seen;
			keep.look(seen);
			one.look(seen);
			drawSoon();
		},
		hear(envelope) {
			if (envelope.type.startsWith("delivery."))
				one.delivered();
			if (id === null || runOf(envelope) !== id)
				return;
			heard = envelope.seq;
			said.hear(envelope);
			keep.touch();
		},
		again() {
			heard = 0;
			one.delivered();
			said.again();
			keep.touch();
		},
		touch: keep.touch,
		back() {
			if (shown !== null && said.state !== "there")
				said.choose(shown.run, folded());
			one.delivered();
			keep.touch();
		},
		choose(wanted) {
			if (wanted === id)
				return;
			id = wanted;
			shown = null;
			heard = 0;
			tell(wanted === null ? CHOOSE : "");
			said.choose(null, 0);
			one.begin();
			keep.drop();
		},
		tick: one.tick,
		key: one.key,
	};
}

interface Answer { run: Run; can: string[]; prompts: Prompt[] }
