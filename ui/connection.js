/* The way to the server, without a word about the screen. The one-time code of
 * the URL is traded for a session, the session for a ticket, the ticket for a
 * socket. A socket that ends is replaced by another, for ever, and each new one
 * goes on exactly where the last one stopped. Everything is asked of the origin
 * this page came from; nothing in the URL can name another server. */

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;
const ANSWER_MS = 10000;      /* Whoever does not answer by then is not there. */
const HISTORY = 2000;         /* How much of the past a new page asks for. */
const SESSION_KEY = "signalbox.session";

class SignedOut extends Error {}

/* Where we stand on the server's timeline: the last signal seen, and the epoch it
 * was seen in. */
export class Place {
	epoch = null;
	seq = 0;
	duplicates = 0;

	/* What `after` says. Zero asks for everything, whatever the epoch. */
	toString() {
		return this.seq === 0 ? "0" : `${this.epoch}-${this.seq}`;
	}

	/* Steps to a signal. Says whether it is new to us, and which ones the server
	 * passed over without a word: that must never happen, so it is shown. */
	take(epoch, seq) {
		if (seq <= this.seq) {
			this.duplicates++;
			return { fresh: false, hole: null };
		}
		const hole = seq === this.seq + 1 ? null
			: { from: this.seq + 1, to: seq - 1, why: "unexplained" };
		this.epoch = epoch;
		this.seq = seq;
		return { fresh: true, hole };
	}

	/* Steps over a gap, and says why it is there. What is lost is lost from our own
	 * past: the timeline forks before where we stand, and we go back to the fork.
	 * A loss that does not end where we stand is of somebody else's timeline: the
	 * server has another journal now, and we go on at its present. */
	skip(epoch, { from, to, why }) {
		const forked = why === "lost" && to === this.seq;

		this.epoch = epoch;
		this.seq = forked ? from - 1 : why === "lost" ? to : Math.max(this.seq, to);
		return why === "lost" && !forked ? "replaced" : why;
	}
}

/* Does this signal stand for signals that the journal could not keep? */
function explains(signal, hole) {
	return signal?.type === "journal.gap"
		&& signal.payload.from <= hole.from && signal.payload.to >= hole.to;
}

/* The wait before the n-th attempt in a row: doubling, and spread, so that many
 * pages do not come back at the same moment. */
export function retryDelay(failures, random = Math.random()) {
	const most = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);

	return Math.max(FIRST_RETRY_MS, most * (0.5 + random / 2));
}

/* `tell` is the listener: state({name, ...}), signal(envelope, text), gap(gap),
 * notice(words), hello(frame). The states are connecting, catching-up, live,
 * lost {retryAt} and signed-out {why}. */
export class Connection {
	place = new Place();
	#tell;
	#code = null;
	#socket = null;
	#timer = null;
	#turn = 0;
	#failures = 0;
	#epoch = null;
	#head = 0;
	#before = null;       /* The signal before, to tell what a hole after it means. */
	#state = null;

	constructor(tell) {
		this.#tell = tell;
	}

	/* Begins, or begins again with another code. */
	start(code) {
		this.#code = code;
		this.#failures = 0;
		this.#drop();
		this.#enter({ name: this.place.epoch === null ? "connecting" : "lost" });
		this.#attempt();
	}

