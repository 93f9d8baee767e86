/* The shapes that the page is made of. Data flows one way: the link hears the server, the
 * models remember what was heard, the views draw what the models remember. What a person does
 * goes back through the link. A view never talks to another view: it goes to a place. */

/* ---- what comes over the link ---- */

/* A signal as the server sends it. Nothing in it may be believed. */
export interface Envelope {
	seq: number;
	id: string;
	type: string;
	source: string;
	timestamp: number;
	correlationId?: string;
	metadata?: Record<string, unknown>;
	payload: Record<string, unknown>;
}

export interface Gap { from: number; to: number; why: string }

export type LinkState =
	| { name: "connecting" | "live" }
	| { name: "catching-up"; why?: string }
	| { name: "lost"; retryAt?: number }
	| { name: "signed-out"; why: string };

/* A source as GET /api/sources tells it. */
export interface Source {
	id: string; name: string; url: string | null; protocol: string;
	category: "local" | "remote"; color: string;
	state: "disconnected" | "connecting" | "connected" | "error" | "unavailable" | string;
	error: string | null; enabled: boolean; configured: boolean; hasCredential: boolean;
	credentialFrom: string | null;      /* "user", or the protocol whose own it is */
	models: string[]; model: string | null; can: string[];
	attempt: number; retryAt: number | null; eventsPerSecond: number; signals: number; bytes: number;
	badFrames: number; dropped: number; connects: number; lastSignalAt: number | null; lastError: string | null;
	meta?: Record<string, unknown>;
}

/* What a source may speak, as the server tells it with its sources: the page has no list of its own. */
export interface Protocol {
	name: string; label: string; schemes: string[]; can: string[];
	credential: string | null;          /* what people call it; null: it takes none */
	needsCredential: boolean;
	ownCredential: string | null;       /* whose configuration on the server's machine may name it */
	mainSession: boolean;               /* an ask without a session goes there */
}

export interface Prompt {
	id: string; run: string; source: string; type: "text" | "select" | "multi" | "confirm";
	prompt: string; options?: unknown[]; default?: unknown; deadline?: number;
	/* Of a tool that waits: its whole input, where that is short; else it has to be asked for. */
	tool?: string; input?: unknown; inputBytes?: number;
	state: "open" | "answered" | "cancelled" | "expired";
	/* False: we may not answer, and it has nothing to answer with. */
	answerable?: false;
	by?: { user?: string; process?: string; screen?: string };
	why?: string;
	/* What its agent did, when that is known: by "agent" in a dialog of its own, or as answered. */
	settled?: { by?: unknown; decision?: unknown };
}

/* What an agent or a subagent does, and since when. `name` says it; the others are there where they
 * mean something. */
export interface CrewState {
	name: "thinking" | "answering" | "tool" | "asks" | "waits" | "idle" | "finished" | "failed" | "gone" | string;
	since: number;
	tool?: string; target?: string; call?: string; prompt?: string; question?: string; why?: string; exit?: number;
}

export interface Subagent {
	id: string; name?: string; task?: string; parent?: string | null; state: CrewState; first?: number; last?: number;
}

/* What was used, and what that costs: null where no price is known. */
export interface Spent {
	input?: number; output?: number; cacheRead?: number; cacheWrite?: number; cacheWrite1h?: number;
	reasoning?: number; calls?: number; cost?: number | null; atLeast?: boolean; unknown?: boolean;
}

/* A session as GET /api/crew and the op crew tell it; what is not known is left out. */
export interface Member {
	id: string; handle: string; run?: string;      /* its newest run, where it has several */
	runs?: string[];               /* and these are all of them, then */
	agentId?: string;              /* the agent that it is, as its signals name it */
	harness?: string | null; agent?: string; version?: string;
	project?: string; cwd?: string; branch?: string; host?: string; user?: string;
	title?: string; titleFrom?: "person" | "agent" | "asked" | null; model?: string; mode?: string;
	parent?: string | null; source?: string; first: number; last: number;
	figure?: boolean;              /* on the stage it is somebody: `@ID`; else under the name of its agent */
	group: "waits" | "failed" | "work" | "idle" | "over";
	state: CrewState;
	plan?: { done: number; total: number; now?: string } | null;
	usage?: Spent; context?: { used: number; window?: number } | null;
	changes?: { files: number; added: number; removed: number } | null;
	agents?: Subagent[];
	spark?: number[];
}

/* What a person is told of without looking: once each, until it is settled. */
export interface Matter {
	id: string; kind: "asks" | "failed" | "finished" | "budget" | string;
	title: string; words?: string;
	handle?: string; project?: string; session?: string; run?: string; prompt?: string; at: number;
}

