/* Joins the parts of the page: what comes from the connection goes into the log and
 * the rates, and is drawn a little later together with whatever came meanwhile. */

import { Connection } from "./connection.js";
import { Detail } from "./detail.js";
import { Facets } from "./facets.js";
import { matcher, toggle } from "./filter.js";
import { List } from "./list.js";
import { Log } from "./log.js";
import { Rates, rateWords, sparkline } from "./rates.js";
import { entryOf, gapEntryOf } from "./signal.js";

const DRAW_MS = 40;           /* Nobody reads faster than 25 pictures a second. */
const TICK_MS = 500;
const TYPING_MS = 80;         /* A filter is applied when the typing rests so long. */
const DEMO_SHOWN_MS = 30000;  /* The label stays so long after the last demo signal. */

const $ = (id) => document.getElementById(id);

const log = new Log();
const rates = new Rates();
const list = new List($("log"), $("row"), log, scrolledByReader);
const detail = new Detail($("detail"), (key, value) => setFilter(toggle($("filter").value, key, value)));
const facets = {
	types: new Facets($("types"), "type", toggleTerm),
	sources: new Facets($("sources"), "source", toggleTerm),
};
const connection = new Connection({
	state: showState,
	hello: ({ server }) => { page.server = `${server?.name ?? ""} ${server?.version ?? ""}`.trim(); },
	signal: hearSignal,
	gap: hearGap,
	notice: (words) => { page.words = words; drawSoon(); },
});
const page = { state: { name: "connecting" }, server: "", words: "", demoUntil: 0,
	pausedByHand: false, drawing: false, drawnAt: 0, typing: null };

/* ---- what comes in ---- */

function hearSignal(envelope, text, live) {
	const entry = entryOf(envelope, text);

	log.add(entry);
	rates.add(entry, live, performance.now());
	if (entry.demo)
		page.demoUntil = Date.now() + DEMO_SHOWN_MS;
	drawSoon();
}

function hearGap(gap) {
	if (gap.why === "lost" || gap.why === "replaced")
		log.disown(gap.why === "lost" ? gap.from : 0);
	log.add(gapEntryOf(gap));
	drawSoon();
}

function showState(state) {
	page.state = state;
	page.words = "";
	$("state").dataset.state = state.name;
	$("state-words").textContent = state.name.replace("-", " ");
	$("retry").hidden = state.name !== "lost";
	document.title = state.name === "live" ? "signalbox" : `${state.name.replace("-", " ")} · signalbox`;
	tick();
	drawSoon();
}

/* ---- what is drawn ---- */

function drawSoon() {
	if (page.drawing)
		return;
	page.drawing = true;
	setTimeout(() => requestAnimationFrame(draw), page.drawnAt + DRAW_MS - performance.now());
}

function draw() {
	page.drawing = false;
	page.drawnAt = performance.now();
	list.draw();
	$("total").textContent = rates.total.toLocaleString("en");
	$("pause").textContent = log.paused ? "Resume" : "Pause";
	$("pause").setAttribute("aria-pressed", String(log.paused));
	$("matches").textContent = $("filter").value.trim() === "" ? ""
		: `${log.view.length.toLocaleString("en")} of ${log.entries.length.toLocaleString("en")}`;
	$("waiting").hidden = !log.paused;
	$("waiting").textContent = log.waiting === 0 ? "Paused · resume"
		: `${log.waiting.toLocaleString("en")} waiting · resume`;
	drawNotice();
}

/* What ought to be known now, in the order of its weight. */
function noticeNow() {
	const { name, why } = page.state;

	if (name === "signed-out")
		return ["Not signed in", `${why} Run this in a terminal; it opens the page with a link that signs you in:`,
			"signalbox open"];
	if (page.words !== "")
		return ["Something is wrong", page.words, ""];
	if (name === "live" && log.entries.length === 0)
		return ["No signals yet", "The log is empty. Send one from a terminal:",
			"signalbox emit '{\"type\":\"hello\"}'"];
	if (log.view.length === 0 && log.entries.length > 0)
		return ["Nothing passes the filter",
			`${log.entries.length.toLocaleString("en")} signals are in the log, and none matches.`, ""];
	return null;
}

function drawNotice() {
	const notice = noticeNow();

	$("notice").hidden = notice === null;
	$("notice").classList.toggle("alone", log.view.length === 0);
	if (notice === null)
		return;
	const [title, words, command] = notice;
	const part = (name) => $("notice").querySelector(`[data-part="${name}"]`);
	write(part("title"), title);
	write(part("words"), words);
	write(part("command"), command);
	part("run").hidden = command === "";
}

