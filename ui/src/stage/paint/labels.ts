/* Names: under everybody and everything, in the pixels of the screen, so that they can be read
 * at any zoom. Where two would cover each other, people go before things, and who speaks or
 * came first before others. */

import { Container, Sprite } from "pixi.js";
import type { Studio } from "./node";
import { nameOf, type Print, printName } from "./words";

const A_FRAME = 6;
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
	begin(zoom: number, studio: Studio): void;
	end(): void;
}

interface Held {
	sprite: Sprite; text: string; print: Print | null; made: string; style: string;
	x: number; y: number; alpha: number; rank: number; isShown: number;
}

export function makeLabels(): Labels {
	const root = new Container({ isRenderGroup: true });
	const all = new Set<Held>();
	let studio: Studio | null = null, pixels = 12, style = "", left = 0, frames = 0;

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

	/* Each looks whether one of a higher rank is in the way. */
	function settle(): void {
		const seen = [...all].filter((held) => held.alpha > 0 && held.print !== null).sort((a, b) => b.rank - a.rank);

		for (const [i, held] of seen.entries()) {
			held.isShown = 1;
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
				},
				destroy() {
					all.delete(held);
					sprite.destroy();
					held.print?.destroy();
				},
			};
		},
		begin(zoom, now) {
			studio = now;
			left = A_FRAME;
			pixels = Math.round(Math.min(Math.max(PIXELS.atOne * zoom, PIXELS.least), PIXELS.most));
			style = `${pixels} ${now.density} ${now.theme.isDark}`;
		},
		end() {
			if (frames++ % 6 === 0)
				settle();
			for (const held of all) {
				const wanted = held.alpha * held.isShown;
				const missing = wanted - held.sprite.alpha;

				held.sprite.alpha = Math.abs(missing) < 0.02 ? wanted : held.sprite.alpha + missing * studio!.haste;
				held.sprite.position.set(Math.round(held.x), Math.round(held.y));
			}
		},
	};
}
