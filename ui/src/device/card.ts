/* What a paired device can do with itself: be told, be installed, trust the box, sign out. */

import type { Desk, Refusal } from "../desk";
import { makeDevice } from "../link/device";
import { fill, h, icon } from "../text/dom";
import type { Child } from "../text/dom";
import { makePush } from "./push";
import type { Push } from "./push";
import type { Worker } from "./worker";

const TRUST = "This browser does not trust the certificate of the box, so it neither installs the page nor "
	+ "notifies you. Download what vouches for it and let the phone trust it, but compare the fingerprint first: "
	+ "signalbox pair prints it.";
const STILL_LISTED = "This device has forgotten its secret, but the box still lists it: signalbox devices revoke ends that.";

/* Gives whether this device is told by the box of what waits and what failed. */
export function makeCard(desk: Desk, button: HTMLElement, dialog: HTMLDialogElement, worker: Worker): () => boolean {
	let push: Push | null = null;

	const draw = (): void => fill(dialog, [head(dialog), ...body()]);
	const body = (): Child[] => [
		...push === null ? trusting() : [...telling(push, act), ...installing(worker)],
		h("p", {}, h("button", { type: "button", onclick: () => void signOut(desk, push).finally(() => dialog.close()) }, "Sign out")),
		h("p", { class: "dim" }, "On the computer, ", h("code", {}, "signalbox devices"), " lists and revokes devices."),
	];
	const act = (what: () => Promise<void>): void => {
		what().catch((why: Error) => desk.say(why.message, "bad")).finally(draw);
	};

	/* Once for each time that the page is opened, and when the browser's service gave it another address. */
	const renew = async (): Promise<void> => {
		await worker.registered;
		await push?.look();
		await push?.renew();
	};
	let isRenewed = false;

	worker.changed = draw;
	void worker.registered.then((registered) => {
		push = registered === null ? null : makePush(desk.link, registered);
		draw();
	});
	desk.link.on("state", ({ name }) => {
		button.hidden = makeDevice().secret() === null;
		if (name === "signed-out" && button.hidden)
			push?.forget().catch(() => {});
		if (name !== "live" || button.hidden || isRenewed)
			return;
		isRenewed = true;
		renew().catch(() => {});
	});
	navigator.serviceWorker?.addEventListener("message", () => void renew().catch(() => {}));
	button.addEventListener("click", () => {
		draw();
		dialog.showModal();
		act(async () => push?.look());
	});
	dialog.addEventListener("click", (event) => {
		if (event.target === dialog)
			dialog.close();
	});
	return () => push?.told?.subscribed === true;
}

function head(dialog: HTMLDialogElement): HTMLElement {
	return h("header", {}, h("h2", { id: "device-title" }, "This device"),
		h("button", { type: "button", class: "bare", "aria-label": "Close", onclick: () => dialog.close() }, icon("close")));
}

/* Of what an agent said nothing leaves the box unless that is chosen. */
function telling(push: Push, act: (what: () => Promise<void>) => void): Child[] {
	const { told } = push;

	if (told === null)
		return [];
	if (!told.subscribed)
		return [h("p", {}, h("button", { type: "button", class: "primary", onclick: () => act(() => push.begin(false)) }, "Notify me")),
			h("p", { class: "dim" }, "When a session waits for you or failed, also while this page is closed.")];
	const words = h("input", { type: "checkbox", checked: told.words, onchange: () => act(() => push.begin(words.checked)) });

	return [h("p", {}, "This device is notified when a session waits for you or failed."),
		h("p", {}, h("label", {}, words, " with what the agent says")),
		h("p", {}, h("button", { type: "button", onclick: () => act(push.end) }, "Stop notifying me"))];
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

/* The box ends it, with all that it has open; the link finds then that it is signed out. */
async function signOut(desk: Desk, push: Push | null): Promise<void> {
	const isEnded = await desk.link.request("DELETE", "/api/session").then(() => true, ({ status }: Refusal) => status === 401);

	makeDevice().forget();
	if (!isEnded)
		desk.say(STILL_LISTED, "bad");
	await push?.forget().catch(() => {});
}
