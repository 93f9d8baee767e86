/* The connection of a voice session: a socket of its own, opened with a ticket that is good for one. While it is
 * wanted it is opened again when it is lost, a little later each time. */

import type { ClientEvent } from "./events";
import type { Link } from "../desk";
import { wordsOf } from "../text/fault";

const RETRY_MS = 1000;
const RETRY_MAX_MS = 30_000;
const DIAL_MS = 15_000;
const WAITING_MAX = 1024 * 1024;     /* bytes that did not go out yet: half a minute of sound */

export interface Hears {
	connecting(): void;
	connected(): void;
	lost(connection: "disconnected" | "error", why: string): void;
	heard(text: unknown): void;
}

export interface VoiceSocket {
	connect(): void;
	disconnect(): void;
	/* False: the network is too slow, and what was sent is still here. */
	send(events: readonly ClientEvent[]): boolean;
}

export function makeSocket(link: Link, hears: Hears): VoiceSocket {
	let socket: WebSocket | null = null;
	let isWanted = false;
	let attempt = 0;             /* counts up: what an older one hears is nobody's business */
	let failures = 0;
	let timer: number | undefined;

	async function dial(): Promise<void> {
		const mine = ++attempt;

		clearTimeout(timer);
		hears.connecting();
		try {
			const { ticket } = await link.request<{ ticket: string }>("POST", "/api/ticket", {});
			if (mine === attempt)
				open(ticket, mine);
		} catch (why) {
			if (mine === attempt)
				fail("error", `Voice could not be connected: ${wordsOf(why)}`);
		}
	}

	function open(ticket: string, mine: number): void {
		const one = new WebSocket(`${location.origin.replace(/^http/, "ws")}/ws/voice?ticket=${encodeURIComponent(ticket)}`);
		const isMine = (): boolean => mine === attempt;
		let isOpen = false;

		socket = one;
		timer = window.setTimeout(() => one.close(), DIAL_MS);
		one.onopen = () => {
			if (!isMine())
				return;
			clearTimeout(timer);
			isOpen = true;
			failures = 0;
			hears.connected();
		};
		one.onmessage = ({ data }) => { if (isMine()) hears.heard(data); };
		one.onclose = ({ reason }) => {
			if (isMine())
				fail(isOpen ? "disconnected" : "error", isOpen ? `The connection was lost${reason === "" ? "" : `: ${reason}`}.`
					: "Voice could not be connected: the box refuses the connection, or did not answer.");
		};
	}

	function fail(connection: "disconnected" | "error", why: string): void {
		clearTimeout(timer);
		socket = null;
		attempt++;
		hears.lost(connection, why);
		if (isWanted)
			timer = window.setTimeout(() => void dial(), Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures++));
	}

	return {
		connect() {
			if (isWanted && socket !== null)
				return;
			isWanted = true;
			failures = 0;
			void dial();
		},
		disconnect() {
			isWanted = false;
			attempt++;
			clearTimeout(timer);
			socket?.close(1000);
			socket = null;
			hears.lost("disconnected", "");
		},
		send(events) {
			if (socket?.readyState !== WebSocket.OPEN)
				return true;
			if (socket.bufferedAmount > WAITING_MAX)
				return false;
			for (const event of events)
				socket.send(JSON.stringify(event));
			return true;
		},
	};
}
