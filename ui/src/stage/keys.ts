/* The stage without a mouse. Arrows go from one to the next on the stage when somebody is
 * selected, move an aim when there is one, and else move the view. */

import type { Actor, StageFrame } from "./frame";
import type { Acts } from "./acts";
import type { Aim } from "./aim";
import { toScreen, type Spot } from "./camera";
import type { Eye } from "./eye";

const PAN_PX = 60;
const NEARER = 1.25;
const AHEAD: Record<string, Spot> = {
	ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 },
};

export interface Keyboard {
	aim: Aim;
	eye: Eye;
	acts: Acts;
	selected(): Actor | null;
	frame(): StageFrame | null;
	select(id: string | null): void;
	menu(id: string | null, at: Spot): void;
	isZoning(): boolean;
	isMenuOpen(): boolean;
	switches: Record<"zone" | "stopZone" | "follow" | "legend" | "crowd" | "meter" | "fit", () => void>;
}

/* The nearest in this direction: what is aside counts double. */
export function nearestAhead(actors: readonly Actor[], from: Actor, ahead: Spot): Actor | null {
	let best: Actor | null = null, least = Infinity;

	for (const actor of actors) {
		const dx = actor.x - from.x, dy = actor.y - from.y;
		const forwards = dx * ahead.x + dy * ahead.y;
		const aside = Math.abs(dx * ahead.y) + Math.abs(dy * ahead.x);

		if (actor !== from && actor.visible && forwards > 1 && forwards + 2 * aside < least) {
			least = forwards + 2 * aside;
			best = actor;
		}
	}
	return best;
}

export function makeKeys(board: Keyboard): (event: KeyboardEvent) => boolean {
	const { aim, eye, acts, select, switches } = board;
	const there = (): Actor[] => (board.frame()?.entities ?? [])
		.filter((actor) => actor.visible && actor.semanticId)
		.sort((a, b) => Number(b.isSomebody) - Number(a.isSomebody) || a.x - b.x || a.y - b.y);

	function step(by: number): void {
		const all = there();
		const now = all.findIndex((actor) => actor.id === board.selected()?.id);
		const next = now < 0 ? (by > 0 ? 0 : -1) : (now + by) % all.length;

		select(all.at(next)?.id ?? null);
	}

	function arrow(key: string): void {
		const ahead = AHEAD[key]!;
		const from = board.selected();

		if (!from)
			return eye.pan(-ahead.x * PAN_PX, -ahead.y * PAN_PX);
		const next = nearestAhead(there(), from, ahead);

		if (next)
			select(next.id);
		return undefined;
	}

	function openMenu(): void {
		const actor = board.selected();

		board.menu(actor?.id ?? null, toScreen(eye.camera, actor ?? eye.middle()));
	}

	function enter(): void {
		const actor = board.selected();

		if (actor)
			acts.click(actor, actor);
		else
			step(1);
	}

	/* From the outside in: what was begun last is given up first. */
	function escape(): boolean {
		if (board.isZoning())
			switches.stopZone();
		else if (board.selected())
			select(null);
		else
			return false;
		return true;
	}

	const plain: Record<string, () => void> = {
		"+": () => eye.zoom(NEARER), "=": () => eye.zoom(NEARER), "-": () => eye.zoom(1 / NEARER),
		"0": switches.fit, f: switches.follow, z: switches.zone, l: switches.legend, w: switches.crowd, o: switches.meter,
		n: () => step(1), N: () => step(-1), x: () => aim.begin("point"),
		Enter: enter, ContextMenu: openMenu,
	};

	return (event) => {
		const { key, shiftKey } = event;

		if (board.isMenuOpen())
			return false;
		if (aim.key(event)) {
			if (key === "Escape")
				switches.stopZone();
			return true;
		}
		if (key === "Escape")
			return escape();
		if (key === "F10" && shiftKey)
			openMenu();
		else if (Object.hasOwn(AHEAD, key))
			arrow(key);
		else if (Object.hasOwn(plain, key))
			plain[key]!();
		else
			return false;
		return true;
	};
}
