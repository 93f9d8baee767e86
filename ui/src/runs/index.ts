/* The runs: what agents are at. The list and the chosen run are asked for again when signals
 * came, at most twice a second and only while somebody looks. */

import type { Desk, View, ViewKind } from "../desk";
import { h } from "../text/dom";
import { chosen } from "./chosen";
import { CONTROL_KEYS, controlKey } from "./controls";
import { side } from "./side";

const TICK_MS = 1000;

export const kind: ViewKind = {
	name: "runs", title: "Runs", icon: "runs",
	keys: [["j, k", "the next run, the one before"], ["Enter", "look at it"], ["/", "filter the runs"],
		["Esc", "back to the list"], ...CONTROL_KEYS],
	open: openRuns,
};

function openRuns(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const now = () => Date.now() + link.skewMs;
	const all = side(link, (id) => desk.go(`runs/${id}`), now);
	const one = chosen(desk, now, () => all.folded);
	let timer: number | undefined;

	root.append(h("div", { class: "runs" }, all.root, one.root));
	link.on("signal", ({ envelope }) => {
		all.hear(envelope.seq);
		one.hear(envelope);
	});
	link.on("gap", ({ why }) => {
		if (why !== "lost" && why !== "replaced")
			return;
		all.hear(0);
		one.again();
	});
	link.on("prompts", () => all.hearPrompt(null));
	link.on("prompt", (prompt) => {
		all.hearPrompt(prompt);
		if (prompt.run === one.id)
			one.touch();
	});
	link.on("state", ({ name }) => {
		if (name === "live") {
			all.hear(0);
			one.back();
		}
	});

	function look(isSeen: boolean): void {
		clearInterval(timer);
		if (isSeen)
			timer = window.setInterval(() => {
				all.tick(now());
				one.tick(now());
			}, TICK_MS);
		all.look(isSeen);
		one.look(isSeen);
	}

	return {
		show(rest) {
			const id = rest === "" ? null : rest;

			root.classList.toggle("has-run", id !== null);
			all.choose(id);
			one.choose(id);
			look(true);
		},
		hide: () => look(false),
		key({ key }) {
			if (key === "Escape" && one.id !== null) {
				desk.go("runs");
				return true;
			}
			return controlKey(key) ? one.key(key) : all.key(key);
		},
	};
}
