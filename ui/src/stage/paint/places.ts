/* The houses of the stage, where tools are at work. Each is drawn in units in which it is 160
 * wide, up to 130 high and stands at 0. `body` is the house by day; `lit` is the light in its
 * windows, laid over it when it is dark or somebody is at work there. */

import { css, mix, type Rgb } from "./colour";
import { box, type Cels, ellipse, fall, glow, type Ink, line, shape } from "./sheet";

export const PLACE_WIDTH = 160;
export const PLACE_HEIGHT = 130;

interface Stone { colour: Rgb; wall: Rgb; shade: Rgb; roof: Rgb; ridge: Rgb; trim: Rgb; deep: Rgb }

function stoneOf(colour: Rgb): Stone {
	return {
		colour, wall: mix(colour, 0xf6ecdc, 0.62), shade: mix(mix(colour, 0xf6ecdc, 0.4), 0x2a2347, 0.25),
		roof: mix(colour, 0x2a2347, 0.22), ridge: mix(colour, 0xffffff, 0.25),
		trim: mix(colour, 0xffffff, 0.78), deep: mix(colour, 0x1b1734, 0.76),
	};
}

type Drawing = (ink: Ink, stone: Stone) => void;

const FULL = [-84, -140, 168, 150] as const;

function place(colour: Rgb, body: Drawing, lit: Drawing,
	more: Record<string, readonly [Drawing, readonly [number, number, number, number]]> = {}): Cels {
	const stone = stoneOf(colour);
	const cels: Record<string, Cels[string]> = {
		body: { box: FULL, draw: (ink) => body(ink, stone) },
		lit: { box: FULL, draw: (ink) => lit(ink, stone) },
	};

	for (const [name, [draw, at]] of Object.entries(more))
		cels[name] = { box: at, draw: (ink) => draw(ink, stone) };
	return cels;
}

/* A warm window and what falls out of it. */
function lamplight(ink: Ink, x: number, y: number, width: number, height: number, radius: number | number[] = 2): void {
	const middle = [x + width / 2, y + height / 2] as const;
	const reach = Math.max(width, height) * 1.25;

	ink.fillStyle = glow(ink, ...middle, reach, "rgb(255 190 90 / .34)", "rgb(255 170 80 / .1)", "rgb(255 160 80 / 0)");
	ellipse(ink, ...middle, reach);
	ink.fillStyle = fall(ink, y, y + height, "#ffe9a8", "#ffb95c");
	box(ink, x, y, width, height, radius);
}

function pane(ink: Ink, stone: Stone, x: number, y: number, width: number, height: number, radius: number | number[] = 2): void {
	ink.fillStyle = css(stone.trim);
	box(ink, x - 2, y - 2, width + 4, height + 4, radius);
	ink.fillStyle = css(mix(stone.deep, 0x35507a, 0.35));
	box(ink, x, y, width, height, radius);
}

function bars(ink: Ink, stone: Stone, x: number, y: number, width: number, height: number): void {
	ink.strokeStyle = css(stone.trim);
	line(ink, 1.6, x + width / 2, y, x + width / 2, y + height);
	line(ink, 1.6, x, y + height / 2, x + width, y + height / 2);
}

function wall(ink: Ink, stone: Stone, x: number, y: number, width: number, height: number): void {
	ink.fillStyle = fall(ink, y, y + height, css(stone.wall), css(mix(stone.wall, stone.shade, 0.55)));
	box(ink, x, y, width, height, 2);
}

/* ---- library: steps, columns, a gable with an open book ---- */

export function libraryCels(colour: Rgb): Cels {
	return place(colour, (ink, stone) => {
		wall(ink, stone, -66, -78, 132, 72);
		ink.fillStyle = css(stone.shade, 0.55);
		box(ink, -66, -78, 132, 12);
		for (const x of [-47, 33])
			pane(ink, stone, x, -58, 14, 34, [7, 7, 1, 1]);
		ink.fillStyle = css(stone.deep);
		box(ink, -14, -54, 28, 48, [14, 14, 0, 0]);
		for (const x of [-58, -26, 18, 50])
			column(ink, stone, x);
		ink.fillStyle = fall(ink, -120, -78, css(stone.ridge), css(stone.roof));
		shape(ink, -78, -80, 0, -122, 78, -80);
		ink.fillStyle = css(stone.trim);
		box(ink, -78, -82, 156, 7, 2);
		book(ink, stone, 0, -94);
		for (const [i, width] of [138, 150, 160].entries()) {
			ink.fillStyle = css(mix(stone.trim, stone.shade, 0.2 + i * 0.2));
			box(ink, -width / 2, -8 + i * 4, width, 4.5, 1);
		}
	}, (ink) => {
		for (const x of [-47, 33])
			lamplight(ink, x, -58, 14, 34, [7, 7, 1, 1]);
		lamplight(ink, -11, -50, 22, 44, [11, 11, 0, 0]);
	});
}

