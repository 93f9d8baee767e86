/* Which figure of the stage is which session of the crew. The server casts the parts and plays what
 * happens to them; what somebody is called, where they stand, how, and whether they are there at
 * all is what the crew says of the session. Pure: time is the stage's, and an argument. */

import type { Member, News, Subagent } from "../desk";
import type { Moving, ShowDocument } from "./frame";
import type { Player } from "./player";
import { makePosts, type Posts } from "./posts";
import { isAtIt, isPresent, poseOf, type Spot } from "./seating";
import { shortened } from "../text/names";

const LABEL_MAX = 18;       /* letters under a figure */
const NEAR = 30;            /* so near to a seat it is taken */
const STRANGE_MS = 3000;    /* then a name that no session has is an agent's own */
const GUISES_MAX = 1024;    /* of the past, too; then they begin anew */
const SMALL = 0.68;         /* a subagent beside its parent */
const RANKS: Readonly<Record<string, number>> = { asks: 90, failed: 70, tool: 30, thinking: 20, answering: 20 };

/* What the crew says of a figure. Changed in place, like the actor that it becomes part of. */
export interface Guise {
	member: Member;
	sub: Subagent | null;
	name: string;           /* of the figure, as signals have it */
	label: string;
	pose: string | null;    /* null: what the choreographies say, and where they say */
	x: number;
	y: number;
	scale: number;
	rank: number;           /* whose name is shown where there is no room for two */
	moving: Moving | null;
	visible: boolean;
	visibleSince: number;   /* 0: before we came */
}

export interface Company {
	hear(news: News["crew"]): void;
	/* Gives each player of a session its guise for this moment. */
	arrange(document: ShowDocument, players: readonly Player[], t: number, calm: boolean): void;
	/* Those who are there, and how many of them have something to do and no figure. */
	members(): Member[];
	readonly missing: number;
}

/* The letters that tell one from another are at the end. */
export function labelOf({ handle, project }: Member): string {
	const base = handle.replace(/-\d+$/, "");
	const isSaid = project === undefined || project.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").includes(base);
	const whole = isSaid ? handle : `${handle} · ${project}`;
	const tail = isSaid ? handle.slice(base.length) : "";

	if (whole.length <= LABEL_MAX)
		return shortened(whole);
	return shortened(`${whole.slice(0, Math.max(LABEL_MAX - 1 - tail.length, 4))}…${tail}`);
}

/* Of the parts that a name could end with, the one that the session has; or else the shortest. */
function partOf(head: string, { agents = [] }: Member): string {
	for (let hash = head.indexOf("#"); hash >= 0; hash = head.indexOf("#", hash + 1))
		if (agents.some(({ id }) => id === head.slice(hash + 1)))
			return head.slice(hash + 1);
	return head.slice(head.lastIndexOf("#") + 1);
}

/* `@SESSION`, or `NAME#PART@SESSION`, where a name may have any of these signs. Null: the crew knows
 * no such session; undefined: it is no such name. */
export function figureOf(name: string, find: (session: string) => Member | undefined): { member: Member; part: string } | null | undefined {
	let isFigure = false;

	for (let at = name.indexOf("@"); at >= 0; at = name.indexOf("@", at + 1)) {
		const head = name.slice(0, at);

		if (at > 0 && !head.includes("#"))
			continue;
		isFigure = true;
		const member = find(name.slice(at + 1));
		const part = member === undefined || at === 0 ? "" : partOf(head, member);

		if (member !== undefined)
			return { member, part: part === member.agentId ? "" : part };
	}
	return isFigure ? null : undefined;
}

/* With few, there is room to see them well. */
function sizeFor(count: number): number {
	return count <= 6 ? 1.4 : count <= 14 ? 1.2 : 1;
}

/* `t`: NaN when it was so before we came. */
function appear(guise: Guise, isThere: boolean, t: number): void {
	if (guise.visible !== isThere)
		guise.visibleSince = Number.isNaN(t) ? 0 : t;
	guise.visible = isThere;
}

/* To both sides of its parent, a step behind it. */
function beside({ x, y, scale, moving }: Guise, number: number): Partial<Guise> {
	const side = number % 2 === 0 ? 1 : -1, ring = Math.min(Math.floor(number / 2), 2);

	return { x: x + side * (30 + ring * 16) * scale, y: y - (14 + ring * 10) * scale, scale: scale * SMALL, moving };
}

/* Which names of figures are those of sessions: the crew may tell of one a moment later than the stage. */
function makeNames(): { isNobodys(name: string, t: number): boolean; remember(name: string): void } {
	const strange = new Map<string, number>();  /* of no session that is known, and since when */
	const past = new Set<string>();             /* of sessions */

	return {
		isNobodys(name, t) {
			if (past.has(name))
				return true;
			if (!strange.has(name)) {
				if (strange.size >= GUISES_MAX)
					strange.clear();
				strange.set(name, t);
			}
			return t - strange.get(name)! < STRANGE_MS;
		},
		remember(name) {
			strange.delete(name);
			if (past.size >= GUISES_MAX)
				past.clear();
			past.add(name);
		},
	};
}

