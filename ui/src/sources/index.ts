/* The sources: a card for each, live, and what can be done to it. Services of this machine come
 * first, also those that are not there, in grey. */

import type { Desk, View, ViewKind } from "../desk";
import { fill } from "../text/dom";
import { step } from "./frame";
import { add, draw, look, lookAtTap, lookAtVisitors, makeRoom, may, mayAdd, rescan } from "./room";
import { CLAUDE_CODE } from "./words";

const TICK_MS = 1000;
const VISITORS_MS = 3000;

export const kind: ViewKind = {
	name: "sources",
	title: "Sources",
	icon: "sources",
	keys: [["a", "add a source"], ["r", "rescan this machine"], ["j k", "next and previous source"]],
	open,
};

function open(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const room = makeRoom(desk);
	let timer = 0;
	let visitorsTimer = 0;

	link.on("sources", (news) => {
		const was = room.book.get(CLAUDE_CODE)?.state;

		room.book.hear(news, Date.now());
		draw(room);
		if (room.isShown && room.book.get(CLAUDE_CODE)?.state !== was)
			void lookAtTap(room);
	});
	link.on("state", ({ name }) => {
		if (name === "live" && room.isShown)
			void look(room);
	});
	fill(root, [room.frame.scroll]);
	return {
		show(rest) {
			room.focusOn = rest;
			if (!room.isShown) {
				room.isShown = true;
				timer = window.setInterval(() => draw(room), TICK_MS);
				visitorsTimer = window.setInterval(() => {
					if (link.state.name === "live")
						void lookAtVisitors(room);
				}, VISITORS_MS);
				if (link.state.name === "live") {
					void look(room);
					void lookAtTap(room);
					void lookAtVisitors(room);
				}
			}
			draw(room);
		},
		hide() {
			room.isShown = false;
			clearInterval(timer);
			clearInterval(visitorsTimer);
		},
		key({ key }) {
			if (key === "j" || key === "ArrowDown" || key === "k" || key === "ArrowUp")
				return step(room.frame, key === "j" || key === "ArrowDown" ? 1 : -1);
			if (key === "a" ? !mayAdd(room) : key !== "r" || !may(room, "admin"))
				return false;
			if (key === "a")
				add(room);
			else
				void rescan(room);
			return true;
		},
	};
}
