/* The backdrop as one picture of the window. It is put together again only when the camera, the
 * window, the theme or the show is another; in all other frames it costs one rectangle. */

import { type Renderer, RenderTexture, Sprite } from "pixi.js";
import type { Camera, StageFrame } from "../frame";
import { makeBackdrop } from "./backdrop";
import type { Theme } from "./theme";

export interface Land {
	readonly root: Sprite;
	restyle(theme: Theme, frame: StageFrame, pixels: number): void;
	update(frame: StageFrame, camera: Camera, renderer: Renderer): void;
	/* What was drawn is gone, as when a context was lost. */
	forget(): void;
	destroy(): void;
}

export function makeLand(): Land {
	const backdrop = makeBackdrop();
	const root = new Sprite();
	let texture: RenderTexture | null = null, drawn = "";

	function fit({ screen: { width, height }, resolution }: Renderer): RenderTexture {
		if (texture?.width === width && texture.height === height && texture.source.resolution === resolution)
			return texture;
		texture?.destroy(true);
		texture = RenderTexture.create({ width, height, resolution });
		root.texture = texture;
		drawn = "";
		return texture;
	}

	return {
		root,
		restyle(theme, frame, pixels) {
			backdrop.restyle(theme, frame, pixels);
			drawn = "";
		},
		update(frame, camera, renderer) {
			const target = fit(renderer);
			const wanted = `${camera.x} ${camera.y} ${camera.zoom}`;

			if (wanted === drawn)
				return;
			drawn = wanted;
			backdrop.update(frame, camera, renderer.screen);
			renderer.render({ container: backdrop.root, target, clear: true });
		},
		forget() { drawn = ""; },
		destroy() {
			backdrop.destroy();
			texture?.destroy(true);
		},
	};
}
