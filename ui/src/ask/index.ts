/* The ask view: a question to any source that can answer, the answer as it comes, and the
 * conversations that there were. All of it is in the journal: what another screen asked is
 * here too, and a page that was reloaded goes on where it was. */

import type { Desk, Source, View, ViewKind } from "../desk";
import { notifyButton } from "../prompts/notify";
import { fill, h, write } from "../text/dom";
import { makeComposer, type Question } from "./composer";
import { makeList } from "./list";
import { answerers, createAsks, type Conversation } from "./model";
import { readAsks } from "./past";
import { makeThread } from "./thread";
import { emptyParts, whyNot } from "./words";

const DRAW_MS = 40;

interface State {
	seq: number;                 /* of the newest signal that was heard */
	run: string | null;          /* the ask that the address names */
	sending: boolean;
	ran: string | null;          /* the ask that was not over when it was drawn last */
	cancelling: string | null;
	isShown: boolean;
	isReady: boolean;            /* it is known who can answer */
	hasLooked: boolean;          /* at what was asked before */
}

export const kind: ViewKind = {
	name: "ask", title: "Ask", icon: "ask",
	keys: [["Enter", "sends the question"], ["Shift Enter", "begins a line"],
		["n", "begins another conversation"], ["/", "goes to the question"]],
	open,
};

