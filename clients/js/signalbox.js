/* signalbox.js - a client of signalbox in one file, for browsers and Node 22.
 *
 *     const box = new Signalbox({ url: "http://127.0.0.1:7446", token, after: 0 });
 *     for await (const signal of box.signals())
 *         console.log(signal.seq, signal.type);
 *
 * It speaks the native dialect of /ws (docs/protocol.md). A connection that ends is replaced
 * by another, for ever, and each new one goes on exactly where the last one stopped: no signal
 * twice, none left out, and where the server itself has a hole, a gap that says so. What was
 * emitted and not yet acknowledged is sent again under the same id, so it is stored once. */

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;
const ANSWER_MS = 10000;      /* Whoever does not answer by then is not there. */
const OP_MS = 35000;          /* The server gives up on its own disk after 30 s. */
const LIFE_MS = 5000;         /* How long it may take to show a sign of life. */
const QUIET_MS = 25000;       /* After so much silence the connection is asked for a sign of life. */
const EMITS_MAX = 10000;      /* Emits that wait for an acknowledgement. */
const NOTHING = "signalbox.client.waits";     /* A type that nobody emits. */
const EPOCHS_MAX = 16;        /* Epochs of which a position is kept. */
const QUEUE_MAX = 10000;      /* Signals that an iterator has not taken yet. */

/**
 * @typedef {{seq: number, id: string, type: string, source: string, timestamp: number,
 *   correlationId?: string, metadata?: Record<string, unknown>,
 *   payload: Record<string, unknown>}} Signal
 * @typedef {{from: number, to: number, why: string}} Gap
 * @typedef {{name: "connecting" | "catching-up" | "live" | "closed"}
 *   | {name: "lost", retryAt?: number} | {name: "signed-out", why: string}} State
 * @typedef {{epoch: string, seq: number, server: {name: string, version: string},
 *   scopes: string[]}} Hello
 * @typedef {Record<string, unknown>} Frame
 * @typedef {{state: State, hello: Hello, signal: {envelope: Signal, text: string, live: boolean},
 *   gap: Gap, sources: Frame, prompt: Frame, prompts: Frame, stage: Frame, crew: Frame,
 *   matters: Frame, notice: string}} News
 * @typedef {{types?: string[], sources?: string[], correlationId?: string, prompts?: boolean,
 *   sourceState?: boolean, stage?: boolean, crew?: boolean, matters?: boolean,
 *   slow?: "resume" | "coalesce" | "drop" | "disconnect"}} Wishes
 *
 * `after` is a position, SEQ or "EPOCH-SEQ", or what `String(place)` gave; 0 is everything there
 * is; left out, it is the present. `history` asks for so many signals before the present instead. `token` is a
 * credential, or a function that gives it; `ticket` gives the single-use ticket of a WebSocket
 * where a token alone is not enough of a way in. Without either, this machine's own loopback
 * rule applies. `screen` names us beside the answers and controls that we give.
 * @typedef {Wishes & {url: string, token?: string | (() => string | null),
 *   ticket?: () => Promise<string>, after?: number | string, history?: number,
 *   screen?: string}} Options
 */

/** Why something was refused: the server's code, its words, and the status if it was HTTP. */
export class Refusal extends Error {
	/** @param {string} code @param {string} message @param {number} [status] */
	constructor(code, message, status) {
		super(message);
		this.name = "Refusal";
		this.code = code;
		if (status !== undefined)
			this.status = status;
	}
}

/** Thrown by `ticket` when trying again is of no use: somebody has to sign in. */
export class SignedOut extends Error {}

/** @typedef {{epoch: string | null, seq: number}} Position
 * @param {string} text @returns {Position} */
function positionOf(text) {
	const [, epoch, seq] = /^(?:(.+)-)?(\d+)$/.exec(text) ?? [];

	if (seq === undefined)
		throw new Error(`${text} is no position: SEQ or EPOCH-SEQ`);
	return { epoch: epoch ?? null, seq: Number(seq) };
}

/** Where we stand on the server's timeline: the last signal seen, and the epoch it was seen in.
 * A server that has lost that epoch is told where we stood in those before. */
