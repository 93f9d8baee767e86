/* How this tab comes in. The one-time code of the address is traded for a session, which the tab
 * keeps for as long as it is open; the session is traded for a ticket for each socket. All of it
 * is asked of the origin that this page came from: nothing in the address can name another. */

import { SignedOut } from "../../../clients/js/signalbox.js";

const ANSWER_MS = 10000;
const KEY = "signalbox.session";

export interface Session {
	token(): string | null;
	/* A ticket for one socket; SignedOut when only a person can help. */
	ticket(): Promise<string>;
	/* A code to trade before the next ticket. */
	use(code: string): void;
}

export function makeSession(): Session {
	let code: string | null = null;

	const token = (): string | null => sessionStorage.getItem(KEY);

	/* A code is good for one trade. A spent one does no harm to a tab that has its session
	 * already: this is what a reload looks like. */
	async function trade(given: string): Promise<void> {
		const answer = await post("/api/session", { code: given });

		if (answer.ok)
			sessionStorage.setItem(KEY, String((await answer.json()).token));
		else if (answer.status === 429 || answer.status >= 500)
			throw new Error(`session: ${answer.status}`);
		else if (token() === null)
			throw new SignedOut("This link was used already, or is older than ten minutes.");
		if (code === given)
			code = null;
	}

	async function ticket(): Promise<string> {
		if (code !== null)
			await trade(code);
		const session = token();
		if (session === null)
			throw new SignedOut("This tab has no session.");
		const answer = await post("/api/ticket", {}, session);
		if (answer.status === 401 || answer.status === 403) {
			sessionStorage.removeItem(KEY);
			throw new SignedOut("The session of this tab is over.");
		}
		if (!answer.ok)
			throw new Error(`ticket: ${answer.status}`);
		return String((await answer.json()).ticket);
	}

	return { token, ticket, use: (given) => { code = given; } };
}

function post(path: string, body: object, bearer?: string): Promise<Response> {
	const headers: Record<string, string> = { "Content-Type": "application/json" };

	if (bearer !== undefined)
		headers["Authorization"] = `Bearer ${bearer}`;
	return fetch(path, {
		method: "POST", headers, body: JSON.stringify(body),
		cache: "no-store", credentials: "omit", redirect: "error",
		signal: AbortSignal.timeout(ANSWER_MS),
	});
}
