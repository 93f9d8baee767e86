/* One session: its head, its conversation, and beside that its plan, subagents, files and cost. The
 * crew says how it stands; its details are asked for again when that changes, and the conversation
 * comes over the link. */

import type { Desk, Member } from "../desk";
import { keeper } from "../runs/keeper";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import { shortened } from "../text/names";
import { makeHead } from "./head";
import { makeSide, type Details } from "./side";
import { makeConversation } from "./talk";

const REST_MS = 1000;         /* between two questions for its details */

export interface SessionPage {
	readonly root: HTMLElement;
	/* The session of this name, which may not be there; null: none. */
	choose(name: string | null, member: Member | undefined): void;
	hear(member: Member | undefined): void;
	look(isSeen: boolean): void;
	tick(now: number): void;
	key(key: string): boolean;
}

export function openSession(desk: Desk, now: () => number, { interrupt }: { interrupt(member: Member): void }): SessionPage {
	const { link } = desk;
	let name: string | null = null;
	let member: Member | undefined;
	let details: Details = {};
	let isSeen = false;
	const talk = makeConversation(desk, () => desk.toQuestion(member?.state.prompt));
	const head = makeHead({
		back: () => desk.go("crew"),
		answer: () => desk.toQuestion(member?.state.prompt),
		interrupt: () => { if (member !== undefined) interrupt(member); },
		signals: () => { if (member !== undefined) desk.go(`log/?f=correlation:"${talk.run.replaceAll('"', "*")}"`); },
		run: () => { if (member !== undefined) desk.go(`runs/${talk.run}`); },
		rename: (title) => link.request("POST", `/api/crew/${encodeURIComponent(member?.id ?? "")}/title`, { title }).then(
			() => desk.say(title === "" ? "It has its own title again." : "Renamed.", "good"),
			(why: Error) => desk.say(`It could not be renamed: ${visible(why.message)}.`, "bad")),
	});
	const side = makeSide();
	const more = h("button", { type: "button", class: "session-more", "aria-expanded": "false", onclick: () => {
		const isOpen = body.classList.toggle("shows-side");

		more.setAttribute("aria-expanded", String(isOpen));
		write(more, isOpen ? "Conversation" : "Plan, files, cost");
	} }, "Plan, files, cost");
	const body = h("div", { class: "session-body" }, talk.root, side.root);
	const nobody = h("div", { class: "crew-none", hidden: true });
	const whole = h("div", { class: "session-whole", hidden: true }, head.root, more, body);
	const root = h("article", { class: "session", hidden: true, "aria-label": "The session" }, nobody, whole);

	const keep = keeper({ restMs: REST_MS, async ask(isWanted) {
		if (name === null)
			return false;
		const path = `/api/crew/${encodeURIComponent(member?.id ?? name)}`;
		const answer = await link.request<{ member: Member & Details }>("GET", path).catch(() => null);
		if (!isWanted())
			return false;
		if (answer !== null) {
			details = answer.member;
			hear(member ?? answer.member);
			drawSide();
		} else {
			draw();
		}
		return false;
	} });

	function drawSide(): void {
		side.draw({ ...details, agents: member?.agents ?? details.agents ?? [] }, now());
	}

	function draw(): void {
		nobody.hidden = member !== undefined || name === null;
		whole.hidden = member === undefined;
		if (member === undefined) {
			write(nobody, name === null ? "" : `There is no session ${shortened(name)}.`);
			return;
		}
		head.draw(member, link.scopes.has("control"));
		head.tick(now());
	}

	function hear(now: Member | undefined): void {
		member = now ?? member;
		if (member !== undefined)
			talk.follow(member.run ?? member.id);
		if (!isSeen)
			return;
		draw();
		drawSide();
	}

	return {
		root,
		choose(wanted, found) {
			root.hidden = wanted === null;
			if (wanted === name)
				return;
			name = wanted;
			member = found;
			details = {};
			talk.follow("");
			nobody.hidden = whole.hidden = true;
			keep.drop();
			if (found !== undefined)
				hear(found);
			drawSide();
		},
		hear(now) {
			hear(now);
			keep.touch();
		},
		look(seen) {
			isSeen = seen;
			keep.look(seen);
			if (seen && name !== null && member !== undefined)
				hear(member);
			talk.look(seen);
		},
		tick(time) {
			head.tick(time);
			talk.tick(time);
			if (member?.agents !== undefined && member.agents.length > 0)
				drawSide();
		},
		key(key) {
			if (key !== "End")
				return false;
			talk.toEnd();
			return true;
		},
	};
}
