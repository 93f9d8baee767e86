/* The top of the page: how the connection is, how much is coming, and whether it is made up. */

import type { Link, LinkState } from "../desk";
import { write } from "../text/dom";
import { DEMO_WORDS, makeDemoWatch } from "./demo";
import { makeRates, rateWords, sparkline } from "./rates";

const TICK_MS = 500;
const BEHIND_MS = 500;        /* Less than that is nothing that a person would want to know. */

export const STATE_WORDS: Record<LinkState["name"], string> = {
	connecting: "connecting", "catching-up": "catching up", live: "live", lost: "lost", "signed-out": "signed out",
};

const part = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

export function makeHeader(link: Link): void {
	const rates = makeRates(), demo = makeDemoWatch();
	const [area, line] = part("spark").children;
	let drawn = "";

	link.on("signal", ({ envelope, live }) => {
		rates.add(live, performance.now(), 1);
		demo.hear(envelope, live ? Date.now() : Math.min(envelope.timestamp - link.skewMs, Date.now()));
	});

	/* They came, though we did not look at them. */
	link.on("gap", ({ from, to, why }) => {
		if (why === "skipped")
			rates.add(true, performance.now(), to - from + 1);
	});

	function tick(): void {
		const now = performance.now();

		write(part("state-more"), moreOf(link));
		write(part("rate"), rateWords(rates.perSecond(now)));
		write(part("total"), rates.total.toLocaleString("en"));
		const madeUp = demo.now(Date.now());
		part("demo").hidden = madeUp === null;
		if (madeUp !== null)
			write(part("demo-words"), ` ${DEMO_WORDS[madeUp]}`);
		const path = sparkline(rates.history(now), 160, 32);
		if (document.hidden || path === drawn)
			return;
		drawn = path;
		area?.setAttribute("d", `${path}L160 32L0 32Z`);
		line?.setAttribute("d", path);
	}

	link.on("state", (state) => {
		part("state").dataset["state"] = state.name;
		write(part("state-words"), STATE_WORDS[state.name]);
		part("retry").hidden = state.name !== "lost";
		tick();
	});
	part("retry").addEventListener("click", () => link.retryNow());
	setInterval(tick, TICK_MS);
}

function moreOf({ state, behindMs }: Link): string {
	if (state.name === "live" && behindMs >= BEHIND_MS)
		return `, ${(behindMs / 1000).toFixed(1)} s behind`;
	if (state.name === "catching-up" && state.why !== undefined)
		return `: ${state.why}`;
	if (state.name !== "lost")
		return "";
	const left = (state.retryAt ?? 0) - Date.now();
	return left <= 0 ? ", retrying" : `, retrying in ${Math.ceil(left / 1000)} s`;
}
