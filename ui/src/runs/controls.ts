/* What people can do to a run. A button is there for each thing, and can be pressed when the
 * run's source can do it; what is refused all the same is told in the server's words. */

import type { Desk, Refusal } from "../desk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import type { Run } from "./model";

interface Deed { op: string; words: string; key: string; done: string; hint: string; isFinal?: boolean }

const DEEDS: Deed[] = [
	{ op: "pause", words: "Pause", key: "h", done: "Asked to pause", hint: "Stop before the next action" },
	{ op: "step", words: "Step", key: "s", done: "Asked to step", hint: "Let a paused run do this many actions" },
	{ op: "continue", words: "Continue", key: "c", done: "Asked to go on", hint: "Let it run freely" },
	{ op: "arm", words: "Arm", key: "a", done: "Armed", hint: "Pause at the next external event" },
	{ op: "ui-interrupt", words: "Interrupt", key: "x", done: "Asked to stop", hint: "Stop the current action", isFinal: true },
	{ op: "cancel", words: "Cancel", key: "", done: "Cancelled", hint: "End the request, upstream too", isFinal: true },
	{ op: "ui-quit", words: "Quit", key: "", done: "Asked to quit", hint: "End the run and its program", isFinal: true },
];
const SURE_MS = 4000;         /* How long a second press means yes. */
const STEPS_MAX = 9999;
const NOT_ALLOWED = "This session may not control runs";

export const CONTROL_KEYS: readonly [string, string][] = [
	["h", "hold: pause the run"], ["s", "step: allow one action"], ["c", "let it go on"],
	["a", "pause at the next external event"], ["x", "interrupt its current action"],
];

export function controlKey(key: string): boolean {
	return CONTROL_KEYS.some(([one]) => one === key);
}

export interface Controls {
	readonly root: HTMLElement;
	draw(run: Run | null, can: ReadonlySet<string>): void;
	key(key: string): boolean;
}

export function controls(desk: Desk, changed: () => void): Controls {
	const buttons = new Map<string, HTMLButtonElement>();
	const steps = h("input", {
		type: "number", class: "runs-steps", min: "1", max: String(STEPS_MAX), value: "1", "aria-label": "How many steps",
	});
	const why = h("p", { class: "runs-why", role: "status" });
	const bar = h("div", { class: "runs-bar", role: "group", "aria-label": "Control of the run" });
	const root = h("div", { class: "runs-controls" }, bar, why);
	let run: Run | null = null;
	let sure: { op: string; timer: number } | null = null;

	for (const deed of DEEDS) {
		const button = h("button", { type: "button", "data-do": deed.op, title: deed.hint, disabled: true }, deed.words);
		button.addEventListener("click", () => press(deed));
		buttons.set(deed.op, button);
		if (deed.op === "step")
			bar.append(h("span", { class: "runs-step" }, button, steps));
		else
			bar.append(button);
	}
	steps.addEventListener("keydown", (event) => {
		if (event.key === "Enter")
			buttons.get("step")?.click();
	});

	/* What stops something or ends it is pressed twice. */
	function isSure(deed: Deed): boolean {
		const button = buttons.get(deed.op);

		if (!deed.isFinal || sure?.op === deed.op) {
			calm();
			return true;
		}
		calm();
		if (button !== undefined)
			button.textContent = `${deed.words}: sure?`;
		button?.classList.add("sure");
		sure = { op: deed.op, timer: window.setTimeout(calm, SURE_MS) };
		return false;
	}

	function calm(): void {
		if (sure === null)
			return;
		const deed = DEEDS.find(({ op }) => op === sure?.op);
		const button = buttons.get(sure.op);
		clearTimeout(sure.timer);
		if (button !== undefined && deed !== undefined)
			button.textContent = deed.words;
		button?.classList.remove("sure");
		sure = null;
	}

	async function press(deed: Deed): Promise<void> {
		const whom = run;

		if (whom === null || !isSure(deed))
			return;
		try {
			if (deed.op === "step")
				await desk.link.control(whom.id, deed.op, stepCount(steps.value));
			else
				await desk.link.control(whom.id, deed.op);
			desk.say(`${deed.done}.`, "good");
		} catch (error) {
			desk.say(refusalWords(deed, error as Refusal), "bad");
		}
		changed();
	}

	return {
		root,
		draw(now, can) {
			if (now?.id !== run?.id)
				calm();
			run = now;
			const mayControl = desk.link.scopes.has("control");

			for (const { op, hint } of DEEDS) {
				const button = buttons.get(op)!;

				button.disabled = !mayControl || !can.has(op);
				button.title = !mayControl ? NOT_ALLOWED : can.has(op) ? hint : `${hint}: its source does not support that now`;
			}
			steps.disabled = !mayControl || !can.has("step");
			write(why, now === null ? "" : mayControl ? wordsOf(now, can) : `${NOT_ALLOWED}.`);
			why.hidden = why.textContent === "";
		},
		key(key) {
			const deed = DEEDS.find((one) => one.key !== "" && one.key === key);
			const button = deed === undefined ? undefined : buttons.get(deed.op);

			if (button === undefined)
				return false;
			if (button.disabled)
				desk.say(`${deed?.words}: ${desk.link.scopes.has("control") ? "the source of this run does not support that now"
					: NOT_ALLOWED.toLowerCase()}.`, "bad");
			else
				button.click();
			return true;
		},
	};
}

function stepCount(text: string): number {
	const count = Math.floor(Number(text));

	return count >= 1 && count <= STEPS_MAX ? count : 1;
}

function refusalWords(deed: Deed, { code, message }: Refusal): string {
	const words = visible(String(message));

	return code === "not_supported" ? `${deed.words} is not supported: ${words}.` : `${deed.words} was refused: ${words}.`;
}

/* Why there is nothing to press, or that there is no need to. */
function wordsOf(run: Run, can: ReadonlySet<string>): string {
	if (run.finished)
		return "This run is finished.";
	if (can.size > 0)
		return "";
	return "No agent here takes commands now: it only reports, or it is disconnected.";
}
