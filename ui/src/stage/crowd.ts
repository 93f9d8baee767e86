/* Who is on the stage, as a list beside it: what each session does, on what and since when, those
 * that wait first; then the others. For those who do not see the canvas, for the keyboard, and for
 * everybody where the browser cannot draw. It is brought up to date now and then, so that what is
 * read out can be listened to. */

import type { Member } from "../desk";
import type { Actor, StageFrame } from "./frame";
import { makeMore } from "./more";
import { clockOf, nameOf, sentenceOf } from "./said";
import { isAtIt } from "./seating";
import { byHandle, groupOf } from "../crew/model";
import { GROUPS, placeWords, stateWords, targetWords, titleWords } from "../crew/words";
import { h, write } from "../text/dom";
import { shortened } from "../text/names";

const EVERY_MS = 1500;
const CLOCK_MS = 500;
const MOST = 200;

/* What the list shows: the stage and the crew of this moment. */
export interface Scenery {
	frame: StageFrame;
	members: readonly Member[];
	missing: number;        /* how many are at work and have no figure */
	now: number;            /* the server's time of day */
}

export interface Crowd {
	readonly element: HTMLElement;
	/* Shows them, if it is time. */
	look(scenery: Scenery, localNow: number): void;
	select(id: string | null): void;
	/* It is all there is to see. */
	fill(words: string | null): void;
}

/* `id`: of the session or of the actor; `actor`: of the figure, "" where there is none. */
interface Line {
	id: string; actor: string; name: string; place: string; state: string; target: string; since: number; words: string;
	group: string; colour: string; isSub: boolean;
}

interface Row {
	element: HTMLElement; button: HTMLButtonElement; line: Line;
	name: HTMLElement; place: HTMLElement; state: HTMLElement; target: HTMLElement; clock: HTMLElement; words: HTMLElement;
}

export interface CrowdHands {
	open(member: Member): void;
	choose(actor: string): void;
	menu(actor: string, at: HTMLElement): void;
}

/* Where it works, if the handle does not say it; else, or if it works nowhere, what it was asked. */
function aboutOf(member: Member): string {
	const isSaid = member.project !== undefined && member.handle.startsWith(`${member.project}-`);

	return (isSaid ? "" : placeWords(member)) || titleWords(member);
}

/* A session and, below it, its subagents that are at it. */
function linesOf(member: Member, actor: Actor | undefined): Line[] {
	const { state, agents = [] } = member;
	const line: Line = {
		id: member.id, actor: actor?.id ?? "", name: shortened(member.handle), place: aboutOf(member), state: stateWords(state),
		target: targetWords(state), since: state.since, words: "", group: groupOf(member), isSub: false,
		colour: actor?.look.fallbackColor ?? "transparent",
	};

	return [line, ...agents.filter(isAtIt).map((sub) => ({
		...line, id: `${member.id}#${sub.id}`, actor: "", name: shortened(sub.name ?? sub.id), place: "", state: stateWords(sub.state),
		target: targetWords(sub.state), since: sub.state.since, group: "work", isSub: true,
	}))];
}

function lineOf(actor: Actor): Line {
	const { name, state, words } = sentenceOf(actor);

	return { id: actor.id, actor: actor.id, name, place: "", state, target: "", since: 0, words, group: actor.state, isSub: false,
		colour: actor.look.fallbackColor };
}

export function makeLines({ frame, members }: Pick<Scenery, "frame" | "members">): Line[] {
	const there = frame.entities.filter((actor) => actor.visible && actor.isSomebody);
	const figures = new Map(there.filter(({ session }) => session !== null && session.sub === null)
		.map((actor) => [actor.session!.member.id, actor]));
	const rank = (member: Member): number => GROUPS.indexOf(groupOf(member));
	const crew = [...members].sort((a, b) => rank(a) - rank(b) || byHandle(a, b));
	const others = there.filter(({ session }) => session === null).sort((a, b) => nameOf(a).localeCompare(nameOf(b)));

	return [...crew.flatMap((member) => linesOf(member, figures.get(member.id))), ...others.map(lineOf)].slice(0, MOST);
}

