/* Where the stage is on the screen: fitting, zooming around a point, panning; pure. */

import type { Camera } from "./frame";

export interface Size { width: number; height: number }
export interface Spot { x: number; y: number }

const ZOOM_MAX = 8;
const MARGIN = 0.04;        /* of the screen, around a stage that fits */
const IN_SIGHT = 80;        /* so many pixels of the stage can always be seen */

export function toStage(camera: Camera, { x, y }: Spot): Spot {
	return { x: (x - camera.x) / camera.zoom, y: (y - camera.y) / camera.zoom };
}

export function toScreen(camera: Camera, { x, y }: Spot): Spot {
	return { x: camera.x + x * camera.zoom, y: camera.y + y * camera.zoom };
}

/* All of the stage, in the middle. */
export function fit(stage: Size, screen: Size): Camera {
	const room = 1 - 2 * MARGIN;
	const zoom = Math.max(Math.min(screen.width * room / stage.width, screen.height * room / stage.height), 0.01);

	return {
		zoom,
		x: (screen.width - stage.width * zoom) / 2,
		y: (screen.height - stage.height * zoom) / 2,
	};
}

/* Not so far that nothing of it is left in sight. */
export function bounded(camera: Camera, stage: Size, screen: Size): Camera {
	const clamp = (value: number, extent: number, room: number): number =>
		Math.min(Math.max(value, IN_SIGHT - extent), room - IN_SIGHT);

	return {
		zoom: camera.zoom,
		x: clamp(camera.x, stage.width * camera.zoom, screen.width),
		y: clamp(camera.y, stage.height * camera.zoom, screen.height),
	};
}

/* Nearer or farther, with what is at this place of the screen staying there. */
export function zoomAround(camera: Camera, at: Spot, factor: number, least: number): Camera {
	const zoom = Math.min(Math.max(camera.zoom * factor, least), ZOOM_MAX);
	const under = toStage(camera, at);

	return { zoom, x: at.x - under.x * zoom, y: at.y - under.y * zoom };
}

/* This place of the stage in the middle of the screen. */
export function centred(camera: Camera, spot: Spot, screen: Size): Camera {
	return {
		zoom: camera.zoom,
		x: screen.width / 2 - spot.x * camera.zoom,
		y: screen.height / 2 - spot.y * camera.zoom,
	};
}

/* A part of the way from one to the other. */
export function between(from: Camera, to: Camera, share: number): Camera {
	const mix = (a: number, b: number): number => a + (b - a) * share;

	return { x: mix(from.x, to.x), y: mix(from.y, to.y), zoom: mix(from.zoom, to.zoom) };
}
