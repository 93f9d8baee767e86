/* The sessions in their groups. Rows are kept by their ids. While somebody points at the list or moves in it,
 * nobody changes places: what a row says does, where it stands does not. */

import type { Member } from "../desk";
import { fill, h } from "../text/dom";
import type { Shelf } from "./model";
import { makePen } from "./pen";
import { makeRow, type Row, type RowHands } from "./row";
import { GROUP_TITLES, GROUPS, type Group } from "./words";

const ROWS_MAX = 300;         /* of a group; a filter finds the others */
const DEPTH_MAX = 4;          /* that is shown */
const CALM_MS = 1500;         /* after the last move of a hand, until rows may change places */

export interface List {
	readonly root: HTMLElement;
	/* The row that the keys stand on. */
	readonly at: string | null;
	/* These are shown; `changed` are the ids of those that are others, null: all. At once: it was
	 * asked for, whatever the hand does. */
	draw(shelves: readonly Shelf[], changed: readonly string[] | null, atOnce: boolean): void;
	tick(now: number): void;
	move(by: number): void;
	stand(id: string): void;
	focus(): void;
}

interface Section { root: HTMLElement; title: HTMLElement; list: HTMLElement; more: HTMLElement; drawn: string }

export function makeList(scroller: HTMLElement, hands: RowHands, now: () => number, again: () => void): List {
	const rows = new Map<string, Row>();
	const members = new Map<string, Member>();
	const sections = new Map<Group, Section>(GROUPS.map((group) => [group, makeSection(group, toggle)]));
	const pen = makePen(scroller, rows, members, now);
	const root = h("div", { class: "crew-list" }, ...[...sections.values()].map((section) => section.root));
	let order: string[] = [];
	let at: string | null = null;
	let isOverOpen = false;
	let touchedAt = -Infinity;
	let later: number | undefined;

	function toggle(): void {
		isOverOpen = !isOverOpen;
		again();
	}

	const touch = (): void => { touchedAt = performance.now(); };
	scroller.addEventListener("pointermove", touch, { passive: true });
	scroller.addEventListener("pointerdown", touch, { passive: true });
	scroller.addEventListener("wheel", touch, { passive: true });
	root.addEventListener("focusin", (event) => {
		const id = (event.target as Element).closest<HTMLElement>(".crew-row")?.dataset.id;

		if (id !== undefined)
			stand(id);
	});

	/* ---- where rows stand ---- */

	function place(shelves: readonly Shelf[]): void {
		const focused = document.activeElement;
		const anchor = root.querySelector<HTMLElement>(".crew-row:is(:focus-within, :hover)");
		const top = anchor?.getBoundingClientRect().top ?? 0;
		const wanted = new Set<string>();

		order = [];
		for (const group of GROUPS) {
			const { members: shelf = [], depths = [] } = shelves.find((one) => one.group === group) ?? {};
			const isOpen = group !== "over" || isOverOpen;
			const shown = isOpen ? shelf.slice(0, ROWS_MAX) : [];

			drawSection(sections.get(group)!, group, shelf.length, shown.length, isOpen);
			shown.forEach(({ id }) => wanted.add(id));
			order.push(...shown.map(({ id }) => id));
			stack(sections.get(group)!.list, shown.map(({ id }) => rowOf(id).root));
			shown.forEach(({ id }, i) => indent(id, depths[i] ?? 0));
		}
		for (const [id, row] of rows)
			if (!wanted.has(id)) {
				row.root.remove();
				rows.delete(id);
				pen.forget(id, row);
			}
		if (at === null || !wanted.has(at))
			stand(order[0] ?? null);
		if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected && root.contains(focused))
			focused.focus({ preventScroll: true });
		if (anchor?.isConnected === true)
			scroller.scrollTop += anchor.getBoundingClientRect().top - top;
	}

	function indent(id: string, depth: number): void {
		const { root: row } = rowOf(id);

		if ((row.dataset.depth ?? "0") === String(depth))
			return;
		if (depth === 0)
			delete row.dataset.depth;
		else
			row.dataset.depth = String(depth);
		row.style.setProperty("--depth", String(Math.min(depth, DEPTH_MAX)));
		pen.touch([id]);
	}

	function rowOf(id: string): Row {
		let row = rows.get(id);

		if (row === undefined) {
			row = makeRow(id, hands);
			rows.set(id, row);
			pen.watch(id, row);
		}
		return row;
	}

	function draw(shelves: readonly Shelf[], changed: readonly string[] | null, atOnce: boolean): void {
		members.clear();
		for (const { members: all } of shelves)
			all.forEach((member) => members.set(member.id, member));
		pen.touch(changed ?? [...members.keys()]);
		const left = touchedAt + CALM_MS - performance.now();

		if (atOnce || left <= 0 || order.length === 0) {
			clearTimeout(later);
			later = undefined;
			place(shelves);
		} else {
			later ??= window.setTimeout(() => {
				later = undefined;
				again();
			}, left);
		}
		pen.drawSoon();
	}

	/* ---- where the keys stand ---- */

	function stand(id: string | null): void {
		if (at !== null)
			rows.get(at)?.link.setAttribute("tabindex", "-1");
		at = id;
		if (id !== null)
			rows.get(id)?.link.setAttribute("tabindex", "0");
	}

	function focus(): void {
		const row = at === null ? undefined : rows.get(at);

		row?.link.focus({ preventScroll: true });
		row?.root.scrollIntoView({ block: "nearest" });
	}

	return {
		root, draw, focus,
		get at() { return at; },
		tick: pen.tick,
		/* The first step goes to where the keys stand already, so that one sees where that is. */
		move(by) {
			const isThere = root.contains(document.activeElement);
			const here = at === null ? -1 : order.indexOf(at);
			const next = order[Math.max(0, Math.min(order.length - 1, here + (isThere ? by : 0)))];

			touch();
			if (next === undefined)
				return;
			stand(next);
			focus();
		},
		stand(id) {
			touch();
			stand(id);
			focus();
		},
	};
}

function makeSection(group: Group, toggle: () => void): Section {
	const title = group === "over"
		? h("button", { type: "button", class: "crew-fold bare", onclick: toggle }) : h("span", {});
	const list = h("ul", { class: "crew-rows", id: `crew-rows-${group}` });
	const more = h("p", { class: "crew-more", hidden: true });

	if (group === "over")
		title.setAttribute("aria-controls", list.id);
	return { title, list, more, drawn: "", root: h("section", { class: "crew-group", "data-group": group, hidden: true,
		"aria-label": GROUP_TITLES[group] }, h("h2", {}, title), list, more) };
}

function drawSection(section: Section, group: Group, count: number, shown: number, isOpen: boolean): void {
	const key = `${count} ${shown} ${isOpen}`;

	if (section.drawn === key)
		return;
	section.drawn = key;
	section.root.hidden = count === 0;
	fill(section.title, [`${GROUP_TITLES[group]} `, h("span", { class: "crew-count" }, count)]);
	if (group === "over")
		section.title.setAttribute("aria-expanded", String(isOpen));
	section.list.hidden = shown === 0;
	section.more.hidden = !isOpen || count <= shown;
	fill(section.more, [`and ${count - shown} more: filter to see them`]);
}

/* Puts elements in this order, and touches only those that are elsewhere. */
function stack(list: HTMLElement, elements: readonly HTMLElement[]): void {
	elements.forEach((element, i) => {
		if (list.children[i] !== element)
			list.insertBefore(element, list.children[i] ?? null);
	});
}
