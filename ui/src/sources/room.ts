/* The view at work: what it knows, how it is drawn, and what people do in it. */

import type { Desk, Source } from "../desk";
import { write } from "../text/dom";
import { wordsOf } from "../text/fault";
import { makeActs, type Acts, type Found, type Tap, type Telling, type Visitor } from "./acts";
import { isLocal, makeBook, type Book } from "./book";
import type { Want } from "./card";
import { confirmIt } from "./dialog";
import { openAddDialog, openEditDialog } from "./form";
import { makeCards, makeFrame, type Cards, type Frame } from "./frame";
import { openForgetDialog, openKeyDialog, pasteFromConfig } from "./key";
import { openTapDialog } from "./tap";
import { makeTelling } from "./telling";
import { given, makeVisitors } from "./visitors";
import { CLAUDE_CODE, foundWords, spoken } from "./words";

export interface Room {
	readonly desk: Desk;
	readonly acts: Acts;
	readonly book: Book;
	readonly frame: Frame;
	readonly cards: Cards;
	readonly telling: ReturnType<typeof makeTelling>;
	readonly visitors: ReturnType<typeof makeVisitors>;
	tap: Tap | null;           /* our hooks; null while it is not known */
	told: Telling | null;      /* of transcripts; likewise */
	waiting: Visitor[];        /* clients that want in */
	focusOn: string;           /* the card that gets the focus once it is there */
	isShown: boolean;
}

export function makeRoom(desk: Desk): Room {
	const acts = makeActs(desk.link);
	const book = makeBook();
	const telling = makeTelling({
		async tell(mode) {
			await attempt(room, async () => {
				room.told = await acts.tell(mode);
				desk.say(mode === "text" ? "Texts of transcripts are read from now on." : "Texts of transcripts are read no more.");
			});
			draw(room);
		},
	});
	const visitors = makeVisitors({
		async approve(visitor) {
			await acts.admit(visitor.name, "approve", { scopes: given(visitor).join(",") });
			desk.say(`${visitor.name} may come in.`);
			await lookAtVisitors(room);
		},
		async reject(visitor) {
			await attempt(room, () => acts.admit(visitor.name, "reject"));
			await lookAtVisitors(room);
		},
	});
	const frame = makeFrame(() => add(room), () => void rescan(room), telling.element, visitors.element);
	const cards = makeCards(frame, book, (id) => ({
		want: (what) => void doIt(room, id, what),
		choose: (model) => void attempt(room, () => acts.change(id, { model })),
	}));
	const room: Room = {
		desk, acts, book, frame, cards, telling, visitors, tap: null, told: null, waiting: [], focusOn: "", isShown: false,
	};

	return room;
}

/* Until the server has said what we may, everything is offered. */
export function may({ desk }: Room, scope: string): boolean {
	return desk.link.scopes.size === 0 || desk.link.scopes.has(scope);
}

/* What can be added is known once the server has told. */
export function mayAdd(room: Room): boolean {
	return may(room, "admin") && room.book.protocols().length > 0;
}

/* ---- drawing ---- */

export function draw(room: Room): void {
	const { book, cards, frame, desk } = room;

	if (!room.isShown)
		return;
	cards.order();
	for (const [id, card] of cards.each()) {
		const source = book.get(id);

		if (source !== undefined)
			card.draw(source, {
				now: Date.now() + desk.link.skewMs, pulse: book.pulse(id, Date.now()), protocol: spoken(book.protocols(), source.protocol),
				tap: id === CLAUDE_CODE ? room.tap : null, mayAdmin: may(room, "admin"), mayAsk: may(room, "control"),
			});
	}
	room.telling.draw(room.told, may(room, "admin"));
	room.visitors.draw(room.waiting);
	write(frame.summary, summaryWords(book.list()));
	frame.plus.disabled = !mayAdd(room);
	frame.empty.hidden = book.list().some((source) => !isLocal(source));
	focusCard(room);
}

function focusCard(room: Room): void {
	const element = room.cards.element(room.focusOn);

	if (room.focusOn === "" || element === undefined)
		return;
	room.focusOn = "";
	element.focus();
	element.scrollIntoView({ block: "nearest" });
}

function summaryWords(sources: Source[]): string {
	const on = sources.filter(({ state }) => state === "connected").length;
	const bad = sources.filter(({ state }) => state === "error").length;

	return `${on} of ${sources.length} connected${bad > 0 ? `, ${bad} given up` : ""}`;
}

/* ---- looking ---- */

export async function lookAtTap(room: Room): Promise<void> {
	room.told = await room.acts.telling().catch(() => null);
	if (may(room, "admin"))
		room.tap = await room.acts.tap().catch(() => null);
	draw(room);
}

/* They come and go within minutes, and no signal tells of them. */
export async function lookAtVisitors(room: Room): Promise<void> {
	if (!may(room, "admin"))
		return;
	room.waiting = await room.acts.visitors().catch(() => []);
	draw(room);
}

function heardOf(room: Room, found: Found): void {
	room.book.find(found.services);
	draw(room);
}

/* What there is on this machine; the list of sources stays as it is. */
export async function look(room: Room): Promise<void> {
	await room.acts.look().then((found) => heardOf(room, found), () => {});
}

export async function rescan(room: Room): Promise<void> {
	const { frame, acts } = room;

	if (frame.scan.disabled)
		return;
	frame.scan.disabled = true;
	write(frame.found, "Looking …");
	try {
		const found = await acts.rescan();

		heardOf(room, found);
		write(frame.found, foundWords(found));
	} catch (why) {
		write(frame.found, "");
		room.desk.say(wordsOf(why), "bad");
	}
	frame.scan.disabled = false;
	void lookAtTap(room);
}

/* ---- doing ---- */

async function attempt({ desk }: Room, act: () => Promise<unknown>): Promise<void> {
	try {
		await act();
	} catch (why) {
		desk.say(wordsOf(why), "bad");
	}
}

export function add(room: Room): void {
	openAddDialog({
		acts: room.acts, protocols: room.book.protocols(), say: (words) => room.desk.say(words),
		added({ id }) {
			room.focusOn = id;
			draw(room);
		},
	});
}

async function doIt(room: Room, id: string, what: Want): Promise<void> {
	const source = room.book.get(id);
	const say = (words: string) => room.desk.say(words);

	if (source === undefined)
		return;
	if (what === "ask")
		room.desk.go(`ask/${id}`);
	else if (what === "install" || what === "uninstall")
		openTapDialog(what === "install" ? "connect" : "disconnect", room.tap, room.acts, (words) => {
			say(words);
			void lookAtTap(room);
		});
	else
		await attempt(room, () => act(room, source, what, say));
}

async function act({ acts, book }: Room, source: Source, what: Want, say: (words: string) => void): Promise<void> {
	const keyed = { source, protocol: spoken(book.protocols(), source.protocol) };

	if (what === "connect")
		await acts.connect(source.id);
	else if (what === "disconnect")
		await acts.disconnect(source.id);
	else if (what === "paste")
		await pasteFromConfig(keyed, acts, say);
	else if (what === "key")
		openKeyDialog(keyed, acts, say);
	else if (what === "forget")
		openForgetDialog(keyed, acts, say);
	else if (what === "edit")
		openEditDialog(source, { acts, protocols: book.protocols(), say });
	else if (what === "remove")
		confirmIt(`Remove ${source.name}?`, "It is disconnected, and its key is deleted. Its signals stay in the log.",
			"Remove", async () => {
				await acts.remove(source.id);
				say(`${source.name} is removed.`);
			});
}
