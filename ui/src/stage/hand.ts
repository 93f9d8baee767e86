/* What a person does on the stage, as signals: touching somebody, putting them elsewhere, drawing
 * a zone, telling somebody what to do, pointing at a place. Each goes to the server as one of the
 * five user.* signals and, where the episode is known, with its correlation, so that it finds the
 * agent that it is meant for. */

import type { Desk, Envelope } from "../desk";
import type { Actor, ShowDocument } from "./frame";
import type { Episodes } from "./episodes";
import type { Spot } from "./camera";
import { visible } from "../text/signal";

const SLOT_NEAR = 90;       /* units of the stage: so near to a place it is meant */
const OWN_MAX = 256;

export interface Bounds { x: number; y: number; w: number; h: number }
type UserSignal = Partial<Envelope> & { type: string; payload: Record<string, unknown> };

/* ---- from gestures to signals; pure ---- */

const rounded = (value: number): number => Math.round(value * 10) / 10;

export function roundSpot({ x, y }: Spot): Spot {
	return { x: rounded(x), y: rounded(y) };
}

/* The zone that the document has at a place. */
export function zoneAt({ scene }: ShowDocument, { x, y }: Spot): string | null {
	const grid = scene.zoneGrid;

	if (!grid)
		return null;
	const column = Math.floor(x / grid.cellSize), row = Math.floor(y / grid.cellSize);
	if (column < 0 || row < 0 || column >= grid.cols || row >= grid.rows)
		return null;
	return grid.cells[row * grid.cols + column] ?? null;
}

/* Where somebody is put: a position of the document that is near, somebody else who stands
 * there, or else the place itself. */
export function slotAt(document: ShowDocument, actors: readonly Actor[], mover: Actor, spot: Spot): string {
	const near = (x: number, y: number): number => Math.hypot(x - spot.x, y - spot.y);
	let best = SLOT_NEAR, slot = "";

	for (const { name, x, y } of document.scene.positions ?? [])
		if (near(x, y) < best) {
			best = near(x, y);
			slot = name;
		}
	for (const { semanticId, visible: isThere, x, y } of actors)
		if (isThere && semanticId && semanticId !== mover.semanticId && near(x, y) < Math.min(best, SLOT_NEAR / 2)) {
			best = near(x, y);
			slot = semanticId;
		}
	return slot || `${Math.round(spot.x)},${Math.round(spot.y)}`;
}

/* From two corners, in any order. */
export function boundsOf(a: Spot, b: Spot): Bounds {
	return {
		x: rounded(Math.min(a.x, b.x)), y: rounded(Math.min(a.y, b.y)),
		w: rounded(Math.abs(a.x - b.x)), h: rounded(Math.abs(a.y - b.y)),
	};
}

const nameOf = (actor: Actor): string => actor.semanticId || actor.id;

export const clickOf = (actor: Actor, spot: Spot): UserSignal =>
	({ type: "user.click", payload: { target: nameOf(actor), position: roundSpot(spot) } });

export const moveOf = (actor: Actor, toSlot: string, toZone: string | null): UserSignal =>
	({ type: "user.move", payload: { entityId: nameOf(actor), toSlot, ...toZone ? { toZone } : {} } });

export const zoneOf = (bounds: Bounds, intent: string): UserSignal =>
	({ type: "user.zone", payload: { bounds, ...intent ? { intent } : {} } });

export const commandOf = (actor: Actor, action: string, params?: Record<string, unknown>): UserSignal =>
	({ type: "user.command", payload: { entityId: nameOf(actor), action, ...params ? { params } : {} } });

export const pointOf = (spot: Spot, zone: string | null): UserSignal =>
	({ type: "user.point", payload: { position: roundSpot(spot), ...zone ? { zone } : {} } });

/* ---- sending ---- */

export interface Hand {
	/* True when the server has it. What it refuses is said in words. */
	send(signal: UserSignal, actor?: Actor): Promise<boolean>;
	/* Did we send the signal of this id? */
	isOwn(id: string): boolean;
}

export function makeHand(desk: Desk, episodes: Episodes): Hand {
	const own = new Set<string>();

	function remember(id: string): void {
		own.add(id);
		if (own.size > OWN_MAX)
			own.delete(own.values().next().value!);
	}

	return {
		isOwn: (id) => own.has(id),
		async send(signal, actor) {
			const { link } = desk;
			const episode = actor ? episodes.of(actor) : undefined;
			const id = signal.id ?? crypto.randomUUID();

			if (link.state.name !== "live" && link.state.name !== "catching-up") {
				desk.say("The server is not reachable, so your actions have no effect. The page keeps trying.", "bad");
				return false;
			}
			if (!link.scopes.has("emit")) {
				desk.say("You may watch, but not act: this session lacks the scope emit.", "bad");
				return false;
			}
			remember(id);
			try {
				await link.emit({
					...signal, id, source: "stage",
					...episode ? { correlationId: episode.correlationId } : {},
				});
				return true;
			} catch (why) {
				const words = why instanceof Error ? why.message : String(why);

				desk.say(`That was refused: ${visible(words)}`, "bad");
				return false;
			}
		},
	};
}