/* Arrows go from one to the next. */
function watchArrows(list: HTMLElement): void {
	list.addEventListener("keydown", (event) => {
		const buttons = [...list.querySelectorAll("button")];
		const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
		const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];

		if (step === undefined || now < 0)
			return;
		buttons.at((now + step) % buttons.length)?.focus();
		event.preventDefault();
		event.stopPropagation();
	});
}

function makeRow(line: Line, act: (line: Line) => void, menu: CrowdHands["menu"]): Row {
	const part = (name: string, more = {}): HTMLElement => h("span", { class: `stage-crowd-${name}`, ...more });
	const name = h("b"), place = part("place"), state = part("state"), target = part("target"), words = h("q", { hidden: true });
	const clock = part("clock", { "aria-hidden": "true" });      /* it would be read out for ever */
	const does = h("span", { class: "stage-crowd-does" }, state, " ", target);
	const button = h("button", { type: "button" }, h("i"), name, place, clock, does, words);
	const row = { element: h("li", {}, button), button, line, name, place, state, target, clock, words };

	button.addEventListener("click", () => act(row.line));
	button.addEventListener("contextmenu", (event) => {
		event.preventDefault();
		if (row.line.actor !== "")
			menu(row.line.actor, button);
	});
	return row;
}

function drawRow(row: Row, line: Line): void {
	row.line = line;
	write(row.name, line.name);
	write(row.place, line.place);
	write(row.state, line.state);
	write(row.target, line.target);
	write(row.words, line.words);
	row.words.hidden = line.words === "";
	row.button.dataset.state = line.group;
	row.button.dataset.actor = line.actor;
	row.button.dataset.id = line.id;
	row.element.classList.toggle("sub", line.isSub);
	row.button.style.setProperty("--who", line.colour);
}

export function makeCrowd(hands: CrowdHands): Crowd {
	const rows = new Map<string, Row>();
	const title = h("h2", { id: "stage-crowd-title" }, "On stage");
	const why = h("p", { class: "stage-crowd-why", hidden: true });
	const nobody = h("p", { class: "stage-crowd-nobody" }, "The stage is empty.");
	const list = h("ul", { role: "list", "aria-live": "polite", "aria-relevant": "additions text",
		"aria-labelledby": "stage-crowd-title" });
	const more = makeMore("stage-crowd-more");
	const element = h("section", { class: "stage-crowd", "aria-labelledby": "stage-crowd-title" }, title, why, nobody, list, more.element);

	watchArrows(list);
	let lookedAt = -Infinity, tickedAt = -Infinity;
	let present = new Map<string, Member>();

	function act(line: Line): void {
		const member = present.get(line.id) ?? present.get(line.id.split("#")[0]!);

		if (member !== undefined)
			hands.open(member);
		else
			hands.choose(line.actor);
	}

	/* In their order; who stays where they are is not touched, so that the focus stays too. */
	function draw(lines: readonly Line[]): void {
		const there = new Set(lines.map(({ id }) => id));
		let next = list.firstElementChild;

		for (const [id, row] of rows)
			if (!there.has(id)) {
				if (next === row.element)
					next = next.nextElementSibling;
				row.element.remove();
				rows.delete(id);
			}
		for (const line of lines) {
			const row = rows.get(line.id) ?? makeRow(line, act, hands.menu);

			drawRow(row, line);
			rows.set(line.id, row);
			if (next === row.element)
				next = next.nextElementSibling;
			else
				list.insertBefore(row.element, next);
		}
		nobody.hidden = lines.length > 0;
	}

	return {
		element,
		look(scenery, localNow) {
			if (localNow - lookedAt >= EVERY_MS) {
				lookedAt = localNow;
				more.look(scenery.missing);
				present = new Map(scenery.members.map((member) => [member.id, member]));
				draw(makeLines(scenery));
				tickedAt = -Infinity;
			}
			if (localNow - tickedAt < CLOCK_MS)
				return;
			tickedAt = localNow;
			for (const { clock, line } of rows.values())
				write(clock, clockOf(line.since, scenery.now));
		},
		select(id) {
			for (const { line, button } of rows.values())
				if (id !== null && line.actor === id)
					button.setAttribute("aria-current", "true");
				else
					button.removeAttribute("aria-current");
		},
		fill(words) {
			element.classList.toggle("alone", words !== null);
			why.hidden = words === null;
			write(why, words ?? "");
		},
	};
}
