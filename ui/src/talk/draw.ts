/* One block as an element, and what has changed of it. Words that stream are only ever appended
 * to; everything else is small and made anew. */

import { markdown } from "../markdown/draw";
import { fill, h, write } from "../text/dom";
import { clock } from "../text/signal";
import { beginning, ending } from "../text/whole";
import type { Block, Question, Tool, Words } from "./block";
import { drawPart } from "./parts";
import { counted, lasted, visibleText, wholeLength } from "./plain";
import { inputLine, inputParts, outputParts } from "./tool";

const NODE_MAX = 4000;   /* characters of one text node: what is appended to is laid out again */

/* A block that is on the screen. */
export interface Drawn {
	readonly element: HTMLElement;
	update(): void;
	/* Only what depends on the time, which is the server's. */
	tick?(now: number): void;
}

export interface DrawOptions {
	/* Called with the seq of a block whose signal is to be seen. */
	onSignal?: (seq: number) => void;
	/* What leads to an open question. */
	onQuestion?: () => void;
	/* What an agent is called here; as it calls itself without it. */
	nameOf?: (agent: string) => string;
	/* What agents say is Markdown, and not text as it came. */
	isMarkdown?: boolean;
}

export function drawBlock(block: Block, options: DrawOptions): Drawn {
	switch (block.kind) {
	case "text": return options.isMarkdown === true ? drawMarkdown(block, options) : drawText(block, options);
	case "thinking": return drawThinking(block, options);
	case "tool": return drawTool(block, options);
	default: return drawSmall(block, options);
	}
}

/* By its name here, and nothing hides in it. */
function called(agent: string, { nameOf }: DrawOptions): string {
	return visibleText(nameOf === undefined || agent === "" ? agent : nameOf(agent));
}

/* ---- words ---- */

function drawText(block: Words, options: DrawOptions): Drawn {
	const words = h("div", { class: "talk-words" });
	const element = h("article", { class: "talk-block talk-text", "aria-label": `${called(block.agent, options)} says` },
		block.isContinued ? null : headOf(block, options), words);

	return { element, update: grow(block, words, element) };
}

function drawMarkdown(block: Words, options: DrawOptions): Drawn {
	const words = h("div", { class: "talk-words md" });
	const element = h("article", { class: "talk-block talk-text", "aria-label": `${called(block.agent, options)} says` },
		block.isContinued ? null : headOf(block, options), words);
	const text = markdown(words);

	return { element, update() {
		text.draw(block.isOpen ? block.text.slice(0, wholeLength(block.text)) : block.text);
		element.classList.toggle("is-open", block.isOpen);
		element.hidden = block.text === "";
	} };
}

function drawThinking(block: Words, options: DrawOptions): Drawn {
	const words = h("div", { class: "talk-words" });
	const title = h("span", {});
	const details = h("details", { class: "talk-block talk-thinking" },
		h("summary", {}, title, h("span", { class: "talk-who" }, called(block.agent, options))), words);
	const more = grow(block, words, details);
	let isTouched = false;

	details.querySelector("summary")!.addEventListener("click", () => { isTouched = true; });
	return { element: details, update() {
		more();
		if (!isTouched)
			details.open = block.isOpen;
		const ms = block.lastAt - block.at;
		write(title, block.isOpen ? "Thinking…" : ms >= 100 ? `Thought for ${lasted(ms)}` : "Thought");
	} };
}

/* Appends what is new since the last time. */
function grow(block: Words, words: HTMLElement, element: HTMLElement): () => void {
	let done = 0;
	let replaced = block.isReplaced;

	return () => {
		if (block.isReplaced !== replaced) {
			words.replaceChildren();
			replaced = block.isReplaced;
			done = 0;
		}
		const end = block.isOpen ? wholeLength(block.text) : block.text.length;
		if (end > done)
			appendText(words, visibleText(block.text.slice(done, end)));
		done = Math.max(done, end);
		element.classList.toggle("is-open", block.isOpen);
		element.hidden = block.text === "";
	};
}

function appendText(words: HTMLElement, text: string): void {
	const last = words.lastChild;

	if (last instanceof Text && last.length < NODE_MAX)
		last.appendData(text);
	else
		words.append(text);
}

/* ---- tools ---- */

const MARKS = { running: "…", done: "✓", failed: "✗", left: "–" } as const;
const STATES = { running: "running", done: "done", failed: "failed", left: "left unfinished" } as const;

function drawTool(block: Tool, options: DrawOptions): Drawn {
	const mark = h("span", { class: "talk-mark", role: "img" });
	const took = h("span", { class: "talk-took" });
	const body = h("div", { class: "talk-body" });
	const line = h("code", {});
	const details = h("details", { class: "talk-block talk-tool" },
		h("summary", {}, mark, h("b", {}, visibleText(block.name || "tool")), line, took), body);
	let drawn = 0;

	/* Most are never looked into, and an input may have a megabyte. */
	const fillBody = () => {
		if (!details.open || drawn === block.version)
			return;
		drawn = block.version;
		fill(body, bodyOf(block, options));
	};
	details.addEventListener("toggle", fillBody);
	return { element: details, update() {
		details.dataset.state = block.state;
		write(mark, MARKS[block.state]);
		write(line, visibleText(block.input === undefined ? ending(block.draft, 200) : inputLine(block.input)));
		mark.setAttribute("aria-label", STATES[block.state]);
		write(took, block.isResultOnly ? "" : lasted(block.endedAt - block.at));
		fillBody();
	}, tick(now) {
		if (block.state === "running" && now - block.at >= 1000)
			write(took, lasted(now - block.at).replace(/\.\d s$/, " s"));
	} };
}

