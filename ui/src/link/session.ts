/* How this tab comes in, and how it knows to whom it speaks. The one-time code of the address is
 * traded for a session in two halves. One is the token of requests, which the server forgets when
 * it lets go of its port; the tab keeps that for a reload. The other is never sent again and only
 * kept in memory, so that a page which somebody else serves at our address cannot find it.
 *
 * Whoever listens at that address now may not be the server that we were with. So before every
 * connection it has to prove that it can make the half that we have, and only then we prove the
 * same: no secret is sent that would be of use to another. All of it is asked of the origin that
 * this page came from: nothing in the address can name another.
 *
 * A device that was paired has a secret that lasts instead of a session: see device.ts. */

import { SignedOut } from "../../../clients/js/signalbox.js";
import { isDevice, makeDevice } from "./device";

const ANSWER_MS = 10000;
const KEY = "signalbox.session";
const ID_LENGTH = 48;         /* Of a half; what follows is its secret. */
const OVER = "The session of this tab has ended.";
const REVOKED = "This device is not paired any more.";
const UNPAIRED = "This device is not paired.";

export interface Session {
	token(): string | null;
	/* A ticket for one socket; SignedOut when only a person can help. */
	ticket(): Promise<string>;
	/* A ticket for one more socket, as long as we are with a server that has proved itself. */
	another(): Promise<string>;
	/* We are with nobody any more: whoever answers next has to prove itself first. */
	doubt(): void;
	/* A code to trade before the next ticket. */
	use(code: string): void;
}

interface Halves { token: string; page: string }

export function makeSession(): Session {
	let code: string | null = null;
	let page: string | null = null;
	let token: string | null = null;      /* Of a server that has proved itself. */
	let wasPaired = false;                /* Another tab of the device may hear first that it is not. */
	const device = makeDevice();

	function keep(halves: Halves): void {
		({ token, page } = halves);
		sessionStorage.setItem(KEY, token);
	}

	/* The server knows what the code was for. */
	function take(got: Halves | { device: string }): void {
		if ("device" in got)
			device.keep(got.device);
		else
			keep(got);
	}

	/* A code is good for one trade. A spent one does no harm to a tab that has its session
	 * already: this is what a reload looks like. */
	async function trade(given: string): Promise<void> {
		const answer = await post({ code: given });
		const has = device.secret() ?? page ?? sessionStorage.getItem(KEY);

		if (answer.ok)
			take(await answer.json());
		else if (answer.status === 429 || answer.status >= 500)
			throw new Error(`session: ${answer.status}`);
		else if (has === null)
			throw new SignedOut("This link was used already, or is older than ten minutes.");
		if (code === given)
			code = null;
	}

	async function comeBack(half: string): Promise<void> {
		const id = half.slice(0, ID_LENGTH), secret = half.slice(ID_LENGTH), nonce = randomHex();
		const { proof, challenge } = await said<{ proof: string; challenge: string }>(await post({ id, nonce }));

		if (proof !== await sign(secret, "signalbox server", location.origin, nonce, challenge))
			throw new Error("Another server answers at this address.");
		const answer = await sign(secret, "signalbox answer", location.origin, challenge);
		keep(await said<Halves>(await post({ id, challenge, answer })));
	}

	/* What the server says of a session is final, but what we know of the server is not: who
	 * cannot prove itself is asked again later. */
	async function said<T>(answer: Response): Promise<T> {
		if (answer.status === 401 || answer.status === 403) {
			const isRevoked = token !== null && token === device.secret();
			sessionStorage.removeItem(KEY);
			page = null;
			if (isRevoked)
				device.forget();
			throw new SignedOut(isRevoked ? REVOKED : OVER);
		}
		if (!answer.ok)
			throw new Error(`session: ${answer.status}`);
		return answer.json();
	}

	async function ticket(): Promise<string> {
		token = null;
		if (code !== null)
			await trade(code);
		if (token === null && page === null)
			token = device.secret();
		wasPaired ||= token !== null && token === device.secret();
		if (token === null) {
			const half = page ?? sessionStorage.getItem(KEY);
			if (half === null)
				throw new SignedOut(wasPaired ? REVOKED : isDevice() ? UNPAIRED : "This tab has no session.");
			await comeBack(half);
		}
		const { ticket } = await said<{ ticket: string }>(await post({}, "/api/ticket", token));
		return ticket;
	}

	/* Not the last word on the session, whatever the answer. */
	async function another(): Promise<string> {
		if (token === null)
			throw new Error("The server has not proved its identity.");
		const answer = await post({}, "/api/ticket", token);
		if (!answer.ok)
			throw new Error(`ticket: ${answer.status}`);
		return (await answer.json() as { ticket: string }).ticket;
	}

	return { token: () => token, ticket, another, doubt: () => { token = null; }, use: (given) => { code = given; } };
}

function randomHex(): string {
	return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

function toHex(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sign(secret: string, ...parts: string[]): Promise<string> {
	const encoder = new TextEncoder();
	const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
	const text = parts.map((part) => `${part} `).join("");

	return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))));
}

function post(body: object, path = "/api/session", bearer: string | null = null): Promise<Response> {
	const headers: Record<string, string> = { "Content-Type": "application/json" };

	if (bearer !== null)
		headers["Authorization"] = `Bearer ${bearer}`;
	return fetch(path, {
		method: "POST", headers, body: JSON.stringify(body),
		cache: "no-store", credentials: "omit", redirect: "error",
		signal: AbortSignal.timeout(ANSWER_MS),
	});
}
