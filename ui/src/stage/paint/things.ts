/* Everything on the stage that is neither a person nor a house: the lantern of the signals, the
 * gauge of the tokens, the bell of the alarm, letters, and the plain shapes of a document. Posts
 * are drawn 60 wide and 110 high around their middle, plain shapes 100 by 100. */

import { css, mix, type Rgb } from "./colour";
import { box, type Cels, ellipse, fall, glow, type Ink, line, shape } from "./sheet";

const IRON = 0x3b3a58;

function post(ink: Ink, top: number, foot: number): void {
	ink.fillStyle = fall(ink, top, foot, css(mix(IRON, 0xffffff, 0.28)), css(IRON));
	box(ink, -3.5, top, 7, foot - top, 2);
	ink.fillStyle = css(mix(IRON, 0xffffff, 0.15));
	box(ink, -14, foot - 7, 28, 7, [4, 4, 1, 1]);
}

/* ---- lantern: a railway signal ---- */

export function lanternCels(colour: Rgb): Cels {
	return {
		body: {
			box: [-30, -56, 60, 112],
			draw(ink) {
				post(ink, -10, 55);
				ink.fillStyle = css(IRON);
				box(ink, -17, -50, 34, 46, 10);
				ink.fillStyle = css(mix(IRON, 0, 0.35));
				shape(ink, -12, -50, 0, -56, 12, -50);
				ellipse(ink, 0, -28, 13.5);
				ink.fillStyle = glow(ink, -3, -32, 14, css(mix(colour, 0xffffff, 0.35)), css(mix(colour, 0x201a30, 0.3)));
				ellipse(ink, 0, -28, 11);
				ink.strokeStyle = css(mix(IRON, 0xffffff, 0.4));
				line(ink, 3, -16, 4, 16, 10);
			},
		},
		lit: {
			box: [-60, -88, 120, 120],
			draw(ink) {
				ink.fillStyle = glow(ink, 0, -28, 58, css(mix(colour, 0xffffff, 0.7)),
					css(colour, 0.55), css(colour, 0.15), css(colour, 0));
				ellipse(ink, 0, -28, 58);
				ink.fillStyle = css(mix(colour, 0xffffff, 0.8));
				ellipse(ink, 0, -28, 11);
			},
		},
	};
}

/* ---- gauge: its needle is turned by the entity's rotation ---- */

export const GAUGE_SWEEP = Math.PI * 1.4;

export function gaugeCels(colour: Rgb): Cels {
	return {
		body: {
			box: [-30, -56, 60, 112],
			draw(ink) {
				post(ink, 0, 55);
				ink.fillStyle = css(IRON);
				ellipse(ink, 0, -26, 29);
				ink.fillStyle = fall(ink, -52, 0, "#fffaf0", "#ddd6e4");
				ellipse(ink, 0, -26, 25);
				dial(ink, colour);
			},
		},
		needle: {
			box: [-6, -24, 12, 30],
			draw(ink) {
				ink.fillStyle = css(mix(colour, 0x2a1235, 0.45));
				shape(ink, -2.6, 2, 0, -20, 2.6, 2);
				ellipse(ink, 0, 0, 4);
			},
		},
		lit: {
			box: [-60, -86, 120, 120],
			draw(ink) {
				ink.fillStyle = glow(ink, 0, -26, 56, css(colour, 0.9), css(colour, 0.35), css(colour, 0));
				ellipse(ink, 0, -26, 56);
			},
		},
	};
}

function dial(ink: Ink, colour: Rgb): void {
	const first = -Math.PI / 2 - GAUGE_SWEEP / 2;

	ink.lineCap = "butt";
	ink.lineWidth = 6;
	for (let i = 0; i < 7; i++) {
		ink.strokeStyle = css(mix(mix(colour, 0xffffff, 0.65), mix(colour, 0xd83a4a, 0.25), i / 6));
		ink.beginPath();
		ink.arc(0, -26, 19.5, first + GAUGE_SWEEP * (i + 0.12) / 7, first + GAUGE_SWEEP * (i + 0.9) / 7);
		ink.stroke();
	}
}

/* ---- bell: quiet until something goes wrong ---- */

