/* Being told while the page is closed: the browser's push service, the box, and this device between them. */

import type { Link } from "../desk";

interface Told { key: string; subscribed: boolean; words: boolean }

export interface Push {
	readonly told: Told | null;           /* Null: there is none to be had. */
	look(): Promise<void>;
	begin(words: boolean): Promise<void>;
	/* What the box has may be older than what the browser has, or our key may be another one. */
	renew(): Promise<void>;
	end(): Promise<void>;
	forget(): Promise<void>;              /* On our side alone; what is still shown may have words of an agent. */
}

const NOT_ALLOWED = "The browser does not allow notifications of this page.";

export function makePush(link: Link, registration: ServiceWorkerRegistration): Push {
	let told: Told | null = null;

	async function forget(): Promise<void> {
		for (const note of await registration.getNotifications())
			note.close();
		await (await registration.pushManager?.getSubscription())?.unsubscribe();
	}

	/* One for another key cannot be subscribed anew; and one that the box has given up is dead. */
	async function subscribe({ key, subscribed }: Told): Promise<PushSubscription> {
		const old = await registration.pushManager.getSubscription();

		if (old !== null && !(subscribed && isFor(old, key)))
			await old.unsubscribe();
		return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
	}

	async function begin(words: boolean): Promise<void> {
		if (told === null || await Notification.requestPermission() !== "granted")
			throw new Error(NOT_ALLOWED);
		const { endpoint, keys } = (await subscribe(told)).toJSON();

		told = await link.request<Told>("PUT", "/api/push", { endpoint, keys, words });
	}

	return {
		get told() { return told; },
		async look() {
			told = "pushManager" in registration ? await link.request<Told>("GET", "/api/push").catch(() => null) : null;
		},
		begin,
		async renew() {
			if (told?.subscribed === true && Notification.permission === "granted")
				await begin(told.words);
		},
		async end() {
			told = await link.request<Told>("DELETE", "/api/push");
			await forget();
		},
		forget,
	};
}

function isFor({ options }: PushSubscription, key: string): boolean {
	const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0)));

	return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "") === key;
}
