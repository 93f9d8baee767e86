/* Small things that everybody may have: shadows, tools, sparks, badges that say the state, dots,
 * and the soft light that glows, lamps and flashes are made of. White ones are tinted. */

import { css } from "./colour";
import { box, type Cels, ellipse, fall, glow, type Ink, line, shape } from "./sheet";

const WHITE = (alpha: number) => `rgb(255 255 255 / ${alpha})`;

export const BADGE = 13;

export const KIT: Cels = {
	none: { box: [0, 0, 1, 1], draw: () => {} },
	shadow: { box: [-30, -9, 60, 18], draw: shadow },
	glow: { box: [-64, -64, 128, 128], draw: (ink) => soft(ink, 64, 1, 0.42, 0.13, 0.03, 0) },
	ring: { box: [-52, -52, 104, 104], draw: ring },
	dot: { box: [-5, -5, 10, 10], draw: (ink) => { ink.fillStyle = WHITE(1); ellipse(ink, 0, 0, 4); } },
	puff: { box: [-16, -16, 32, 32], draw: (ink) => soft(ink, 15, 0.9, 0.75, 0.35, 0) },
	spark: { box: [-9, -9, 18, 18], draw: spark },
	streak: { box: [0, -8, 64, 16], draw: streak },
	hammer: { box: [-12, -22, 26, 36], draw: hammer },
	slate: { box: [-14, -20, 28, 28], draw: slate },
	badge: { box: [-16, -16, 32, 32], draw: badge },
	gear: { box: [-12, -12, 24, 24], draw: gear },
	"?": { box: [-12, -12, 24, 24], draw: question },
	"!": { box: [-12, -12, 24, 24], draw: exclaim },
	"✓": { box: [-12, -12, 24, 24], draw: check },
	bolt: { box: [-12, -12, 24, 24], draw: bolt },
	wing: { box: [-2, -15, 20, 18], draw: wing },
	frame: { box: [-50, -50, 100, 100], draw: frame },
};

function soft(ink: Ink, radius: number, ...alphas: number[]): void {
	ink.fillStyle = glow(ink, 0, 0, radius, ...alphas.map(WHITE));
	ellipse(ink, 0, 0, radius);
}

function shadow(ink: Ink): void {
	ink.scale(1, 0.28);
	ink.fillStyle = glow(ink, 0, 0, 29, "rgb(0 0 0 / .62)", "rgb(0 0 0 / .5)", "rgb(0 0 0 / .2)", "rgb(0 0 0 / 0)");
	ellipse(ink, 0, 0, 29);
}

function ring(ink: Ink): void {
	const gradient = ink.createRadialGradient(0, 0, 36, 0, 0, 51);

	gradient.addColorStop(0, WHITE(0));
	gradient.addColorStop(0.55, WHITE(0.25));
	gradient.addColorStop(0.78, WHITE(1));
	gradient.addColorStop(0.86, WHITE(0.7));
	gradient.addColorStop(1, WHITE(0));
	ink.fillStyle = gradient;
	ellipse(ink, 0, 0, 51);
}

function spark(ink: Ink): void {
	ink.fillStyle = WHITE(1);
	shape(ink, 0, -8, 1.7, -1.7, 8, 0, 1.7, 1.7, 0, 8, -1.7, 1.7, -8, 0, -1.7, -1.7);
}

/* A piece of a beam: soft at its edges, the same all along. */
function streak(ink: Ink): void {
	const gradient = ink.createLinearGradient(0, -8, 0, 8);

	for (const [at, alpha] of [[0, 0], [0.3, 0.12], [0.43, 0.5], [0.5, 1], [0.57, 0.5], [0.7, 0.12], [1, 0]] as const)
		gradient.addColorStop(at, WHITE(alpha));
	ink.fillStyle = gradient;
	ink.fillRect(0, -8, 64, 16);
}

