/* The people of the stage: a coat in the agent's colour, a big head with a small face, stubby
 * legs, and something on the head that tells one from another. They are drawn in units in which
 * a person is 100 high and stands on the ground at 0, looking to the right. */

import { css, mix, type Rgb } from "./colour";
import { box, type Cel, type Cels, ellipse, fall, type Ink, line, shape } from "./sheet";

export const FIGURE_HEIGHT = 100;
export const HEADGEAR = 8;
export const HEADSET = 7;

const INK = 0x25223a;
const CREAM = 0xffeedd;

interface Cloth { coat: Rgb; dark: Rgb; light: Rgb; legs: Rgb; skin: Rgb; rim: Rgb }

function clothOf(colour: Rgb): Cloth {
	return {
		coat: colour, dark: mix(colour, 0x1c1838, 0.34), light: mix(colour, 0xffffff, 0.3),
		legs: mix(colour, 0x211d3b, 0.74), skin: mix(CREAM, colour, 0.14), rim: mix(colour, 0xffffff, 0.62),
	};
}

/* Where the parts are joined, seen from the part that carries them. */
export const JOINTS = {
	leg: { x: 8, y: -24 },
	body: { x: 0, y: -20 },
	arm: { x: 16.5, y: -33 },
	head: { x: 1, y: -38 },
} as const;

export function figureCels(colour: Rgb, headgear: number): Cels {
	const cloth = clothOf(colour);

	return {
		leg: { box: [-9, -3, 20, 30], draw: (ink) => leg(ink, cloth) },
		body: { box: [-26, -42, 52, 48], draw: (ink) => body(ink, cloth) },
		arm: { box: [-8, -7, 16, 39], draw: (ink) => arm(ink, cloth) },
		head: { box: [-36, -66, 72, 72], draw: (ink) => head(ink, cloth, headgear % HEADGEAR) },
		...faceCels(cloth),
	};
}

function leg(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = fall(ink, 0, 24, css(cloth.legs), css(mix(cloth.legs, 0, 0.25)));
	box(ink, -5.5, -2, 11, 22, 5);
	ink.fillStyle = css(mix(cloth.legs, 0x0c0a1c, 0.6));
	box(ink, -6, 16.5, 15, 8, [5, 6, 2.5, 2.5]);
}

/* A coat with a collar, a seam and two buttons; its pivot is at the hip. */
function body(ink: Ink, cloth: Cloth): void {
	ink.beginPath();
	ink.moveTo(-14, -38);
	ink.bezierCurveTo(-21, -36, -23, -14, -23, 0);
	ink.quadraticCurveTo(-23, 3.5, -19, 3.8);
	ink.quadraticCurveTo(0, 6, 19, 3.8);
	ink.quadraticCurveTo(23, 3.5, 23, 0);
	ink.bezierCurveTo(23, -14, 21, -36, 14, -38);
	ink.quadraticCurveTo(0, -42, -14, -38);
	ink.fillStyle = fall(ink, -40, 5, css(cloth.light), css(cloth.coat), css(cloth.dark));
	ink.fill();
	ink.save();
	ink.clip();
	ink.fillStyle = css(cloth.dark, 0.35);
	shape(ink, -24, -42, -10, -42, -15, 8, -24, 8);
	ink.fillStyle = css(cloth.rim, 0.5);
	shape(ink, 20, -40, 24, -40, 24, 6, 21.5, 6);
	ink.restore();
	ink.strokeStyle = css(cloth.dark, 0.85);
	line(ink, 1.6, 5, -30, 5.5, 3);
	ink.fillStyle = css(cloth.rim);
	ellipse(ink, 9.5, -19, 1.9);
	ellipse(ink, 9.8, -9, 1.9);
	/* A scarf hides where the head is put on. */
	ink.fillStyle = css(cloth.rim);
	box(ink, -13, -41, 28, 8.5, 4.2);
	ink.fillStyle = css(mix(cloth.rim, cloth.dark, 0.3));
	shape(ink, 7, -35, 14, -35, 15, -23, 8.5, -24);
}

