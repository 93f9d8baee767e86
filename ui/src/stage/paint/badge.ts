/* The sign beside the head that says the state: dots that come and go for thoughts, a gear for
 * work, a question, a tick, an exclamation mark, or whatever glyph the document has. */

import { Container } from "pixi.js";
import type { Rgb } from "./colour";
import { dress, sprite, type Studio } from "./node";
import type { Pose } from "./pose";
import { glyphOf, type Print, printGlyph } from "./words";

const DRAWN: Readonly<Record<string, string>> = { "⚙": "gear", "?": "?", "!": "!", "✓": "✓", "⚡": "bolt", "…": "none" };
const COLOURS: Readonly<Record<string, Rgb>> = {
	thinking: 0xf4f1ff, work: 0xffd27a, acting: 0x8fd8ff, waiting: 0xffc24d, done: 0x8fe0a2, error: 0xff8a7d,
};
const INK = 0x1d1a30;
const GLYPH_PIXELS = 14;

export interface Badge {
	readonly root: Container;
	say(glyph: string, stance: string, studio: Studio): void;
	update(seconds: number, unit: number, foot: { x: number; y: number }, pose: Pose, studio: Studio): void;
}

export function makeBadge(studio: Studio): Badge {
	const root = new Container();
	const none = studio.kit.sheet.cel("none");
	const plate = sprite(none), sign = sprite(none);
	const dots = [sprite(none), sprite(none), sprite(none)];
	let glyph = "", stance = "", generation = 0;
	let printed: Print | null = null;

	root.addChild(plate, sign, ...dots);
	root.visible = false;

	function draw(to: Studio): void {
		const { sheet } = to.kit;
		const drawn = Object.hasOwn(DRAWN, glyph) ? DRAWN[glyph]! : null;

		generation = to.kit.generation;
		printed?.destroy();
		printed = drawn === null && glyph !== "" ? printGlyph(glyph, GLYPH_PIXELS, 3, INK) : null;
		dress(plate, sheet.cel("badge"));
		plate.tint = COLOURS[stance] ?? 0xf4f1ff;
		if (printed !== null) {
			sign.texture = printed.texture;
			sign.anchor.set(0.5);
		} else {
			dress(sign, sheet.cel(drawn ?? "none"));
		}
		for (const dot of dots) {
			dress(dot, glyph === "…" ? sheet.cel("dot") : sheet.cel("none"));
			dot.tint = INK;
		}
	}

	root.on("destroyed", () => printed?.destroy());
	return {
		root,
		say(text, now, to) {
			glyph = Object.hasOwn(DRAWN, text) ? text : glyphOf(text);
			stance = now;
			root.visible = glyph !== "";
			if (root.visible)
				draw(to);
		},
		update(seconds, unit, foot, pose, to) {
			if (!root.visible)
				return;
			if (generation !== to.kit.generation)
				draw(to);
			const alive = to.isCalm ? 0 : 1;
			const hop = stance === "waiting" ? Math.abs(Math.sin(seconds * 4.5)) * 5 : Math.sin(seconds * 2.1) * 1.5;

			root.position.set(foot.x - 29 * unit, foot.y - (97 - pose.y * 0.5 + hop * alive) * unit);
			root.scale.set(unit);
			sign.rotation = glyph === "⚙" ? seconds * 2 * alive : 0;
			if (glyph !== "…")
				return;
			for (let i = 0; i < dots.length; i++) {
				const dot = dots[i]!;
				const up = Math.max(0, Math.sin(seconds * 4.4 - i * 0.9)) * alive;

				dot.position.set((i - 1) * 6.4, 0.5 - up * 3.2);
				dot.scale.set(0.5 + up * 0.12);
			}
		},
	};
}