/* Held at 0,0; the head is above. */
function hammer(ink: Ink): void {
	ink.fillStyle = "#8a5a3c";
	box(ink, -2, -16, 4.2, 28, 2);
	ink.fillStyle = fall(ink, -21, -11, "#e8ebf2", "#9aa3b5");
	box(ink, -9, -21, 18, 9, 2.5);
	ink.fillStyle = "#c5ccd9";
	box(ink, 7, -22, 5, 11, 2);
}

function slate(ink: Ink): void {
	ink.fillStyle = "#2a2b45";
	box(ink, -12, -18, 24, 24, 4);
	ink.fillStyle = fall(ink, -16, 4, "#c8f4ff", "#7fc6f0");
	box(ink, -9.5, -15.5, 19, 19, 2.5);
	ink.strokeStyle = "#2e6f9c";
	line(ink, 1.8, -6, -10.5, 4, -10.5);
	line(ink, 1.8, -6, -6, 6, -6);
	line(ink, 1.8, -6, -1.5, 1, -1.5);
}

function badge(ink: Ink): void {
	ink.fillStyle = glow(ink, 0, 1, 16, "rgb(0 0 0 / .45)", "rgb(0 0 0 / .4)", "rgb(0 0 0 / 0)");
	ellipse(ink, 0, 1, 16);
	ink.fillStyle = WHITE(1);
	ellipse(ink, 0, 0, BADGE);
}

/* Glyphs of badges are ink on the badge's colour. */
const GLYPH = css(0x1d1a30);

function gear(ink: Ink): void {
	ink.fillStyle = GLYPH;
	ink.beginPath();
	for (let i = 0; i < 32; i++) {
		const r = i % 4 < 2 ? 9.4 : 6.8;
		const angle = (i + 0.5) / 32 * Math.PI * 2;

		ink.lineTo(Math.cos(angle) * r, Math.sin(angle) * r);
	}
	ink.closePath();
	ink.moveTo(3.2, 0);
	ink.arc(0, 0, 3.2, 0, Math.PI * 2, true);
	ink.fill("evenodd");
}

function question(ink: Ink): void {
	ink.strokeStyle = ink.fillStyle = GLYPH;
	ink.lineWidth = 3.3;
	ink.beginPath();
	ink.moveTo(-4.2, -3.6);
	ink.bezierCurveTo(-4.2, -10.5, 5, -10.3, 4.6, -4);
	ink.bezierCurveTo(4.4, -0.6, 0, -0.6, 0, 3);
	ink.stroke();
	ellipse(ink, 0, 7.6, 2);
}

function exclaim(ink: Ink): void {
	ink.fillStyle = GLYPH;
	shape(ink, -2.6, -9, 2.6, -9, 1.5, 3.2, -1.5, 3.2);
	ellipse(ink, 0, 7, 2.2);
}

function check(ink: Ink): void {
	ink.strokeStyle = GLYPH;
	line(ink, 3.6, -5.6, 0.6, -1.6, 4.8, 6, -4.8);
}

function bolt(ink: Ink): void {
	ink.fillStyle = GLYPH;
	shape(ink, 2.4, -9, -5.6, 1.6, -0.8, 1.6, -2.6, 9, 5.8, -2.4, 0.8, -2.4);
}

function wing(ink: Ink): void {
	ink.fillStyle = WHITE(0.95);
	ink.beginPath();
	ink.moveTo(-1, 1);
	ink.bezierCurveTo(2, -10, 10, -14, 17, -13);
	ink.bezierCurveTo(15, -10, 14, -8, 15, -7);
	ink.bezierCurveTo(12, -5, 11, -4, 11, -3);
	ink.bezierCurveTo(8, -1, 4, 2, -1, 1);
	ink.fill();
}

/* Four corners around who is chosen. */
function frame(ink: Ink): void {
	ink.strokeStyle = WHITE(1);
	for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const) {
		ink.lineWidth = 5;
		ink.beginPath();
		ink.moveTo(x * 46, y * 24);
		ink.lineTo(x * 46, y * 38);
		ink.quadraticCurveTo(x * 46, y * 46, x * 38, y * 46);
		ink.lineTo(x * 24, y * 46);
		ink.stroke();
	}
}