function arm(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = css(cloth.skin);
	ellipse(ink, 0, 25.5, 5.2);
	ink.fillStyle = fall(ink, -5, 24, css(mix(cloth.light, cloth.coat, 0.5)), css(mix(cloth.coat, cloth.dark, 0.6)));
	box(ink, -5.8, -5.5, 11.6, 28, 5.8);
	ink.fillStyle = css(cloth.rim, 0.9);
	box(ink, -6.2, 18.5, 12.4, 4, 2);
}

/* Its pivot is the neck; the face is a cel of its own. */
function head(ink: Ink, cloth: Cloth, headgear: number): void {
	if (headgear === 3)
		hood(ink, cloth);
	if (headgear === 5)
		bun(ink, cloth);
	ink.fillStyle = css(mix(cloth.skin, cloth.dark, 0.12));
	ellipse(ink, -20.5, -19, 4.4, 5.2);
	ink.fillStyle = fall(ink, -43, 4, css(mix(cloth.skin, 0xffffff, 0.45)), css(cloth.skin), css(mix(cloth.skin, cloth.coat, 0.22)));
	box(ink, -21.5, -42, 43, 44, [21, 21, 18, 18]);
	ink.fillStyle = css(mix(cloth.coat, 0xff7d6b, 0.5), 0.34);
	ellipse(ink, -8.5, -11.5, 4.6, 3);
	ellipse(ink, 15, -11.5, 4.2, 3);
	HEADGEARS[headgear]!(ink, cloth);
}

const HEADGEARS: readonly ((ink: Ink, cloth: Cloth) => void)[] =
	[cap, beanie, antenna, hoodEdge, hat, bunHair, curls, phones];

/* A signalman's cap, with a lamp. */
function cap(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = fall(ink, -52, -28, css(cloth.light), css(cloth.coat));
	ink.beginPath();
	ink.moveTo(-22, -29);
	ink.bezierCurveTo(-26, -46, -14, -54, 1, -54);
	ink.bezierCurveTo(16, -54, 26, -46, 22, -29);
	ink.closePath();
	ink.fill();
	ink.fillStyle = css(cloth.dark);
	box(ink, -22.5, -33, 45, 6.5, 3);
	ink.fillStyle = css(mix(cloth.dark, 0, 0.3));
	ink.beginPath();
	ink.moveTo(2, -29.5);
	ink.quadraticCurveTo(22, -33, 31, -26.5);
	ink.quadraticCurveTo(20, -24.5, 2, -26.5);
	ink.fill();
	ink.fillStyle = "#fff3c4";
	ellipse(ink, 7, -39.5, 4.2);
	ink.fillStyle = "#ffd25e";
	ellipse(ink, 7, -39.5, 2.8);
}

function beanie(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = css(cloth.rim);
	ellipse(ink, -1, -57, 6);
	ink.fillStyle = fall(ink, -54, -28, css(cloth.light), css(cloth.coat));
	ink.beginPath();
	ink.moveTo(-23, -29);
	ink.bezierCurveTo(-23, -62, 23, -62, 23, -29);
	ink.fill();
	ink.strokeStyle = css(cloth.dark, 0.35);
	for (const x of [-12, -4, 4, 12])
		line(ink, 1.5, x * 0.55, -51, x, -34);
	ink.fillStyle = css(cloth.dark);
	box(ink, -24, -35, 48, 9, 4.5);
	ink.fillStyle = css(cloth.rim, 0.25);
	box(ink, -24, -35, 48, 3.5, 3);
}

function antenna(ink: Ink, cloth: Cloth): void {
	ink.strokeStyle = css(cloth.dark);
	line(ink, 2.6, 0, -42, 2, -54);
	ink.fillStyle = css(cloth.coat);
	ellipse(ink, 2.5, -57, 5);
	ink.fillStyle = css(cloth.rim);
	ellipse(ink, 4, -58.5, 1.9);
	ink.fillStyle = fall(ink, -44, -30, css(cloth.light), css(cloth.coat));
	ink.beginPath();
	ink.moveTo(-22.5, -24);
	ink.bezierCurveTo(-24, -50, 24, -50, 22.5, -24);
	ink.quadraticCurveTo(14, -33, 0, -32.5);
	ink.quadraticCurveTo(-15, -32, -22.5, -24);
	ink.fill();
	ink.fillStyle = css(cloth.dark);
	box(ink, -25.5, -26, 6.5, 14, 3);
	box(ink, 19.5, -26, 6, 14, 3);
}

