/* Folds the signals of one run into blocks, one signal at a time and without a word about the
 * screen. Deltas are joined per agent, a tool's result finds its call, an answer its question.
 * Everything has a ceiling: a run may have a hundred thousand deltas, and a line a megabyte.
 * Nothing in a payload is believed. */

import type { Envelope } from "../desk";
import { entryOf } from "../text/signal";
import { wholeAfter } from "../text/whole";
import type { Block, Fault, Question, Stats, Tool, Words } from "./block";
import { long, name, number, objectOf, sizeOf, TEXT_MAX, timeOf, type Payload } from "./payload";

export const BLOCKS_MAX = 4000;        /* kept; the oldest go first */
export const WEIGHT_MAX = 8_000_000;   /* characters kept in all of them, about */
export const WORDS_MAX = 8_000;        /* characters of one block: what grows is laid out again */
const DRAFT_MAX = 32_000;

type New<T> = T extends Block ? Omit<T, "id" | "version" | "seq" | "at" | "weight"> : never;

export interface Talk {
	readonly blocks: readonly Block[];
	readonly stats: Readonly<Stats>;
	readonly version: number;      /* grows with every signal that was taken */
	readonly lastSeq: number;
	readonly forgotten: number;    /* blocks that went because there were too many */
	/* Takes the next signal. One that is not newer than the last is passed over, so that
	 * history and what is live may overlap. */
	take(envelope: Envelope): void;
	clear(): void;
}

/* What the fold remembers besides its blocks. */
interface Memory extends Talk {
	blocks: Block[];
	stats: Stats;
	version: number;
	lastSeq: number;
	forgotten: number;
	nextId: number;
	weight: number;
	now: Envelope;
	saying: Map<string, Words[]>;       /* by agent: the text that is open, in its parts */
	resting: Set<string>;               /* agents whose turn is over: what they said comes after that */
	running: Tool[];
	questions: Question[];              /* open ones */
	lastText: string;                   /* what was said last, to know it again */
}

const NOBODY: Envelope = { seq: 0, id: "", type: "", source: "", timestamp: NaN, payload: {} };

export function createTalk(): Talk {
	const m: Memory = {
		...empty(),
		take: (envelope) => take(m, envelope),
		clear: () => { Object.assign(m, empty()); },
	};

	return m;
}

function empty(): Omit<Memory, "take" | "clear"> {
	return {
		blocks: [], version: 0, lastSeq: 0, forgotten: 0, nextId: 1, weight: 0, now: NOBODY,
		saying: new Map(), resting: new Set(), running: [], questions: [], lastText: "",
		stats: {
			state: "waiting", firstAt: NaN, lastAt: NaN, firstWordAt: NaN, lastWordAt: NaN,
			pieces: 0, turnTokens: 0, tokensIn: 0, tokensOut: 0, cost: 0, model: "",
			sourceId: "", session: "", tools: 0, errors: 0,
		},
	};
}

function take(m: Memory, envelope: Envelope): void {
	if (!(envelope.seq > m.lastSeq))
		return;
	const { type } = envelope;
	const at = timeOf(envelope);

	/* Where a timeline was lost, the next one gives out the seqs of the gap again. */
	m.lastSeq = envelope.type === "journal.gap" ? envelope.seq - 1 : envelope.seq;
	m.version++;
	m.now = envelope;
	if (Number.isNaN(m.stats.firstAt))
		m.stats.firstAt = at;
	m.stats.lastAt = at;
	if (Object.hasOwn(TAKERS, type))
		TAKERS[type]!(m, objectOf(envelope.payload));
	else if (!isQuiet(envelope))
		add(m, { kind: "line", agent: "", type: name(type), source: name(envelope.source),
			text: entryOf(envelope, "").summary });
	m.now = NOBODY;
	shrink(m);
}

/* What is shown elsewhere: who a session is, its plan and its files. */
const QUIET = new Set(["prompt.told", "session.facts", "agent.plan", "agent.change", "gateway.frame"]);

/* Notes of the box, and what an agent's program writes to itself, say nothing to a reader of the
 * conversation. */
function isQuiet({ type, payload, metadata }: Envelope): boolean {
	const meta = objectOf(metadata?._meta);

	return QUIET.has(type) || meta.heartbeat === true || meta.tick === true
		|| type === "event" && objectOf(payload).synthetic === true;
}