/* What depends on the time, and what may lag behind by half a second. */
function tick() {
	const now = Date.now();
	const { name, retryAt } = page.state;
	const line = sparkline(rates.history(performance.now()), 160, 32);

	$("state-more").textContent = name !== "lost" ? ""
		: retryAt === undefined || retryAt <= now ? ", retrying"
		: `, retrying in ${Math.ceil((retryAt - now) / 1000)} s`;
	$("rate").textContent = rateWords(rates.perSecond(performance.now()));
	$("spark").firstElementChild.setAttribute("d", `${line}L160 32L0 32Z`);
	$("spark").lastElementChild.setAttribute("d", line);
	$("demo").hidden = now > page.demoUntil;
	facets.types.draw(rates.types, $("filter").value);
	facets.sources.draw(rates.sources, $("filter").value);
	$("place").textContent = placeWords();
}

function placeWords() {
	const { seq, epoch, duplicates } = connection.place;

	return [epoch === null ? "" : `seq ${seq.toLocaleString("en")}`,
		duplicates === 0 ? "" : `${duplicates} duplicates dropped`,
		page.server].filter((words) => words !== "").join(" · ");
}

function write(element, text) {
	if (element.textContent !== text)
		element.textContent = text;
}

/* ---- what the reader does ---- */

/* Looking back pauses, coming back to the end resumes; unless the pause was made by
 * hand, or a signal is being read. */
function scrolledByReader(atEnd) {
	if (!atEnd)
		log.pause();
	else if (!page.pausedByHand && detail.entry === null)
		log.resume();
	draw();
}

function togglePause() {
	page.pausedByHand = !log.paused;
	if (log.paused)
		log.resume();
	else
		log.pause();
	draw();
}

function setFilter(text) {
	$("filter").value = text;
	log.filter(matcher(text));
	tick();
	draw();
}

function toggleTerm(key, value) {
	setFilter(toggle($("filter").value, key, value));
}

function select(by) {
	log.pause();
	list.move(by);
	$("log").focus({ preventScroll: true });
	if (detail.entry !== null)
		open();
	drawSoon();
}

function open() {
	if (list.selected !== null)
		detail.show(list.selected);
	drawSoon();
}

/* On a narrow screen the overview is a sheet that is called for. */
function browse(shown) {
	document.body.classList.toggle("browsing", shown);
	$("browse").setAttribute("aria-expanded", String(shown));
}

function back() {
	browse(false);
	if (detail.entry !== null) {
		detail.hide();
		$("log").focus();
	} else if (document.activeElement === $("filter")) {
		setFilter("");
		$("log").focus();
	} else {
		list.selected = null;
		page.pausedByHand = false;
		log.resume();
	}
	drawSoon();
}

const KEYS = {
	"/": () => $("filter").focus(),
	" ": togglePause,
	j: () => select(1),
	k: () => select(-1),
	ArrowDown: () => select(1),
	ArrowUp: () => select(-1),
	PageDown: () => select(list.page),
	PageUp: () => select(-list.page),
	Home: () => select(-Infinity),
	End: () => select(Infinity),
	Enter: open,
};

document.addEventListener("keydown", (event) => {
	const { key, target } = event;
	const elsewhere = target.closest("input, button, pre") !== null;

	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (key === "Escape")
		back();
	else if (target === $("filter") && (key === "Enter" || key === "ArrowDown"))
		$("log").focus();
	else if (!elsewhere && Object.hasOwn(KEYS, key))
		KEYS[key]();
	else
		return;
	event.preventDefault();
});

$("log").addEventListener("click", ({ target }) => {
	const entry = list.entryAt(target);

	if (entry === null || getSelection().type === "Range")
		return;
	list.selected = entry;
	log.pause();
	open();
});
$("filter").addEventListener("input", () => {
	clearTimeout(page.typing);
	page.typing = setTimeout(() => setFilter($("filter").value), TYPING_MS);
});
$("pause").addEventListener("click", togglePause);
$("waiting").addEventListener("click", togglePause);
$("retry").addEventListener("click", () => connection.retryNow());
$("close").addEventListener("click", back);
$("browse").addEventListener("click", () => browse(!document.body.classList.contains("browsing")));
$("notice").querySelector("button").addEventListener("click", () =>
	navigator.clipboard.writeText($("notice").querySelector("code").textContent));
addEventListener("online", () => connection.retryNow());
addEventListener("hashchange", begin);
document.addEventListener("visibilitychange", () => {
	if (!document.hidden)
		connection.retryNow();
});

/* The code leaves the address bar, and so the history, before anything is sent. */
function begin() {
	const code = /^#t=(.+)$/.exec(location.hash)?.[1] ?? null;

	if (code !== null)
		history.replaceState(null, "", "/");
	else if (page.state.name !== "connecting")
		return;
	connection.start(code);
}

setInterval(tick, TICK_MS);
begin();