export function bellCels(colour: Rgb): Cels {
	const quiet = mix(colour, 0x7a5a6a, 0.3);

	return {
		body: {
			box: [-30, -56, 60, 112],
			draw(ink) {
				post(ink, -6, 55);
				ink.fillStyle = css(IRON);
				box(ink, -20, -8, 40, 9, 3);
				ink.fillStyle = fall(ink, -50, -6, css(mix(quiet, 0xffffff, 0.35)), css(quiet));
				ink.beginPath();
				ink.moveTo(-16, -8);
				ink.lineTo(-16, -32);
				ink.arc(0, -32, 16, Math.PI, 0);
				ink.lineTo(16, -8);
				ink.fill();
				ink.fillStyle = "rgb(255 255 255 / .35)";
				box(ink, -11, -38, 5, 22, 2.5);
				ink.strokeStyle = css(mix(quiet, 0, 0.35));
				line(ink, 1.6, -16, -16, 16, -16);
			},
		},
		lit: {
			box: [-64, -90, 128, 128],
			draw(ink) {
				ink.fillStyle = glow(ink, 0, -26, 62, "#ffd9d0", "rgb(255 70 60 / .7)", "rgb(255 40 40 / .2)", "rgb(255 40 40 / 0)");
				ellipse(ink, 0, -26, 62);
				ink.fillStyle = "#ff6a5c";
				ink.beginPath();
				ink.moveTo(-16, -8);
				ink.lineTo(-16, -32);
				ink.arc(0, -32, 16, Math.PI, 0);
				ink.lineTo(16, -8);
				ink.fill();
			},
		},
	};
}

/* ---- letters, 100 by 72 ---- */

export function letterCels(colour: Rgb): Cels {
	return {
		body: {
			box: [-54, -40, 108, 80],
			draw(ink) {
				const edge = mix(colour, 0x3a2d50, 0.35);

				ink.fillStyle = fall(ink, -36, 36, css(mix(colour, 0xffffff, 0.5)), css(colour));
				box(ink, -50, -36, 100, 72, 9);
				ink.strokeStyle = css(edge);
				ink.lineWidth = 4;
				ink.strokeRect(-46, -32, 0, 0);
				line(ink, 4, -46, -30, 0, 8, 46, -30);
				line(ink, 3, -46, 31, -14, -3);
				line(ink, 3, 46, 31, 14, -3);
				ink.fillStyle = "#d8574f";
				ellipse(ink, 0, 8, 12);
			},
		},
	};
}

/* ---- the plain shapes ---- */

const CORNERS: Readonly<Record<string, readonly number[]>> = {
	diamond: [0, -50, 50, 0, 0, 50, -50, 0],
	triangle: [0, -48, 50, 42, -50, 42],
	hexagon: [-25, -46, 25, -46, 50, 0, 25, 46, -25, 46, -50, 0],
	star: starPoints(),
};

function starPoints(): number[] {
	const points = [];

	for (let i = 0; i < 10; i++) {
		const angle = -Math.PI / 2 + i * Math.PI / 5, r = i % 2 ? 22 : 50;

		points.push(Math.cos(angle) * r, Math.sin(angle) * r);
	}
	return points;
}

export function plainCels(name: string, colour: Rgb): Cels {
	return {
		body: {
			box: [-54, -54, 108, 108],
			draw(ink) {
				const edge = css(mix(colour, 0xffffff, 0.45));

				ink.fillStyle = fall(ink, -50, 50, css(mix(colour, 0xffffff, 0.25)), css(colour), css(mix(colour, 0x1c1838, 0.3)));
				ink.beginPath();
				if (Object.hasOwn(CORNERS, name))
					for (let i = 0; i < CORNERS[name]!.length; i += 2)
						ink.lineTo(CORNERS[name]![i]! * 0.94, CORNERS[name]![i + 1]! * 0.94);
				else if (name === "square" || name === "rounded")
					ink.roundRect(-47, -47, 94, 94, name === "square" ? 4 : 24);
				else
					ink.arc(0, 0, 47, 0, Math.PI * 2);
				ink.closePath();
				ink.fill();
				ink.strokeStyle = edge;
				ink.lineWidth = 5;
				ink.stroke();
			},
		},
	};
}