	/* Ends the wait between two attempts; otherwise does nothing. */
	retryNow() {
		if (this.#timer === null)
			return;
		clearTimeout(this.#timer);
		this.#timer = null;
		this.#attempt();
	}

	/* Whatever an attempt learns after another one has begun is stale. */
	async #attempt() {
		const turn = ++this.#turn;

		try {
			if (this.#code !== null)
				await this.#trade(this.#code);
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

	/* A code is good for one trade. A spent one does no harm to a tab that has
	 * its session already: this is what a reload looks like. */
	async #trade(code) {
		const answer = await post("/api/session", { body: JSON.stringify({ code }) });

		if (answer.ok)
			sessionStorage.setItem(SESSION_KEY, (await answer.json()).token);
		else if (answer.status === 429 || answer.status >= 500)
			throw new Error(`session: ${answer.status}`);
		else if (sessionStorage.getItem(SESSION_KEY) === null)
			throw new SignedOut("This link was used already, or is older than ten minutes.");
		if (this.#code === code)
			this.#code = null;
	}

	async #ticket() {
		const session = sessionStorage.getItem(SESSION_KEY);

		if (session === null)
			throw new SignedOut("This tab has no session.");
		const answer = await post("/api/ticket", { bearer: session });
		if (answer.status === 401 || answer.status === 403) {
			sessionStorage.removeItem(SESSION_KEY);
			throw new SignedOut("The session of this tab is over.");
		}
		if (!answer.ok)
			throw new Error(`ticket: ${answer.status}`);
		return (await answer.json()).ticket;
	}

	#open(ticket) {
		const origin = location.origin.replace(/^http/, "ws");
		const socket = new WebSocket(`${origin}/ws?ticket=${encodeURIComponent(ticket)}`);
		const deadline = setTimeout(() => socket.close(), ANSWER_MS);

		this.#socket = socket;
		socket.onmessage = ({ data }) => {
			clearTimeout(deadline);
			if (this.#socket === socket && typeof data === "string")
				this.#hear(data);
		};
		socket.onclose = () => {
			clearTimeout(deadline);
			if (this.#socket !== socket)
				return;
			this.#socket = null;
			this.#retryLater();
		};
	}

	/* Only a frame that begins with `op` is the server's own word. A signal begins
	 * with its seq, and whatever else a producer wrote into it stays a signal. */
	#hear(text) {
		let frame;

		try {
			frame = JSON.parse(text);
		} catch {
			return this.#tell.notice("The server sent a frame that is not JSON.");
		}
		if (!text.startsWith('{"op":'))
			return this.#hearSignal(frame, text);
		if (frame.op === "hello")
			this.#hearHello(frame);
		else if (frame.op === "gap")
			this.#hearGap(frame);
		else if (frame.op === "error")
			this.#tell.notice(`The server says: ${frame.message}`);
	}

	#hearHello(hello) {
		this.#epoch = hello.epoch;
		this.#head = hello.seq;
		if (this.place.epoch === null) {
			this.place.epoch = hello.epoch;
			this.place.seq = Math.max(0, hello.seq - HISTORY);
		}
		this.#tell.hello(hello);
		this.#enter({ name: "catching-up" });
		this.#socket.send(JSON.stringify({ op: "subscribe", after: `${this.place}` }));
		this.#caughtUp();
	}

	#hearSignal(envelope, text) {
		const { fresh, hole } = this.place.take(this.#epoch, envelope.seq);

		if (hole !== null && !explains(envelope, hole) && !explains(this.#before, hole))
			this.#tell.gap(hole);
		this.#before = envelope;
		if (fresh)
			this.#tell.signal(envelope, text, this.#state.name === "live");
		this.#caughtUp();
	}

	#hearGap(gap) {
		const why = this.place.skip(this.#epoch, gap);

		this.#tell.gap({ ...gap, why });
		if (this.place.seq < this.#head)
			this.#enter({ name: "catching-up" });
		this.#caughtUp();
	}

	#caughtUp() {
		if (this.#state.name !== "catching-up" || this.place.seq < this.#head)
			return;
		this.#failures = 0;
		this.#enter({ name: "live" });
	}

	#retryLater() {
		const delay = retryDelay(this.#failures++);

		this.#enter({ name: "lost", retryAt: Date.now() + delay });
		this.#timer = setTimeout(() => this.retryNow(), delay);
	}

	#drop() {
		const socket = this.#socket;

		clearTimeout(this.#timer);
		this.#timer = null;
		this.#socket = null;
		socket?.close();
	}

	#enter(state) {
		this.#state = state;
		this.#tell.state(state);
	}
}

function post(path, { bearer, body = "{}" }) {
	const headers = { "Content-Type": "application/json" };

	if (bearer !== undefined)
		headers.Authorization = `Bearer ${bearer}`;
	return fetch(path, {
		method: "POST", headers, body,
		cache: "no-store", credentials: "omit", redirect: "error",
		signal: AbortSignal.timeout(ANSWER_MS),
	});
}