const TAKERS: Record<string, (m: Memory, p: Payload) => void> = {
	task_dispatch: takeTask,
	text_delta: (m, p) => takeWords(m, "text", p),
	thinking: (m, p) => takeWords(m, "thinking", p),
	tool_call_delta: takeDraft,
	tool_call: takeCall,
	tool_result: takeResult,
	agent_state_change: takeState,
	token_usage: takeUsage,
	error: takeFault,
	completion: takeEnd,
	prompt: takeQuestion,
	answer: takeAnswer,
	"prompt.closed": takeClosed,
	"prompt.settled": takeSettled,
	"session.turn": takeTurn,
};

const RESTING = new Set(["idle", "done", "error"]);

/* ---- each kind of signal ---- */

function takeTask(m: Memory, p: Payload): void {
	const { metadata } = m.now;
	const meta = objectOf(metadata);

	m.resting.clear();
	m.stats.state = "waiting";
	m.stats.firstWordAt = m.stats.lastWordAt = NaN;
	m.stats.pieces = m.stats.turnTokens = 0;
	m.stats.sourceId ||= name(meta.sourceId);
	m.stats.session ||= name(meta.session);
	add(m, { kind: "task", agent: name(p.from), from: name(p.from), to: name(p.to),
		text: long(p.description) });
}

function takeWords(m: Memory, kind: Words["kind"], p: Payload): void {
	const agent = agentOf(m, p);
	const content = typeof p.content === "string" ? p.content : "";
	let parts = m.saying.get(agent);

	count(m);
	if (parts !== undefined && parts[0]!.kind !== kind) {
		hush(m, agent);
		parts = undefined;
	}
	if (parts !== undefined && m.now.metadata?.replace === true)
		takeBack(m, parts);
	if (content === "")
		return;
	if (parts === undefined) {
		m.saying.set(agent, parts = [addWords(m, kind, agent, false)]);
		if (kind === "text")
			m.lastText = "";
	}
	append(m, parts, content);
	if (m.resting.has(agent))
		end(parts);
	if (kind === "text" && m.lastText.length < TEXT_MAX)
		m.lastText += content;
}

function count(m: Memory): void {
	const at = timeOf(m.now);
	const coalesced = objectOf(m.now.metadata?.coalesced).count;

	m.stats.state = "streaming";
	if (Number.isNaN(m.stats.firstWordAt))
		m.stats.firstWordAt = at;
	m.stats.lastWordAt = at;
	m.stats.pieces += typeof coalesced === "number" && coalesced > 0 ? coalesced : 1;
}

/* Fills the last part, then as many more as it takes. No part ends within a character. */
function append(m: Memory, parts: Words[], content: string): void {
	for (let rest = content; rest !== "";) {
		let part = parts.at(-1)!;

		if (part.text.length >= WORDS_MAX) {
			part.isOpen = false;
			part.version++;
			parts.push(part = addWords(m, part.kind, part.agent, true));
		}
		const piece = rest.slice(0, wholeAfter(rest, WORDS_MAX - part.text.length));
		rest = rest.slice(piece.length);
		part.text += piece;
		part.lastAt = timeOf(m.now);
		part.version++;
		weigh(m, part, piece.length);
	}
}

/* What comes next stands for all that was said: the parts before it are empty from now on. */
function takeBack(m: Memory, parts: Words[]): void {
	for (const part of parts) {
		weigh(m, part, -part.text.length);
		part.text = "";
		part.isReplaced++;
		part.version++;
	}
	parts.splice(1);
	parts[0]!.isOpen = true;
	m.lastText = "";
}

function addWords(m: Memory, kind: Words["kind"], agent: string, isContinued: boolean): Words {
	return add(m, { kind, agent, text: "", isOpen: true, isContinued, isReplaced: 0,
		lastAt: timeOf(m.now) }) as Words;
}

/* Whatever an agent was saying, it has said. */
function hush(m: Memory, agent: string): void {
	end(m.saying.get(agent) ?? []);
	m.saying.delete(agent);
}

function end(parts: readonly Words[]): void {
	for (const part of parts)
		if (part.isOpen) {
			part.isOpen = false;
			part.version++;
		}
}

function hushAll(m: Memory): void {
	for (const agent of [...m.saying.keys()])
		hush(m, agent);
}

