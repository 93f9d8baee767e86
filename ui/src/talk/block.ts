/* What a conversation is made of: the blocks that the signals of one run become. A block is
 * plain data. Its `version` grows with every change, so that whoever draws it knows by one
 * comparison whether there is something to do. */

interface Base {
	readonly id: number;    /* grows from block to block of one talk */
	version: number;
	readonly seq: number;   /* of the signal that began it */
	readonly at: number;    /* its timestamp, or NaN */
	readonly agent: string;
	weight: number;         /* about how many characters it keeps */
}

/* Somebody hands over work: a person's message, or one agent's to another. */
export interface Task extends Base { kind: "task"; from: string; to: string; text: string }

/* What an agent says or thinks. A very long text is several blocks, and all but the first are
 * marked as continued. */
export interface Words extends Base {
	kind: "text" | "thinking";
	text: string;
	isOpen: boolean;        /* more of it may come */
	isContinued: boolean;
	isReplaced: number;     /* how often all of it was taken back for another text */
	lastAt: number;
}

export interface Tool extends Base {
	kind: "tool";
	name: string;
	callId: string;
	input: unknown;
	draft: string;          /* its input as far as it is written, before it is whole */
	output: unknown;
	state: "running" | "done" | "failed" | "left";
	endedAt: number;
	isResultOnly: boolean;  /* its call was never heard of */
}

export interface State extends Base { kind: "state"; from: string; to: string; reason: string }

export interface Usage extends Base {
	kind: "usage"; tokensIn: number; tokensOut: number; model: string; cost: number;
}

export interface Fault extends Base {
	kind: "error"; message: string; severity: string; code: string;
}

export interface End extends Base { kind: "end"; how: "done" | "failed" | "cancelled"; text: string }

export interface Question extends Base {
	kind: "question";
	type: string;
	text: string;
	options: unknown;
	state: "open" | "answered" | "cancelled" | "expired";
	value: unknown;
	by: string;
	prompt: string;    /* the box's id, once it is over */
	settled: string;   /* what its agent did, in words */
}

/* Anything else that happened, in one line. */
export interface Line extends Base { kind: "line"; type: string; source: string; text: string }

export type Block = Task | Words | Tool | State | Usage | Fault | End | Question | Line;

/* What can be said of all of it. */
export interface Stats {
	state: "waiting" | "streaming" | "done" | "failed" | "cancelled";
	firstAt: number;        /* of the first signal */
	lastAt: number;
	firstWordAt: number;    /* of this turn; NaN before there was one */
	lastWordAt: number;
	pieces: number;         /* deltas of this turn */
	turnTokens: number;     /* that the model says it wrote in this turn */
	tokensIn: number;       /* of all turns */
	tokensOut: number;
	cost: number;
	model: string;
	sourceId: string;       /* who was asked, of an ask */
	session: string;
	tools: number;
	errors: number;
}

/* Tokens a second, as the model counts them, from the first word on. Pieces are no tokens. */
export function tokensPerSecond(stats: Stats): number {
	const ms = stats.lastWordAt - stats.firstWordAt;

	return stats.turnTokens > 1 && ms > 0 ? stats.turnTokens * 1000 / ms : NaN;
}
