/* The transcript of a run as the journal has it: events, one a line. It is read when somebody
 * wants to see it; the newest events and what they name as files are shown, and all of it can be
 * copied or saved. */

import type { Desk } from "../desk";
import { fill, h, write } from "../text/dom";
import { saveFile } from "../text/save";
import { clock, visible } from "../text/signal";
import { beginning } from "../text/whole";

const SHOWN = 400;            /* events */
const FILES = 200;
const LINE_MAX = 400;
const COPY_MAX = 16 << 20;    /* characters: more is for a file */
const TELL_MS = 250;

interface Line { at: number; event: string; text: string }

export interface Events {
	readonly root: HTMLElement;
	/* Reads, unless it was read already. */
	show(id: string): void;
	/* What is on its way is not wanted any more. */
	stop(): void;
}

export function events(desk: Desk): Events {
	const count = h("p", { class: "runs-count", role: "status" });
	const lines = h("ol", { class: "runs-events", tabindex: "0", "aria-label": "The newest events" });
	const files = h("ul", { class: "runs-files" });
	const filesTitle = h("h3", {}, "Files it names");
	const button = (words: string, act: () => void) => h("button", { type: "button", onclick: act }, words);
	const root = h("div", { class: "runs-transcript" },
		h("div", { class: "runs-tools" }, count,
			button("Read again", () => { if (id !== null) void read(id); }),
			button("Copy", () => void copy()),
			button("Save transcript.jsonl", () => void save())),
		filesTitle, files, lines);
	let id: string | null = null;
	let reading: AbortController | null = null;

	async function each(run: string, signal: AbortSignal, take: (text: string) => void): Promise<void> {
		const stream = await desk.link.stream(`/api/runs/${encodeURIComponent(run)}/transcript`, signal);
		const reader = stream.getReader();

		for (;;) {
			const { done, value } = await reader.read();
			if (done)
				return;
			take(value);
		}
	}

	async function read(run: string): Promise<void> {
		const found: Line[] = [];
		const named = new Map<string, string>();
		let total = 0;
		let rest = "";
		let told = performance.now();

		reading?.abort();
		const mine = reading = new AbortController();
		write(count, "Reading…");
		try {
			await each(run, mine.signal, (text) => {
				const whole = (rest + text).split("\n");
				rest = whole.pop() ?? "";
				total += whole.length;
				for (const raw of whole.slice(-SHOWN))
					found.push(lineOf(raw));
				for (const raw of whole)
					if (raw.includes("-ref\"") || raw.includes("io/ref") || raw.includes("artifact"))
						nameFiles(raw, named);
				if (found.length > 4 * SHOWN)
					found.splice(0, found.length - SHOWN);
				if (performance.now() - told > TELL_MS) {
					told = performance.now();
					write(count, `Reading… ${total.toLocaleString("en")} events`);
				}
			});
		} catch (error) {
			if (!mine.signal.aborted)
				write(count, `It could not be read: ${visible((error as Error).message)}`);
			return;
		}
		draw(found.slice(-SHOWN), named, total);
	}

	function draw(found: Line[], named: ReadonlyMap<string, string>, total: number): void {
		write(count, total === 0 ? "No events."
			: total <= SHOWN ? `${total.toLocaleString("en")} events`
			: `${total.toLocaleString("en")} events, the last ${SHOWN} are shown`);
		fill(lines, found.map(({ at, event, text }) => h("li", {},
			h("span", { class: "runs-when" }, clock(at)), h("b", {}, event), h("span", {}, text))));
		lines.hidden = found.length === 0;
		lines.scrollTop = lines.scrollHeight;
		fill(files, [...named].slice(-FILES).map(([path, event]) =>
			h("li", {}, h("code", {}, visible(path)), h("span", {}, visible(event)))));
		files.hidden = filesTitle.hidden = named.size === 0;
	}

	async function whole(most: number): Promise<string[]> {
		const parts: string[] = [];
		const stop = new AbortController();
		let size = 0;

		if (id === null)
			return parts;
		await each(id, stop.signal, (text) => {
			size += text.length;
			if (size > most)
				throw new Error("it is too long to copy; save it instead");
			parts.push(text);
		}).catch((error: Error) => {
			stop.abort();
			throw error;
		});
		return parts;
	}

	async function copy(): Promise<void> {
		try {
			await navigator.clipboard.writeText((await whole(COPY_MAX)).join(""));
			desk.say("The transcript is in the clipboard.", "good");
		} catch (error) {
			desk.say(`Not copied: ${visible((error as Error).message)}.`, "bad");
		}
	}

	async function save(): Promise<void> {
		try {
			saveFile("transcript.jsonl", "application/x-ndjson", await whole(Infinity));
		} catch (error) {
			desk.say(`Not saved: ${visible((error as Error).message)}.`, "bad");
		}
	}

	filesTitle.hidden = files.hidden = lines.hidden = true;
	return {
		root,
		show(run) {
			if (run === id)
				return;
			id = run;
			draw([], new Map(), 0);
			void read(run);
		},
		stop() {
			reading?.abort();
			id = null;
		},
	};
}

function lineOf(raw: string): Line {
	try {
		const { ts, event, data } = JSON.parse(raw) as { ts?: unknown; event?: unknown; data?: unknown };

		return {
			at: typeof ts === "number" ? ts : NaN,
			event: visible(beginning(String(event ?? ""), LINE_MAX)),
			text: visible(beginning(JSON.stringify(data ?? {}) ?? "", LINE_MAX)),
		};
	} catch {
		return { at: NaN, event: "", text: visible(beginning(raw, LINE_MAX)) };
	}
}

/* Where an event says that something was put: as the inspector of the terminal finds it. */
function nameFiles(raw: string, named: Map<string, string>): void {
	let line: { event?: unknown; data?: Record<string, unknown> };
	try {
		line = JSON.parse(raw);
	} catch {
		return;
	}
	const event = String(line.event ?? "");
	const inner = line.data?.["event-data"] as Record<string, unknown> | undefined;
	const places = [line.data?.["io/ref"], inner?.["output-ref"], event.startsWith("artifact") ? line.data?.path : null];

	for (const place of places)
		if (typeof place === "string" && named.size < 10 * FILES)
			named.set(beginning(place, LINE_MAX), beginning(event, LINE_MAX));
}
