/* The runs: what agents are at. The list and the chosen run are asked for again when signals
 * came, at most twice a second and only while somebody looks. While nobody has chosen one, the
 * run that most deserves a look is shown, where there is room beside the list. */

import type { Desk, View, ViewKind } from "../desk";
import { h } from "../text/dom";
import { chosen } from "./chosen";
import { CONTROL_KEYS, controlKey } from "./controls";
import { side } from "./side";

const TICK_MS = 1000;
const HELD_BY = ["pointerdown", "wheel", "focusin"];

export const kind: ViewKind = {
	name: "runs", title: "Runs", icon: "runs",
	keys: [["j, k", "the next run, the one before"], ["Enter", "look at it"], ["/", "filter the runs"],
		["Esc", "back to the list"], ...CONTROL_KEYS],
	open: openRuns,
};

function openRuns(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const now = () => Date.now() + link.skewMs;
	const all = side(link, desk.names, (id) => desk.go(`runs/${id}`), now, offer);
	const one = chosen(desk, now, () => all.folded);
	let timer: number | undefined;
	let named: string | null = null;      /* what the address names: what a person chose */
	let isHeld = false;                   /* Somebody is busy with what they did not choose. */
	let isSeen = false;

	root.append(h("div", { class: "runs" }, all.root, one.root));
	for (const act of HELD_BY)
		one.root.addEventListener(act, () => { isHeld = true; }, { passive: true });

	function put(id: string | null): void {
		all.choose(id);
		one.choose(id);
	}

	const hasRoom = () => one.root.getClientRects().length > 0;

	/* Who asks is known when the link is live. */
	function offer(): void {
		if (named === null && !isHeld && isSeen && link.state.name === "live" && hasRoom())
			put(all.offer(one.id));
	}

	link.on("signal", ({ envelope }) => {
		all.hear(envelope.seq);
		one.hear(envelope);
	});
	link.on("gap", ({ to, why }) => {
		if (why === "lost") {
			all.hear(0);
			one.again();
		} else if (why === "skipped") {
			all.hear(to);
			one.touch();
		}
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

	function look(seen: boolean): void {
		isSeen = seen;
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
			named = rest === "" ? null : rest;
			isHeld = false;
			root.classList.toggle("has-run", named !== null);
			/* Who goes back to the list keeps what stands beside it. */
			if (named !== null || !isSeen || !hasRoom())
				put(named);
			look(true);
			all.hear(0);
		},
		hide: () => look(false),
		key({ key }) {
			if (key === "Escape" && named !== null) {
				desk.go("runs");
				return true;
			}
			if (!controlKey(key))
				return all.key(key);
			/* A key must not reach a run that came up a moment ago. */
			if (named === null && one.id !== null) {
				desk.say("Choose a run first: click it, or select it with j, k and Enter.");
				return true;
			}
			return one.key(key);
		},
	};
}
