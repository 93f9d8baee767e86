/* The service worker, which makes the page one that a phone installs and is told things while it is
 * closed. It keeps nothing: every file and every answer comes from the box, so that what is shown is
 * never older than the box itself. When the box cannot be reached it says so, in the place of the
 * browser's own words. */

/* What we use of a worker's world: its types cannot stand beside those of a page. */
interface Lasting extends Event { waitUntil(done: Promise<unknown>): void }
interface Asked extends Lasting { readonly request: Request; respondWith(answer: Promise<Response>): void }
interface Pushed extends Lasting { readonly data: { json(): unknown } | null }
interface Clicked extends Lasting { readonly notification: Notification }
interface OpenPage { focus(): Promise<OpenPage>; navigate(url: string): Promise<OpenPage | null> }
interface World {
	readonly clients: {
		claim(): Promise<void>;
		matchAll(which: { type: "window" }): Promise<readonly OpenPage[]>;
		openWindow(url: string): Promise<OpenPage | null>;
	};
	readonly registration: ServiceWorkerRegistration;
	skipWaiting(): Promise<void>;
	addEventListener(name: "install" | "activate", hear: (event: Lasting) => void): void;
	addEventListener(name: "fetch", hear: (event: Asked) => void): void;
	addEventListener(name: "push", hear: (event: Pushed) => void): void;
	addEventListener(name: "notificationclick", hear: (event: Clicked) => void): void;
}

/* What the box says of a matter. */
interface Note { id: string; title: string; words: string; handle: string; settled: boolean }

const worker = self as unknown as World;

const AWAY = `<!doctype html><html lang="en"><meta charset="utf-8"><title>signalbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark light">
<h1>The box cannot be reached</h1>
<p>Is this device in the same network, and does the box run?</p>
<p><a href="/">Try again</a></p></html>`;

function away(): Response {
	return new Response(AWAY, {
		status: 503,
		headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'" },
	});
}

/* A new one takes over at once: there is nothing of the old one that a page would need. */
worker.addEventListener("install", () => void worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
	if (event.request.mode === "navigate")
		event.respondWith(fetch(event.request).catch(away));
});

function noteOf(data: unknown): Note {
	const said = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
	const text = (name: string): string => typeof said[name] === "string" ? said[name] : "";

	return { id: text("id"), title: text("title"), words: text("words"), handle: text("handle"), settled: said["settled"] === true };
}

/* A browser wants each push to be shown: what is settled is shown for a moment, in the place of what
 * it was about, and taken away with it. */
async function tell({ id, title, words, handle, settled }: Note): Promise<void> {
	const tag = `signalbox-${id}`;

	await worker.registration.showNotification(title || "signalbox", { tag, body: words, silent: settled, data: handle });
	if (settled)
		(await worker.registration.getNotifications({ tag })).forEach((shown) => shown.close());
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

worker.addEventListener("notificationclick", (event) => {
	event.notification.close();
	event.waitUntil(show(String(event.notification.data ?? "")));
});

export {};
