/* What is left of the limits that agents tell: of each window how much is used, when it begins anew,
 * and whether it lasts at the rate of the last hour. */

import { clockWords } from "../crew/words";
import { fill, h } from "../text/dom";
import { shortened } from "../text/names";

export interface LimitWindow {
	name?: string; minutes?: number; used: number; left: number; resetsAt?: number; isReset: boolean;
	perHour?: number; usedUpAt?: number;
}
export interface Limit { harness: string; account?: string; plan?: string; at: number; stale: boolean; windows: LimitWindow[] }

const WEEK_MIN = 10_080;
const DAY_MIN = 1440;
const NEAR_MS = 6 * 86_400_000;
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/* "12 %", below ten "0.5 %". */
export function percentWords(percent: number): string {
	const tenths = Math.round(percent * 10) / 10;

	return `${tenths >= 10 || Number.isInteger(tenths) ? Math.round(percent) : tenths.toFixed(1)} %`;
}

export function windowWords({ name = "", minutes = 0 }: LimitWindow): string {
	const length = minutes <= 0 ? "" : minutes === WEEK_MIN ? "week" : minutes % DAY_MIN === 0 ? `${minutes / DAY_MIN} d`
		: minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;

	return [shortened(name), length].filter((word) => word !== "").join(" ");
}

/* "16:20" of today, "Thu 09:00" of this week, "25 Nov 09:00". */
export function momentWords(at: number, now: number): string {
	const moment = new Date(at);
	const two = (n: number) => String(n).padStart(2, "0");
	const clock = `${two(moment.getHours())}:${two(moment.getMinutes())}`;

	if (moment.toDateString() === new Date(now).toDateString())
		return clock;
	const day = Math.abs(at - now) < NEAR_MS ? DAYS[moment.getDay()] : `${two(moment.getDate())} ${MONTHS[moment.getMonth()]}`;
	return `${day} ${clock}`;
}

export function resetWords({ resetsAt, isReset }: LimitWindow, now: number): string {
	return resetsAt === undefined ? "–" : `${isReset ? "was reset " : ""}${momentWords(resetsAt, now)}`;
}

export function rateWords({ used, perHour, usedUpAt, resetsAt }: LimitWindow, now: number): string {
	if (used >= 100)
		return "used up";
	if (perHour === undefined)
		return "–";
	const end = usedUpAt !== undefined ? `: used up ${momentWords(usedUpAt, now)}`
		: resetsAt !== undefined ? ": lasts until the reset" : "";

	return `${percentWords(perHour)} an hour${end}`;
}

export interface LimitsSection { root: HTMLElement; draw(limits: readonly Limit[], now: number): void }

export function makeLimits(): LimitsSection {
	const body = h("tbody", {});
	const heads = ["Agent", "Window", "Used", "Left", "Resets", "At this rate", "Told"];
	const root = h("section", { class: "numbers-section numbers-limits", hidden: true }, h("header", {}, h("h2", {}, "Limits")),
		h("div", { class: "numbers-table", tabindex: 0, role: "region", "aria-label": "Limits of accounts" },
			h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((words) => h("th", { scope: "col" }, words)))),
				body)));

	return {
		root,
		draw(limits, now) {
			root.hidden = limits.length === 0;
			fill(body, limits.flatMap((limit) => limit.windows.map((one) => line(limit, one, now))));
		},
	};
}

function line(limit: Limit, one: LimitWindow, now: number): HTMLElement {
	const who = shortened(limit.account === undefined ? limit.harness : `${limit.harness} ${limit.account}`);
	const name = limit.plan === undefined ? who : `${who}, ${shortened(limit.plan)}`;
	const bar = h("i", { class: "numbers-used" }, h("b", {}));
	const told = limit.stale ? `${clockWords(now - limit.at)} ago` : "now";
	const used = h("span", {}, bar, percentWords(one.used));
	const cells = [used, percentWords(one.left), resetWords(one, now), rateWords(one, now), told];

	(bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, Math.max(0, one.used))}%`;
	const row = h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, windowWords(one)), ...cells.map((cell) => h("td", {}, cell)));

	row.children[4]?.toggleAttribute("data-past", one.isReset || one.resetsAt === undefined);
	row.toggleAttribute("data-stale", limit.stale);
	row.toggleAttribute("data-short", one.used >= 100 || one.usedUpAt !== undefined);
	return row;
}