function column(ink: Ink, stone: Stone, x: number): void {
	const gradient = ink.createLinearGradient(x, 0, x + 8, 0);

	gradient.addColorStop(0, css(stone.shade));
	gradient.addColorStop(0.45, css(stone.trim));
	gradient.addColorStop(1, css(mix(stone.trim, stone.shade, 0.5)));
	ink.fillStyle = gradient;
	box(ink, x, -74, 8, 68);
	ink.fillStyle = css(stone.trim);
	box(ink, x - 2, -77, 12, 5, 1);
	box(ink, x - 2, -10, 12, 4, 1);
}

function book(ink: Ink, stone: Stone, x: number, y: number): void {
	ink.fillStyle = css(stone.trim);
	for (const side of [-1, 1]) {
		ink.beginPath();
		ink.moveTo(x, y - 6);
		ink.quadraticCurveTo(x + side * 8, y - 11, x + side * 17, y - 7);
		ink.lineTo(x + side * 17, y + 7);
		ink.quadraticCurveTo(x + side * 8, y + 3, x, y + 8);
		ink.fill();
	}
	ink.strokeStyle = css(stone.roof);
	line(ink, 1.6, x, y - 6, x, y + 8);
	for (const side of [-1, 1]) {
		line(ink, 1.3, x + side * 4, y - 3.5, x + side * 13, y - 4);
		line(ink, 1.3, x + side * 4, y + 0.5, x + side * 13, y);
	}
}

/* ---- workshop: a saw-tooth roof, a chimney, a wide gate, a gear ---- */

export function workshopCels(colour: Rgb): Cels {
	return place(colour, (ink, stone) => {
		ink.fillStyle = fall(ink, -126, -60, css(mix(stone.shade, 0x8a4636, 0.5)), css(mix(stone.shade, 0x6b3028, 0.6)));
		box(ink, 46, -126, 18, 66, 2);
		ink.fillStyle = css(stone.deep);
		box(ink, 43, -130, 24, 7, 2);
		wall(ink, stone, -72, -74, 144, 74);
		for (const x of [-76, -26, 24])
			tooth(ink, stone, x);
		ink.strokeStyle = css(mix(stone.roof, 0x4a2c1a, 0.45));
		line(ink, 5, -70, -70, -70, -2);
		line(ink, 5, 70, -70, 70, -2);
		line(ink, 5, -70, -70, 70, -70);
		line(ink, 4, -68, -68, -44, -2);
		ink.fillStyle = css(stone.deep);
		box(ink, -40, -56, 60, 56, [6, 6, 0, 0]);
		ink.strokeStyle = css(stone.trim);
		ink.lineWidth = 2.5;
		ink.strokeRect(-40, -56, 60, 56);
		anvil(ink);
		pane(ink, stone, 34, -50, 26, 22);
		bars(ink, stone, 34, -50, 26, 22);
	}, (ink) => {
		ink.fillStyle = glow(ink, -10, -16, 62, "rgb(255 150 60 / .75)", "rgb(255 120 50 / .3)", "rgb(255 100 40 / 0)");
		box(ink, -40, -56, 60, 56, [6, 6, 0, 0]);
		lamplight(ink, 34, -50, 26, 22);
		for (const x of [-72, -22, 28])
			lamplight(ink, x + 5, -86, 8, 11);
	}, { sign: [cog, [-16, -16, 32, 32]] });
}

function tooth(ink: Ink, stone: Stone, x: number): void {
	ink.fillStyle = fall(ink, -104, -72, css(stone.ridge), css(stone.roof));
	shape(ink, x, -72, x + 2, -104, x + 53, -72);
	ink.fillStyle = css(mix(stone.deep, 0x35507a, 0.35));
	shape(ink, x + 6, -75, x + 6, -94, x + 16, -88, x + 16, -75);
	ink.strokeStyle = css(stone.trim);
	line(ink, 2.4, x + 1, -105, x + 53, -72);
}

