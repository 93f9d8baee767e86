/* Draws a talk into an element and keeps it drawn: only blocks that changed are touched, and
 * only the newest are in the document; a button brings back the ones before. */

import { h, write } from "../text/dom";
import type { Block } from "./block";
import { drawBlock, type Drawn, type DrawOptions } from "./draw";
import type { Talk } from "./fold";
import { counted } from "./plain";

export { createTalk, type Talk } from "./fold";
export { tokensPerSecond, type Block, type Stats } from "./block";

const BLOCKS = 200;          /* in the document, at first and at the end of the scroll */
const CHARS = 200_000;       /* in them */
const NEAR_END = 48;         /* pixels: who is so near the end reads the end */

/* ---- staying at the end ---- */

export interface Stick {
	readonly isAtEnd: boolean;
	/* After something was drawn: goes to the end if that is where the reader was. */
	keep(): void;
	toEnd(): void;
}

export function stickToEnd(scroller: HTMLElement): Stick {
	let isAtEnd = true;
	let top = 0;          /* where we put it last */
	const isNear = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END;
	const toEnd = () => {
		scroller.scrollTop = scroller.scrollHeight;
		top = scroller.scrollTop;
		isAtEnd = true;
	};

	scroller.addEventListener("scroll", () => { isAtEnd = isNear(); }, { passive: true });
	return {
		get isAtEnd() { return isAtEnd; },
		/* Whoever has scrolled up since was not told of by an event yet, and is not pulled back. */
		keep() {
			isAtEnd &&= scroller.scrollTop >= top - 1 || isNear();
			if (isAtEnd)
				toEnd();
		},
		toEnd,
	};
}

/* ---- drawing ---- */

export interface TalkOptions extends DrawOptions {
	stick?: Stick;
	label?: string;
}

export interface TalkDrawing {
	readonly element: HTMLElement;
	/* Draws what has changed since the last time. Cheap when nothing has. */
	draw(): void;
	/* Only what depends on the time, which is the server's: how long a tool runs by now. */
	tick(now: number): void;
}

interface Shown { drawn: Drawn; version: number }

export function drawTalk(host: HTMLElement, talk: Talk, options: TalkOptions = {}): TalkDrawing {
	const shown = new Map<Block, Shown>();
	const list = h("div", { class: "talk-list" });
	const earlier = h("button", { type: "button", class: "talk-earlier", onclick: showEarlier });
	const element = h("div", { class: "talk", role: "log", "aria-live": "off",
		"aria-label": options.label ?? "Conversation" }, earlier, list);
	let pages = 1;
	let drawnVersion = -1;
	let drawnOf: readonly Block[] = talk.blocks;
	let first: Block | undefined;

	earlier.hidden = true;
	host.append(element);

	function showEarlier(): void {
		pages++;
		drawnVersion = -1;
		draw();
	}

	function draw(): void {
		if (talk.version === drawnVersion && talk.blocks === drawnOf)
			return;
		if (talk.blocks !== drawnOf) {
			pages = 1;
			first = undefined;
		}
		drawnVersion = talk.version;
		drawnOf = talk.blocks;
		/* While somebody reads further up, nothing is taken away from under them. */
		const isRead = options.stick !== undefined && !options.stick.isAtEnd;
		const window = newest(talk.blocks, pages, isRead ? first : undefined);
		first = window[0];
		remove(new Set(window));
		window.forEach((block, i) => place(block, i));
		const before = talk.blocks.length - window.length;
		earlier.hidden = before === 0 && talk.forgotten === 0;
		earlier.disabled = before === 0;
		write(earlier, before > 0 ? `Show earlier (${counted(before, "part")})`
			: `${counted(talk.forgotten, "earlier part")} can be read in the log`);
		options.stick?.keep();
	}

	function remove(kept: Set<Block>): void {
		for (const [block, { drawn }] of shown)
			if (!kept.has(block)) {
				drawn.element.remove();
				shown.delete(block);
			}
	}

	function place(block: Block, i: number): void {
		let one = shown.get(block);

		if (one === undefined) {
			one = { drawn: drawBlock(block, options), version: 0 };
			shown.set(block, one);
			list.insertBefore(one.drawn.element, list.children[i] ?? null);
		}
		if (one.version !== block.version) {
			one.version = block.version;
			one.drawn.update();
		}
	}

	return { element, draw, tick(now) {
		for (const { drawn } of shown.values())
			drawn.tick?.(now);
	} };
}

/* The newest blocks, as many as the document is to hold; those from `from` on in any case,
 * up to three times as many. */
function newest(blocks: readonly Block[], pages: number, from: Block | undefined): Block[] {
	const most = BLOCKS * pages * (from === undefined ? 1 : 3);
	let start = blocks.length;
	let chars = 0;

	while (start > 0 && blocks.length - start < most) {
		const block = blocks[start - 1]!;
		const isBeyond = blocks.length - start >= BLOCKS * pages
			|| chars + textOf(block) > CHARS * pages;
		if (isBeyond && start < blocks.length && (from === undefined || block.id < from.id))
			break;
		chars += textOf(block);
		start--;
	}
	return blocks.slice(start);
}

/* What a block has in the document: a tool is closed at first. */
function textOf(block: Block): number {
	return block.kind === "tool" ? 200 : "text" in block ? block.text.length : 100;
}
