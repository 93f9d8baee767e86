/* Day and night. Both are made from the background colour of the document: by night it is the
 * ground that everything else is mixed with, by day only a breath of it is left. */

import { mix, type Rgb } from "./colour";

export interface Theme {
	readonly isDark: boolean;
	readonly sky: readonly [Rgb, Rgb, Rgb];       /* top, middle, horizon */
	readonly hills: readonly [Rgb, Rgb];          /* far, near */
	readonly trees: readonly [Rgb, Rgb];          /* leaves, shade */
	readonly ground: readonly [Rgb, Rgb];         /* at the horizon, at our feet */
	readonly path: Rgb;
	readonly veil: Rgb;                           /* what houses are tinted with */
	readonly name: readonly [Rgb, Rgb];           /* ink and ground of names */
	readonly bubble: readonly [Rgb, Rgb, Rgb];    /* ground, edge, ink */
	readonly glow: number;                        /* how strongly lights are seen */
	readonly shadow: number;
	readonly trail: Rgb;
}

export function themeOf(isDark: boolean, base: Rgb, ambient: { color: Rgb; intensity: number }): Theme {
	return isDark ? night(base, ambient) : day(base, ambient);
}

function night(base: Rgb, ambient: { color: Rgb; intensity: number }): Theme {
	/* Half of the light is as the theme was made; more or less of it shows. */
	const lit = (colour: Rgb) => ambient.intensity >= 0.5
		? mix(colour, mix(colour, ambient.color, 0.35), Math.min(ambient.intensity - 0.5, 1))
		: mix(colour, mix(base, 0, 0.5), (0.5 - ambient.intensity) * 1.2);

	return {
		isDark: true,
		sky: [lit(mix(base, 0x0b0b26, 0.55)), lit(mix(base, 0x45409c, 0.5)), lit(mix(base, 0xe29aa0, 0.5))],
		hills: [lit(mix(base, 0x6d5f9f, 0.5)), lit(mix(base, 0x413f7c, 0.55))],
		trees: [lit(mix(base, 0x3a8078, 0.52)), lit(mix(base, 0x1b4650, 0.6))],
		ground: [lit(mix(base, 0x4e6a92, 0.52)), lit(mix(base, 0x151a33, 0.4))],
		path: lit(mix(base, 0xc2a5c0, 0.46)),
		veil: lit(mix(0xffffff, mix(base, 0x6f74c8, 0.5), 0.38)),
		name: [0xf3f1ff, mix(base, 0x05050f, 0.45)],
		bubble: [0xfbf8f1, 0xe2dcef, 0x221f35],
		glow: 1, shadow: 0.85, trail: 0xfff0c8,
	};
}

function day(base: Rgb, ambient: { color: Rgb; intensity: number }): Theme {
	const air = (colour: Rgb) => mix(mix(colour, base, 0.05), mix(colour, ambient.color, 0.3), 0.25);

	return {
		isDark: false,
		sky: [air(0x8fc4ee), air(0xc6e3f6), air(0xfdf3e1)],
		hills: [air(0xbcd3d9), air(0xa5cbb4)],
		trees: [air(0x79b489), air(0x5b9a76)],
		ground: [air(0xd5e4bd), air(0xf0ead2)],
		path: air(0xfbf3df),
		veil: 0xffffff,
		name: [0x24213a, 0xffffff],
		bubble: [0xffffff, 0xcfc9dc, 0x221f35],
		glow: 0.5, shadow: 0.5, trail: 0x6a5a3a,
	};
}