export class Place {
	/** @type {string | null} */
	epoch;
	seq;
	duplicates = 0;
	/** @type {Position[]} */
	#older; /* the newest first */

	/** @param {number | string} [position] what toString() gave, or any position */
	constructor(position = 0) {
		const [newest, ...older] = String(position).split(",").map(positionOf);

		({ epoch: this.epoch, seq: this.seq } = /** @type {Position} */ (newest));
		this.#older = older.filter(({ epoch }) => epoch !== null).slice(0, EPOCHS_MAX - 1);
	}

	/** What `after` says. Zero asks for everything, whatever the epoch. */
	toString() {
		return this.seq === 0 || this.epoch === null ? String(this.seq)
			: [this, ...this.#older].map(({ epoch, seq }) => `${epoch}-${seq}`).join(",");
	}

	/**
	 * Steps to a signal. Says whether it is new to us, and which ones the server passed over
	 * without a word: that must never happen, so it is told.
	 * @param {string} epoch @param {number} seq
	 * @returns {{fresh: boolean, hole: Gap | null}}
	 */
	take(epoch, seq) {
		if (seq <= this.seq) {
			this.duplicates++;
			return { fresh: false, hole: null };
		}
		const hole = seq === this.seq + 1 ? null
			: { from: this.seq + 1, to: seq - 1, why: "unexplained" };
		this.#step(epoch, seq);
		return { fresh: true, hole };
	}

	/** Steps over a gap. What is lost from our own past is not of the server's timeline any more:
	 * we go back to where the two part.
	 * @param {string} epoch @param {Gap} gap */
	skip(epoch, { from, to, why }) {
		this.#step(epoch, why === "lost" && from <= this.seq ? from - 1 : Math.max(this.seq, to));
	}

	#step(/** @type {string} */ epoch, /** @type {number} */ seq) {
		if (this.epoch !== null && this.epoch !== epoch && this.seq > 0)
			this.#older = [{ epoch: this.epoch, seq: this.seq }, ...this.#older].slice(0, EPOCHS_MAX - 1);
		this.epoch = epoch;
		this.seq = seq;
		this.#older = seq === 0 ? [] : this.#older.map((one) => ({ ...one, seq: Math.min(one.seq, seq) }));
	}
}

/**
 * The wait before the n-th attempt in a row: doubling, and spread, so that many clients do not
 * come back at the same moment.
 * @param {number} failures
 */
export function retryDelay(failures, random = Math.random()) {
	const most = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);

	return Math.max(FIRST_RETRY_MS, most * (0.5 + random / 2));
}

/**
 * Does this signal stand for signals that the journal could not keep?
 * @param {Signal | null} signal @param {Gap} hole
 */
function explains(signal, hole) {
	return signal?.type === "journal.gap"
		&& Number(signal.payload.from) <= hole.from && Number(signal.payload.to) >= hole.to;
}

/** @typedef {{frame: string, again: boolean, timer: ReturnType<typeof setTimeout> | null,
 *   settle: (answer: Frame) => void, refuse: (why: Error) => void}} Waiting */

export class Signalbox {
	/** @type {State} */
	state = { name: "connecting" };
	/** @type {ReadonlySet<string>} */
	scopes = new Set();
	/** Milliseconds to add to our clock to have the server's. */
	skewMs = 0;
	/** @type {Place | null} */
	place = null;
	#options;
	#screen;
	/** @type {Wishes} */
	#wishes;
	/** @type {Map<string, Set<(news: never) => void>>} */
	#listeners = new Map();
	/** @type {Map<string, Waiting>} */
	#waiting = new Map();
	/** @type {Set<Queue>} */
	#queues = new Set();
	/** @type {WebSocket | null} */
	#socket = null;
	#greeted = false;
	/** @type {ReturnType<typeof setTimeout> | null} */
	#timer = null;
	/** @type {ReturnType<typeof setInterval>} */
	#pulse;
	#heardAt = 0;
	#askedAt = 0;
	#tickAt = Date.now();
	#turn = 0;
	#failures = 0;
	#refs = 0;
	#epoch = "";
	#head = 0;
	/** @type {Signal | null} */
	#before = null;       /* The signal before, to tell what a hole after it means. */
	/** @type {number | null} */
	#version = null;      /* The last of the stage that was seen. */
	#held = false;        /* An iterator is full: nothing more until it has room. */
	/** @type {string | null} */
	#awaited = null;      /* The ref of a subscription that the server has not begun yet. */

