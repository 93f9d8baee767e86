/* One speech bubble. All of its text is drawn once, when it comes; typing it only uncovers more
 * of that picture, so that many may speak at the same time. What is said beyond the last line
 * pushes the first lines out. */

import { Container, Rectangle, Sprite, Texture } from "pixi.js";
import type { Actor } from "../frame";
import { css, rgb, type Rgb } from "./colour";
import type { Studio } from "./node";
import { ellipse } from "./sheet";
import { fontOf, type Print, print, widthOf } from "./words";
import { type Line, spoken, wrap } from "./wrap";

const LINES = 5;
const SHADOW = 10;
const RIGHT_TO_LEFT = /[֐-ࣿיִ-﻿]/u;

export type Mood = "say" | "think" | "fail";

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

interface Paper { ground: Rgb; edge: Rgb; ink: Rgb; alpha: number }

export function makeBubble(): SpeechBubble {
	const root = new Container(), back = new Sprite(), tail = new Sprite(), words = new Container();
	const rows: { sprite: Sprite; texture: Texture }[] = [];
	let lines: Line[] = [], full = "", styled = "", shown = -1, size: BubbleSize = { pixels: 13, width: 200, lines: LINES };
	let text: Print | null = null, ground: Print | null = null, tip: Print | null = null, boxed = "", paper: Paper | null = null;
	let density = 1, width = 0, height = 0, mood: Mood = "say";

	root.addChild(tail, back, words);

	const font = () => fontOf(size.pixels, 500);
	const step = () => Math.round(size.pixels * 1.36);
	const pad = () => Math.round(size.pixels * 0.75);

	/* All lines below each other in one picture. */
	function typeset(): void {
		lines = wrap(full, (part) => widthOf(part, font()), size.width).slice(-40);
		const wide = Math.max(8, ...lines.map((line) => widthOf(line.text, font())));

		text?.destroy();
		text = print(Math.ceil(wide) + 2, lines.length * step() + 2, density, (ink) => {
			ink.font = font();
			ink.textBaseline = "alphabetic";
			ink.fillStyle = css(paper!.ink, mood === "think" ? 0.82 : 1);
			for (const [i, line] of lines.entries())
				ink.fillText(line.text, 0, i * step() + size.pixels * 1.05);
		});
		for (const row of rows.splice(0)) {
			row.sprite.destroy();
			row.texture.destroy();
		}
		for (let i = 0; i < lines.length; i++) {
			const texture = new Texture({ source: text.texture.source, frame: new Rectangle(0, i * step(), 1, step()), dynamic: true });
			const sprite = new Sprite({ texture });

			sprite.visible = false;
			rows.push({ sprite, texture });
			words.addChild(sprite);
		}
		width = Math.ceil(wide) + pad() * 2;
		shown = -1;
	}

	/* Uncovers the first `count` letters. */
	function uncover(count: number): void {
		if (count === shown)
			return;
		shown = count;
		let last = 0;

		while (last + 1 < lines.length && lines[last + 1]!.start < count)
			last++;
		const first = Math.max(0, last + 1 - size.lines);

		for (const [i, row] of rows.entries()) {
			const line = lines[i]!;

			row.sprite.visible = i >= first && i <= last;
			if (!row.sprite.visible)
				continue;
			const letters = Math.min(count - line.start, line.text.length);
			const whole = letters === line.text.length || RIGHT_TO_LEFT.test(line.text);
			const wide = whole ? text!.width : widthOf(line.text.slice(0, Math.max(letters, 0)), font());

			row.texture.frame.width = Math.max(wide, 0.01);
			row.texture.orig.width = row.texture.frame.width;
			row.texture.updateUvs();
			row.texture.update();
			row.sprite.position.set(pad(), pad() * 0.72 + (i - first) * step());
		}
		height = (last - first + 1) * step() + Math.round(pad() * 1.5);
		enclose();
	}

	function enclose(): void {
		const wanted = `${width} ${height} ${styled}`;

		if (boxed === wanted)
			return;
		boxed = wanted;
		ground?.destroy();
		tip?.destroy();
		ground = printBox(width, height, density, paper!, size.pixels);
		tip = printTail(density, paper!, mood, size.pixels);
		back.texture = ground.texture;
		back.position.set(-SHADOW, -SHADOW);
		tail.texture = tip.texture;
		tail.anchor.set(0.5, 0.16);
	}

	return {
		root, x: 0, y: 0, isNew: true,
		get width() { return width; },
		get height() { return height; },
		write(actor, now, to, studio) {
			const speech = actor.speech!;
			const style = `${now} ${to.pixels} ${to.width} ${to.lines} ${studio.density} ${studio.theme.isDark}`;
			const all = spoken(speech.full), typed = spoken(speech.text);
			const isStale = style !== styled || !all.startsWith(full) || typed.length > full.length || lines.length === 0;

			if (isStale) {
				styled = style;
				mood = now;
				size = to;
				density = studio.density;
				paper = paperOf(actor, studio, now);
				full = all;
				typeset();
			}
			uncover(Math.min(typed.length, full.length));
			root.alpha = speech.opacity * paper!.alpha;
		},
		put(middleX, top, headX, headY) {
			root.position.set(Math.round(middleX - width / 2), Math.round(top));
			const inset = size.pixels * 1.4;

			tail.position.set(Math.min(Math.max(headX - root.x, inset), width - inset), height - 1);
			tail.rotation = Math.min(Math.max((tail.x + root.x - headX) / 60, -0.9), 0.9);
			tail.visible = headY > root.y + height;
		},
		destroy() {
			for (const row of rows)
				row.texture.destroy();
			for (const made of [text, ground, tip])
				made?.destroy();
			root.destroy({ children: true });
		},
	};
}

