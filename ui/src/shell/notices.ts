/* What ought to be known all the while it is so: that nobody is signed in, and that the server is
 * in trouble, which above all is a disk that fails. */

import type { Refusal } from "../desk";
import { isDevice } from "../link/device";
import type { PageLink } from "../link/link";
import { write } from "../text/dom";
import { visible } from "../text/signal";
import { codeOfLink } from "./address";

const ASK_MS = 1000;     /* A disk that is full is told within two seconds. */

const COMMAND = isDevice() ? "signalbox pair" : "signalbox open";
const HOW = isDevice() ? "Run this on the computer of the box; it shows a code to scan:"
	: "Run this in a terminal; it opens the page with a link that signs you in:";

const part = (box: HTMLElement, name: string): HTMLElement => box.querySelector(`[data-part="${name}"]`) as HTMLElement;

export function makeNotices(notice: HTMLElement, trouble: HTMLElement, link: PageLink): void {
	link.on("state", (state) => {
		notice.hidden = state.name !== "signed-out";
		document.body.classList.toggle("signed-out", state.name === "signed-out");
		if (state.name !== "signed-out")
			return;
		write(part(notice, "title"), "Not signed in");
		write(part(notice, "words"),
			`${state.why} ${HOW}`);
		write(part(notice, "command"), COMMAND);
		write(part(notice, "copy"), "Copy");
	});
	part(notice, "copy").addEventListener("click", async () => {
		const said = await navigator.clipboard.writeText(COMMAND).then(() => "Copied", () => "Not allowed");

		write(part(notice, "copy"), said);
	});

	/* Whoever holds a phone that was signed out reads nothing there that it still has. */
	document.body.classList.toggle("of-device", isDevice());
	if (isDevice())
		takeLinks(notice, link);

	/* One answer at a time, and none while nobody looks. */
	let asking = false;
	async function ask(): Promise<void> {
		if (asking || document.hidden || link.state.name !== "live")
			return;
		asking = true;
		const words = await link.request("GET", "/readyz").then(() => "",
			(why: Refusal) => why.status === 503 ? why.message : null);
		asking = false;
		if (words === null)
			return;
		trouble.hidden = words === "";
		write(part(trouble, "title"), words === "" ? "" : "The server reports a problem:");
		write(part(trouble, "words"), visible(words));
	}
	link.on("state", ({ name }) => {
		if (name === "live")
			void ask();
	});
	setInterval(() => void ask(), ASK_MS);
}

/* An installed page may have a storage of its own and no address bar, as on an iPhone: the link that
 * pairs it is pasted. */
function takeLinks(notice: HTMLElement, link: PageLink): void {
	const form = part(notice, "pair"), input = part(notice, "link") as HTMLInputElement;

	form.hidden = false;
	form.addEventListener("submit", (event) => {
		const code = codeOfLink(input.value, location.origin);

		event.preventDefault();
		write(part(notice, "refused"), code === null ? `This is no link of signalbox pair to ${location.origin}.` : "");
		if (code === null)
			return;
		input.value = "";
		link.signIn(code);
	});
}
