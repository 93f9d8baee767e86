/* Vector art becomes pictures here, once. A cel is a piece of art that moves as one: it is drawn
 * by canvas commands in units of its own around its pivot. The cels of one thing are put on one
 * sheet, in the resolution in which they are seen; from then on a frame is only sprites of one
 * texture. When the zoom has changed enough, the sheet is drawn again. */

import { ImageSource, Rectangle, Texture } from "pixi.js";

export type Ink = CanvasRenderingContext2D;

export interface Cel {
	/* Left, top, width and height, seen from the pivot. */
	box: readonly [number, number, number, number];
	draw(ink: Ink): void;
}

export type Cels = Readonly<Record<string, Cel>>;

export interface Sheet {
	readonly scale: number;
	cel(name: string): Texture;
	/* The graphics card need not keep it; who still wears it may. */
	rest(): void;
	destroy(): void;
}

const ROW = 2048;
const GAP = 2;
const SIDE_MAX = 4096;

interface Spot { x: number; y: number; width: number; height: number }

/* Row by row: sheets are small, and made seldom. */
function pack(cels: Cels, scale: number): { spots: Map<string, Spot>; width: number; height: number } {
	const spots = new Map<string, Spot>();
	let x = GAP, y = GAP, tall = 0, width = 1;

	for (const [name, { box }] of Object.entries(cels)) {
		const spot = { x, y, width: Math.ceil(box[2] * scale), height: Math.ceil(box[3] * scale) };

		if (x + spot.width > ROW && x > GAP) {
			x = spot.x = GAP;
			y = spot.y = y + tall + GAP;
			tall = 0;
		}
		spots.set(name, spot);
		x += spot.width + GAP;
		tall = Math.max(tall, spot.height);
		width = Math.max(width, x);
	}
	return { spots, width, height: y + tall + GAP };
}

/* Cels that would not fit into a texture get a lower resolution. */
function affordable(cels: Cels, scale: number): number {
	for (;;) {
		const { width, height } = pack(cels, scale);

		if (width <= SIDE_MAX && height <= SIDE_MAX)
			return scale;
		scale *= 0.7;
	}
}

export function makeSheet(cels: Cels, wanted: number): Sheet {
	const scale = affordable(cels, wanted);
	const { spots, width, height } = pack(cels, scale);
	const canvas = document.createElement("canvas");
	canvas.width = width;
	canvas.height = height;
	const ink = canvas.getContext("2d")!;
	const source = new ImageSource({ resource: canvas, resolution: scale });
	const textures = new Map<string, Texture>();

	for (const [name, spot] of spots) {
		const { box, draw } = cels[name]!;

		ink.save();
		ink.beginPath();
		ink.rect(spot.x, spot.y, spot.width, spot.height);
		ink.clip();
		ink.setTransform(scale, 0, 0, scale, spot.x - box[0] * scale, spot.y - box[1] * scale);
		ink.lineCap = ink.lineJoin = "round";
		draw(ink);
		ink.restore();
		textures.set(name, new Texture({
			source,
			frame: new Rectangle(spot.x / scale, spot.y / scale, spot.width / scale, spot.height / scale),
			defaultAnchor: { x: -box[0] * scale / spot.width, y: -box[1] * scale / spot.height },
		}));
	}
	return {
		scale,
		cel: (name) => textures.get(name) ?? Texture.EMPTY,
		rest: () => source.unload(),
		destroy() {
			for (const texture of textures.values())
				texture.destroy();
			source.destroy();
			/* Browsers keep the memory of a canvas until it is collected, unless it is empty. */
			canvas.width = canvas.height = 0;
		},
	};
}

/* Resolutions go in steps, so that a slow zoom does not draw everything at each frame. */
export function stepOf(scale: number): number {
	return 2 ** (Math.ceil(Math.log2(Math.min(Math.max(scale, 0.25), 8)) * 2) / 2);
}

/* ---- what drawings are made of ---- */

export function ellipse(ink: Ink, x: number, y: number, rx: number, ry = rx): void {
	ink.beginPath();
	ink.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2);
	ink.fill();
}

export function box(ink: Ink, x: number, y: number, width: number, height: number,
	radius: number | number[] = 0): void {
	ink.beginPath();
	ink.roundRect(x, y, width, height, radius);
	ink.fill();
}

export function line(ink: Ink, width: number, ...points: number[]): void {
	ink.lineWidth = width;
	ink.beginPath();
	for (let i = 0; i + 1 < points.length; i += 2)
		ink.lineTo(points[i]!, points[i + 1]!);
	ink.stroke();
}

export function shape(ink: Ink, ...points: number[]): void {
	ink.beginPath();
	for (let i = 0; i + 1 < points.length; i += 2)
		ink.lineTo(points[i]!, points[i + 1]!);
	ink.closePath();
	ink.fill();
}

/* From top to bottom. */
export function fall(ink: Ink, top: number, bottom: number, ...colours: string[]): CanvasGradient {
	const gradient = ink.createLinearGradient(0, top, 0, bottom);

	colours.forEach((colour, i) => gradient.addColorStop(i / (colours.length - 1), colour));
	return gradient;
}

/* From the middle outwards. */
export function glow(ink: Ink, x: number, y: number, radius: number, ...colours: string[]): CanvasGradient {
	const gradient = ink.createRadialGradient(x, y, 0, x, y, radius);

	colours.forEach((colour, i) => gradient.addColorStop(i / (colours.length - 1), colour));
	return gradient;
}