function anvil(ink: Ink): void {
	ink.fillStyle = "#12101f";
	shape(ink, -26, -24, 8, -24, 2, -17, -6, -15, -5, -7, 3, -1, -21, -1, -13, -7, -13, -15);
}

export function cog(ink: Ink, stone: { trim: Rgb; roof: Rgb; deep: Rgb }): void {
	ink.fillStyle = css(stone.trim);
	ink.beginPath();
	for (let i = 0; i < 32; i++) {
		const r = i % 4 < 2 ? 14.5 : 11;
		const angle = (i + 0.5) / 32 * Math.PI * 2;

		ink.lineTo(Math.cos(angle) * r, Math.sin(angle) * r);
	}
	ink.fill();
	ink.fillStyle = css(stone.roof);
	ellipse(ink, 0, 0, 7);
	ink.fillStyle = css(stone.trim);
	ellipse(ink, 0, 0, 3);
}

/* ---- laboratory: a glass dome, pipes, a flask on the front ---- */

export function laboratoryCels(colour: Rgb): Cels {
	return place(colour, (ink, stone) => {
		ink.strokeStyle = css(stone.shade);
		line(ink, 3, 0, -122, 0, -136);
		ink.fillStyle = css(stone.ridge);
		ellipse(ink, 0, -136, 4);
		dome(ink, stone);
		wall(ink, stone, -70, -66, 140, 66);
		ink.fillStyle = css(stone.roof);
		box(ink, -75, -72, 150, 10, 4);
		ink.fillStyle = css(stone.shade, 0.5);
		box(ink, -70, -62, 140, 6);
		ink.fillStyle = css(stone.deep);
		box(ink, -17, -46, 34, 46, [17, 17, 0, 0]);
		for (const x of [-52, 52]) {
			ink.fillStyle = css(stone.trim);
			ellipse(ink, x, -32, 15.5);
			ink.fillStyle = css(mix(stone.deep, 0x35507a, 0.3));
			ellipse(ink, x, -32, 13);
		}
		flask(ink, stone, 52, -32);
		tube(ink, stone, -52, -32);
	}, (ink, stone) => {
		const green = mix(stone.colour, 0xd8fff2, 0.35);

		ink.fillStyle = glow(ink, 0, -84, 66, css(green, 0.75), css(green, 0.3), css(green, 0));
		ink.beginPath();
		ink.arc(0, -72, 50, Math.PI, 0);
		ink.fill();
		for (const x of [-52, 52]) {
			ink.fillStyle = glow(ink, x, -32, 26, css(green, 0.6), css(green, 0.18), css(green, 0));
			ellipse(ink, x, -32, 26);
		}
		lamplight(ink, -13, -42, 26, 42, [13, 13, 0, 0]);
	});
}

function dome(ink: Ink, stone: Stone): void {
	ink.fillStyle = fall(ink, -124, -72, css(mix(stone.colour, 0xffffff, 0.62)), css(mix(stone.colour, 0x27436a, 0.35)));
	ink.beginPath();
	ink.arc(0, -72, 52, Math.PI, 0);
	ink.fill();
	ink.strokeStyle = css(stone.trim, 0.85);
	ink.lineWidth = 2;
	for (const rx of [17, 37, 52]) {
		ink.beginPath();
		ink.ellipse(0, -72, rx, 52, 0, Math.PI, 0);
		ink.stroke();
	}
	ink.beginPath();
	ink.moveTo(-46, -97);
	ink.quadraticCurveTo(0, -90, 46, -97);
	ink.stroke();
	ink.fillStyle = "rgb(255 255 255 / .35)";
	ink.beginPath();
	ink.ellipse(-26, -100, 6, 13, 0.62, 0, Math.PI * 2);
	ink.fill();
}

function flask(ink: Ink, stone: Stone, x: number, y: number): void {
	ink.fillStyle = css(stone.trim);
	box(ink, x - 4, y - 9.5, 8, 3, 1);
	shape(ink, x - 2.6, y - 8, x + 2.6, y - 8, x + 2.6, y - 2, x + 8, y + 8, x - 8, y + 8, x - 2.6, y - 2);
	ink.fillStyle = css(stone.colour);
	shape(ink, x - 4, y + 2, x + 4, y + 2, x + 7, y + 7, x - 7, y + 7);
}

function tube(ink: Ink, stone: Stone, x: number, y: number): void {
	ink.strokeStyle = css(stone.trim);
	ink.lineWidth = 2;
	for (const turn of [0, Math.PI / 3, -Math.PI / 3]) {
		ink.beginPath();
		ink.ellipse(x, y, 9.5, 3.6, turn, 0, Math.PI * 2);
		ink.stroke();
	}
	ink.fillStyle = css(stone.ridge);
	ellipse(ink, x, y, 2.4);
}

