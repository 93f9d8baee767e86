/* Which art a shape of the document is, and how that is put together. A name that is not here is
 * drawn as a rounded tile with its glyph, so that a show for a later version is still a show. */

import type { Rgb } from "./colour";
import * as places from "./places";
import type { Cels } from "./sheet";
import * as things from "./things";

export interface Art {
	name: string;
	width: number;                 /* of the drawing */
	height: number;
	stands: boolean;               /* on the ground at 0; else around its middle */
	veiled: boolean;               /* darker by night */
	burns: number;                 /* how much of its light is always on */
	dayLight: number;              /* how much of its light is seen by day */
	glyph?: { x: number; y: number; size: number };
	mover?: { cel: string; x: number; y: number; follows?: boolean; turns?: number; bob?: number };
	smoke?: { x: number; y: number };
	cels(colour: Rgb): Cels;
}

const PLACE = {
	width: places.PLACE_WIDTH, height: places.PLACE_HEIGHT, stands: true, veiled: true, burns: 0.72, dayLight: 0.55,
};
const POST = { width: 60, height: 110, stands: false, veiled: false, burns: 0, dayLight: 0.9 };
const PLAIN = { width: 104, height: 104, stands: false, veiled: false, burns: 0, dayLight: 1, glyph: { x: 0, y: 0, size: 50 } };

const ARTS: Readonly<Record<string, Omit<Art, "name">>> = {
	library: { ...PLACE, cels: places.libraryCels },
	workshop: { ...PLACE, cels: places.workshopCels, mover: { cel: "sign", x: -56, y: -88, turns: 3 }, smoke: { x: 55, y: -132 } },
	laboratory: { ...PLACE, cels: places.laboratoryCels },
	harbour: { ...PLACE, cels: places.harbourCels, mover: { cel: "boat", x: 30, y: -2, bob: 1.6 } },
	toolbox: { ...PLACE, cels: places.toolboxCels },
	house: { ...PLACE, cels: places.houseCels, glyph: { x: 0, y: -86, size: 18 }, smoke: { x: 38, y: -120 } },
	lantern: { ...POST, burns: 0.25, cels: things.lanternCels },
	gauge: { ...POST, cels: things.gaugeCels, mover: { cel: "needle", x: 0, y: -26, follows: true } },
	bell: { ...POST, cels: things.bellCels },
	letter: { ...PLAIN, width: 104, height: 76, cels: things.letterCels, glyph: { x: 0, y: 9, size: 17 } },
};

const PLAINS = new Set(["circle", "square", "rounded", "diamond", "triangle", "hexagon", "star"]);

export function artOf(shape: string): Art {
	if (Object.hasOwn(ARTS, shape))
		return { name: shape, ...ARTS[shape]! };
	const name = PLAINS.has(shape) ? shape : "rounded";

	return { name, ...PLAIN, cels: (colour) => things.plainCels(name, colour) };
}
