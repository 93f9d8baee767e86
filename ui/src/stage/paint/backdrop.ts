/* What is behind everything: sky, stars, a moon or a sun, hills, trees, the ground, and the yard
 * with its paths. The horizon belongs to the stage and moves with it; sky and ground reach to
 * the edges of any window, so that a wide one shows more of the land and never a bar. */

import { Container, Sprite } from "pixi.js";
import type { Camera, StageFrame } from "../frame";
import { css, mix, type Rgb } from "./colour";
import { box, type Cels, ellipse, fall, glow, type Ink, makeSheet, type Sheet, stepOf } from "./sheet";
import type { Theme } from "./theme";
import { paintYard, YARD_MARGIN } from "./yard";
import { type Print, print } from "./words";

/* Where the sky ends, as a share of the stage's height. */
export const HORIZON = 0.285;
const STRIP = 1200;

export interface Backdrop {
	readonly root: Container;
	update(frame: StageFrame, camera: Camera, screen: { width: number; height: number }): void;
	restyle(theme: Theme, frame: StageFrame, pixels: number): void;
	destroy(): void;
}

/* A number that looks random, and is the same every time. */
export function chance(i: number): number {
	const x = Math.sin(i * 127.1 + 11.7) * 43758.5453;

	return x - Math.floor(x);
}

export function makeBackdrop(): Backdrop {
	const root = new Container();
	const sky = new Sprite(), ground = new Sprite(), disc = new Sprite(), yard = new Sprite();
	const stars = new Container(), hills = new Container(), near = new Container(), trees = new Container();
	let sheet: Sheet | null = null, prints: Print[] = [], theme: Theme | null = null, width = 960, height = 640;

	root.addChild(sky, stars, disc, hills, near, ground, yard, trees);

	function restyle(to: Theme, frame: StageFrame, pixels: number): void {
		clear();
		({ width, height } = frame);
		theme = to;
		sheet = makeSheet(celsOf(to), Math.min(stepOf(pixels), 2.9));
		const skyPrint = print(4, 256, 1, (ink) => {
			ink.fillStyle = fall(ink, 0, 256, ...to.sky.map((c) => css(c)));
			ink.fillRect(0, 0, 4, 256);
		});
		const groundPrint = print(4, 256, 1, (ink) => {
			ink.fillStyle = fall(ink, 0, 256, css(to.ground[0]), css(mix(to.ground[0], to.ground[1], 0.75)), css(to.ground[1]));
			ink.fillRect(0, 0, 4, 256);
		});
		const yardPrint = print(width + YARD_MARGIN * 2, height * (1 - HORIZON) + YARD_MARGIN, Math.min(pixels, 1.6),
			(ink) => paintYard(ink, frame, to));
		prints = [skyPrint, groundPrint, yardPrint];
		sky.texture = skyPrint.texture;
		ground.texture = groundPrint.texture;
		yard.texture = yardPrint.texture;
		disc.texture = sheet.cel("disc");
		disc.anchor.set(0.5);
		people(to);
	}

	/* Hills, trees and stars, each put where it always is. */
	function people(to: Theme): void {
		const place = (into: Container, cel: string, x: number, y: number, size: number) => {
			const made = new Sprite({ texture: sheet!.cel(cel) });
			if (made.texture.defaultAnchor)
				made.anchor.copyFrom(made.texture.defaultAnchor);
			made.position.set(x, y);
			made.scale.set(size);
			into.addChild(made);
			return made;
		};

		for (let i = -3; i <= 3; i++) {
			place(hills, "far", width / 2 + i * STRIP, 0, 1.0005);
			place(near, "near", width / 2 + (i + 0.37) * STRIP, 0, 1.0005);
		}
		for (let i = 0; i < 44; i++) {
			const side = i % 2 ? 1 : -1, away = Math.floor(i / 2);
			const x = width / 2 + side * (width * 0.44 + away * 96 + chance(i) * 60);

			place(trees, i % 3 === 0 ? "fir" : "tree", x, 4 + chance(i + 50) * 30, 0.75 + chance(i + 9) * 0.5);
		}
		for (let i = 0; to.isDark && i < 260; i++)
			place(stars, "star", (chance(i) - 0.5) * 3600, -60 - chance(i + 300) ** 1.7 * 900, 0.3 + chance(i + 7) ** 3 * 0.8);
	}

	function clear(): void {
		for (const into of [stars, hills, near, trees])
			into.removeChildren().forEach((child) => child.destroy());
		for (const old of prints)
			old.destroy();
		sheet?.destroy();
	}

	return {
		root, restyle,
		update(frame, camera, screen) {
			const { zoom } = camera;
			const horizon = camera.y + frame.height * HORIZON * zoom;
			/* The sky is never so low that there is nothing of it, nor does it end. */
			const top = Math.min(0, horizon - 260 * zoom);

			sky.position.set(0, top);
			sky.setSize(screen.width, Math.max(horizon - top, 1) + 1);
			ground.position.set(0, horizon);
			ground.setSize(screen.width, Math.max(screen.height - horizon + 8, frame.height * (1 - HORIZON) * zoom));
			for (const layer of [hills, near, trees]) {
				layer.position.set(camera.x, horizon);
				layer.scale.set(zoom);
			}
			yard.position.set(camera.x - YARD_MARGIN * zoom, horizon);
			yard.scale.set(zoom);
			stars.position.set(camera.x + width / 2 * zoom, horizon);
			stars.scale.set(zoom);
			disc.position.set(camera.x + width * 0.79 * zoom, horizon - 136 * zoom);
			disc.scale.set(zoom * (theme?.isDark ? 0.62 : 0.8));
		},
		destroy() {
			clear();
			root.destroy({ children: true });
		},
	};
}