/* What listeners hear, by name. A signal comes with the frame it was, byte for byte, and with
 * whether it is of now or was caught up with. */
export interface News {
	state: LinkState;
	hello: { epoch: string; seq: number; server: { name: string; version: string }; scopes: string[] };
	signal: { envelope: Envelope; text: string; live: boolean };
	gap: Gap;
	sources: { all?: Source[]; protocols?: Protocol[]; changed?: Source[]; removed?: string[] };
	prompt: Prompt;
	prompts: { forget: true };
	/* Whether the user.command of this id reached its agent, or why not. */
	told: { signal: string; told: boolean; why: string };
	stage: { version: number; at: number; snapshot?: Record<string, unknown>; command?: Record<string, unknown> };
	/* All sessions first, then those that are others than they were. */
	crew: { all?: Member[]; changed?: Member[]; removed?: string[]; at?: number };
	/* All that stand first, then each that is raised or settled. `desktop`: the box shows them on
	 * the desktop of its own machine. */
	matters: { all?: Matter[]; desktop?: boolean; raised?: Matter[]; settled?: string[] };
	notice: string;
}

/* Why something was refused: the server's code and words. */
export interface Refusal extends Error { code: string; status?: number }

export interface Link {
	readonly state: LinkState;
	readonly scopes: ReadonlySet<string>;
	/* Milliseconds to add to our clock to have the server's. */
	readonly skewMs: number;
	/* For how long the server has had signals that we have not. */
	readonly behindMs: number;
	/* Gives a function that ends the listening. */
	on<K extends keyof News>(name: K, hear: (news: News[K]) => void): () => void;
	/* The newest signals, oldest first, for a view that was opened later than they came. What
	 * is known of sources and open prompts is told to each new listener of those at once, and
	 * a new listener of the stage gets a snapshot. */
	recent(): News["signal"][];
	/* Each is settled by the server's ack or refused with a Refusal. An emit that was cut off
	 * by a lost connection is sent again under the same id, so that it is stored once. */
	emit(signal: Partial<Envelope> & { type: string }): Promise<{ seq: number }>;
	ask(source: string, prompt: string, more?: { model?: string; session?: string }): Promise<{ run: string }>;
	cancel(run: string): Promise<void>;
	answer(id: string, answer: { value: unknown } | { cancelled: true }): Promise<void>;
	control(run: string, what: string, n?: number): Promise<void>;
	/* A request of the API, with our session. The answer's JSON, or a Refusal. */
	request<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
	/* The same, as a stream of text: history and transcripts. */
	stream(path: string, signal?: AbortSignal): Promise<ReadableStream<string>>;
	retryNow(): void;
}

/* ---- what a view is given, and what it is ---- */

/* The one name that a session has on all of the page; agents and sources have others. */
export interface Names {
	/* The session of this id; undefined: nobody's. */
	of(id: string): Member | undefined;
	/* Its handle, and that of its subagent where it is one of those who speaks. */
	who(id: string, agent?: string): string | undefined;
	/* A name was given or is another one. Gives a function that ends the listening. */
	on(changed: () => void): () => void;
}

export interface Desk {
	readonly link: Link;
	readonly names: Names;
	/* To a place of the page: "crew/HANDLE", "log/4711", "runs/ID", "ask/SOURCE". It is a step of the
	 * history unless it replaces the present one. */
	go(place: string, how?: "replace"): void;
	/* To what an agent asks, in the tray: this one, or else the first that is open. */
	toQuestion(id?: string): void;
	/* Words that come up for a while, and are read out. */
	say(words: string, kind?: "good" | "bad"): void;
	/* The colour theme in force, and who wants to know when it is another. */
	readonly isDark: boolean;
	onTheme(changed: () => void): void;
	readonly wantsLessMotion: boolean;
}

/* One of the things that the page can show. It is opened once, when it is first gone to,
 * and hidden, not closed: it goes on hearing, but draws nothing while it is out of sight.
 * ARCHITECTURE.md lists the files of a new one; tests/skeleton/view is the least that one can be. */
export interface View {
	/* `rest` is what follows the view's name in the address; draws. */
	show(rest: string): void;
	hide(): void;
	/* A key that nobody else wanted; true when it meant something. */
	key?(event: KeyboardEvent): boolean;
}

export interface ViewKind {
	name: string;           /* in the address: #/log */
	title: string;
	icon: string;           /* a symbol of index.html: icon-NAME */
	keys: readonly [string, string][];  /* for the help: what to press, what it does */
	open(root: HTMLElement, desk: Desk): View | Promise<View>;
}
