/* Being told while the page is closed: the browser's push service, the box, and this device between them. */

import type { Link } from "../desk";

interface Told { key: string; subscribed: boolean; words: boolean }

export interface Push {
	readonly told: Told | null;           /* Null: there is none to be had. */
	look(): Promise<void>;
	begin(words: boolean): Promise<void>;
	end(): Promise<void>;
	forget(): Promise<void>;              /* On our side alone. */
}

const NOT_ALLOWED = "The browser does not allow notifications of this page.";

export function makePush(link: Link, registration: ServiceWorkerRegistration): Push {
	let told: Told | null = null;

	async function forget(): Promise<void> {
		await (await registration.pushManager?.getSubscription())?.unsubscribe();
	}

	return {
		get told() { return told; },
		async look() {
			told = "pushManager" in registration ? await link.request<Told>("GET", "/api/push").catch(() => null) : null;
		},
		async begin(words) {
			if (told === null || await Notification.requestPermission() !== "granted")
				throw new Error(NOT_ALLOWED);
			const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: told.key });
			const { endpoint, keys } = subscription.toJSON();

			told = await link.request<Told>("PUT", "/api/push", { endpoint, keys, words });
		},
		async end() {
			told = await link.request<Told>("DELETE", "/api/push");
			await forget();
		},
		forget,
	};
}