function open(root: HTMLElement, desk: Desk): View {
	const { link } = desk;
	const sources = new Map<string, Source>();
	const asks = createAsks();
	const m: State = { seq: 0, run: null, sending: false, ran: null, cancelling: null, isShown: false, isReady: false,
		hasLooked: false };
	const scroller = h("div", { class: "ask-thread", tabindex: "0", role: "region", "aria-label": "Conversation" });
	const empty = h("div", { class: "ask-empty" });
	const rows = h("ul", {});
	const said = h("p", { class: "hidden", role: "status" });
	const fresh = h("button", { type: "button", class: "ask-new", onclick: begin }, "New conversation");
	const past = h("button", { type: "button", class: "ask-past", "aria-expanded": "false",
		onclick: () => browse(!root.classList.contains("ask-browsing")) }, "Conversations");
	const composer = makeComposer({ send, cancel, connect, chosen: drawSoon });
	const thread = makeThread(scroller, desk, drawSoon);
	const list = makeList(rows, (one) => {
		browse(false);
		desk.go(`ask/run/${one.asks.at(-1)!.run}`);
	});
	let timer = 0;
	let pace = DRAW_MS;       /* whoever draws slowly draws seldom, and hears in between */

	root.append(
		h("nav", { class: "ask-side", "aria-label": "Conversations" }, fresh, rows,
			notifyButton(desk, "Notify me of questions")),
		h("div", { class: "ask-main" }, h("div", { class: "ask-bar" }, past), said, empty, scroller, composer.element));

	/* ---- what comes in ---- */

	link.on("signal", ({ envelope, live }) => {
		m.seq = Math.max(m.seq, envelope.seq);
		if (asks.take(envelope, live))
			drawSoon();
	});
	link.on("hello", ({ seq }) => {
		m.seq = Math.max(m.seq, seq);
		asks.doubt();
	});
	link.on("state", () => {
		if (link.state.name === "live" && !m.hasLooked)
			look();
		drawSoon();
	});
	link.on("sources", (news) => {
		if (news.all !== undefined)
			sources.clear();
		for (const one of [...news.all ?? [], ...news.changed ?? []])
			sources.set(one.id, one);
		news.removed?.forEach((id) => sources.delete(id));
		m.isReady = true;
		composer.sources(answerers(sources.values()));
		drawSoon();
	});
	link.on("gap", ({ why }) => {
		if (why === "lost" || why === "replaced") {
			asks.clear();
			void lookBack().catch(() => {});
		}
	});

	async function lookBack(): Promise<void> {
		await readAsks(link, (envelope) => asks.take(envelope, false));
		if (m.run !== null)
			follow(m.run);
		drawSoon();
	}

	/* ---- what a person does ---- */

	async function send({ source, model, session, text }: Question): Promise<void> {
		const seq = m.seq;

		m.sending = true;
		drawSoon();
		try {
			const { run } = await link.ask(source, text,
				{ ...model === "" ? {} : { model }, ...session === "" ? {} : { session } });
			asks.sent({ run, seq: seq + 1, at: Date.now() + link.skewMs, source, session, model, text, state: "running" });
			composer.taken();
			thread.toEnd();
			desk.go(`ask/run/${run}`);
		} catch (error) {
			composer.refuse(`It was not asked: ${(error as Error).message}`);
		}
		m.sending = false;
		drawSoon();
	}

	async function cancel(): Promise<void> {
		const run = running();

		if (run === null)
			return;
		m.cancelling = run;
		drawSoon();
		try {
			await link.cancel(run);
		} catch (error) {
			composer.refuse(`It was not cancelled: ${(error as Error).message}`);
		}
		m.cancelling = null;
		drawSoon();
	}

	async function connect(id: string): Promise<void> {
		try {
			await link.request("POST", `/api/sources/${encodeURIComponent(id)}/connect`);
		} catch (error) {
			composer.refuse(`It cannot be connected: ${(error as Error).message}`);
		}
	}

	function begin(): void {
		browse(false);
		desk.go(composer.source === "" ? "ask" : `ask/${composer.source}`);
		composer.focus();
	}

	/* On a narrow screen the list is a sheet that is called for. */
	function browse(isShown: boolean): void {
		root.classList.toggle("ask-browsing", isShown);
		past.setAttribute("aria-expanded", String(isShown));
	}

	/* ---- what is drawn ---- */

	/* The ask of this conversation that is not over yet, as far as can be told. */
	function running(): string | null {
		const ask = conversation()?.asks.at(-1) ?? null;
		const state = ask === null ? undefined : thread.statsOf(ask.run)?.state;

		if (ask === null || state === "done" || state === "failed" || state === "cancelled")
			return null;
		return ask.state === "running" || ask.state === "past" && state === "streaming" ? ask.run : null;
	}

	function conversation(): Conversation | null {
		return m.run === null ? null : asks.conversationOf(m.run);
	}

	function drawSoon(): void {
		if (timer === 0)
			timer = window.setTimeout(() => {
				const begun = performance.now();

				timer = 0;
				if (m.isShown)
					draw();
				pace = Math.max(DRAW_MS, 3 * (performance.now() - begun));
			}, pace);
	}

	function draw(): void {
		const now = conversation();

		list.draw(asks.conversations(), now?.key ?? null);
		past.hidden = asks.conversations().length === 0;
		thread.show(m.run === null ? [] : now?.asks ?? [{ run: m.run, seq: 0 }]);
		const run = running();
		const isSure = run !== null && asks.ask(run)?.state === "running";
		composer.running(run !== null, m.sending || isSure, m.cancelling !== null);
		composer.allow(whyNot(link, sources.get(composer.source)));
		drawEmpty();
		tellEnd(run);
	}

	/* Tokens are not read out, but that they have all come is. */
	function tellEnd(run: string | null): void {
		const state = m.ran === null || m.ran === run ? undefined : thread.statsOf(m.ran)?.state;

		if (state !== undefined)
			write(said, state === "cancelled" ? "Cancelled" : state === "failed" ? "The answer failed" : "The answer is complete");
		m.ran = run;
	}

	function drawEmpty(): void {
		const nobody = m.isReady && answerers(sources.values()).length === 0;

		empty.hidden = m.run !== null || !m.isReady;
		scroller.hidden = m.run === null;
		composer.element.hidden = nobody;
		if (empty.hidden || empty.dataset.nobody === String(nobody))
			return;
		empty.dataset.nobody = String(nobody);
		fill(empty, emptyParts(nobody, () => desk.go("sources")));
	}

	/* ---- places ---- */

	/* The composer goes on in the session of what is shown. */
	function follow(run: string): void {
		const found = asks.conversationOf(run);

		if (found !== null)
			composer.choose(found.source, found.session);
	}

	function show(rest: string): void {
		const run = /^run\/(.+)$/s.exec(rest)?.[1] ?? null;
		const source = run === null && rest !== "" ? rest : null;

		m.isShown = true;
		if (run !== m.run || source !== null) {
			m.run = run;
			composer.refuse("");
			if (run === null)
				composer.choose(source, null);
			else
				follow(run);
		}
		draw();
		thread.draw();
	}

	/* What failed now is tried again with the next connection. */
	function look(): void {
		m.hasLooked = true;
		lookBack().catch(() => { m.hasLooked = false; });
	}

	look();
	return {
		show,
		hide: () => { m.isShown = false; },
		key({ key }) {
			if (key === "n")
				begin();
			else if (key === "/")
				composer.focus();
			else
				return false;
			return true;
		},
	};
}
