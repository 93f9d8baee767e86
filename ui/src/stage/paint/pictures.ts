/* Pictures that a document names. Only those of our own origin are asked for; what is from
 * elsewhere, is no picture or does not come stays the tile that stands for it. */

import { ImageSource, Rectangle, Texture } from "pixi.js";
import type { PictureState, StripState } from "../frame";

const KEPT = 64;
const sources = new Map<string, ImageSource | null>();

/* The picture's address, if it is ours to ask. */
export function ownAddress(asset: string, page: string): string | null {
	if (!URL.canParse(asset, page))
		return null;
	const address = new URL(asset, page);

	return address.origin === new URL(page).origin && /^https?:$/.test(address.protocol) ? address.href : null;
}

function sourceOf(asset: string): ImageSource | null {
	const address = ownAddress(asset, location.href);

	if (address === null)
		return null;
	const known = sources.get(address);

	if (known !== undefined || sources.size >= KEPT)
		return known ?? null;
	const image = new Image();

	sources.set(address, null);
	image.addEventListener("load", () => {
		if (image.naturalWidth > 0)
			sources.set(address, new ImageSource({ resource: image, width: image.naturalWidth, height: image.naturalHeight }));
	});
	image.src = address;
	return null;
}

function frameOf(state: PictureState | StripState, source: ImageSource, seconds: number): Rectangle {
	if (state.type === "static") {
		const { x, y, width, height } = state.sourceRect ?? { x: 0, y: 0, width: source.width, height: source.height };

		return new Rectangle(x, y, width, height);
	}
	const passed = Math.floor(seconds * state.fps);
	const step = state.loop === false ? Math.min(passed, state.frameCount - 1) : passed % state.frameCount;

	return new Rectangle(((state.frameStart ?? 0) + step) * state.frameWidth, (state.frameRow ?? 0) * state.frameHeight,
		state.frameWidth, state.frameHeight);
}

/* A picture of a state, now; null as long as there is none. The texture is the caller's. */
export function pictureOf(state: PictureState | StripState, seconds: number): Texture | null {
	const source = sourceOf(state.asset);

	if (source === null)
		return null;
	const frame = frameOf(state, source, seconds);
	const isInside = frame.x >= 0 && frame.y >= 0 && frame.right <= source.width && frame.bottom <= source.height;

	return isInside && frame.width > 0 && frame.height > 0 ? new Texture({ source, frame }) : null;
}
