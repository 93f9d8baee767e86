/* Who there is and who is shown, in which order. Pure. A row stays where it is as long as its group
 * does: within a group the order is that of the handles, which never change. */

import type { Member, News } from "../desk";
import { GROUPS, type Group } from "./words";

export interface Filter { words: string; project: string; harness: string; group: Group | "" }

export const NO_FILTER: Filter = { words: "", project: "", harness: "", group: "" };

export interface Crew {
	readonly size: number;
	get(id: string): Member | undefined;
	/* By its handle, its id, or the name of its run. */
	find(name: string): Member | undefined;
	/* The ids of those who changed; null: all are others. */
	hear(news: News["crew"]): string[] | null;
	all(): Member[];
}

export function createCrew(): Crew {
	const members = new Map<string, Member>();

	return {
		get size() { return members.size; },
		get: (id) => members.get(id),
		find: (name) => members.get(name) ?? [...members.values()].find(({ handle, run }) => handle === name || run === name),
		hear({ all, changed = [], removed = [] }) {
			if (all !== undefined) {
				members.clear();
				all.forEach((member) => members.set(member.id, member));
				return null;
			}
			changed.forEach((member) => members.set(member.id, member));
			removed.forEach((id) => members.delete(id));
			return [...changed.map(({ id }) => id), ...removed];
		},
		all: () => [...members.values()],
	};
}

const handles = new Intl.Collator("en", { numeric: true });

export function byHandle(a: Member, b: Member): number {
	return handles.compare(a.handle, b.handle) || (a.id < b.id ? -1 : 1);
}

/* A group that is not ours to know is one that is over. */
export function groupOf({ group }: Member): Group {
	return GROUPS.includes(group) ? group : "over";
}

export function passes(member: Member, { words, project, harness, group }: Filter): boolean {
	if (project !== "" && (member.project ?? "") !== project || harness !== "" && harnessOf(member) !== harness
		|| group !== "" && groupOf(member) !== group)
		return false;
	const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
	if (wanted.length === 0)
		return true;
	const { handle, title, branch, agent, model, host, state } = member;
	const text = [handle, member.project, title, branch, agent, harnessOf(member), model, host, state.tool, state.target, state.name]
		.join("\n").toLowerCase();
	return wanted.every((word) => text.includes(word));
}

export function harnessOf({ harness, agent, source }: Member): string {
	return harness ?? agent ?? source ?? "";
}

/* `depths`: how far each stands below those that began it. */
export interface Shelf { group: Group; members: Member[]; depths: number[] }

/* The groups that have somebody, in their order. A session that another of its group began stands below it. */
export function shelves(all: readonly Member[], filter: Filter): Shelf[] {
	const by = new Map<Group, Member[]>(GROUPS.map((group) => [group, []]));

	for (const member of all)
		if (passes(member, filter))
			by.get(groupOf(member))!.push(member);
	return [...by].filter(([, members]) => members.length > 0)
		.map(([group, members]) => {
			const tree = treeOf(members.sort(byHandle));

			return { group, members: tree.map(({ one }) => one), depths: tree.map(({ depth }) => depth) };
		});
}

/* How many there are in each group, whatever the filter hides. */
export function counts(all: readonly Member[]): Record<Group, number> {
	const count: Record<Group, number> = { waits: 0, failed: 0, work: 0, idle: 0, over: 0 };

	for (const member of all)
		count[groupOf(member)]++;
	return count;
}

/* What there is to choose from, each once. */
export function choices(all: readonly Member[], of: (member: Member) => string | undefined): string[] {
	return [...new Set(all.map(of))].filter((name): name is string => name !== undefined && name !== "").sort(handles.compare);
}

/* The next one that waits after this, round and round; null: nobody waits. */
export function nextWaiting(all: readonly Member[], after: string | null): Member | null {
	const waiting = all.filter((member) => groupOf(member) === "waits").sort(byHandle);
	const here = waiting.findIndex(({ id }) => id === after);

	return waiting[(here + 1) % Math.max(1, waiting.length)] ?? null;
}

/* What was kept from the last time; nothing in it is believed. */
export function filterFrom(text: string | null): Filter {
	try {
		const kept = JSON.parse(text ?? "{}") as Record<string, unknown>;
		const word = (name: string) => typeof kept[name] === "string" ? String(kept[name]).slice(0, 200) : "";
		const group = word("group") as Group;

		return { words: word("words"), project: word("project"), harness: word("harness"), group: GROUPS.includes(group) ? group : "" };
	} catch {
		return NO_FILTER;
	}
}

/* ---- those that others began ---- */

export interface Branch<T> { one: T; depth: number }

/* A tree as lines, each below its parent; whoever's parent is not there stands at the root, and
 * a circle is broken. */
export function treeOf<T extends { id: string; parent?: string | null }>(all: readonly T[]): Branch<T>[] {
	const ids = new Set(all.map(({ id }) => id));
	const below = new Map<string | null, T[]>();
	const done = new Set<T>();
	const lines: Branch<T>[] = [];

	for (const one of all) {
		const parent = one.parent !== undefined && one.parent !== null && one.parent !== one.id && ids.has(one.parent) ? one.parent : null;
		below.set(parent, [...below.get(parent) ?? [], one]);
	}
	const walk = (one: T, depth: number): void => {
		if (done.has(one))
			return;
		done.add(one);
		lines.push({ one, depth });
		(below.get(one.id) ?? []).forEach((child) => walk(child, Math.min(depth + 1, 20)));
	};
	(below.get(null) ?? []).forEach((one) => walk(one, 0));
	all.forEach((one) => walk(one, 0));
	return lines;
}
