/* The stage: the show as it is played just now, with everything that one can do on it. The model
 * says what is, the painter draws it, and this joins them with the person in front. */

import type { Desk, View } from "../desk";
import type { Actor, Painter, StageFrame } from "./frame";
import { makeActs, type Acts } from "./acts";
import { makeAim } from "./aim";
import type { Spot } from "./camera";
import { makeCard, type Card } from "./card";
import { makeCrowd } from "./crowd";
import { makeEpisodes } from "./episodes";
import { makeEye } from "./eye";
import { makeFeed } from "./feed";
import { watchGestures } from "./gestures";
import { isBusy, lastToAct, markOthers, somebodyAt } from "./glance";
import { makeHand } from "./hand";
import { makeKeys } from "./keys";
import { makeLegend } from "./legend";
import { makeMarks } from "./marks";
import { makeMenu } from "./menu";
import { makeMeter } from "./meter";
import { makeNotes } from "./notes";
import { makePace } from "./pace";
import { hirePainter } from "./painting";
import { nameOf } from "./said";
import { DRAWN, makeTools } from "./tools";
import { isEmpty, makeWelcome } from "./welcome";
import { h } from "../text/dom";

const NEARER = 1.25;
const NARROW_PX = 700;      /* a screen on which a legend leaves no room for a card */
const EMPTY_MS = 1500;      /* so long nobody is there before it is said */