/* ---- harbour: a lighthouse, a boathouse, a jetty on the water, a boat ---- */

export function harbourCels(colour: Rgb): Cels {
	return place(colour, (ink, stone) => {
		lighthouse(ink, stone);
		wall(ink, stone, -72, -54, 84, 48);
		ink.fillStyle = fall(ink, -92, -54, css(stone.ridge), css(stone.roof));
		shape(ink, -80, -52, -30, -90, 20, -52);
		ink.strokeStyle = css(stone.trim);
		line(ink, 3, -80, -52, -30, -90, 20, -52);
		ink.fillStyle = css(stone.deep);
		box(ink, -48, -40, 36, 34, [18, 18, 0, 0]);
		anchor(ink, stone, -30, -64);
		water(ink, stone);
		ink.fillStyle = "#7d5b45";
		box(ink, -76, -8, 96, 5, 1);
		for (const x of [-66, -36, -6])
			box(ink, x, -5, 4, 9, 1);
	}, (ink) => {
		lamplight(ink, -44, -36, 28, 29, [14, 14, 0, 0]);
		ink.fillStyle = glow(ink, 47, -106, 34, "rgb(255 244 200 / .95)", "rgb(255 226 140 / .35)", "rgb(255 220 120 / 0)");
		ellipse(ink, 47, -106, 34);
	}, { boat: [boat, [-22, -32, 44, 42]] });
}

function lighthouse(ink: Ink, stone: Stone): void {
	ink.fillStyle = css(stone.trim);
	shape(ink, 37, -96, 57, -96, 63, -4, 31, -4);
	ink.save();
	ink.clip();
	ink.fillStyle = "#d8574f";
	for (const y of [-84, -52, -20])
		box(ink, 28, y, 40, 15);
	ink.fillStyle = "rgb(30 20 60 / .18)";
	box(ink, 51, -100, 20, 100);
	ink.restore();
	ink.fillStyle = css(stone.deep);
	box(ink, 33, -99, 28, 5, 2);
	ink.fillStyle = css(mix(stone.deep, 0xffe9a8, 0.4));
	box(ink, 39, -113, 16, 15, 2);
	ink.fillStyle = "#c34a44";
	ink.beginPath();
	ink.moveTo(35, -112);
	ink.quadraticCurveTo(47, -130, 59, -112);
	ink.fill();
}

function anchor(ink: Ink, stone: Stone, x: number, y: number): void {
	ink.strokeStyle = css(stone.trim);
	ink.lineWidth = 2.6;
	ink.beginPath();
	ink.arc(x, y - 7.5, 2.6, 0, Math.PI * 2);
	ink.moveTo(x, y - 5);
	ink.lineTo(x, y + 8);
	ink.moveTo(x - 5, y - 2);
	ink.lineTo(x + 5, y - 2);
	ink.moveTo(x - 8, y + 2);
	ink.quadraticCurveTo(x - 7, y + 8, x, y + 8);
	ink.quadraticCurveTo(x + 7, y + 8, x + 8, y + 2);
	ink.stroke();
}

function water(ink: Ink, stone: Stone): void {
	ink.fillStyle = fall(ink, -8, 8, css(mix(stone.colour, 0xffffff, 0.2)), css(mix(stone.colour, 0x1f3a6a, 0.55)));
	box(ink, -80, -6, 160, 13, 6.5);
	ink.strokeStyle = "rgb(255 255 255 / .5)";
	for (const [x, y] of [[-60, 3], [-20, 0], [24, 3.5], [58, 0.5]] as const) {
		ink.lineWidth = 1.5;
		ink.beginPath();
		ink.moveTo(x - 8, y);
		ink.quadraticCurveTo(x - 4, y - 2.4, x, y);
		ink.quadraticCurveTo(x + 4, y + 2.4, x + 8, y);
		ink.stroke();
	}
}

function boat(ink: Ink, stone: Stone): void {
	ink.strokeStyle = "#7d5b45";
	line(ink, 2, 0, 0, 0, -28);
	ink.fillStyle = css(stone.trim);
	shape(ink, 2, -28, 2, -5, 16, -5);
	ink.fillStyle = css(stone.ridge);
	shape(ink, -2, -24, -2, -5, -12, -5);
	ink.fillStyle = "#d8574f";
	ink.beginPath();
	ink.moveTo(-19, -2);
	ink.lineTo(20, -2);
	ink.quadraticCurveTo(15, 8, 8, 8);
	ink.lineTo(-9, 8);
	ink.quadraticCurveTo(-16, 7, -19, -2);
	ink.fill();
}

