/* What the tests of all views share: a box with something in it, and a tour through every place
 * that the page has. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "./agent.mjs";
import { eventually } from "./lib.mjs";
import { open, stateIs } from "./browser.mjs";

const SESSION = "0b8e4a52-session";

/* A request of the API with the box's own token. */
export async function api(box, method, path, body) {
	const token = readFileSync(join(box.data, "token"), "utf8").trim();
	const answer = await fetch(`${box.origin}${path}`, {
		method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
		...body === undefined ? {} : { body: JSON.stringify(body) },
	});

	return answer.json();
}

/* Signals of all kinds, a run with an agent that waits for an answer, and a source. */
export async function furnish(box) {
	const signals = [
		["task_dispatch", { taskId: "t", from: "user", to: "claude", description: "Mend the flaky test" }],
		["agent_state_change", { agentId: "claude", from: "idle", to: "thinking" }],
		["thinking", { agentId: "claude", content: "It races with the journal." }],
		["text_delta", { agentId: "claude", content: "I look at the test first." }],
		["tool_call", { toolName: "Read", agentId: "claude", callId: "c", input: { file_path: "tests/a.py" } }],
		["tool_result", { toolName: "Read", agentId: "claude", callId: "c", success: true, output: { text: "x" } }],
		["error", { agentId: "claude", message: "it failed again", severity: "error", code: "exit_1" }],
		["text_delta", { agentId: "claude", content: "So I wait for the condition." }],
		["token_usage", { agentId: "claude", promptTokens: 1200, completionTokens: 340, model: "opus-5" }],
		["completion", { taskId: "t", agentId: "claude", success: true, result: "Done." }],
	].map(([type, payload]) => ({ type, source: "adapter:tap", correlationId: SESSION, payload }));
	await box.emit(...signals);
	await box.emit({ type: "y".repeat(190), source: "b".repeat(400), correlationId: "c".repeat(400),
		payload: { agentId: "d".repeat(400), content: "e".repeat(4000) } });
	await api(box, "POST", "/api/sources", { id: "gone", name: "A model that is away",
		url: "http://127.0.0.1:9/v1", protocol: "openai", connect: false });
	const agent = await Agent.join(box, "poem");
	agent.debug();
	agent.phase(["run", "writing"], { breadcrumb: ["run", "writing"], siblings: ["plan", "writing", "judge"] });
	agent.say("A line of verse");
	agent.ask("own#1", "select", { prompt: "Which one?", options: [{ label: "The first", value: 1 }, { label: "The second", value: 2 }] });
	await eventually(async () => (await api(box, "GET", "/api/prompts")).prompts.length === 1);
	return agent;
}

/* Every place, as [name of the view, address]: each view as the page's own list has it, and what
 * can be opened in it. */
export async function placesOf(page) {
	const views = await page.$$eval("#views a", (all) => all.map((one) => one.getAttribute("href").slice(2)));
	const more = {
		log: [`log/${await newest(page)}`, `log/?f=correlation:${SESSION}`],
		runs: ["runs/poem", `runs/${SESSION}`],
	};

	return views.flatMap((view) => [view, ...more[view] ?? []].map((place) => [view, place]));
}

function newest(page) {
	return page.evaluate(async () => {
		const answer = await fetch("/api/signals?limit=1", {
			headers: { Authorization: `Bearer ${sessionStorage.getItem("signalbox.session")}` },
		});

		return (await answer.json()).signals[0].seq;
	});
}

export async function openAt(box, options = {}) {
	const page = await open(box.openUrl(), { view: "log", ...options });

	await stateIs(page, "live");
	return page;
}

/* Goes there and waits until it is drawn. */
export async function goTo(page, [view, place]) {
	await page.evaluate((hash) => { location.hash = hash; }, `#/${place}`);
	await page.waitForFunction((id) => {
		const root = document.getElementById(id);
		return !root.hidden && root.childElementCount > 0;
	}, `view-${view}`);
	await sleep(400);
}
