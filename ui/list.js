/* The log on the screen: a few dozen rows that slide over ten thousand entries. All
 * rows are of one height, which the style sheet decides. A row element belongs to a
 * place in the view modulo their number, so that while new ones come at the bottom
 * only new ones are written. */

import { clock, colourOf, visible } from "./signal.js";

const SPARE = 6;              /* Rows beyond each edge, so that fast scrolling shows no holes. */
const AT_END_PX = 4;

export class List {
	selected = null;
	#box;
	#track;
	#template;
	#log;
	#rows = [];
	#rowHeight = 1;
	#height = 0;
	#onUserScroll;

	/* `onUserScroll(atEnd)` hears of scrolling that the reader did. */
	constructor(box, template, log, onUserScroll) {
		this.#box = box;
		this.#track = box.firstElementChild;
		this.#template = template;
		this.#log = log;
		this.#onUserScroll = onUserScroll;
		new ResizeObserver(() => this.#measure()).observe(box);
		box.addEventListener("scroll", () => this.#scrolled(), { passive: true });
		box.addEventListener("wheel", ({ deltaY }) => {
			if (deltaY < 0 && box.scrollHeight > box.clientHeight)
				onUserScroll(false);
		}, { passive: true });
	}

	get atEnd() {
		const { scrollTop, scrollHeight, clientHeight } = this.#box;

		return scrollTop + clientHeight >= scrollHeight - AT_END_PX;
	}

	/* Draws what is to be seen now. While not paused that is the end. */
	draw() {
		const { view, dropped, paused } = this.#log;
		const length = view.length * this.#rowHeight;

		this.#track.style.height = `${length}px`;
		if (!paused)
			this.#box.scrollTop = length;
		const top = paused ? this.#box.scrollTop : Math.max(0, length - this.#height);
		const first = Math.max(0, Math.floor(top / this.#rowHeight) - SPARE);
		const used = Math.min(this.#rows.length, view.length - first);
		for (let i = first; i < first + this.#rows.length; i++) {
			const row = this.#rows[(dropped + i) % this.#rows.length];
			row.hidden = i >= first + used;
			if (!row.hidden)
				this.#place(row, view[i], i);
		}
		this.#pointAtSelected();
	}

	/* Moves the selection by so many rows, or to an end; Infinity is welcome. */
	move(by) {
		const { view } = this.#log;

		if (view.length === 0)
			return;
		const from = view.indexOf(this.selected);
		const start = from >= 0 ? from : by > 0 ? this.#firstSeen() - 1 : this.#lastSeen() + 1;
		const at = Math.min(view.length - 1, Math.max(0, start + by));
		this.selected = view[at];
		this.#reveal(at);
		this.draw();
	}

	get page() {
		return Math.max(1, Math.floor(this.#height / this.#rowHeight) - 1);
	}

	entryAt(element) {
		return element.closest(".row")?.entry ?? null;
	}

	#place(row, entry, index) {
		const y = index * this.#rowHeight;

		if (row.y !== y) {
			row.y = y;
			row.style.transform = `translateY(${y}px)`;
		}
		if (row.entry !== entry || row.lost !== entry.lost)
			fill(row, entry, index + this.#log.dropped);
		const selected = entry === this.selected;
		if (row.selected !== selected) {
			row.selected = selected;
			row.setAttribute("aria-selected", String(selected));
		}
	}

	#pointAtSelected() {
		const row = this.#rows.find((r) => !r.hidden && r.selected);

		if (row === undefined)
			this.#box.removeAttribute("aria-activedescendant");
		else
			this.#box.setAttribute("aria-activedescendant", row.id);
	}

	#firstSeen() {
		return Math.ceil(this.#box.scrollTop / this.#rowHeight);
	}

	#lastSeen() {
		return Math.floor((this.#box.scrollTop + this.#height) / this.#rowHeight) - 1;
	}

	#reveal(index) {
		if (index < 0)
			return;
		const top = index * this.#rowHeight;
		const bottom = top + this.#rowHeight;

		if (top < this.#box.scrollTop)
			this.#box.scrollTop = top;
		else if (bottom > this.#box.scrollTop + this.#height)
			this.#box.scrollTop = bottom - this.#height;
	}

	#scrolled() {
		const atEnd = this.atEnd;

		if (atEnd === this.#log.paused)
			this.#onUserScroll(atEnd);
		if (this.#log.paused)
			this.draw();
	}

	/* The size of the box or of a row changed. The row that was first stays first,
	 * and the selected one in sight. */
	#measure() {
		const first = this.#box.scrollTop / this.#rowHeight;

		if (this.#rows.length === 0)
			this.#grow(1);
		this.#rows[0].hidden = false;
		this.#rowHeight = this.#rows[0].offsetHeight || 1;
		this.#height = this.#box.clientHeight;
		this.#grow(Math.ceil(this.#height / this.#rowHeight) + 2 * SPARE);
		for (const row of this.#rows)
			row.entry = null;
		this.#track.style.height = `${this.#log.view.length * this.#rowHeight}px`;
		if (this.#log.paused)
			this.#box.scrollTop = first * this.#rowHeight;
		if (this.#log.paused && this.selected !== null)
			this.#reveal(this.#log.view.indexOf(this.selected));
		this.draw();
	}

	#grow(count) {
		while (this.#rows.length < count) {
			const row = this.#template.content.firstElementChild.cloneNode(true);
			row.id = `row-${this.#rows.length}`;
			this.#rows.push(row);
			this.#track.append(row);
		}
	}
}

function fill(row, entry, place) {
	const [time, badge, source, text, seq] = row.children;
	const { kind, failed, lost, demo } = entry;

	row.entry = entry;
	row.lost = entry.lost;
	row.className = "row";
	row.classList.add(kind);
	row.classList.toggle("failed", failed);
	row.classList.toggle("lost", lost === true);
	row.classList.toggle("demo", demo);
	row.setAttribute("aria-posinset", String(place + 1));
	time.textContent = clock(entry.at);
	seq.textContent = kind === "gap" ? "" : String(entry.seq);
	badge.textContent = visible(entry.type);
	badge.className = `badge ${colourOf(entry.type)}`;
	source.textContent = visible(entry.source);
	text.firstElementChild.textContent = entry.who;
	text.lastElementChild.textContent = entry.summary;
}
