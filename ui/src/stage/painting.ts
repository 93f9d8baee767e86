/* Gets the painter, which is a large part of the page and comes after everything else; and says
 * so where there can be none, or where the browser takes the drawing away. */

import type { Desk } from "../desk";
import type { Painter } from "./frame";
import type { Crowd } from "./crowd";

const LOST = "The browser has dropped the WebGL context of the stage. It comes back by itself; until then,"
	+ " here is who is on it.";

/* Null: there is the list instead, and words for why. */
export async function hirePainter(desk: Desk, canvas: HTMLElement, crowd: Crowd): Promise<Painter | null> {
	try {
		const { makePainter } = await import("./paint/index");
		const painter = makePainter();

		painter.theme(desk.isDark);
		painter.calm(desk.wantsLessMotion);
		painter.onContext((isThere) => crowd.fill(isThere ? null : LOST));
		await painter.mount(canvas);
		painter.resize(canvas.clientWidth, canvas.clientHeight);
		desk.onTheme(() => painter.theme(desk.isDark));
		return painter;
	} catch (why) {
		crowd.fill("This browser cannot draw the stage, because it has no WebGL"
			+ ` (${why instanceof Error ? why.message : "unknown"}). Here is who is on it, and what they do.`);
		return null;
	}
}