function hood(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = fall(ink, -56, 4, css(cloth.light), css(cloth.coat), css(cloth.dark));
	ink.beginPath();
	ink.moveTo(-22, 5);
	ink.bezierCurveTo(-34, -20, -28, -50, -8, -58);
	ink.bezierCurveTo(14, -58, 34, -34, 25, 5);
	ink.fill();
}

function hoodEdge(ink: Ink, cloth: Cloth): void {
	ink.strokeStyle = css(mix(cloth.coat, cloth.light, 0.4));
	ink.lineWidth = 6;
	ink.beginPath();
	ink.moveTo(-20, 2);
	ink.bezierCurveTo(-28, -22, -20, -45, 1, -45);
	ink.bezierCurveTo(22, -45, 29, -22, 22, 2);
	ink.stroke();
}

/* With a brim, and a band. */
function hat(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = fall(ink, -60, -32, css(cloth.light), css(cloth.coat));
	box(ink, -15, -59, 31, 28, [9, 9, 2, 2]);
	ink.fillStyle = css(cloth.rim);
	box(ink, -15.5, -40, 32, 6, 1);
	ink.fillStyle = fall(ink, -37, -28, css(cloth.coat), css(cloth.dark));
	ellipse(ink, 1, -32.5, 30, 5.4);
}

function bun(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = css(cloth.dark);
	ellipse(ink, -4, -51, 10.5, 10);
}

function bunHair(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = fall(ink, -50, -22, css(mix(cloth.coat, cloth.dark, 0.5)), css(cloth.dark));
	ink.beginPath();
	ink.moveTo(-23, -16);
	ink.bezierCurveTo(-28, -54, 28, -54, 23.5, -20);
	ink.quadraticCurveTo(20, -32, 8, -33);
	ink.quadraticCurveTo(-14, -33, -18.5, -20);
	ink.closePath();
	ink.fill();
	ink.fillStyle = css(cloth.rim);
	box(ink, -13, -46, 18, 4, 2);
}

function curls(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = css(mix(cloth.coat, cloth.dark, 0.75));
	for (const [x, y, r] of [[-20, -25, 7], [-18, -36, 8.5], [-8, -44, 9.5], [5, -46, 9.5], [16, -39, 9], [21.5, -28, 6.5]] as const)
		ellipse(ink, x, y, r);
	ink.fillStyle = css(mix(cloth.coat, cloth.dark, 0.4));
	for (const [x, y, r] of [[-16, -39, 4], [-6, -47, 4.5], [7, -49, 4.5], [17, -42, 4]] as const)
		ellipse(ink, x, y, r);
}

function phones(ink: Ink, cloth: Cloth): void {
	ink.fillStyle = css(mix(cloth.dark, cloth.coat, 0.3));
	ink.beginPath();
	ink.moveTo(-21.5, -26);
	ink.bezierCurveTo(-22, -50, 24, -50, 21.5, -27);
	ink.quadraticCurveTo(16, -38, 2, -31);
	ink.quadraticCurveTo(-12, -40, -21.5, -26);
	ink.fill();
	ink.strokeStyle = css(cloth.rim);
	ink.lineWidth = 4;
	ink.beginPath();
	ink.arc(0, -22, 23.5, Math.PI * 1.04, Math.PI * 1.96);
	ink.stroke();
	ink.fillStyle = css(cloth.coat);
	box(ink, -28, -28, 9.5, 18, 4.7);
	box(ink, 18.5, -28, 9.5, 18, 4.7);
	ink.strokeStyle = css(cloth.rim);
	ink.lineWidth = 2.2;
	ink.beginPath();
	ink.moveTo(23, -12);
	ink.quadraticCurveTo(22, -3, 12, -2.5);
	ink.stroke();
}

