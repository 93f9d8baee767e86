/* The service worker: a phone is told things by it while the page is closed. It keeps nothing and
 * answers no request, so that what is shown is never older than the box itself. Nor could a person
 * pass a warning of the browser (the certificate is another one) if an answer of ours hid it. */

/* What we use of a worker's world: its types cannot stand beside those of a page. */
interface Lasting extends Event { waitUntil(done: Promise<unknown>): void }
interface Pushed extends Lasting { readonly data: { json(): unknown } | null }
interface Clicked extends Lasting { readonly notification: Notification }
interface OpenPage { postMessage(message: string): void; focus(): Promise<OpenPage>; navigate(url: string): Promise<OpenPage | null> }
interface World {
	readonly clients: {
		claim(): Promise<void>;
		matchAll(which: { type: "window" }): Promise<readonly OpenPage[]>;
		openWindow(url: string): Promise<OpenPage | null>;
	};
	readonly registration: ServiceWorkerRegistration;
	skipWaiting(): Promise<void>;
	addEventListener(name: "install" | "activate" | "pushsubscriptionchange", hear: (event: Lasting) => void): void;
	addEventListener(name: "push", hear: (event: Pushed) => void): void;
	addEventListener(name: "notificationclick", hear: (event: Clicked) => void): void;
}

/* What the box says of a matter. */
interface Note { id: string; title: string; words: string; handle: string; settled: boolean }

const worker = self as unknown as World;

/* A new one takes over at once: there is nothing of the old one that a page would need. */
worker.addEventListener("install", () => void worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

function noteOf(data: unknown): Note {
	const said = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
	const text = (name: string): string => typeof said[name] === "string" ? said[name] : "";

	return { id: text("id"), title: text("title"), words: text("words"), handle: text("handle"), settled: said["settled"] === true };
}

/* A browser that finds nothing shown after a push says by itself that the page was updated in the
 * background. So what is settled takes the place of what it was about, silently, and stays. */
async function tell({ id, title, words, handle, settled }: Note): Promise<void> {
	const name = settled ? `${handle || "signalbox"}: settled` : title || "signalbox";

	await worker.registration.showNotification(name, { tag: `signalbox-${id}`, body: settled ? "" : words, silent: settled, data: handle });
}

async function show(handle: string): Promise<void> {
	const url = `/#/crew${handle ? `/${encodeURIComponent(handle)}` : ""}`;
	const [open] = await worker.clients.matchAll({ type: "window" });

	if (open === undefined)
		await worker.clients.openWindow(url);
	else
		await (await open.focus()).navigate(url);
}

worker.addEventListener("push", (event) => {
	let said: unknown = null;

	try {
		said = event.data?.json();
	} catch {
		/* Whoever has our key can say anything; it is shown as a note without words. */
	}
	event.waitUntil(tell(noteOf(said)));
});

/* The secret of the device is the page's: only it can tell the box of another subscription. */
async function renew(): Promise<void> {
	const open = await worker.clients.matchAll({ type: "window" });

	open.forEach((page) => page.postMessage("renew"));
	if (open.length === 0)
		await worker.registration.showNotification("signalbox",
			{ tag: "signalbox-renew", body: "Open the page, so that you are notified further." });
}

worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew()));

worker.addEventListener("notificationclick", (event) => {
	event.notification.close();
	event.waitUntil(show(String(event.notification.data ?? "")));
});

export {};
