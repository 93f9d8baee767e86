/* Registers the service worker, and keeps the browser's offer to install the page. Over TLS only: on
 * the loopback a port belongs to whoever binds it first, and a worker that somebody else put there would
 * outlive him. */

export interface Worker {
	/* Null: this browser has none, or does not trust the certificate. */
	readonly registered: Promise<ServiceWorkerRegistration | null>;
	/* Asks the person; undefined while the browser offers nothing. */
	install: (() => Promise<void>) | undefined;
	changed: () => void;
}

interface Offer extends Event { prompt(): Promise<void> }

export function startWorker(): Worker {
	const worker: Worker = { registered: register(), install: undefined, changed: () => {} };

	addEventListener("beforeinstallprompt", (event) => {
		const offer = event as Offer;

		offer.preventDefault();
		worker.install = async () => {
			worker.install = undefined;
			await offer.prompt();
			worker.changed();
		};
		worker.changed();
	});
	return worker;
}

async function register(): Promise<ServiceWorkerRegistration | null> {
	if (location.protocol !== "https:" || !("serviceWorker" in navigator))
		return null;
	try {
		await navigator.serviceWorker.register("/worker.js", { updateViaCache: "none" });
		return await navigator.serviceWorker.ready;
	} catch {
		return null;
	}
}
