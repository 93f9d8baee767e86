/* The page's own client: one connection that all views hear. It follows everything, from a
 * little of the past on, and goes on exactly where it stopped whenever it was cut off. */

import { Signalbox } from "../../../clients/js/signalbox.js";
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
			box.request(method, path, body) as Promise<T>,
		stream: (path, signal) => box.stream(path, signal),
		retryNow: () => box.retryNow(),
		signIn(code) {
			if (code !== null)
				session.use(code);
			box.restart();
		},
	};
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
