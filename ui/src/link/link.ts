/* The page's own client: one connection that all views hear. It follows everything, from a
 * little of the past on, and goes on exactly where it stopped whenever it was cut off. */

import { Refusal, Signalbox } from "../../../clients/js/signalbox.js";
import type { Link, News } from "../desk";
import { makeMemory } from "./memory";
import { makeSession } from "./session";

const HISTORY = 2000;         /* How much of the past a new page asks for. */

export interface PageLink extends Link {
	/* Comes in with a one-time code, or with the session that the tab has. */
	signIn(code: string | null): void;
}

const WISHES = { sourceState: true, prompts: true };

export function makeLink(): PageLink {
	const session = makeSession();
	const memory = makeMemory();
	const box = new Signalbox({
		url: location.origin, screen: "browser", token: session.token, ticket: session.ticket, history: HISTORY, ...WISHES,
	});

	for (const name of ["hello", "signal", "sources", "prompts", "prompt"] as const)
		box.on(name, (news) => memory.hear(name, news as never));
	wakeUp(box);
	return {
		get state() { return box.state as News["state"]; },
		get scopes() { return box.scopes; },
		get skewMs() { return box.skewMs; },
		on(name, hear) {
			memory.retell(name, hear);
			/* The stage is followed once somebody looks at it, and from a snapshot on. */
			if (name === "stage")
				box.subscribe({ ...WISHES, stage: true });
			return box.on(name, hear as never);
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
