/* The ask view: a question to any source that can answer, the answer as it comes, and the
 * conversations that there were. All of it is in the journal: what another screen asked is
 * here too, and a page that was reloaded goes on where it was. */

import type { Desk, Protocol, Source, View, ViewKind } from "../desk";
import { notifyButton } from "../shell/attention";
import { fill, h, write } from "../text/dom";
import { makeComposer, type Composer, type Question } from "./composer";
import { makeList, type List } from "./list";
import { answerers, createAsks, type Asks, type Conversation } from "./model";
import { readAsks } from "./past";
import { makeThread, type Thread } from "./thread";
import { emptyParts, whyNot } from "./words";

const DRAW_MS = 40;
const LOOK_MS = 1000;

/* What is on the screen. */
interface Screen {
	readonly root: HTMLElement;
	readonly scroller: HTMLElement;
	readonly empty: HTMLElement;
	readonly said: HTMLElement;
	readonly past: HTMLElement;      /* the button that shows the conversations, where there is no room */
}

interface Office extends Screen {
	readonly desk: Desk;
	readonly asks: Asks;
	readonly sources: Map<string, Source>;
	protocols: readonly Protocol[];
	/* These do something to the whole of it, so they are made last. */
	composer: Composer;
	thread: Thread;
	list: List;
	seq: number;                 /* of the newest signal that was heard */
	run: string | null;          /* the ask that the address names */
	sending: boolean;
	ran: string | null;          /* the ask that was not over when it was drawn last */
	cancelling: string | null;
	isShown: boolean;
	isReady: boolean;            /* it is known who can answer */
	hasLooked: boolean;          /* at what was asked before */
	isLooking: boolean;          /* soon, at what was skipped */
	timer: number;
	pace: number;                /* whoever draws slowly draws seldom, and hears in between */
}

export const kind: ViewKind = {
	name: "ask", title: "Ask", icon: "ask",
	keys: [["Enter", "sends the question"], ["Shift Enter", "begins a line"],
		["n", "starts a new conversation"], ["/", "goes to the question"]],
	open,
};

/* ---- what it is made of ---- */

function makeScreen(root: HTMLElement): Screen {
	return {
		root,
		scroller: h("div", { class: "ask-thread", tabindex: "0", role: "region", "aria-label": "Conversation" }),
		empty: h("div", { class: "ask-empty" }),
		said: h("p", { class: "hidden", role: "status" }),
		past: h("button", { type: "button", class: "ask-past", "aria-expanded": "false" }, "Conversations"),
	};
}

function makeOffice(root: HTMLElement, desk: Desk): Office {
	const office = {
		...makeScreen(root), desk, asks: createAsks(), sources: new Map(), protocols: [],
		seq: 0, run: null, sending: false, ran: null, cancelling: null, isShown: false, isReady: false, hasLooked: false, isLooking: false,
		timer: 0, pace: DRAW_MS,
	} as Partial<Office> as Office;
	const drawLater = (): void => drawSoon(office);

	office.composer = makeComposer({
		send: (question) => void send(office, question), cancel: () => void cancel(office),
		connect: (id) => void connect(office, id), chosen: drawLater,
	});
	office.thread = makeThread(office.scroller, desk, drawLater);
	return office;
}

function furnish(office: Office): void {
	const { root, desk, past, said, empty, scroller, composer } = office;
	const rows = h("ul", {});
	const fresh = h("button", { type: "button", class: "ask-new", onclick: () => begin(office) }, "New conversation");

	office.list = makeList(rows, (one) => {
		browse(office, false);
		desk.go(`ask/run/${one.asks.at(-1)!.run}`);
	});
	past.addEventListener("click", () => browse(office, !root.classList.contains("ask-browsing")));
	root.append(
		h("nav", { class: "ask-side", "aria-label": "Conversations" }, fresh, rows,
			notifyButton(desk, "Notify me")),
		h("div", { class: "ask-main" }, h("div", { class: "ask-bar" }, past), said, empty, scroller, composer.element));
}

/* ---- what comes in ---- */

function listen(office: Office): void {
	const { asks, sources, composer, desk: { link } } = office;

	link.on("signal", ({ envelope, live }) => {
		office.seq = Math.max(office.seq, envelope.seq);
		if (asks.take(envelope, live))
			drawSoon(office);
	});
	/* A server that lost signals gives their seqs out again. */
	link.on("hello", ({ seq }) => {
		office.seq = seq;
		asks.doubt();
	});
	link.on("state", () => {
		if (link.state.name === "live" && !office.hasLooked)
			look(office);
		drawSoon(office);
	});
	link.on("sources", (news) => {
		if (news.all !== undefined)
			sources.clear();
		for (const one of [...news.all ?? [], ...news.changed ?? []])
			sources.set(one.id, one);
		news.removed?.forEach((id) => sources.delete(id));
		office.protocols = news.protocols ?? office.protocols;
		office.isReady = true;
		composer.sources(answerers(sources.values()), office.protocols);
		drawSoon(office);
	});
	link.on("gap", ({ why }) => {
		if (why === "lost") {
			asks.clear();
			void lookBack(office).catch(() => {});
		} else if (why === "skipped") {
			lookForAsks(office);
		}
	});
}

/* Among what was skipped may be what was asked elsewhere. */
function lookForAsks(office: Office): void {
	if (office.isLooking)
		return;
	office.isLooking = true;
	setTimeout(() => {
		office.isLooking = false;
		readAsks(office.desk.link, (envelope) => office.asks.take(envelope, false)).then(() => drawSoon(office), () => {});
	}, LOOK_MS);
}

async function lookBack(office: Office): Promise<void> {
	await readAsks(office.desk.link, (envelope) => office.asks.take(envelope, false));
	if (office.run !== null)
		follow(office, office.run);
	drawSoon(office);
}

