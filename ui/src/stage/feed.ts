/* Joins the link to the model: snapshots and commands in the order of their versions, the
 * document they are of, and the server's time. When a version is missing, or the document is
 * another one, it asks for what it needs and keeps what comes meanwhile. */

import type { Link, News } from "../desk";
import type { ShowDocument, StageFrame } from "./frame";
import { makeClock } from "./clock";
import { makeCompany, type Company } from "./company";
import { makeModel, type Model } from "./model";
import { listOf, membersOf, numberOf, textOf, type Members } from "./words";

const WAITING_MAX = 8192;   /* commands that wait for a document; then all is asked for anew */
const RETRY_MS = 2000;
const BACK_MS = 3000;       /* a server that is so far behind us has another time line */

export interface Feed {
	readonly model: Model;
	readonly company: Company;
	readonly signalsProcessed: number;
	/* The server's time; NaN while nothing is known of it. */
	time(localNow: number): number;
	/* The stage at this moment, by the server's clock; null: nothing is known yet. */
	frame(localNow: number, calm: boolean): StageFrame | null;
	/* Called after each change, and with words when something is wrong ("" when no more). */
	onChange(changed: () => void): void;
	readonly trouble: string;
	close(): void;
}

/* Is it a document that can be shown? Everything else of it was checked by the server. */
function isDocument(value: unknown): value is ShowDocument {
	const scene = membersOf(membersOf(value).scene);

	return Array.isArray(scene.entities) && Array.isArray(scene.layers)
		&& numberOf(membersOf(scene.dimensions).width, 0) > 0;
}

export function makeFeed(link: Link, now: () => number = () => performance.now()): Feed {
	const company = makeCompany();
	const model = makeModel(company);
	const clock = makeClock();
	const listeners: (() => void)[] = [];
	let document: ShowDocument | null = null;
	let documentTag = "";
	let snapshot: Members | null = null;        /* waits for its document */
	let waiting: { version: number; command: Members }[] = [];
	let hasBegun = false, isAsking = false, isClosed = false;
	let processed = 0;
	let trouble = "";
	let retry: ReturnType<typeof setTimeout> | undefined;

	const changed = (): void => listeners.forEach((listener) => listener());

	/* What waited and comes after what the model has. */
	function catchUp(): void {
		for (const { version, command } of waiting) {
			if (version <= model.version)
				continue;
			if (version !== model.version + 1)
				break;
			model.fold(version, command);
		}
		waiting = waiting.filter(({ version }) => version > model.version);
		if (waiting.length)
			ask();
	}

	function begin(): void {
		if (!snapshot || !document)
			return;
		model.begin(document, snapshot);
		processed = numberOf(snapshot.signalsProcessed, 0);
		snapshot = null;
		hasBegun = true;
		trouble = "";
		catchUp();
		changed();
	}

	/* A snapshot is shown when the document is there that it is of. */
	async function take(next: Members): Promise<void> {
		snapshot = next;
		if (textOf(next.show) === documentTag && document)
			return begin();
		const found = await link.request("GET", "/api/show");

		if (snapshot !== next || isClosed)
			return;
		if (!isDocument(found))
			throw new Error("the show has no scene");
		document = found;
		documentTag = textOf(next.show);
		begin();
	}

	function fail(why: unknown): void {
		trouble = why instanceof Error ? why.message : String(why);
		changed();
		clearTimeout(retry);
		retry = setTimeout(ask, RETRY_MS);
	}

	/* Everything anew, because something is missing. */
	function ask(): void {
		if (isAsking || isClosed)
			return;
		isAsking = true;
		link.request("GET", "/api/stage")
			.then((found) => hearSnapshot(membersOf(found)))
			.catch(fail)
			.finally(() => { isAsking = false; });
	}

	async function hearSnapshot(next: Members): Promise<void> {
		const at = numberOf(next.at, NaN);

		/* One that was asked for and is older than what came meanwhile. */
		if (hasBegun && !waiting.length && numberOf(next.version, 0) < model.version && next.show === model.tag)
			return undefined;

		if (clock.isSet && clock.read(now()) - at > BACK_MS)
			clock.restart();
		clock.hear(at, now());
		return take(next);
	}

	function hearCommand(version: number, command: Members): void {
		clock.hear(numberOf(command.at, NaN), now());
		if (hasBegun && !snapshot && !waiting.length && version === model.version + 1) {
			model.fold(version, command);
			changed();
			return;
		}
		if (version <= model.version && !snapshot)
			return;
		waiting.push({ version, command });
		if (waiting.length > WAITING_MAX)
			waiting = [];
		if (!snapshot)
			ask();
	}

	const end = link.on("stage", (news: News["stage"]) => {
		if (news.snapshot) {
			waiting = [];
			hearSnapshot(news.snapshot).catch(fail);
		} else if (news.command) {
			hearCommand(news.version, news.command);
		}
	});

	const endCrew = link.on("crew", company.hear);

	return {
		model, company,
		get signalsProcessed() { return processed; },
		get trouble() { return trouble; },
		time: (localNow) => clock.read(localNow),
		frame(localNow, calm) {
			const t = clock.read(localNow);

			return hasBegun && !Number.isNaN(t) ? model.frame(t, calm) : null;
		},
		onChange: (listener) => { listeners.push(listener); },
		close() {
			isClosed = true;
			clearTimeout(retry);
			end();
			endCrew();
		},
	};
}

/* The names of tools and the places where they are used, as the choreographies of the document
 * have it: for the legend. */
export function placesOf(document: ShowDocument): { place: string; title: string }[] {
	const found: { place: string; title: string }[] = [];

	for (const one of listOf((document as unknown as Members).choreographies).map(membersOf)) {
		const move = listOf(one.steps).map(membersOf).find((step) => step.action === "move");
		const place = textOf(move?.to);

		if (place && !place.startsWith("signal.") && textOf(one.name))
			found.push({ place, title: textOf(one.name) });
	}
	return found;
}