/* ---- the pieces ---- */

function celsOf(theme: Theme): Cels {
	return {
		far: { box: [-STRIP / 2, -150, STRIP, 170], draw: (ink) => range(ink, theme.hills[0], theme, 78, 3, 0.4) },
		near: { box: [-STRIP / 2, -110, STRIP, 130], draw: (ink) => range(ink, theme.hills[1], theme, 38, 5, 1.9) },
		tree: { box: [-34, -86, 68, 92], draw: (ink) => tree(ink, theme) },
		fir: { box: [-30, -104, 60, 110], draw: (ink) => fir(ink, theme) },
		star: { box: [-6, -6, 12, 12], draw: star },
		disc: { box: [-120, -120, 240, 240], draw: (ink) => disc(ink, theme) },
	};
}

/* Whole waves only, so that one strip meets the next. */
function range(ink: Ink, colour: Rgb, theme: Theme, tall: number, waves: number, shift: number): void {
	const high = (x: number) => {
		const turn = x / STRIP * Math.PI * 2;

		return tall * (1 + 0.42 * Math.sin(turn * waves + shift) + 0.28 * Math.sin(turn * (waves + 2) + shift * 2.3)
			+ 0.08 * Math.sin(turn * (waves * 4 + 1) + shift));
	};

	ink.beginPath();
	ink.moveTo(-STRIP / 2 - 1, 20);
	for (let x = -STRIP / 2 - 1; x <= STRIP / 2 + 1; x += 4)
		ink.lineTo(x, -high(x));
	ink.lineTo(STRIP / 2 + 1, 20);
	ink.fillStyle = fall(ink, -tall * 1.6, 10, css(colour), css(mix(colour, theme.sky[2], theme.isDark ? 0.28 : 0.45)));
	ink.fill();
}

function tree(ink: Ink, theme: Theme): void {
	ink.fillStyle = css(mix(theme.trees[1], 0x4a3328, 0.5));
	box(ink, -4, -26, 8, 28, 2);
	ink.fillStyle = css(theme.trees[1]);
	for (const [x, y, r] of [[-14, -40, 19], [14, -42, 18], [0, -58, 22]] as const)
		ellipse(ink, x, y, r);
	ink.fillStyle = css(theme.trees[0]);
	for (const [x, y, r] of [[-15, -45, 14], [11, -47, 14], [-2, -63, 17]] as const)
		ellipse(ink, x, y, r);
}

function fir(ink: Ink, theme: Theme): void {
	ink.fillStyle = css(mix(theme.trees[1], 0x4a3328, 0.5));
	box(ink, -3.5, -16, 7, 18, 2);
	for (const [y, w, h] of [[-12, 28, 34], [-36, 23, 32], [-60, 17, 32]] as const) {
		ink.fillStyle = css(mix(theme.trees[0], theme.trees[1], 0.4));
		ink.beginPath();
		ink.moveTo(-w, y);
		ink.quadraticCurveTo(-4, y - h * 0.5, 0, y - h - 10);
		ink.quadraticCurveTo(4, y - h * 0.5, w, y);
		ink.quadraticCurveTo(0, y + 5, -w, y);
		ink.fill();
		ink.fillStyle = css(theme.trees[1], 0.75);
		ink.beginPath();
		ink.moveTo(2, y - h - 8);
		ink.quadraticCurveTo(5, y - h * 0.5, w, y);
		ink.quadraticCurveTo(w * 0.6, y + 3, 4, y + 2);
		ink.fill();
	}
}

function star(ink: Ink): void {
	ink.fillStyle = glow(ink, 0, 0, 6, "rgb(255 255 255 / 1)", "rgb(220 225 255 / .35)", "rgb(220 225 255 / 0)");
	ellipse(ink, 0, 0, 6);
	ink.fillStyle = "#ffffff";
	ellipse(ink, 0, 0, 1.5);
}

/* The moon by night, the sun by day. */
function disc(ink: Ink, theme: Theme): void {
	const light = theme.isDark ? "255 240 214" : "255 244 205";

	ink.fillStyle = glow(ink, 0, 0, 120, `rgb(${light} / .5)`, `rgb(${light} / .16)`, `rgb(${light} / .05)`, `rgb(${light} / 0)`);
	ellipse(ink, 0, 0, 120);
	ink.fillStyle = theme.isDark ? "#fff3da" : "#fffbe8";
	ellipse(ink, 0, 0, 36);
	if (!theme.isDark)
		return;
	ink.fillStyle = "rgb(214 196 190 / .55)";
	for (const [x, y, r] of [[-12, -10, 8], [11, 4, 6], [-4, 15, 5], [14, -15, 4]] as const)
		ellipse(ink, x, y, r);
}
