/* One entity on the stage and what moves it, as the model keeps it. */

import type { Guise } from "./company";
import type { Effect, Look, Placed, ShowDocument } from "./frame";
import { makeVoice, type Voice } from "./speech";
import { applyTween, settleTween, type Stand, type Tween } from "./tween";

export interface Player {
	placed: Placed;
	look: Look;
	layer: number;
	semantic: string;
	part: string;           /* of a stand-in: what it is known by, or "" */
	guise: Guise | null;    /* of a session: what the crew says of it */
	isVacant: boolean;      /* plays a session that the crew does not know */
	base: Stand;
	original: Stand;
	state: string;
	stateSince: number;     /* 0: before we came */
	visibleSince: number;
	tweens: Tween[];
	voice: Voice;
	sound: { name: string; at: number; key: string } | null;
	standAt(now: number): Stand;
	animate(state: string, now: number): void;   /* "": as it is */
	show(isVisible: boolean, now: number): void;
}

const NOBODY: Look = { displayWidth: 32, displayHeight: 32, fallbackColor: "#9AA0A6" };

function originalOf(placed: Placed): Stand {
	const scale = placed.scale ?? 1;

	return {
		x: placed.x, y: placed.y, scaleX: scale, scaleY: scale, rotation: placed.rotation ?? 0,
		opacity: placed.opacity ?? 1, zIndex: placed.zIndex ?? 0, animationSpeed: 1,
		visible: placed.visible !== false, flipped: placed.flipH === true, tint: null,
	};
}

export function makePlayer(document: ShowDocument, placed: Placed): Player {
	const { entities, scene } = document;
	const original = originalOf(placed);
	const player: Player = {
		placed, original, base: { ...original },
		look: Object.hasOwn(entities, placed.entityId) ? entities[placed.entityId]! : NOBODY,
		layer: scene.layers.find((layer) => layer.id === placed.layerId)?.order ?? 0,
		semantic: placed.semanticId ?? "", part: "", guise: null, isVacant: false,
		state: placed.activeState || "idle", stateSince: 0, visibleSince: 0, tweens: [], sound: null,
		voice: makeVoice(placed.speechBubble?.maxChars, placed.speechBubble?.retentionMs),
		standAt(now) {
			const stand = { ...player.base };

			for (const tween of player.tweens)
				applyTween(tween, now, stand);
			if (player.guise !== null && player.guise.pose !== null)
				({ x: stand.x, y: stand.y } = player.guise);
			return stand;
		},
		animate(state, now) {
			if (state === "" || state === player.state)
				return;
			player.state = state;
			player.stateSince = now;
		},
		show(isVisible, now) {
			if (isVisible !== player.base.visible)
				player.visibleSince = now;
			player.base.visible = isVisible;
		},
	};

	return player;
}

/* How a tween that leaves no trace is told in frames. */
function effectOf(player: Player, tween: Tween, key: string): Effect | null {
	const { id: actor } = player.placed;
	const { color } = tween;

	switch (tween.kind) {
	case "flash":
		return { kind: "flash", key, actor, color, progress: 0, value: 0 };
	case "pulse":
		return { kind: "pulse", key, actor, progress: 0, value: 1 };
	case "beam":
		return { kind: "beam", key, actor, color, progress: 0, x1: 0, y1: 0, x2: 0, y2: 0, to: null };
	case "other":
		return ["wait", "typeText", "followRoute", "set"].includes(tween.action) ? null
			: { kind: "other", key, actor, progress: 0, name: tween.action };
	default:
		return null;
	}
}

export function seatTween(player: Player, tween: Tween, serial: number): void {
	tween.effect = effectOf(player, tween, `tween-${serial}`);
	player.tweens.push(tween);
}

/* Takes it out and keeps what it did. */
export function settle(player: Player, tween: Tween, now: number, isComplete: boolean): void {
	player.tweens.splice(player.tweens.indexOf(tween), 1);
	settleTween(tween, now, isComplete, player.base);
	if (isComplete)
		player.animate(tween.onArrival, now);
}
