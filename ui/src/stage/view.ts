/* The stage: the show as it is played just now, with everything that one can do on it. The model
 * says what is, the painter draws it, and this joins them with the person in front. */

import type { Desk, View } from "../desk";
import { makeActs } from "./acts";
import { makeAim, type Aim } from "./aim";
import type { Spot } from "./camera";
import { makeCard, placeOfSession, type Card } from "./card";
import { makeCrowd, type Crowd } from "./crowd";
import { draw } from "./drawing";
import { makeEpisodes } from "./episodes";
import { makeEye } from "./eye";
import { makeFeed } from "./feed";
import { watchGestures, type Meanings } from "./gestures";
import { markOthers, somebodyAt } from "./glance";
import { makeHand } from "./hand";
import { makeKeys } from "./keys";
import { makeMarks } from "./marks";
import { makeMenu } from "./menu";
import { makeMeter } from "./meter";
import { makeMore } from "./more";
import { makeNotes } from "./notes";
import { makePace } from "./pace";
import { hirePainter } from "./painting";
import { makeStageTools, showAll, switchCrowd, switchFollow, switchLegend, switchZones } from "./switches";
import { actorOf, below, isSeated, isThere, openMenu, select, type Parts, type Theatre } from "./theatre";
import { makeWelcome } from "./welcome";
import { h } from "../text/dom";

function makeParts(root: HTMLElement, desk: Desk, canvas: HTMLElement): Parts {
	const marks = makeMarks(), episodes = makeEpisodes();
	const host = h("div", { class: "stage-host", role: "application", tabindex: "0", "aria-label": "Stage",
		"aria-roledescription": "stage", "aria-describedby": "stage-how" }, canvas, marks.element);

	return {
		root, host, desk, episodes, marks, feed: makeFeed(desk.link), eye: makeEye(), meter: makeMeter(), more: makeMore("stage-more"),
		hand: makeHand(desk, episodes), notes: makeNotes(desk), pace: makePace(), welcome: makeWelcome(desk),
		menu: makeMenu(root, () => host.focus()),
	};
}

function menuAt(theatre: Theatre, id: string | null, at: Spot): void {
	openMenu(theatre, id, at, { zone: () => switchZones(theatre, true), legend: () => switchLegend(theatre) });
}

function makeStageAim(theatre: Theatre): Aim {
	return makeAim(theatre.eye, theatre.marks, (kind, bounds, mark) => {
		if (kind === "zone") {
			switchZones(theatre, false);
			return theatre.acts.zone(bounds, mark);
		}
		mark.remove();
		return theatre.acts.point({ x: bounds.x + bounds.w / 2, y: bounds.y + bounds.h / 2 });
	});
}

function makeStageCard(theatre: Theatre): Card {
	return makeCard({
		go: theatre.desk.go,
		tell: (actor, words) => theatre.acts.tell(actor, words),
		async whyMute(actor) {
			const { whyNot, isSure } = await theatre.acts.power(actor);

			return { why: whyNot("tell"), isSure };
		},
		menu: (actor, at) => menuAt(theatre, actor.id, below(theatre, at)),
		close() {
			select(theatre, null);
			theatre.host.focus();
		},
	});
}

function makeStageCrowd(theatre: Theatre): Crowd {
	return makeCrowd({
		open: (member) => theatre.desk.go(placeOfSession(member)),
		choose(id) {
			const actor = actorOf(theatre, id);

			if (isThere(actor))
				theatre.acts.click(actor, actor);
		},
		menu: (id, at) => menuAt(theatre, id, below(theatre, at)),
	});
}

function makeTheatre(parts: Parts): Theatre {
	const theatre = {
		...parts, painter: null, frame: null, selected: null, hovered: null, drawsZones: false, follows: false,
		isShown: false, wasCalm: false, isCrowdChosen: false, legend: null, lastAt: 0, emptySince: NaN,
	} as Partial<Theatre> as Theatre;

	theatre.acts = makeActs({ ...parts, frame: () => theatre.frame, select: (id) => select(theatre, id) });
	theatre.aim = makeStageAim(theatre);
	theatre.card = makeStageCard(theatre);
	theatre.crowd = makeStageCrowd(theatre);
	theatre.tools = makeStageTools(theatre);
	return theatre;
}

/* ---- the hand ---- */

