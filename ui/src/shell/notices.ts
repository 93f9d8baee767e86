/* What ought to be known all the while it is so: that nobody is signed in, and that the server is
 * in trouble, which above all is a disk that fails. */

import type { Link, Refusal } from "../desk";
import { isDevice } from "../link/device";
import { write } from "../text/dom";
import { visible } from "../text/signal";

const ASK_MS = 1000;     /* A disk that is full is told within two seconds. */

const COMMAND = isDevice() ? "signalbox pair" : "signalbox open";
const HOW = isDevice() ? "Run this on the computer of the box; it shows a code to scan:"
	: "Run this in a terminal; it opens the page with a link that signs you in:";

export function makeNotices(notice: HTMLElement, trouble: HTMLElement, link: Link): void {
	const part = (box: HTMLElement, name: string): HTMLElement =>
		box.querySelector(`[data-part="${name}"]`) as HTMLElement;

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
