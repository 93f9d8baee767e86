/* Names: under everybody and everything, in the pixels of the screen, so that they can be read
 * at any zoom. Where two would cover each other, people go before things, and who speaks or
 * came first before others. */

import { Container, Sprite } from "pixi.js";
import type { Studio } from "./node";
import { nameOf, type Print, printName } from "./words";

const A_FRAME = 6;
const EDGE = 2;
const FEW = 64;         /* names are looked at in every frame; of more, in every sixth */
const PIXELS = { least: 11, most: 24, atOne: 11 };

export interface Label {
	readonly root: Sprite;
	/* Says this from now on, below this point of the screen. */
	place(text: string, x: number, y: number, alpha: number, rank: number): void;
	destroy(): void;
}

export interface Labels {
	readonly root: Container;
	make(): Label;
	begin(zoom: number, width: number, studio: Studio): void;
	/* `taken`: what the names must not be under. */
	end(taken: readonly Box[]): void;
	/* Those that are read now. */
	boxes(): (Box & { of: string })[];
}

/* In pixels of the screen, from the upper left corner. */
export interface Box { x: number; y: number; width: number; height: number }

interface Held {
	sprite: Sprite; text: string; print: Print | null; made: string; style: string;
	x: number; y: number; alpha: number; rank: number; isShown: number;
}

export function makeLabels(): Labels {
	const root = new Container({ isRenderGroup: true });
	const all = new Set<Held>();
	let studio: Studio | null = null, pixels = 12, screen = 0, style = "", left = 0, frames = 0;

	/* All of the name of somebody who is in sight. */
	function keepIn(held: Held): void {
		const half = (held.print?.width ?? 0) / 2 + EDGE;

		if (held.x > 0 && held.x < screen && 2 * half < screen)
			held.x = Math.min(Math.max(held.x, half), screen - half);
	}

	function redraw(held: Held): void {
		if (held.style === style && held.made === held.text || left === 0)
			return;
		const [ink, ground] = studio!.theme.name;

		left--;
		held.print?.destroy();
		held.style = style;
		held.made = held.text;
		held.print = printName(nameOf(held.text), pixels, studio!.density, ink, ground);
		held.sprite.texture = held.print.texture;
	}

	const boxOf = ({ x, y, print }: Held): Box => ({ x: x - print!.width / 2, y, width: print!.width, height: print!.height });

	/* Each looks whether one of a higher rank is in the way, or somebody's words are. */
	function settle(taken: readonly Box[]): void {
		const seen = [...all].filter((held) => held.alpha > 0 && held.print !== null).sort((a, b) => b.rank - a.rank);

		for (const [i, held] of seen.entries()) {
			held.isShown = taken.some((box) => meets(box, boxOf(held))) ? 0 : 1;
			for (let k = 0; k < i && held.isShown === 1; k++) {
				const other = seen[k]!;

				if (other.isShown === 1
					&& Math.abs(held.x - other.x) < (held.print!.width + other.print!.width) / 2 - 2
					&& Math.abs(held.y - other.y) < held.print!.height - 2)
					held.isShown = 0;
			}
		}
	}

	return {
		root,
		make() {
			const sprite = new Sprite({ anchor: { x: 0.5, y: 0 } });
			const held: Held = { sprite, text: "", print: null, made: "", style: "", x: 0, y: 0, alpha: 0, rank: 0, isShown: 1 };

			all.add(held);
			root.addChild(sprite);
			return {
				root: sprite,
				place(text, x, y, alpha, rank) {
					held.text = text;
					held.x = x;
					held.y = y;
					held.alpha = text === "" ? 0 : alpha;
					held.rank = rank;
					if (held.alpha > 0)
						redraw(held);
					keepIn(held);
				},
				destroy() {
					all.delete(held);
					sprite.destroy();
					held.print?.destroy();
				},
			};
		},
		begin(zoom, width, now) {
			studio = now;
			screen = width;
			left = A_FRAME;
			pixels = Math.round(Math.min(Math.max(PIXELS.atOne * zoom, PIXELS.least), PIXELS.most));
			style = `${pixels} ${now.density} ${now.theme.isDark}`;
		},
		boxes: () => [...all]
			.filter(({ isShown, alpha, print, sprite }) => isShown === 1 && alpha > 0 && print !== null && sprite.alpha > 0)
			.map((held) => ({ ...boxOf(held), of: held.made })),
		end(taken) {
			if (frames++ % 6 === 0 || all.size <= FEW)
				settle(taken);
			for (const held of all) {
				const wanted = held.alpha * held.isShown;
				const missing = wanted - held.sprite.alpha;

				held.sprite.alpha = Math.abs(missing) < 0.02 ? wanted : held.sprite.alpha + missing * studio!.haste;
				held.sprite.position.set(Math.round(held.x), Math.round(held.y));
			}
		},
	};
}

function meets(a: Box, b: Box): boolean {
	return a.x < b.x + b.width - EDGE && b.x < a.x + a.width - EDGE && a.y < b.y + b.height - EDGE && b.y < a.y + a.height - EDGE;
}