	/** @param {Options} options */
	constructor(options) {
		const { url, token, ticket, after, history, screen, ...wishes } = options;

		this.#options = { url: new URL(url).origin, token, ticket, history: history ?? 0 };
		this.#screen = screen === undefined ? {} : { screen };
		this.#wishes = wishes;
		if (after !== undefined)
			this.place = new Place(after);
		this.#pulse = setInterval(() => this.#feelPulse(), 1000);
		/* Whoever made us may listen first, or begin by itself. */
		queueMicrotask(() => {
			if (this.#turn === 0)
				this.#attempt();
		});
	}

	/**
	 * Gives a function that ends the listening.
	 * @template {keyof News} K
	 * @param {K} name @param {(news: News[K]) => void} hear
	 */
	on(name, hear) {
		const all = this.#listeners.get(name) ?? new Set();

		this.#listeners.set(name, all.add(hear));
		return () => { all.delete(hear); };
	}

	/** The signals from here on, in order. Whoever is slow to take them makes the server wait, and
	 * loses nothing. The loop ends with close().
	 * @returns {AsyncIterableIterator<Signal>} */
	signals() {
		const queue = new Queue(QUEUE_MAX, () => this.#release(), () => this.#queues.delete(queue));

		this.#queues.add(queue);
		return queue;
	}

	/** Other wishes from now on, at the place where we stand. The stage, if it is wished for,
	 * begins with a snapshot.
	 * @param {Wishes} wishes */
	subscribe(wishes) {
		this.#wishes = wishes;
		this.#version = null;
		if (this.#greeted)
			this.#subscribe();
	}

	/**
	 * Settled when the signal is on the server's disk.
	 * @param {Partial<Signal> & {type: string}} signal
	 * @returns {Promise<{id: string, seq: number}>}
	 */
	async emit(signal) {
		const whole = { ...signal, id: signal.id ?? crypto.randomUUID(), timestamp: signal.timestamp ?? Date.now() };

		if (this.#waiting.size >= EMITS_MAX)
			throw new Refusal("too_many", `${EMITS_MAX} emits wait for an acknowledgement`);
		const { seq } = await this.#send({ op: "emit" }, whole);
		return { id: whole.id, seq: Number(seq) };
	}

	/** @param {string} source @param {string} prompt
	 * @param {{model?: string, session?: string, run?: string}} [more] run: the id that it is to have
	 * @returns {Promise<{run: string}>} */
	async ask(source, prompt, more = {}) {
		const { run } = await this.#send({ op: "ask", source, prompt, ...more });

		return { run: String(run) };
	}

	/** @param {string} run */
	async cancel(run) {
		await this.#send({ op: "cancel", run });
	}

	/** @param {string} id @param {{value: unknown} | {cancelled: true}} answer */
	async answer(id, answer) {
		await this.#send({ op: "answer", id, ...answer, ...this.#screen });
	}

	/** @param {string} run @param {string} what @param {number} [n] */
	async control(run, what, n) {
		await this.#send({ op: "control", run, do: what, ...n === undefined ? {} : { n }, ...this.#screen });
	}

	/**
	 * A request of the API. Gives the answer's JSON, or throws a Refusal.
	 * @param {string} method @param {string} path @param {unknown} [body]
	 * @returns {Promise<unknown>}
	 */
	async request(method, path, body) {
		const answer = await this.#fetch(method, path, body, AbortSignal.timeout(OP_MS));
		const text = await answer.text();

		try {
			return text === "" ? {} : JSON.parse(text);
		} catch {
			throw new Refusal("invalid", "The server's answer is not JSON.", answer.status);
		}
	}

	/**
	 * The same as a stream of text: history and transcripts.
	 * @param {string} path @param {AbortSignal} [signal]
	 * @returns {Promise<ReadableStream<string>>}
	 */
	async stream(path, signal) {
		const answer = await this.#fetch("GET", path, undefined, signal);

		if (answer.body === null)
			throw new Refusal("invalid", "The answer has no body.", answer.status);
		return /** @type {ReadableStream<BufferSource>} */ (answer.body).pipeThrough(new TextDecoderStream());
	}

	/** Begins anew with what `ticket` and `token` give now: after somebody signed in. */
	restart() {
		this.#failures = 0;
		this.#drop();
		this.#enter(this.#epoch === "" ? { name: "connecting" } : { name: "lost" });
		this.#attempt();
	}

	/** Where the server stands now: the seq of its newest signal. */
	async ping() {
		const sentAt = Date.now();
		const { at, head } = await this.#send({ op: "ping" });

		this.skewMs = Number(at) - (sentAt + Date.now()) / 2;
		return Number(head);
	}

	/** Goes on after this seq of the present epoch, for whoever cannot keep up and wants to see the
	 * newest. What lies between is told as a gap `skipped`; what is still on its way is not read.
	 * @param {number} seq */
	skip(seq) {
		const place = /** @type {Place} */ (this.place);
		const gap = { from: place.seq + 1, to: seq, why: "skipped" };

		if (!this.#greeted || this.#awaited !== null || seq <= place.seq)
			return;
		place.skip(this.#epoch, gap);
		this.#tell("gap", gap);
		this.#subscribe();
	}

	/** Ends the wait between two attempts. A connection that is there has to show that it lives. */
	retryNow() {
		if (this.#timer !== null) {
			clearTimeout(this.#timer);
			this.#timer = null;
			this.#attempt();
		} else if (this.#greeted) {
			this.#ping();
		}
	}

	/** Ends it for good; what waits is refused, iterators end. */
	close() {
		clearInterval(this.#pulse);
		this.#turn++;
		this.#drop();
		this.#enter({ name: "closed" });
		for (const { refuse } of this.#waiting.values())
			refuse(new Refusal("closed", "The client was closed."));
		this.#waiting.clear();
		for (const queue of [...this.#queues])
			queue.return();
	}

	/* ---- coming in ---- */

	/* Whatever an attempt learns after another one has begun is stale. */
	async #attempt() {
		const turn = ++this.#turn;

		if (this.state.name === "closed")
			return;
		try {
			const ticket = await this.#ticket();
			if (turn === this.#turn)
				this.#open(ticket);
		} catch (why) {
			if (turn !== this.#turn)
				return;
			if (why instanceof SignedOut)
				this.#enter({ name: "signed-out", why: why.message });
			else
				this.#retryLater();
		}
	}

	/** @returns {Promise<string | null>} */
	async #ticket() {
		if (this.#options.ticket !== undefined)
			return this.#options.ticket();
		if (this.#token() === null)
			return null;
		try {
			const answer = await this.#fetch("POST", "/api/ticket", {}, AbortSignal.timeout(ANSWER_MS));
			return String((await answer.json()).ticket);
		} catch (why) {
			if (why instanceof Refusal && (why.status === 401 || why.status === 403))
				throw new SignedOut(why.message);
			throw why;
		}
	}

	#token() {
		const { token } = this.#options;

		return (typeof token === "function" ? token() : token) ?? null;
	}

	/** @param {string | null} ticket */
	#open(ticket) {
		const query = ticket === null ? "" : `?ticket=${encodeURIComponent(ticket)}`;
		const socket = new WebSocket(`${this.#options.url.replace(/^http/, "ws")}/ws${query}`);
		const deadline = setTimeout(() => this.#lose(socket), ANSWER_MS);

		this.#socket = socket;
		socket.onmessage = ({ data }) => {
			clearTimeout(deadline);
			if (this.#socket !== socket || typeof data !== "string")
				return;
			this.#heardAt = Date.now();
			this.#askedAt = 0;
			this.#hear(data);
		};
		socket.onclose = () => {
			clearTimeout(deadline);
			this.#lose(socket);
		};
	}

	/* A socket that died need not say so: close() of one whose peer is gone takes minutes. */
	#lose(/** @type {WebSocket} */ socket) {
		if (this.#socket !== socket)
			return;
		this.#drop();
		this.#retryLater();
	}

	#drop() {
		const socket = this.#socket;

		if (this.#timer !== null)
			clearTimeout(this.#timer);
		this.#timer = null;
		this.#socket = null;
		this.#greeted = false;
		this.#awaited = null;
		this.#askedAt = 0;
		socket?.close();
		/* Whether they were done nobody can tell, so nothing but an emit is done again. */
		for (const [ref, { again, refuse }] of [...this.#waiting]) {
			if (again)
				continue;
			this.#forget(ref);
			refuse(new Refusal("disconnected", "The connection was lost before the answer came."));
		}
	}

	#retryLater() {
		const delay = retryDelay(this.#failures++);

		this.#enter({ name: "lost", retryAt: Date.now() + delay });
		this.#timer = setTimeout(() => this.retryNow(), delay);
	}

	/* Once a second. When a second took many, the machine slept: whatever is connected may be
	 * dead, and whatever waits has waited enough. */
	#feelPulse() {
		const now = Date.now();
		const slept = now - this.#tickAt > 5000;

		this.#tickAt = now;
		if (slept)
			this.retryNow();
		if (this.#socket === null || !this.#greeted)
			return;
		if (this.#askedAt !== 0 && now - this.#askedAt > LIFE_MS && !slept)
			this.#lose(this.#socket);
		else if (this.#askedAt === 0 && now - this.#heardAt > QUIET_MS)
			this.#ping();
	}

	/* Any frame is a sign of life. */
	#ping() {
		if (this.#askedAt !== 0)
			return;
		this.#askedAt = Date.now();
		this.ping().catch(() => {});
	}

	/* ---- hearing ---- */

	/* Only a frame that begins with `op` is the server's own word. A signal begins with its
	 * seq, and whatever else a producer wrote into it stays a signal. */
	#hear(/** @type {string} */ text) {
		let frame;

		/* Of a subscription that is over; there may be much of it. */
		if (this.#awaited !== null && text.startsWith('{"seq":'))
			return;
		try {
			frame = JSON.parse(text);
		} catch {
			return this.#tell("notice", "The server sent a frame that is not JSON.");
		}
		if (!text.startsWith('{"op":'))
			return this.#hearSignal(frame, text);
		switch (frame.op) {
		case "hello": return this.#hearHello(frame);
		case "gap": return this.#hearGap(frame);
		case "ack": return this.#settle(frame);
		case "error": return this.#hearError(frame);
		case "stage": return this.#hearStage(frame);
		case "sources": case "prompt": case "prompts": case "crew": case "matters": return this.#tell(frame.op, frame);
		default: return undefined;
		}
	}

	/** @param {Hello} hello */
	#hearHello(hello) {
		this.#epoch = hello.epoch;
		this.#head = hello.seq;
		this.place ??= new Place(`${hello.epoch}-${Math.max(0, hello.seq - this.#options.history)}`);
		this.scopes = new Set(hello.scopes);
		this.#greeted = true;
		this.#tell("hello", hello);
		this.#enter({ name: "catching-up" });
		this.#subscribe();
		for (const { frame } of this.#waiting.values())
			this.#socket?.send(frame);
		this.#ping();
	}

	/* Signals that are still on their way when we wish for others are of the subscription before;
	 * the new one sends again what is wanted of them. So they are passed over until its ack. */
	#subscribe() {
		const { stage, ...wishes } = this.#wishes;
		const follow = !stage ? {} : { stage: this.#version ?? true };
		const from = this.#held ? { types: [NOTHING] } : { after: `${this.place}` };

		/* All that are open follow, so what was closed meanwhile must not stay. */
		if (wishes.prompts)
			this.#tell("prompts", { forget: true });
		this.#awaited = String(++this.#refs);
		this.#socket?.send(JSON.stringify({ op: "subscribe", ref: this.#awaited, ...wishes, ...follow, ...from }));
	}

	get #isFiltered() {
		const { types, sources, correlationId, slow } = this.#wishes;

		return types !== undefined || sources !== undefined || correlationId !== undefined || slow === "coalesce";
	}

	#hearSignal(/** @type {Signal} */ envelope, /** @type {string} */ text) {
		const place = /** @type {Place} */ (this.place);

		if (this.#held)
			return;
		const { fresh, hole } = place.take(this.#epoch, envelope.seq);

		if (hole !== null && !this.#isFiltered && !explains(envelope, hole) && !explains(this.#before, hole))
			this.#tell("gap", hole);
		this.#before = envelope;
		if (fresh) {
			this.#tell("signal", { envelope, text, live: envelope.seq > this.#head });
			this.#put(envelope);
		}
		this.#caughtUp();
	}

	#put(/** @type {Signal} */ signal) {
		let isFull = false;

		for (const queue of this.#queues) {
			queue.put(signal);
			isFull ||= queue.isFull;
		}
		if (isFull)
			this.#hold();
	}

	#hearGap(/** @type {Gap} */ { from, to, why }) {
		const place = /** @type {Place} */ (this.place);

		if (this.#awaited !== null || this.#held)
			return;
		place.skip(this.#epoch, { from, to, why });
		this.#tell("gap", { from, to, why });
		if (place.seq < this.#head)
			this.#enter({ name: "catching-up" });
		this.#caughtUp();
	}

	/* Its versions are never used twice, so one that is not newer was seen before. */
	#hearStage(/** @type {Frame} */ frame) {
		const version = Number(frame.version);

		if (this.#awaited !== null)
			return;
		if (frame.snapshot === undefined && this.#version !== null && version <= this.#version)
			return;
		this.#version = version;
		this.#tell("stage", frame);
	}

	#hearError(/** @type {Frame} */ { code, message, ref, wait }) {
		if (code === "too_fast" && this.#waiting.get(String(ref))?.again)
			return void setTimeout(() => this.#sendAgain(String(ref)), Number(wait));
		const waiting = this.#forget(String(ref));

		if (waiting !== undefined)
			waiting.refuse(new Refusal(String(code), String(message)));
		else
			this.#tell("notice", `The server says: ${message}`);
	}

	/* With a filter nobody can tell which signal is the last that was missed. */
	#caughtUp() {
		const behind = !this.#isFiltered && /** @type {Place} */ (this.place).seq < this.#head;

		if (this.state.name !== "catching-up" || behind || this.#awaited !== null)
			return;
		this.#failures = 0;
		this.#enter({ name: "live" });
	}

	/* An iterator that is full holds the server up: we wish for nothing, until we wish again for
	 * what comes after the place where we stood. */
	#hold() {
		this.#held = true;
		this.#subscribe();
	}

	#release() {
		if (!this.#held || [...this.#queues].some((queue) => !queue.hasRoom))
			return;
		this.#held = false;
		if (this.#greeted)
			this.#subscribe();
	}

	/* ---- saying ---- */

	/**
	 * Settled by the ack that has our ref. An emit waits for a connection; nothing else does.
	 * @param {Frame} op @param {object} [signal] @returns {Promise<Frame>}
	 */
	#send(op, signal) {
		const ref = String(++this.#refs);
		const again = signal !== undefined;
		/* An emit that ends with its signal is the one that the server reads fastest. */
		const frame = JSON.stringify(again ? { ...op, ref, signal } : { ...op, ref });

		if (this.state.name === "closed")
			return Promise.reject(new Refusal("closed", "The client was closed."));
		if (!again && !this.#greeted)
			return Promise.reject(new Refusal("disconnected", "There is no connection to the server."));
		return new Promise((settle, refuse) => {
			const timer = again ? null : setTimeout(() => {
				this.#forget(ref);
				refuse(new Refusal("timeout", "The server did not answer in time."));
			}, OP_MS);
			this.#waiting.set(ref, { frame, again, timer, settle, refuse });
			if (this.#greeted)
				this.#socket?.send(frame);
		});
	}

	#sendAgain(/** @type {string} */ ref) {
		const waiting = this.#waiting.get(ref);

		if (waiting !== undefined && this.#greeted)
			this.#socket?.send(waiting.frame);
	}

	#settle(/** @type {Frame} */ ack) {
		if (String(ack.ref) === this.#awaited) {
			this.#awaited = null;
			this.#caughtUp();
		}
		this.#forget(String(ack.ref))?.settle(ack);
	}

	#forget(/** @type {string} */ ref) {
		const waiting = this.#waiting.get(ref);

		if (waiting === undefined)
			return undefined;
		if (waiting.timer !== null)
			clearTimeout(waiting.timer);
		this.#waiting.delete(ref);
		return waiting;
	}

	/**
	 * @param {string} method @param {string} path @param {unknown} body
	 * @param {AbortSignal} [signal]
	 */
	async #fetch(method, path, body, signal) {
		const token = this.#token();
		/** @type {RequestInit} */
		const init = { method, cache: "no-store", credentials: "omit", redirect: "error", headers: {
			...token === null ? {} : { Authorization: `Bearer ${token}` },
			...body === undefined ? {} : { "Content-Type": "application/json" },
		} };
		if (body !== undefined)
			init.body = typeof body === "string" ? body : JSON.stringify(body);
		if (signal !== undefined)
			init.signal = signal;
		const answer = await fetch(this.#options.url + path, init).catch((why) => {
			throw why?.name === "AbortError" ? why
				: new Refusal("unreachable", "The server cannot be reached.");
		});
		if (answer.ok)
			return answer;
		const { error, code } = await answer.json().catch(() => ({}));
		throw new Refusal(code ?? String(answer.status), error ?? `The server answered ${answer.status}.`,
			answer.status);
	}

	/* ---- telling ---- */

	#enter(/** @type {State} */ state) {
		if (this.state.name === "closed")
			return;
		this.state = state;
		this.#tell("state", state);
	}

	/**
	 * @template {keyof News} K
	 * @param {K} name @param {News[K]} news
	 */
	#tell(name, news) {
		for (const hear of this.#listeners.get(name) ?? []) {
			try {
				/** @type {(news: News[K]) => void} */ (hear)(news);
			} catch (why) {
				/* One that fails is no reason for the others to miss something. */
				queueMicrotask(() => { throw why; });
			}
		}
	}
}

/** Signals between the socket and a `for await`.
 * @implements {AsyncIterableIterator<Signal>} */
class Queue {
	/** @type {Signal[]} */
	#signals = [];
	#taken = 0;
	/** @type {((result: IteratorResult<Signal>) => void)[]} */
	#takers = [];
	#isOver = false;
	#max;
	#onRoom;
	#onEnd;

	/** @param {number} max @param {() => void} onRoom @param {() => void} onEnd */
	constructor(max, onRoom, onEnd) {
		this.#max = max;
		this.#onRoom = onRoom;
		this.#onEnd = onEnd;
	}

	get #length() {
		return this.#signals.length - this.#taken;
	}

	get isFull() {
		return this.#length >= this.#max;
	}

	get hasRoom() {
		return this.#length <= this.#max / 2;
	}

	/** @param {Signal} signal */
	put(signal) {
		const taker = this.#takers.shift();

		if (taker !== undefined)
			taker({ done: false, value: signal });
		else
			this.#signals.push(signal);
	}

	/** @returns {Promise<IteratorResult<Signal>>} */
	next() {
		const value = this.#signals[this.#taken];

		if (value === undefined)
			return this.#isOver ? Promise.resolve({ done: true, value: undefined })
				: new Promise((taker) => { this.#takers.push(taker); });
		if (++this.#taken * 2 > this.#signals.length) {
			this.#signals.splice(0, this.#taken);
			this.#taken = 0;
		}
		if (this.hasRoom)
			this.#onRoom();
		return Promise.resolve({ done: false, value });
	}

	/** @returns {Promise<IteratorResult<Signal>>} */
	return() {
		this.#isOver = true;
		this.#signals = [];
		this.#taken = 0;
		for (const taker of this.#takers.splice(0))
			taker({ done: true, value: undefined });
		this.#onEnd();
		this.#onRoom();
		return Promise.resolve({ done: true, value: undefined });
	}

	[Symbol.asyncIterator]() {
		return this;
	}
}
