/* Colours as numbers, 0xRRGGBB: what the painter mixes its shades from. What a document says is
 * read strictly; anything else is the fallback, so that no text of a show reaches a canvas. */

export type Rgb = number;

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

export function rgb(text: string | null | undefined, fallback: Rgb): Rgb {
	if (typeof text !== "string" || !HEX.test(text))
		return fallback;
	const digits = text.slice(1);

	return parseInt(digits.length === 6 ? digits : digits.replace(/./g, "$&$&"), 16);
}

/* `share` of b in a. */
export function mix(a: Rgb, b: Rgb, share: number): Rgb {
	const part = (shift: number) => {
		const from = a >> shift & 255;

		return Math.round(from + ((b >> shift & 255) - from) * share) << shift;
	};

	return part(16) | part(8) | part(0);
}

export function css(colour: Rgb, alpha = 1): string {
	return `rgb(${colour >> 16 & 255} ${colour >> 8 & 255} ${colour & 255} / ${alpha})`;
}

/* How bright it looks, 0 to 1, as WCAG has it. */
export function brightness(colour: Rgb): number {
	const linear = (shift: number) => {
		const c = (colour >> shift & 255) / 255;

		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	};

	return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

/* A number from a name, the same for ever: what makes one figure differ from another. */
export function numberOf(name: string): number {
	let sum = 2166136261;

	for (let i = 0; i < Math.min(name.length, 64); i++)
		sum = Math.imul(sum ^ name.charCodeAt(i), 16777619) >>> 0;
	return sum;
}
