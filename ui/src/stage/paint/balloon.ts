/* What a text stands in: a box with a point for what is said, a soft one with a trail of bubbles
 * for what is thought. */

import { Container, Sprite } from "pixi.js";
import type { Actor } from "../frame";
import { css, mix, rgb, type Rgb } from "./colour";
import type { Studio } from "./node";
import { ellipse, type Ink } from "./sheet";
import { type Print, print } from "./words";

const SHADOW = 10;
const FAILED = 0xe0554a;

export type Mood = "say" | "think" | "fail";

export interface Paper { ground: Rgb; edge: Rgb; ink: Rgb; alpha: number }

export interface Balloon {
	readonly root: Container;
	/* Around so much, in pixels of the screen; `pixels` is the size of its letters. */
	enclose(width: number, height: number, look: { pixels: number; density: number; mood: Mood; paper: Paper }): void;
	/* To the head that it belongs to, as seen from the left upper corner. */
	point(headX: number, headY: number): void;
	destroy(): void;
}

/* Thoughts are paler than words. */
export function paperOf(actor: Actor, studio: Studio, mood: Mood): Paper {
	const [ground, edge, ink] = studio.theme.bubble;
	const { bgColor, borderColor, textColor, opacity } = actor.bubble;
	const paper = {
		ground: rgb(bgColor, ground), ink: rgb(textColor, ink), alpha: opacity ?? 1,
		edge: rgb(borderColor, mood === "fail" ? FAILED : edge),
	};

	if (mood !== "think")
		return paper;
	return { ...paper, ground: mix(paper.ground, 0x8f86d8, 0.2), edge: mix(paper.edge, 0x5f54b0, 0.6) };
}

export function makeBalloon(): Balloon {
	const root = new Container(), back = new Sprite(), tail = new Sprite();
	let box: Print | null = null, tip: Print | null = null;
	let size = { width: 0, height: 0, inset: 0 };

	root.addChild(tail, back);
	back.position.set(-SHADOW, -SHADOW);
	tail.anchor.set(0.5, 0.16);
	return {
		root,
		enclose(width, height, { pixels, density, mood, paper }) {
			box?.destroy();
			tip?.destroy();
			box = printBox(width, height, density, paper, mood, pixels);
			tip = printTail(density, paper, mood, pixels);
			back.texture = box.texture;
			tail.texture = tip.texture;
			size = { width, height, inset: pixels * 1.4 };
		},
		point(headX, headY) {
			tail.position.set(Math.min(Math.max(headX, size.inset), size.width - size.inset), size.height - 1);
			tail.rotation = Math.min(Math.max((tail.x - headX) / 60, -0.9), 0.9);
			tail.visible = headY > size.height;
		},
		destroy() {
			box?.destroy();
			tip?.destroy();
			root.destroy({ children: true });
		},
	};
}

function printBox(width: number, height: number, density: number, paper: Paper, mood: Mood, pixels: number): Print {
	const corner = mood === "think" ? pixels * 1.7 : pixels;

	return print(width + SHADOW * 2, height + SHADOW * 2, density, (ink) => {
		ink.shadowColor = "rgb(10 8 30 / .38)";
		ink.shadowBlur = SHADOW * 0.9 * density;
		ink.shadowOffsetY = 2 * density;
		ink.fillStyle = css(paper.ground);
		ink.beginPath();
		ink.roundRect(SHADOW, SHADOW, width, height, Math.min(corner, height / 2));
		ink.fill();
		ink.shadowColor = "transparent";
		ink.strokeStyle = css(paper.edge);
		ink.lineWidth = 1.5;
		if (mood === "think")
			ink.setLineDash([1, 5]), ink.lineWidth = 2;
		ink.stroke();
	});
}

function printTail(density: number, paper: Paper, mood: Mood, pixels: number): Print {
	const side = pixels * 1.7;

	return print(side, side, density, (ink) => {
		ink.scale(side / 24, side / 24);
		ink.fillStyle = css(paper.ground);
		ink.strokeStyle = css(paper.edge);
		ink.lineWidth = 1.6;
		if (mood === "think")
			drawBubbles(ink);
		else
			drawPoint(ink);
	});
}

function drawBubbles(ink: Ink): void {
	for (const [y, r] of [[9, 4.2], [17.5, 2.8]] as const) {
		ellipse(ink, 12, y, r);
		ink.stroke();
	}
}

function drawPoint(ink: Ink): void {
	ink.beginPath();
	ink.moveTo(5, 3);
	ink.quadraticCurveTo(10, 10, 12, 19);
	ink.quadraticCurveTo(14, 10, 19, 3);
	ink.fill();
	ink.stroke();
}