function bodyOf(block: Tool, options: DrawOptions): HTMLElement[] {
	const output = outputParts(block.output);
	const said = block.state === "running" ? "It is running." : block.state === "left"
		? "No result was reported." : "It returned nothing.";
	const given = block.input !== undefined ? inputParts(block.input)
		: block.draft === "" ? [] : [{ kind: "code", label: "", text: block.draft } as const];

	return [
		h("p", { class: "talk-label" }, called(block.agent, options)),
		...given.map(drawPart),
		h("p", { class: "talk-label" }, block.state === "failed" ? "It failed" : "Result"),
		...output.length > 0 ? output.map(drawPart) : [h("p", { class: "talk-none" }, said)],
	];
}

/* ---- all else ---- */

function drawSmall(block: Exclude<Block, Words | Tool>, options: DrawOptions): Drawn {
	const element = h("div", { class: `talk-block talk-${block.kind}` });

	return { element, update: () => fill(element, smallParts(block, element, options)) };
}

function smallParts(block: Exclude<Block, Words | Tool>, element: HTMLElement, options: DrawOptions) {
	switch (block.kind) {
	case "task":
		element.classList.toggle("is-mine", block.from === "user");
		return [h("p", { class: "talk-who" }, block.from === "user" ? "You" : called(block.from, options),
			block.to === "" ? null : h("span", {}, ` → ${called(block.to, options)}`), timeOf(block)),
		h("div", { class: "talk-words" }, visibleText(block.text))];
	case "state":
		return [minor(block, options, `${block.from} → ${block.to}`, block.reason)];
	case "usage":
		return [minor(block, options, `${counted(block.tokensIn, "token")} in, `
			+ `${block.tokensOut.toLocaleString("en")} out`,
		[block.model === block.agent ? "" : block.model, block.cost > 0 ? `$${block.cost.toFixed(4)}` : ""].filter(Boolean).join(" · "))];
	case "error":
		element.dataset.severity = block.severity;
		return [h("p", { class: "talk-who" }, block.severity === "warning" ? "Warning" : "Error",
			h("span", {}, ` ${[called(block.agent, options), visibleText(block.code)].filter(Boolean).join(" · ")}`),
			timeOf(block)),
		h("div", { class: "talk-words" }, visibleText(block.message))];
	case "end":
		element.dataset.how = block.how;
		return [h("p", {}, ENDS[block.how], timeOf(block)),
			block.text === "" ? null : h("div", { class: "talk-words" }, visibleText(block.text))];
	case "question":
		element.dataset.state = block.state;
		return questionParts(block, options);
	case "line":
		return lineParts(block, options);
	}
}

const ENDS = { done: "Done", failed: "Ended without success", cancelled: "Cancelled" } as const;

function questionParts(block: Question, options: DrawOptions) {
	const { onQuestion } = options;
	const value = block.value === undefined ? "" : typeof block.value === "string"
		? block.value : JSON.stringify(block.value);

	return [h("p", { class: "talk-who" }, block.state === "open" ? "Asks" : STATE_WORDS[block.state],
		h("span", {}, ` ${block.state === "open" ? called(block.agent, options) : visibleText(block.by)}`), timeOf(block)),
	block.text === "" ? null : h("div", { class: "talk-words" }, visibleText(block.text)),
	value === "" ? null : h("p", { class: "talk-value" }, beginning(visibleText(value), NODE_MAX)),
	block.settled === "" ? null : h("p", { class: "talk-settled" }, visibleText(block.settled)),
	block.state !== "open" || onQuestion === undefined ? null
		: h("button", { type: "button", onclick: onQuestion }, "Answer")];
}

const STATE_WORDS = {
	open: "Asks", answered: "Answered by", cancelled: "Cancelled:", expired: "Expired:",
} as const;

function lineParts(block: Extract<Block, { kind: "line" }>, options: DrawOptions) {
	const { onSignal } = options;

	return [minor(block, options, block.type, block.text), onSignal === undefined ? null
		: h("button", { type: "button", class: "talk-seq", "aria-label": `Signal ${block.seq} in the log`,
			onclick: () => onSignal(block.seq) }, String(block.seq))];
}

function minor(block: Block, options: DrawOptions, words: string, more: string): HTMLElement {
	return h("p", { class: "talk-minor" }, block.agent === "" ? null : h("b", {}, called(block.agent, options)),
		h("span", {}, visibleText(words)), more === "" ? null : h("span", {}, visibleText(more)),
		timeOf(block));
}

function headOf(block: Block, options: DrawOptions): HTMLElement {
	return h("p", { class: "talk-who" }, called(block.agent, options), timeOf(block));
}

function timeOf({ at }: Block): HTMLElement {
	return h("time", {}, clock(at).slice(0, 8));
}