/* What failed now is tried again with the next connection. */
function look(office: Office): void {
	office.hasLooked = true;
	lookBack(office).catch(() => { office.hasLooked = false; });
}

/* ---- what a person does ---- */

async function send(office: Office, { source, model, session, text }: Question): Promise<void> {
	const { asks, composer, thread, desk, seq } = office;
	const { link } = desk;

	if (office.sending)
		return;
	office.sending = true;
	drawSoon(office);
	try {
		const { run } = await link.ask(source, text,
			{ ...model === "" ? {} : { model }, ...session === "" ? {} : { session } });
		asks.sent({ run, seq: seq + 1, at: Date.now() + link.skewMs, source, session, model, text, state: "running" });
		composer.taken(text);
		thread.toEnd();
		desk.go(`ask/run/${run}`);
	} catch (error) {
		composer.refuse(`The question was not sent: ${(error as Error).message}`);
	}
	office.sending = false;
	drawSoon(office);
}

async function cancel(office: Office): Promise<void> {
	const run = running(office);

	if (run === null)
		return;
	office.cancelling = run;
	drawSoon(office);
	try {
		await office.desk.link.cancel(run);
	} catch (error) {
		office.composer.refuse(`It was not cancelled: ${(error as Error).message}`);
	}
	office.cancelling = null;
	drawSoon(office);
}

async function connect({ desk, composer }: Office, id: string): Promise<void> {
	try {
		await desk.link.request("POST", `/api/sources/${encodeURIComponent(id)}/connect`);
	} catch (error) {
		composer.refuse(`It cannot be connected: ${(error as Error).message}`);
	}
}

function begin(office: Office): void {
	const { composer, desk } = office;

	browse(office, false);
	desk.go(composer.source === "" ? "ask" : `ask/${composer.source}`);
	composer.focus();
}

/* On a narrow screen the list is a sheet that is called for. */
function browse({ root, past }: Office, isShown: boolean): void {
	root.classList.toggle("ask-browsing", isShown);
	past.setAttribute("aria-expanded", String(isShown));
}

/* ---- what is drawn ---- */

/* The ask of this conversation that is not over yet, as far as can be told. */
function running(office: Office): string | null {
	const ask = conversation(office)?.asks.at(-1) ?? null;
	const state = ask === null ? undefined : office.thread.statsOf(ask.run)?.state;

	if (ask === null || state === "done" || state === "failed" || state === "cancelled")
		return null;
	return ask.state === "running" || ask.state === "past" && state === "streaming" ? ask.run : null;
}

function conversation({ run, asks }: Office): Conversation | null {
	return run === null ? null : asks.conversationOf(run);
}

function drawSoon(office: Office): void {
	if (office.timer !== 0)
		return;
	office.timer = window.setTimeout(() => {
		const begun = performance.now();

		office.timer = 0;
		if (office.isShown)
			draw(office);
		office.pace = Math.max(DRAW_MS, 3 * (performance.now() - begun));
	}, office.pace);
}

function draw(office: Office): void {
	const { asks, list, past, thread, composer, sources, desk } = office;
	const now = conversation(office);

	list.draw(asks.conversations(), now?.key ?? null);
	past.hidden = asks.conversations().length === 0;
	thread.show(office.run === null ? [] : now?.asks ?? [{ run: office.run, seq: 0 }]);
	const run = running(office);
	const isSure = run !== null && asks.ask(run)?.state === "running";
	composer.running(run !== null, office.sending || isSure, office.cancelling !== null);
	composer.allow(whyNot(desk.link, sources.get(composer.source)));
	drawEmpty(office);
	tellEnd(office, run);
}

/* Tokens are not read out, but that they have all come is. */
function tellEnd(office: Office, run: string | null): void {
	const { ran, thread, said } = office;
	const state = ran === null || ran === run ? undefined : thread.statsOf(ran)?.state;

	if (state !== undefined)
		write(said, state === "cancelled" ? "Cancelled" : state === "failed" ? "The reply failed" : "The reply is complete");
	office.ran = run;
}

function drawEmpty({ run, isReady, sources, empty, scroller, composer, desk }: Office): void {
	const nobody = isReady && answerers(sources.values()).length === 0;

	empty.hidden = run !== null || !isReady;
	scroller.hidden = run === null;
	composer.element.hidden = nobody;
	if (empty.hidden || empty.dataset.nobody === String(nobody))
		return;
	empty.dataset.nobody = String(nobody);
	fill(empty, emptyParts(nobody, () => desk.go("sources")));
}

/* ---- places ---- */

/* The composer goes on in the session of what is shown. */
function follow({ asks, composer }: Office, run: string): void {
	const found = asks.conversationOf(run);

	if (found !== null)
		composer.choose(found.source, found.session);
}

function show(office: Office, rest: string): void {
	const { composer } = office;
	const run = /^run\/(.+)$/s.exec(rest)?.[1] ?? null;
	const source = run === null && rest !== "" ? rest : null;

	office.isShown = true;
	if (run !== office.run || source !== null) {
		office.run = run;
		composer.refuse("");
		if (run === null)
			composer.choose(source, null);
		else
			follow(office, run);
	}
	draw(office);
	office.thread.draw();
}

function open(root: HTMLElement, desk: Desk): View {
	const office = makeOffice(root, desk);

	furnish(office);
	listen(office);
	look(office);
	return {
		show: (rest) => show(office, rest),
		hide: () => { office.isShown = false; },
		key({ key }) {
			if (key === "n")
				begin(office);
			else if (key === "/")
				office.composer.focus();
			else
				return false;
			return true;
		},
	};
}
