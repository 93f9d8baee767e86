/* What stands around the turns: the two states, who hears, the button to talk, the level, what went wrong. */

import { h, icon, write } from "../text/dom";
import type { Controls, Engine, Room } from "./controls";
import type { Voice } from "./model";

const TEXT_MAX = 20_000;     /* characters; the box takes 64 KiB */

interface Hands {
	connect(): void;
	disconnect(): void;
	cancel(): void;
	trigger(): void;
	type(text: string): void;
}

export interface Panel {
	readonly head: HTMLElement;
	readonly foot: HTMLElement;
	readonly button: HTMLButtonElement;
	draw(voice: Voice, room: Room, controls: Controls): void;
	level(loudness: number): void;
	/* Words about what went wrong; empty: nothing did. */
	fault(words: string): void;
	focus(): void;
}

const SHELL = "Control shell: the engine is a mock. No microphone is opened, and no sound is captured or sent; "
	+ "what is heard and answered is made up.";
const HINT = "Hold the button or the space bar while you talk. Enter begins, and ends it. Esc cancels.";

export function makePanel(hands: Hands): Panel {
	const connection = h("span", { class: "voice-connection", role: "status" });
	const state = h("span", { class: "voice-session", role: "status" });
	const engine = h("span", { class: "voice-engine" });
	const connect = h("button", { type: "button", class: "voice-connect",
		onclick: () => connect.textContent === "Connect" ? hands.connect() : hands.disconnect() });
	const hosted = h("p", { class: "voice-hosted", hidden: true });
	const shell = h("p", { class: "voice-shell", hidden: true }, SHELL);
	const fault = h("p", { class: "voice-fault", role: "alert" });
	const why = h("p", { class: "voice-why" });
	const open = h("p", { class: "voice-open", role: "status" });
	const bar = h("b", {});
	const level = h("div", { class: "voice-level", "aria-hidden": "true" }, bar);
	const words = h("span", {});
	const button = h("button", { type: "button", class: "voice-talk", "aria-pressed": "false", "aria-describedby": "voice-hint" },
		icon("voice"), words);
	const cancel = h("button", { type: "button", class: "voice-cancel", onclick: hands.cancel }, icon("close"), h("span", {}, "Cancel"));
	const trigger = h("button", { type: "button", class: "voice-trigger", onclick: hands.trigger }, "Run a mocked turn");
	const text = h("input", { id: "voice-text", type: "text", autocomplete: "off", maxlength: TEXT_MAX, placeholder: "Or type" });
	const send = h("button", { type: "submit" }, "Send");
	const form = h("form", { class: "voice-write", hidden: true, onsubmit: (event: Event) => {
		event.preventDefault();
		if (text.value.trim() === "" || send.disabled)
			return;
		hands.type(text.value);
		text.value = "";
	} }, h("label", { class: "hidden", for: "voice-text" }, "What you would say"), text, send);

	return {
		head: h("header", { class: "voice-head" },
			h("dl", {}, term("Connection", connection), term("Session", state), term("Engine", engine)), connect),
		foot: h("footer", { class: "voice-foot" }, fault, why, shell, hosted,
			h("div", { class: "voice-hold" }, open, level, h("div", { class: "voice-buttons" }, cancel, button, trigger)), form,
			h("p", { class: "voice-hint", id: "voice-hint" }, HINT)),
		button,
		draw(voice, room, controls) {
			write(connection, voice.connection);
			connection.dataset["state"] = voice.connection;
			write(state, voice.isReady ? voice.state : "none");
			state.dataset["state"] = voice.isReady ? voice.state : "none";
			write(engine, engineWords(room.engine));
			write(connect, controls.connect);
			connect.disabled = !controls.canConnect;
			drawTalk(controls, room);
			write(why, controls.why);
			shell.hidden = !controls.isMock;
			drawHosted(room.engine);
			form.hidden = !controls.takesText;
			send.disabled = !controls.canType;
		},
		level: (loudness) => bar.style.setProperty("--level", loudness.toFixed(3)),
		fault: (said) => write(fault, said),
		focus: () => text.focus(),
	};

	function drawTalk({ talk, canTalk, canCancel, canTrigger, isMock }: Controls, { mic, isPlaying }: Room): void {
		write(words, talk);
		button.disabled = !canTalk;
		button.setAttribute("aria-pressed", String(talk.includes("elease") || mic !== "off"));
		cancel.disabled = !canCancel;
		trigger.hidden = !isMock;
		trigger.disabled = !canTrigger;
		write(open, mic === "on" || mic === "ending" ? "The microphone is on" : isPlaying ? "The answer is being spoken" : "");
		open.dataset["mic"] = mic;
		level.hidden = isMock;
		open.hidden = isMock;
	}

	function drawHosted(found: Engine | null): void {
		const names = found?.hosted ?? [];

		hosted.hidden = names.length === 0;
		write(hosted, `What you say leaves this machine: it goes to ${names.join(" and ")}.`);
	}
}

function term(name: string, value: HTMLElement): HTMLElement {
	return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

function engineWords(engine: Engine | null): string {
	return engine === null ? "not known yet" : engine.isMock ? "mock" : engine.name;
}
