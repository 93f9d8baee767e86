/* The page's own client, in two connections. The feed has the signals, from a little of the past on,
 * and goes on exactly where it stopped whenever it was cut off. All else, what agents ask, what people
 * answer, whether agents were told, the crew, sources and the stage, has a connection of its own: however much
 * comes in by the feed, no question waits behind it. The feed says how far behind it is and skips when it cannot keep up. */

import { Refusal, Signalbox } from "../../../clients/js/signalbox.js";
import type { Link, LinkState, News } from "../desk";
import { makeMemory } from "./memory";
import { makePace } from "./pace";
import { makeSession } from "./session";

const HISTORY = 2000;         /* How much of the past a new page asks for. */
/* Between two looks at where the server stands, while signals come or are late, and while all is quiet. */
const LOOK_MS = 100;
const QUIET_LOOK_MS = 1000;
const RECEIPT = "command.told";
const REFUSALS_MIN = 2;       /* One may be chance. */
const REFUSED = "the box refuses the second connection of this page, by which signals come (limits.caller_connections?)";

export interface PageLink extends Link {
	/* Comes in with a one-time code, or with the session that the tab has. */
	signIn(code: string | null): void;
}

const WISHES = { sourceState: true, prompts: true, crew: true, matters: true, types: [RECEIPT] };

export function makeLink(): PageLink {
	const session = makeSession();
	const memory = makeMemory();
	const common = { url: location.origin, token: session.token, screen: "browser" };
	const box = new Signalbox({ ...common, ticket: session.ticket, ...WISHES });
	const feed = new Signalbox({ ...common, ticket: session.another, history: HISTORY });
	const state = followState(box, feed);

	for (const name of ["hello", "sources", "prompts", "prompt", "crew", "matters"] as const)
		box.on(name, (news) => memory.hear(name, news as never));
	feed.on("signal", (news) => memory.hear("signal", news));
	box.on("hello", () => feed.retryNow());
	box.on("state", ({ name }) => {
		if (name === "lost")
			session.doubt();
	});
	const behindMs = keepPace(box, feed);
	wakeUp(box);
	return {
		get state() { return state.now; },
		get scopes() { return box.scopes; },
		get skewMs() { return box.skewMs; },
		get behindMs() { return behindMs(); },
		on(name, hear) {
			memory.retell(name, hear);
			/* The stage is followed once somebody looks at it, and from a snapshot on. */
			if (name === "stage")
				box.subscribe({ ...WISHES, stage: true });
			if (name === "state")
				return state.on(hear as (now: LinkState) => void);
			if (name === "told")
				return hearReceipts(box, hear as (news: News["told"]) => void);
			return (name === "signal" || name === "gap" ? feed : box).on(name, hear as never);
		},
		recent: memory.recent,
		emit: (signal) => box.emit(signal),
		ask: (source, prompt, more) => box.ask(source, prompt, more),
		cancel: (run) => box.cancel(run),
		answer: (id, answer) => box.answer(id, answer),
		control: (run, what, n) => box.control(run, what, n),
		request: <T>(method: string, path: string, body?: unknown) =>
			requested(box, () => box.request(method, path, body)) as Promise<T>,
		stream: (path, signal) => requested(box, () => box.stream(path, signal)),
		retryNow: () => box.retryNow(),
		signIn(code) {
			if (code !== null)
				session.use(code);
			box.restart();
		},
	};
}

/* Only the box itself can say it. */
function hearReceipts(box: Signalbox, hear: (news: News["told"]) => void): () => void {
	return box.on("signal", ({ envelope: { type, source, payload } }) => {
		if (type === RECEIPT && source === "signalbox")
			hear({ signal: String(payload.signal), told: payload.told === true, why: String(payload.why ?? "") });
	});
}

interface StateOfBoth {
	readonly now: LinkState;
	on(hear: (now: LinkState) => void): () => void;
}

/* One state for both connections: without the feed, the page has yet to catch up. A browser does not tell
 * why a socket was refused; that it was, more than once while the other one lives, is said. */
function followState(box: Signalbox, feed: Signalbox): StateOfBoth {
	const listeners = new Set<(now: LinkState) => void>();
	let now: LinkState = { name: "connecting" };
	let failures = 0;

	const ofBoth = (): LinkState => {
		if (box.state.name !== "live")
			return box.state as LinkState;
		if (feed.state.name === "live")
			return { name: "live" };
		return failures < REFUSALS_MIN ? { name: "catching-up" } : { name: "catching-up", why: REFUSED };
	};
	const look = (): void => {
		const before = JSON.stringify(now);

		now = ofBoth();
		if (JSON.stringify(now) !== before)
			listeners.forEach((hear) => hear(now));
	};

	box.on("state", look);
	feed.on("state", ({ name }) => {
		failures = name === "live" || box.state.name !== "live" ? 0 : failures + Number(name === "lost");
		look();
	});
	return {
		get now() { return now; },
		on(hear) {
			listeners.add(hear);
			return () => { listeners.delete(hear); };
		},
	};
}

/* Asks where the server stands, and skips when we are late. Gives what says how far behind we are. */
function keepPace(box: Signalbox, feed: Signalbox): () => number {
	const pace = makePace();
	const seq = (): number => feed.place?.seq ?? 0;
	let heard = 0;
	let lookedAt = 0;
	let isAsking = false;

	async function look(): Promise<void> {
		const at = performance.now();

		pace.look(await box.ping(), at);
		const after = feed.state.name === "live" ? pace.leap(seq(), performance.now()) : null;
		if (after !== null)
			feed.skip(after);
	}

	feed.on("signal", () => { heard++; });
	box.on("hello", () => pace.clear());
	setInterval(() => {
		const now = performance.now();
		const isBusy = heard > 0 || pace.behindMs(seq(), now) > 0;

		if (isAsking || box.state.name !== "live" || now - lookedAt < (isBusy ? LOOK_MS : QUIET_LOOK_MS))
			return;
		heard = 0;
		lookedAt = now;
		isAsking = true;
		look().catch(() => {}).finally(() => { isAsking = false; });
	}, LOOK_MS);
	return () => pace.behindMs(seq(), performance.now());
}

/* Nothing is said to whoever answers at our address before it proved to be our server; a request
 * waits for that, but not for a server that is gone. */
async function ready(box: Signalbox): Promise<void> {
	while (box.state.name === "connecting" || (box.state.name === "lost" && box.state.retryAt === undefined))
		await new Promise<void>((done) => {
			const end = box.on("state", () => { end(); done(); });
		});
	if (box.state.name !== "live" && box.state.name !== "catching-up")
		throw new Refusal("disconnected", "There is no connection to the server.");
}

/* A server that opened its port anew takes no token of before: we come in again. */
async function requested<T>(box: Signalbox, request: () => Promise<T>): Promise<T> {
	await ready(box);
	try {
		return await request();
	} catch (why) {
		if (!(why instanceof Refusal) || why.status !== 401)
			throw why;
	}
	box.restart();
	await ready(box);
	return request();
}

/* Whenever the world may have changed, the connection has to show that it lives. */
function wakeUp(box: Signalbox): void {
	addEventListener("online", () => box.retryNow());
	addEventListener("pageshow", () => box.retryNow());
	document.addEventListener("visibilitychange", () => {
		if (!document.hidden)
			box.retryNow();
	});
}