function meaningsOf(theatre: Theatre): Meanings {
	const { acts, aim, eye, host } = theatre;

	return {
		at(spot) {
			const picked = theatre.painter?.pick(spot.x, spot.y) ?? null;

			if (actorOf(theatre, picked)?.isSomebody || !theatre.frame)
				return picked;
			return somebodyAt(theatre.frame, eye.spot(spot))?.id ?? picked;
		},
		click(id, at) {
			const actor = actorOf(theatre, id);

			if (isThere(actor))
				return acts.click(actor, eye.spot(at));
			select(theatre, null);
			return acts.point(eye.spot(at));
		},
		hover(id) {
			theatre.hovered = id;
			host.classList.toggle("over-somebody", id !== null);
		},
		menu: (id, at) => menuAt(theatre, id, at),
		carry(id) {
			const actor = actorOf(theatre, id);

			return isThere(actor) && actor.semanticId && !isSeated(actor) ? acts.carry(actor) : null;
		},
		zone(from) {
			if (!theatre.drawsZones)
				return null;
			aim.end();
			const drawing = acts.draw(from);

			return { ...drawing, drop: (at) => { switchZones(theatre, false); drawing.drop(at); } };
		},
		pan(dx, dy) {
			switchFollow(theatre, false);
			eye.pan(dx, dy);
		},
		zoom: (at, factor) => eye.zoom(factor, at),
	};
}

function keysOf(theatre: Theatre): (event: KeyboardEvent) => boolean {
	const { aim, eye, acts, menu, meter } = theatre;

	return makeKeys({
		aim, eye, acts, select: (id) => select(theatre, id), menu: (id, at) => menuAt(theatre, id, at),
		selected: () => actorOf(theatre, theatre.selected), frame: () => theatre.frame,
		isZoning: () => theatre.drawsZones, isMenuOpen: () => menu.isOpen,
		switches: {
			zone() {
				switchZones(theatre, !theatre.drawsZones);
				if (theatre.drawsZones)
					aim.begin("zone");
			},
			follow: () => switchFollow(theatre, !theatre.follows), legend: () => switchLegend(theatre),
			crowd: () => switchCrowd(theatre), meter: () => void meter.toggle(),
			stopZone: () => switchZones(theatre, false), fit: () => showAll(theatre),
		},
	});
}

/* Whose episode it is, and what others do with their hands. */
function listen(theatre: Theatre): void {
	const { desk, episodes, hand, marks } = theatre;

	for (const { envelope } of desk.link.recent())
		episodes.hear(envelope);
	desk.link.on("signal", ({ envelope, live }) => {
		episodes.hear(envelope);
		if (live && theatre.isShown && envelope.type.startsWith("user.") && !hand.isOwn(envelope.id))
			markOthers(envelope, theatre.frame, marks);
	});
}

/* For tests, and for who is curious in the console. */
function explain(theatre: Theatre): void {
	const { host, feed, eye, meter } = theatre;

	Object.assign(host, {
		frame: () => theatre.frame, at: (t: number) => feed.model.frame(t), version: () => feed.model.version,
		time: () => feed.time(performance.now()), camera: () => eye.camera,
		words: () => theatre.painter?.words() ?? [], readings: meter.readings, forget: meter.forget,
	});
}

function hire(theatre: Theatre, canvas: HTMLElement): void {
	const { desk, host, crowd } = theatre;

	new ResizeObserver(() => theatre.painter?.resize(host.clientWidth, host.clientHeight)).observe(host);
	void hirePainter(desk, canvas, crowd).then((hired) => {
		theatre.painter = hired;
		theatre.wasCalm = desk.wantsLessMotion;
		host.dataset.painter = hired ? "ready" : "none";
	});
}

export function openStage(root: HTMLElement, desk: Desk): View {
	const canvas = h("div", { class: "stage-canvas" });
	const theatre = makeTheatre(makeParts(root, desk, canvas));
	const { host, tools, card, welcome, notes, meter, more, crowd, menu } = theatre;

	watchGestures(host, meaningsOf(theatre));
	listen(theatre);
	root.append(host, h("p", { id: "stage-how", class: "hidden" },
		"Arrows move the view, n selects the next entity, Enter opens its session or clicks it, the menu key opens its menu."
		+ " A list of the entities follows."),
	tools.element, h("div", { class: "stage-edge" }, meter.element, more.element), card.element, welcome, notes.element, crowd.element);
	explain(theatre);
	hire(theatre, canvas);
	return {
		show(rest) {
			if (!theatre.isShown) {
				theatre.isShown = true;
				requestAnimationFrame((now) => draw(theatre, now));
			}
			if (rest)
				select(theatre, rest);
		},
		hide() {
			theatre.isShown = false;
			menu.close();
			meter.forget();
		},
		key: keysOf(theatre),
	};
}