/* A model writes what it gives to a tool piece by piece. */
function takeDraft(m: Memory, p: Payload): void {
	const agent = agentOf(m, p);
	const callId = name(p.callId);
	const content = typeof p.content === "string" ? p.content : "";
	const tool = m.running.find((one) => one.callId === callId && one.agent === agent && one.input === undefined)
		?? addTool(m, agent, p);

	if (tool.draft.length < DRAFT_MAX) {
		tool.draft += content;
		tool.version++;
		weigh(m, tool, content.length);
	}
}

function takeCall(m: Memory, p: Payload): void {
	const agent = agentOf(m, p);
	const callId = name(p.callId);
	const tool = m.running.find((one) => callId !== "" && one.callId === callId && one.input === undefined)
		?? addTool(m, agent, p);

	tool.input = p.input ?? {};
	tool.draft = "";
	tool.version++;
	weigh(m, tool, sizeOf(p.input));
}

function addTool(m: Memory, agent: string, p: Payload): Tool {
	const tool = add(m, { kind: "tool", agent, name: name(p.toolName), callId: name(p.callId), input: undefined,
		draft: "", output: undefined, state: "running", endedAt: NaN, isResultOnly: false }) as Tool;

	hush(m, agent);
	m.stats.tools++;
	m.running.push(tool);
	return tool;
}

/* A result belongs to the call with its id; without one, to the oldest of that tool. */
function takeResult(m: Memory, p: Payload): void {
	const agent = agentOf(m, p);
	const callId = name(p.callId);
	const toolName = name(p.toolName);
	const found = m.running.find((tool) => callId !== "" ? tool.callId === callId
		: tool.callId === "" && tool.agent === agent && tool.name === toolName)
		?? m.running.find((tool) => tool.agent === agent && tool.name === toolName
			&& (tool.callId === "" || callId === ""));
	const tool = found ?? addTool(m, agent, p);

	tool.isResultOnly = found === undefined;
	hush(m, agent);
	tool.output = p.output;
	tool.state = p.success === false ? "failed" : "done";
	tool.endedAt = timeOf(m.now);
	tool.version++;
	weigh(m, tool, sizeOf(p.output));
	m.running = m.running.filter((other) => other !== tool);
}

function takeState(m: Memory, p: Payload): void {
	const agent = agentOf(m, p);

	hush(m, agent);
	if (RESTING.has(name(p.to)))
		m.resting.add(agent);
	else
		m.resting.delete(agent);
	add(m, { kind: "state", agent, from: name(p.from), to: name(p.to), reason: name(p.reason) });
}

/* Nothing else says that the turn of a session is over. */
function takeTurn(m: Memory, p: Payload): void {
	if (p.state !== "began")
		hushAll(m);
}

/* The sum is what a run has cost; what is told in a row of one agent is one block. */
function takeUsage(m: Memory, p: Payload): void {
	const agent = agentOf(m, p);
	const tokensIn = number(p.promptTokens);
	const tokensOut = number(p.completionTokens);
	const cost = number(p.cost);
	const last = m.blocks.at(-1);

	m.stats.tokensIn += tokensIn;
	m.stats.tokensOut += tokensOut;
	m.stats.turnTokens += tokensOut;
	m.stats.cost += cost;
	m.stats.model = name(p.model) || m.stats.model;
	if (last?.kind === "usage" && last.agent === agent) {
		last.tokensIn += tokensIn;
		last.tokensOut += tokensOut;
		last.cost += cost;
		last.version++;
	} else {
		add(m, { kind: "usage", agent, tokensIn, tokensOut, cost, model: name(p.model) });
	}
}

/* A warning is said and the run goes on; an error may be its end, and what comes after tells. */
function takeFault(m: Memory, p: Payload): void {
	const fault: New<Fault> = { kind: "error", agent: agentOf(m, p), message: long(p.message),
		severity: name(p.severity), code: name(p.code) };

	add(m, fault);
	if (fault.severity === "warning")
		return;
	m.stats.errors++;
	m.stats.state = "failed";
	hushAll(m);
}

