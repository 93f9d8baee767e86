/* Text as pictures. What agents write goes through here and nowhere else: it is bounded, its
 * deceiving characters are made visible, and it is only ever drawn, so no letter of it can be
 * anything but a letter. The browser's canvas does the shaping, so every script is right. */

import { ImageSource, Rectangle, Texture } from "pixi.js";
import { visible } from "../../text/signal";
import { beginning, graphemes } from "../../text/whole";
import { css, type Rgb } from "./colour";
import type { Ink } from "./sheet";

export const FAMILY = "system-ui, \"Segoe UI\", Roboto, \"Noto Sans\", \"DejaVu Sans\", sans-serif";
const NAME_MAX = 26;
const GLYPH_MAX = 2;

const ruler = document.createElement("canvas").getContext("2d")!;

export function fontOf(pixels: number, weight = 400, slant: "normal" | "italic" = "normal"): string {
	return `${slant} ${weight} ${pixels}px ${FAMILY}`;
}

export function widthOf(text: string, font: string): number {
	if (ruler.font !== font)
		ruler.font = font;
	return ruler.measureText(text).width;
}

/* A name in one short line. */
export function nameOf(label: string): string {
	const line = visible(beginning(label, 200).replace(/\s+/g, " ").trim());

	return graphemes(line, NAME_MAX) === line ? line : graphemes(line, NAME_MAX - 1) + "…";
}

/* The first one or two letters of a glyph, an emoji counting as one. */
export function glyphOf(glyph: string): string {
	return graphemes(visible(beginning(glyph, 32)), GLYPH_MAX);
}

export interface Print {
	readonly texture: Texture;
	readonly width: number;         /* in CSS pixels */
	readonly height: number;
	destroy(): void;
}

/* A picture of the given size in CSS pixels, drawn once. */
export function print(width: number, height: number, density: number, draw: (ink: Ink) => void): Print {
	const canvas = document.createElement("canvas");
	canvas.width = Math.max(1, Math.ceil(width * density));
	canvas.height = Math.max(1, Math.ceil(height * density));
	const ink = canvas.getContext("2d")!;
	ink.scale(density, density);
	ink.lineCap = ink.lineJoin = "round";
	draw(ink);
	const source = new ImageSource({ resource: canvas, resolution: density });
	const texture = new Texture({
		source, frame: new Rectangle(0, 0, canvas.width / density, canvas.height / density),
	});

	return {
		texture, width, height,
		destroy() {
			texture.destroy(true);
			canvas.width = canvas.height = 0;
		},
	};
}

/* A name on a pill, so that it can be read on any ground. */
export function printName(name: string, pixels: number, density: number, ink: Rgb, ground: Rgb): Print {
	const font = fontOf(pixels, 600);
	const pad = pixels * 0.6;
	const width = widthOf(name, font) + pad * 2;
	const height = Math.ceil(pixels * 1.56);

	return print(width, height, density, (c) => {
		c.fillStyle = css(ground, 0.62);
		c.beginPath();
		c.roundRect(0, 0, width, height, height / 2);
		c.fill();
		c.font = font;
		c.textBaseline = "middle";
		c.fillStyle = css(ink);
		c.fillText(name, pad, height / 2 + pixels * 0.05);
	});
}

/* A glyph of a document, in the middle of a square. */
export function printGlyph(glyph: string, pixels: number, density: number, ink: Rgb): Print {
	const side = pixels * 2;

	return print(side, side, density, (c) => {
		c.font = fontOf(pixels, 700);
		c.textAlign = "center";
		c.textBaseline = "middle";
		c.fillStyle = css(ink);
		c.fillText(glyph, side / 2, side / 2 + pixels * 0.05, side);
	});
}