export function openStage(root: HTMLElement, desk: Desk): View {
	const feed = makeFeed(desk.link);
	const episodes = makeEpisodes();
	const eye = makeEye(), meter = makeMeter(), marks = makeMarks();
	const hand = makeHand(desk, episodes);
	const canvas = h("div", { class: "stage-canvas" });
	const host = h("div", { class: "stage-host", role: "application", tabindex: "0", "aria-label": "Stage",
		"aria-roledescription": "stage", "aria-describedby": "stage-how" }, canvas, marks.element);
	const notes = makeNotes(desk), pace = makePace();
	const welcome = makeWelcome(desk);
	const menu = makeMenu(root, () => host.focus());
	let painter: Painter | null = null;
	let frame: StageFrame | null = null;
	let selected: string | null = null, hovered: string | null = null;
	let drawsZones = false, follows = false, isShown = false, wasCalm = false;
	let legend: HTMLElement | null = null;
	let lastAt = 0, emptySince = NaN;

	/* ---- who is meant ---- */

	const actorOf = (id: string | null): Actor | null => (id === null ? null : feed.model.actor(id) ?? null);
	const isThere = (actor: Actor | null): actor is Actor => actor !== null && actor.visible;

	function select(id: string | null): void {
		const actor = actorOf(id);

		selected = isThere(actor) ? id : null;
		crowd.select(selected);
		if (isThere(actor))
			card.show(actor, episodes.of(actor.semanticId));
		else
			card.hide();
	}

	const acts: Acts = makeActs({ desk, hand, marks, eye, episodes, frame: () => frame, select });
	const aim = makeAim(eye, marks, (kind, bounds, mark) => {
		if (kind === "zone") {
			switchZones(false);
			return acts.zone(bounds, mark);
		}
		mark.remove();
		return acts.point({ x: bounds.x + bounds.w / 2, y: bounds.y + bounds.h / 2 });
	});
	const card: Card = makeCard({
		go: desk.go,
		tell: (actor, words) => acts.command(actor, words),
		menu: (actor, at) => openMenu(actor.id, below(at)),
		close() {
			select(null);
			host.focus();
		},
	});
	const crowd = makeCrowd((id) => {
		const actor = actorOf(id);

		if (isThere(actor))
			acts.click(actor, actor);
	}, (id, at) => openMenu(id, below(at)));

	/* ---- menus and switches ---- */

	function below(element: HTMLElement): Spot {
		const box = element.getBoundingClientRect(), mine = root.getBoundingClientRect();

		return { x: box.left - mine.left, y: box.bottom - mine.top + 4 };
	}

	function openMenu(id: string | null, at: Spot): void {
		const actor = actorOf(id);
		const spot = eye.spot(at);

		if (isThere(actor))
			return menu.open(nameOf(actor), acts.menuOf(actor), at);
		return menu.open("The stage", [
			{ words: "Point here", hint: "x", act: () => acts.point(spot) },
			{ words: "Draw a zone", hint: "z", act: () => switchZones(true) },
			{ words: "Show all of it", hint: "0", act: () => eye.fit() },
			{ words: "What is what", hint: "l", act: () => switchLegend() },
		], at);
	}

	function switchZones(isOn: boolean): void {
		drawsZones = isOn;
		host.classList.toggle("draws-zones", isOn);
		tools.press("zone", isOn);
		if (!isOn)
			aim.end();
	}

	function switchFollow(isOn: boolean): void {
		follows = isOn;
		tools.press("follow", isOn);
		if (!isOn)
			eye.follow(null);
	}

	function switchLegend(): void {
		const hadLegend = legend !== null;

		legend?.remove();
		legend = null;
		if (!hadLegend && frame) {
			legend = makeLegend(frame.document, switchLegend);
			root.append(legend);
			if (eye.screen.width < NARROW_PX)
				select(null);
		}
		tools.press("legend", legend !== null);
	}

	function switchCrowd(): void {
		tools.press("crowd", crowd.element.classList.toggle("pinned"));
	}

	const tools = makeTools([
		{ name: "nearer", words: "Nearer", key: "+", draws: DRAWN.nearer, act: () => eye.zoom(NEARER) },
		{ name: "farther", words: "Farther", key: "-", draws: DRAWN.farther, act: () => eye.zoom(1 / NEARER) },
		{ name: "fit", words: "All of it", key: "0", draws: DRAWN.fit, act: () => { switchFollow(false); eye.fit(); } },
		{ name: "follow", words: "Follow who acts", key: "f", draws: DRAWN.follow, isSwitch: true, act: () => switchFollow(!follows) },
		{ name: "zone", words: "Draw a zone", key: "z", draws: DRAWN.zone, isSwitch: true, act: () => switchZones(!drawsZones) },
		{ name: "crowd", words: "Who is on stage", key: "w", draws: DRAWN.crowd, isSwitch: true, act: switchCrowd },
		{ name: "legend", words: "What is what", key: "l", draws: DRAWN.legend, isSwitch: true, act: switchLegend },
	]);

	/* ---- the hand ---- */

	watchGestures(host, {
		at(spot) {
			const picked = painter?.pick(spot.x, spot.y) ?? null;

			if (actorOf(picked)?.isSomebody || !frame)
				return picked;
			return somebodyAt(frame, eye.spot(spot))?.id ?? picked;
		},
		click(id, at) {
			const actor = actorOf(id);

			if (isThere(actor))
				return acts.click(actor, eye.spot(at));
			select(null);
			return acts.point(eye.spot(at));
		},
		hover(id) {
			hovered = id;
			host.classList.toggle("over-somebody", id !== null);
		},
		menu: openMenu,
		carry(id) {
			const actor = actorOf(id);

			return isThere(actor) && actor.semanticId ? acts.carry(actor) : null;
		},
		zone(from) {
			if (!drawsZones)
				return null;
			aim.end();
			const drawing = acts.draw(from);

			return { ...drawing, drop: (at) => { switchZones(false); drawing.drop(at); } };
		},
		pan(dx, dy) {
			switchFollow(false);
			eye.pan(dx, dy);
		},
		zoom: (at, factor) => eye.zoom(factor, at),
	});

	for (const { envelope } of desk.link.recent())
		episodes.hear(envelope);
	desk.link.on("signal", ({ envelope, live }) => {
		episodes.hear(envelope);
		if (live && isShown && envelope.type.startsWith("user.") && !hand.isOwn(envelope.id))
			markOthers(envelope, frame, marks);
	});

	/* ---- frames ---- */

	function attend(now: StageFrame, localNow: number): void {
		const actor = actorOf(selected);

		if (selected !== null && !isThere(actor))
			select(null);
		else if (isThere(actor))
			card.follow(actor, episodes.of(actor.semanticId), eye.camera, eye.screen);
		if (follows)
			eye.follow(isThere(actor) ? actor : lastToAct(now));
		emptySince = isEmpty(now) ? (Number.isNaN(emptySince) ? localNow : emptySince) : NaN;
		welcome.hidden = !(localNow - emptySince > EMPTY_MS) || legend !== null || !notes.isQuiet;
		crowd.look(now, localNow);
	}

	/* A painter that finds it too early leaves its time as it is. */
	function paint(now: StageFrame): boolean {
		if (!painter)
			return true;
		painter.stats.lastMs = NaN;
		painter.paint(now, eye.camera, { selected, hovered, focused: document.activeElement === host });
		return !Number.isNaN(painter.stats.lastMs);
	}

	/* True when there is another picture. */
	function work(localNow: number, isCalm: boolean): boolean {
		frame = feed.frame(localNow, isCalm);
		notes.look(feed, frame !== null, localNow);
		if (!frame)
			return false;
		eye.see(frame, { width: host.clientWidth, height: host.clientHeight });
		eye.glide(localNow - lastAt, isCalm);
		const isPainted = paint(frame);
		marks.follow(eye.camera);
		attend(frame, localNow);
		return isPainted;
	}

	function draw(localNow: number): void {
		const isCalm = desk.wantsLessMotion;

		if (!isShown)
			return;
		requestAnimationFrame(draw);
		if (isCalm !== wasCalm)
			painter?.calm(wasCalm = isCalm);
		const isLively = frame === null || isBusy(frame) || follows || host.matches(":active");

		if (!pace.isDue(localNow, isCalm ? "calm" : isLively ? "lively" : "idle"))
			return;
		const began = performance.now();
		if (work(localNow, isCalm))
			meter.count(performance.now() - began, localNow);
		lastAt = localNow;
		if (frame && painter)
			meter.show(frame, painter.stats, feed.model.version, localNow);
	}

	const keys = makeKeys({
		aim, eye, acts, select, menu: openMenu,
		selected: () => actorOf(selected), frame: () => frame,
		isZoning: () => drawsZones, isMenuOpen: () => menu.isOpen,
		switches: {
			zone: () => { switchZones(!drawsZones); if (drawsZones) aim.begin("zone"); },
			follow: () => switchFollow(!follows), legend: switchLegend, crowd: switchCrowd,
			meter: () => void meter.toggle(), stopZone: () => switchZones(false),
			fit: () => { switchFollow(false); eye.fit(); },
		},
	});

	root.append(host, h("p", { id: "stage-how", class: "hidden" },
		"Arrows move the view, n selects the next on stage, Enter touches, the menu key tells more. The list of who is on stage follows."),
	tools.element, card.element, welcome, notes.element, meter.element, crowd.element);
	/* For tests, and for who is curious in the console. */
	Object.assign(host, {
		frame: () => frame, at: (t: number) => feed.model.frame(t), version: () => feed.model.version,
		time: () => feed.time(performance.now()), camera: () => eye.camera, readings: meter.readings, forget: meter.forget,
	});
	new ResizeObserver(() => painter?.resize(host.clientWidth, host.clientHeight)).observe(host);
	void hirePainter(desk, canvas, crowd).then((hired) => {
		painter = hired;
		wasCalm = desk.wantsLessMotion;
		host.dataset.painter = hired ? "ready" : "none";
	});

	return {
		show(rest) {
			if (!isShown) {
				isShown = true;
				requestAnimationFrame(draw);
			}
			if (rest)
				select(rest);
		},
		hide() {
			isShown = false;
			menu.close();
			meter.forget();
		},
		key: keys,
	};
}