function paperOf(actor: Actor, studio: Studio, mood: Mood): Paper {
	const [ground, edge, ink] = studio.theme.bubble;
	const { bgColor, borderColor, textColor, opacity } = actor.bubble;

	return {
		ground: rgb(bgColor, ground), ink: rgb(textColor, ink), alpha: opacity ?? 1,
		edge: rgb(borderColor, mood === "fail" ? 0xe0554a : edge),
	};
}

function printBox(width: number, height: number, density: number, paper: Paper, pixels: number): Print {
	return print(width + SHADOW * 2, height + SHADOW * 2, density, (ink) => {
		ink.shadowColor = "rgb(10 8 30 / .38)";
		ink.shadowBlur = SHADOW * 0.9 * density;
		ink.shadowOffsetY = 2 * density;
		ink.fillStyle = css(paper.ground);
		ink.beginPath();
		ink.roundRect(SHADOW, SHADOW, width, height, Math.min(pixels, height / 2));
		ink.fill();
		ink.shadowColor = "transparent";
		ink.strokeStyle = css(paper.edge);
		ink.lineWidth = 1.5;
		ink.stroke();
	});
}

/* A point for what is said, bubbles for what is thought. */
function printTail(density: number, paper: Paper, mood: Mood, pixels: number): Print {
	const side = pixels * 1.7;

	return print(side, side, density, (ink) => {
		ink.scale(side / 24, side / 24);
		ink.fillStyle = css(paper.ground);
		ink.strokeStyle = css(paper.edge);
		ink.lineWidth = 1.6;
		if (mood === "think") {
			for (const [y, r] of [[9, 4.2], [17.5, 2.8]] as const) {
				ellipse(ink, 12, y, r);
				ink.stroke();
			}
			return;
		}
		ink.beginPath();
		ink.moveTo(5, 3);
		ink.quadraticCurveTo(10, 10, 12, 19);
		ink.quadraticCurveTo(14, 10, 19, 3);
		ink.fill();
		ink.stroke();
	});
}
