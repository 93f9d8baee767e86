/* The service worker, which makes the page one that a phone installs. It keeps nothing: every file and
 * every answer comes from the box, so that what is shown is never older than the box itself. When the
 * box cannot be reached it says so, in the place of the browser's own words. */

/* What we use of a worker's world: its types cannot stand beside those of a page. */
interface Lasting extends Event { waitUntil(done: Promise<unknown>): void }
interface Asked extends Lasting { readonly request: Request; respondWith(answer: Promise<Response>): void }
interface World {
	readonly clients: { claim(): Promise<void> };
	skipWaiting(): Promise<void>;
	addEventListener(name: "install" | "activate", hear: (event: Lasting) => void): void;
	addEventListener(name: "fetch", hear: (event: Asked) => void): void;
}

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
