/* One speech bubble: the words of somebody, in a balloon of their mood. Many may speak at the same
 * time, so nothing is drawn again that is as it was. */

import { Container } from "pixi.js";
import type { Actor } from "../frame";
import { makeBalloon, type Mood, type Paper, paperOf } from "./balloon";
import { makeLines } from "./lines";
import type { Studio } from "./node";
import { spoken } from "./wrap";

export interface BubbleSize { pixels: number; width: number; lines: number }

export interface SpeechBubble {
	readonly root: Container;
	/* In pixels of the screen, without the tail. */
	readonly width: number;
	readonly height: number;
	x: number;
	y: number;
	isNew: boolean;
	write(actor: Actor, mood: Mood, size: BubbleSize, studio: Studio): void;
	/* Its middle, and the head that it belongs to. */
	put(middleX: number, top: number, headX: number, headY: number): void;
	destroy(): void;
}

const padOf = (pixels: number): number => Math.round(pixels * 0.75);

export function makeBubble(): SpeechBubble {
	const root = new Container(), balloon = makeBalloon(), lines = makeLines();
	let full = "", styled = "", boxed = "", width = 0, height = 0;
	let look: { pixels: number; density: number; mood: Mood; paper: Paper } | null = null;

	root.addChild(balloon.root, lines.root);

	function typeset(actor: Actor, mood: Mood, { pixels, width: wide, lines: most }: BubbleSize, studio: Studio): void {
		const { density } = studio;
		const paper = paperOf(actor, studio, mood);

		look = { pixels, density, mood, paper };
		lines.typeset(full, { pixels, width: wide, most, isSlanted: mood === "think", ink: paper.ink, density });
		lines.root.position.set(padOf(pixels), padOf(pixels) * 0.72);
	}

	function enclose(): void {
		const pad = padOf(look!.pixels);

		width = lines.width + pad * 2;
		height = lines.height + Math.round(pad * 1.5);
		const wanted = `${width} ${height} ${styled}`;
		if (boxed !== wanted)
			balloon.enclose(width, height, look!);
		boxed = wanted;
	}

	return {
		root, x: 0, y: 0, isNew: true,
		get width() { return width; },
		get height() { return height; },
		write(actor, mood, size, studio) {
			const speech = actor.speech!;
			const style = `${mood} ${size.pixels} ${size.width} ${size.lines} ${studio.density} ${studio.theme.isDark}`;
			const more = speech.cut ? "…" : "";
			const all = spoken(speech.full) + more, typed = spoken(speech.text) + (speech.text === speech.full ? more : "");

			if (style !== styled || !all.startsWith(full) || typed.length > full.length || lines.isEmpty) {
				styled = style;
				full = all;
				typeset(actor, mood, size, studio);
			}
			if (lines.uncover(Math.min(typed.length, full.length)))
				enclose();
			root.alpha = speech.opacity * look!.paper.alpha;
		},
		put(middleX, top, headX, headY) {
			root.position.set(Math.round(middleX - width / 2), Math.round(top));
			balloon.point(headX - root.x, headY - root.y);
		},
		destroy() {
			lines.destroy();
			balloon.destroy();
			root.destroy();
		},
	};
}