export function makeCompany(): Company {
	const members = new Map<string, Member>(), runs = new Map<string, string>();
	const guises = new Map<string, Guise>();
	const lent = new Map<string, string>();     /* figures that the server gave nobody, by session */
	const names = makeNames();
	let document: ShowDocument | null = null, posts: Posts | null = null;
	let troupe: readonly Player[] = [], missing = 0, isFirst = true;

	const find = (session: string): Member | undefined => members.get(session) ?? members.get(runs.get(session) ?? "");

	function put(member: Member): void {
		if (member.figure !== true)
			return;     /* it plays under the name of its agent */
		members.set(member.id, member);
		if (member.run !== undefined && member.run !== member.id)
			runs.set(member.run, member.id);
	}

	/* ---- who plays whom ---- */

	function dress(player: Player, member: Member, sub: Subagent | null, name: string): Guise {
		const key = `${name} ${player.placed.id}`;
		const guise = guises.get(key) ?? {
			member, sub, name, label: "", pose: null, x: player.placed.x, y: player.placed.y, scale: 1, rank: 0, moving: null,
			visible: false, visibleSince: 0,
		};

		guise.member = member;
		guise.sub = sub;
		guises.set(key, guise);
		player.guise = guise;
		return guise;
	}

	/* A figure whose session nobody knows is nobody's, unless an agent is called so. The second of one session is not
	 * there either, nor is that of one subagent, which hooks and a transcript may call by different names. */
	function cast(players: readonly Player[], t: number): Map<string, Player> {
		const mains = new Map<string, Player>(), known = new Set<string>();

		for (const player of players) {
			const figure = player.part === "" ? undefined : figureOf(player.part, find);
			const key = figure ? `${figure.part}@${figure.member.id}` : "";

			player.guise = null;
			player.isVacant = figure === null ? names.isNobodys(player.part, t) : known.has(key);
			if (figure)
				names.remember(player.part);
			if (!figure || player.isVacant)
				continue;
			const { member, part } = figure;

			known.add(key);
			if (part === "")
				mains.set(member.id, player);
			dress(player, member, part === "" ? null : member.agents?.find(({ id }) => id === part) ?? null, player.part);
		}
		return mains;
	}

	/* The crew may know of sessions of which no signal was on the stage. */
	function lend(players: readonly Player[], mains: Map<string, Player>): void {
		const free = players.filter((player) => player.placed.standIn === true && !player.guise
			&& (player.part === "" || player.isVacant) && (player.isVacant || !player.base.visible));

		missing = 0;
		for (const member of members.values()) {
			if (mains.has(member.id) || !isPresent(member))
				continue;
			const before = free.findIndex(({ placed }) => placed.id === lent.get(member.id));
			const [player] = free.splice(before < 0 ? free.length - 1 : before, free.length > 0 ? 1 : 0);

			if (player === undefined) {
				missing += Number(member.group !== "idle");
				continue;
			}
			lent.set(member.id, player.placed.id);
			player.isVacant = false;
			mains.set(member.id, player);
			dress(player, member, null, `@${member.id}`);
		}
	}

	/* ---- where they are ---- */

	function stand(player: Player, size: number, t: number, calm: boolean): void {
		const guise = player.guise!, { member } = guise;

		appear(guise, isPresent(member), isFirst ? NaN : t);
		guise.label = labelOf(member);
		guise.rank = RANKS[member.state.name] ?? 0;
		if (document!.scene.crew === undefined || !guise.visible)
			return;
		posts!.stand(guise, member, player.placed, { t, calm });
		guise.scale = size;
		guise.pose = poseOf(member.state, document!.scene);
	}

	function standBeside(guise: Guise, parent: Guise | undefined, number: number, t: number): void {
		const { sub, member } = guise;

		appear(guise, sub !== null && isPresent(member) && isAtIt(sub) && parent?.visible === true, isFirst ? NaN : t);
		guise.label = shortened(sub?.name ?? "", LABEL_MAX);
		guise.rank = -300 - number;
		if (document!.scene.crew === undefined || parent === undefined)
			return;
		Object.assign(guise, beside(parent, number));
		guise.pose = sub === null ? "idle" : poseOf(sub.state, document!.scene);
	}

	/* Somebody who is of no session stands there, as you do at the gate. */
	function isOccupied({ x, y }: Spot): boolean {
		return troupe.some(({ guise, placed, look, base }) => !guise && placed.semanticId !== undefined && base.visible
			&& look.tags?.includes("agent") === true && Math.hypot(base.x - x, base.y - y) < NEAR);
	}

	function begin(next: ShowDocument): void {
		document = next;
		posts = makePosts(next.scene, isOccupied);
		guises.clear();
		lent.clear();
	}

	function forget(): void {
		const isGone = (id: string): boolean => !members.has(id) || !isPresent(members.get(id)!);

		posts?.forget(isGone);
		for (const id of lent.keys())
			if (isGone(id))
				lent.delete(id);
	}

	return {
		get missing() { return missing; },
		members: () => [...members.values()].filter(isPresent),
		hear({ all, changed = [], removed = [] }) {
			if (all !== undefined) {
				members.clear();
				runs.clear();
			}
			(all ?? changed).forEach(put);
			removed.forEach((id) => members.delete(id));
			forget();
		},
		arrange(next, players, t, calm) {
			troupe = players;
			if (next !== document)
				begin(next);
			if (guises.size > GUISES_MAX)
				guises.clear();
			const mains = cast(players, t);

			if (next.scene.crew !== undefined)
				lend(players, mains);
			const size = sizeFor([...mains.values()].filter(({ guise }) => isPresent(guise!.member)).length);
			const beside = new Map<string, number>();

			for (const player of mains.values())
				stand(player, size, t, calm);
			for (const player of players) {
				const { guise } = player, parent = guise ? mains.get(guise.member.id) : undefined;

				if (!guise || parent === player)
					continue;
				const number = beside.get(guise.member.id) ?? 0;

				standBeside(guise, parent?.guise ?? undefined, number, t);
				beside.set(guise.member.id, number + Number(guise.visible));
			}
			isFirst = false;
		},
	};
}