/* ---- faces: eyes and mouth, seen from the neck like the head ---- */

const EYES = [-4.5, 12.5] as const;
const EYE_Y = -20;

function faceCels(cloth: Cloth): Record<string, Cel> {
	const face = (draw: (ink: Ink) => void): Cel => ({
		box: [-16, -32, 42, 31],
		draw(ink) {
			ink.fillStyle = ink.strokeStyle = css(mix(INK, cloth.dark, 0.15));
			draw(ink);
		},
	});

	return {
		calm: face((ink) => { eyes(ink, 0, 0, 4.6); smile(ink, 1.8); }),
		blink: face((ink) => { lids(ink, 1.5); smile(ink, 1.8); }),
		think: face((ink) => { eyes(ink, 1, -2.2, 4.4); brows(ink, 1.5); line(ink, 1.9, 2, -6.5, 7, -7.5); }),
		focus: face((ink) => { eyes(ink, 1.6, 2, 3.4); brows(ink, -1.8); line(ink, 1.9, 1.5, -6.5, 7, -6.5); }),
		ask: face((ink) => { eyes(ink, 0, -0.6, 5); brows(ink, 2.4); ellipse(ink, 4.2, -6, 2.3, 2.7); }),
		happy: face((ink) => { lids(ink, -3.4); laugh(ink); }),
		dizzy: face((ink) => { crosses(ink); waves(ink); }),
	};
}

function eyes(ink: Ink, dx: number, dy: number, ry: number): void {
	const colour = ink.fillStyle;

	for (const x of EYES)
		ellipse(ink, x + dx, EYE_Y + dy, 2.9, ry);
	ink.fillStyle = "#ffffff";
	for (const x of EYES)
		ellipse(ink, x + dx + 1, EYE_Y + dy - ry * 0.38, 1.05);
	ink.fillStyle = colour;
}

function lids(ink: Ink, bend: number): void {
	ink.lineWidth = 2.1;
	for (const x of EYES) {
		ink.beginPath();
		ink.moveTo(x - 3.8, EYE_Y);
		ink.quadraticCurveTo(x, EYE_Y + bend * 1.7, x + 3.8, EYE_Y);
		ink.stroke();
	}
}

/* Up for a question, down towards the nose for hard work. */
function brows(ink: Ink, lift: number): void {
	line(ink, 1.9, EYES[0] - 4, -27 - lift * 0.2, EYES[0] + 3, -27.5 - lift * 0.4 + (lift < 0 ? -lift : 0));
	line(ink, 1.9, EYES[1] - 3, -27.5 - lift * 0.4 + (lift < 0 ? -lift : 0), EYES[1] + 4, -27 - lift);
}

function smile(ink: Ink, bend: number): void {
	ink.lineWidth = 1.9;
	ink.beginPath();
	ink.moveTo(0.8, -7.8);
	ink.quadraticCurveTo(4.2, -7.8 + bend * 2, 7.6, -7.8);
	ink.stroke();
}

function laugh(ink: Ink): void {
	ink.beginPath();
	ink.moveTo(-1.2, -10.2);
	ink.quadraticCurveTo(4.2, -9, 9.6, -10.2);
	ink.quadraticCurveTo(8.6, -2.6, 4.2, -2.6);
	ink.quadraticCurveTo(-0.2, -2.6, -1.2, -10.2);
	ink.fill();
	ink.fillStyle = "#ff9a8b";
	ellipse(ink, 4.2, -4.3, 2.8, 1.5);
}

function crosses(ink: Ink): void {
	for (const x of EYES) {
		line(ink, 2.3, x - 3.2, EYE_Y - 3.2, x + 3.2, EYE_Y + 3.2);
		line(ink, 2.3, x - 3.2, EYE_Y + 3.2, x + 3.2, EYE_Y - 3.2);
	}
}

function waves(ink: Ink): void {
	line(ink, 1.9, -1, -6.2, 1.6, -8, 4.2, -5.8, 6.8, -8, 9.4, -6.2);
}