/* ---- toolbox: one that is as big as a house ---- */

export function toolboxCels(colour: Rgb): Cels {
	return place(colour, (ink, stone) => {
		tools(ink, stone);
		ink.strokeStyle = css(stone.deep);
		ink.lineWidth = 8;
		ink.beginPath();
		ink.moveTo(-34, -78);
		ink.lineTo(-34, -96);
		ink.quadraticCurveTo(-34, -106, -24, -106);
		ink.lineTo(24, -106);
		ink.quadraticCurveTo(34, -106, 34, -96);
		ink.lineTo(34, -78);
		ink.stroke();
		ink.fillStyle = fall(ink, -84, -56, css(stone.ridge), css(stone.roof));
		box(ink, -74, -84, 148, 30, [12, 12, 3, 3]);
		ink.fillStyle = fall(ink, -56, 0, css(mix(stone.colour, 0xffffff, 0.12)), css(stone.roof));
		box(ink, -70, -56, 140, 56, [2, 2, 6, 6]);
		ink.fillStyle = css(stone.deep, 0.4);
		box(ink, -70, -56, 140, 5);
		for (const x of [-52, 38]) {
			ink.fillStyle = css(stone.trim);
			box(ink, x, -64, 14, 18, 3);
			ink.fillStyle = css(stone.deep);
			box(ink, x + 4, -57, 6, 7, 1.5);
		}
		ink.fillStyle = css(stone.deep);
		box(ink, -16, -42, 32, 42, [6, 6, 0, 0]);
		pane(ink, stone, -54, -34, 24, 16);
		pane(ink, stone, 30, -34, 24, 16);
	}, (ink) => {
		lamplight(ink, -12, -38, 24, 38, [5, 5, 0, 0]);
		lamplight(ink, -54, -34, 24, 16);
		lamplight(ink, 30, -34, 24, 16);
	});
}

function tools(ink: Ink, stone: Stone): void {
	ink.save();
	ink.translate(-54, -84);
	ink.rotate(-0.22);
	ink.fillStyle = "#8a5a3c";
	box(ink, -3.5, -34, 7, 40, 3);
	ink.fillStyle = fall(ink, -46, -30, "#eef1f7", "#9aa3b5");
	box(ink, -14, -46, 28, 14, 4);
	ink.restore();
	ink.save();
	ink.translate(54, -84);
	ink.rotate(0.2);
	ink.fillStyle = fall(ink, -46, 0, "#eef1f7", "#a3abbc");
	box(ink, -4, -30, 8, 36, 2);
	ink.beginPath();
	ink.arc(0, -36, 11, -Math.PI / 2 + 0.55, Math.PI * 1.5 - 0.55);
	ink.lineTo(0, -34);
	ink.fill();
	ink.restore();
	ink.fillStyle = css(mix(stone.colour, 0xe8a851, 0.75));
	box(ink, -4, -98, 9, 18, 2);
}

/* ---- a house of any other kind ---- */

export function houseCels(colour: Rgb): Cels {
	return place(colour, (ink, stone) => {
		ink.fillStyle = css(mix(stone.shade, 0x8a4636, 0.5));
		box(ink, 30, -118, 15, 40, 2);
		wall(ink, stone, -60, -70, 120, 70);
		ink.fillStyle = fall(ink, -122, -66, css(stone.ridge), css(stone.roof));
		shape(ink, -74, -66, 0, -122, 74, -66);
		ink.strokeStyle = css(stone.trim);
		line(ink, 3.5, -74, -66, 0, -122, 74, -66);
		ink.fillStyle = css(stone.deep);
		box(ink, -14, -42, 28, 42, [14, 14, 0, 0]);
		for (const x of [-48, 24]) {
			pane(ink, stone, x, -48, 24, 22);
			bars(ink, stone, x, -48, 24, 22);
		}
		ink.fillStyle = css(stone.trim);
		ellipse(ink, 0, -86, 14);
	}, (ink) => {
		lamplight(ink, -11, -38, 22, 38, [11, 11, 0, 0]);
		for (const x of [-48, 24])
			lamplight(ink, x, -48, 24, 22);
	});
}