function takeEnd(m: Memory, p: Payload): void {
	const text = long(p.result);
	const stop = name(m.now.metadata?.stopReason);
	const wasCancelled = p.success === false
		&& (text === "cancelled" || stop === "cancelled" || stop === "aborted");
	const how = wasCancelled ? "cancelled" : p.success === false ? "failed" : "done";
	/* The parsers of streams put a count here where there is nothing to say. */
	const isKnown = text === "cancelled" || text.trim() === m.lastText.trim()
		|| /^Stream completed \(\d+ chunks?\)$/.test(text);

	hushAll(m);
	leaveTools(m);
	m.stats.state = how;
	add(m, { kind: "end", agent: agentOf(m, p), how, text: isKnown ? "" : text });
}

/* A run that is over runs no tools. */
function leaveTools(m: Memory): void {
	for (const tool of m.running) {
		tool.state = "left";
		tool.version++;
	}
	m.running = [];
}

function takeQuestion(m: Memory, p: Payload): void {
	m.questions.push(add(m, { kind: "question", agent: name(p.invokeid) || name(m.now.source),
		type: name(p.type), text: long(p.prompt), options: p.options, state: "open",
		value: undefined, by: "", prompt: "", settled: "" }, sizeOf(p.options)) as Question);
}

/* The box's id of a prompt is not in the signal that asked, so an answer is that of the only
 * question of its type; where there are several it is a line of its own. */
function takeAnswer(m: Memory, p: Payload): void {
	close(m, p, p.cancelled === true ? "cancelled" : "answered", whoOf(p.by));
}

function takeClosed(m: Memory, p: Payload): void {
	close(m, p, p.state === "expired" ? "expired" : "cancelled", name(p.why));
}

function close(m: Memory, p: Payload, state: Question["state"], by: string): void {
	const type = name(p.type);
	const fitting = m.questions.filter((question) => type === "" || question.type === type);
	const question = fitting.length === 1 ? fitting[0]! : add(m, { kind: "question", agent: "",
		type, text: "", options: undefined, state, value: p.value, by, prompt: "", settled: "" }) as Question;

	question.state = state;
	question.value = p.value;
	question.by = by;
	question.prompt = name(p.prompt);
	question.version++;
	weigh(m, question, sizeOf(p.value));
	m.questions = m.questions.filter((other) => other !== question);
}

/* What its agent did, behind the question that is over. */
function takeSettled(m: Memory, p: Payload): void {
	const id = name(p.prompt);
	const question = m.blocks.findLast((block): block is Question => block.kind === "question" && block.prompt === id && id !== "");

	if (question === undefined)
		return;
	question.settled = p.by === "agent" ? p.decision === "gone" ? "Its agent is gone" : `It was decided there: ${name(p.decision)}`
		: `Settled: ${name(p.decision)}`;
	question.version++;
}

/* Who answered, in words. */
export function whoOf(by: unknown): string {
	const { user, process, screen } = objectOf(by);

	return [name(user), name(process) === "" ? "" : `(${name(process)})`,
		name(screen) === "" ? "" : `at ${name(screen)}`].filter((word) => word !== "").join(" ");
}

/* ---- keeping, and letting go ---- */

function add(m: Memory, block: New<Block>, weight = 0): Block {
	const made = { ...block, id: m.nextId++, version: 1, seq: m.now.seq, at: timeOf(m.now),
		weight: 0 } as Block;
	const text = "text" in block ? block.text.length : 0;

	m.blocks.push(made);
	weigh(m, made, 100 + text + weight);
	return made;
}

function weigh(m: Memory, block: Block, more: number): void {
	block.weight += more;
	m.weight += more;
}

/* The oldest go, a good many at once so that it is seldom done. */
function shrink(m: Memory): void {
	if (m.blocks.length <= BLOCKS_MAX && m.weight <= WEIGHT_MAX)
		return;
	let n = 0;

	while (n < m.blocks.length - 1 && (m.blocks.length - n > BLOCKS_MAX * 0.9
		|| m.weight > WEIGHT_MAX * 0.9))
		m.weight -= m.blocks[n++]!.weight;
	const gone = new Set<Block>(m.blocks.splice(0, n));
	m.forgotten += n;
	m.running = m.running.filter((tool) => !gone.has(tool));
	m.questions = m.questions.filter((question) => !gone.has(question));
	for (const [agent, parts] of m.saying) {
		const kept = parts.filter((part) => !gone.has(part));
		if (kept.length === 0)
			m.saying.delete(agent);
		else
			m.saying.set(agent, kept);
	}
}

function agentOf(m: Memory, p: Payload): string {
	return name(p.agentId) || name(m.now.source);
}
