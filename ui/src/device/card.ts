/* What a paired device can do with itself: be installed, trust the box, sign out. */

import type { Link } from "../desk";
import { makeDevice } from "../link/device";
import { fill, h, icon } from "../text/dom";
import type { Child } from "../text/dom";
import type { Worker } from "./worker";

const TRUST = "This browser does not trust the certificate of the box, so it neither installs the page nor "
	+ "notifies you. Download what vouches for it and let the phone trust it, but compare the fingerprint first: "
	+ "signalbox pair prints it.";

export function makeCard(link: Link, button: HTMLElement, dialog: HTMLDialogElement, worker: Worker): void {
	let registered: ServiceWorkerRegistration | null = null;

	const draw = (): void => fill(dialog, [head(dialog), ...body(registered !== null, worker)]);
	worker.changed = draw;
	void worker.registered.then((found) => {
		registered = found;
		draw();
	});
	link.on("state", () => { button.hidden = makeDevice().secret() === null; });
	button.addEventListener("click", () => {
		draw();
		dialog.showModal();
	});
	dialog.addEventListener("click", (event) => {
		if (event.target === dialog)
			dialog.close();
	});
}

function head(dialog: HTMLDialogElement): HTMLElement {
	return h("header", {}, h("h2", { id: "device-title" }, "This device"),
		h("button", { type: "button", class: "bare", "aria-label": "Close", onclick: () => dialog.close() }, icon("close")));
}

function body(isTrusted: boolean, worker: Worker): Child[] {
	return [...isTrusted ? installing(worker) : trusting(),
		h("p", {}, h("button", { type: "button", onclick: signOut }, "Sign out")),
		h("p", { class: "dim" }, "On the computer, ", h("code", {}, "signalbox devices"), " lists and revokes devices.")];
}

function trusting(): Child[] {
	return [h("p", {}, TRUST), h("p", {}, h("a", { href: "/api/certificate", download: "signalbox.crt" }, "Download the certificate"))];
}

function installing({ install }: Worker): Child[] {
	if (matchMedia("(display-mode: standalone)").matches)
		return [h("p", {}, "The page is installed.")];
	if (install !== undefined)
		return [h("p", {}, h("button", { type: "button", class: "primary", onclick: () => void install() }, "Install"))];
	return [h("p", {}, "To install the page, choose Add to Home Screen in the menu of the browser.")];
}

function signOut(): void {
	makeDevice().forget();
	location.reload();
}
