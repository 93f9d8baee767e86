/* The words in a bubble. All of a text is drawn once, when it comes; typing it only uncovers more
 * of that picture. What is said beyond the last line pushes the first lines out. */

import { Container, Rectangle, Sprite, Texture } from "pixi.js";
import { css, type Rgb } from "./colour";
import { fontOf, type Print, print, widthOf } from "./words";
import { type Line, wrap } from "./wrap";
import { beginning } from "../../text/whole";

const LINES_MAX = 40;
const RIGHT_TO_LEFT = /[֐-ࣿיִ-﻿]/u;

/* `most` lines are seen at a time. */
export interface Hand { pixels: number; width: number; most: number; isSlanted: boolean; ink: Rgb; density: number }

export interface Lines {
	readonly root: Container;
	readonly isEmpty: boolean;
	readonly width: number;          /* in pixels of the screen */
	readonly height: number;         /* of what is uncovered */
	typeset(text: string, hand: Hand): void;
	/* Uncovers the first so many letters; false: it is as it was. */
	uncover(count: number): boolean;
	destroy(): void;
}

interface Row { line: Line; sprite: Sprite; texture: Texture }

const stepOf = (hand: Hand): number => Math.round(hand.pixels * 1.36);
const fontOfHand = (hand: Hand): string => fontOf(hand.pixels, 500, hand.isSlanted ? "italic" : "normal");

/* All lines below each other in one picture. */
function draw(lines: readonly Line[], width: number, hand: Hand): Print {
	return print(width + 2, lines.length * stepOf(hand) + 2, hand.density, (ink) => {
		ink.font = fontOfHand(hand);
		ink.textBaseline = "alphabetic";
		ink.fillStyle = css(hand.ink);
		for (const [i, line] of lines.entries())
			ink.fillText(line.text, 0, i * stepOf(hand) + hand.pixels * 1.05);
	});
}

function rowsOf(lines: readonly Line[], text: Print, hand: Hand): Row[] {
	return lines.map((line, i) => {
		const frame = new Rectangle(0, i * stepOf(hand), 1, stepOf(hand));
		const texture = new Texture({ source: text.texture.source, frame, dynamic: true });

		return { line, texture, sprite: new Sprite({ texture, visible: false }) };
	});
}

function uncoverRow({ line, texture }: Row, count: number, whole: number, hand: Hand): void {
	const letters = Math.min(count - line.start, line.text.length);
	const isWhole = letters === line.text.length || RIGHT_TO_LEFT.test(line.text);
	const wide = isWhole ? whole : widthOf(beginning(line.text, Math.max(letters, 0)), fontOfHand(hand));

	texture.frame.width = Math.max(wide, 0.01);
	texture.orig.width = texture.frame.width;
	texture.updateUvs();
	texture.update();
}

export function makeLines(): Lines {
	const root = new Container();
	let rows: Row[] = [], hand: Hand | null = null, text: Print | null = null;
	let shown = -1, width = 0, height = 0;

	function clear(): void {
		for (const { sprite, texture } of rows) {
			sprite.destroy();
			texture.destroy();
		}
		text?.destroy();
	}

	return {
		root,
		get isEmpty() { return rows.length === 0; },
		get width() { return width; },
		get height() { return height; },
		typeset(words, to) {
			const font = fontOfHand(to);
			const lines = wrap(words, (part) => widthOf(part, font), to.width).slice(-LINES_MAX);

			clear();
			hand = to;
			width = Math.ceil(Math.max(8, ...lines.map((line) => widthOf(line.text, font))));
			text = draw(lines, width, to);
			rows = rowsOf(lines, text, to);
			root.addChild(...rows.map(({ sprite }) => sprite));
			shown = -1;
		},
		uncover(count) {
			if (count === shown)
				return false;
			const last = Math.max(rows.findLastIndex(({ line }) => line.start < count), 0);
			const first = Math.max(0, last + 1 - hand!.most);

			shown = count;
			for (const [i, row] of rows.entries()) {
				row.sprite.visible = i >= first && i <= last;
				row.sprite.y = (i - first) * stepOf(hand!);
				if (row.sprite.visible)
					uncoverRow(row, count, text!.width, hand!);
			}
			height = (last - first + 1) * stepOf(hand!);
			return true;
		},
		destroy() {
			clear();
			root.destroy();
		},
	};
}
