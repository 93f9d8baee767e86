/* What the page remembers: the newest signals, those of them on show, and those
 * that wait while the reader has paused. No clock, no screen. */

const KEEP = 10000;
const KEEP_CHARACTERS = 32 * 1024 * 1024;
const TRIM_EVERY = 256;       /* Trimming is done in strides; see the ceilings as soft by this much. */

export class Log {
	entries = [];         /* All that is kept, oldest first. */
	view = [];            /* What is on show; stands still while paused. */
	dropped = 0;          /* How many left the front of the view since it was made. */
	waiting = 0;          /* How many that pass the filter came since the pause. */
	paused = false;
	#passes = () => true;
	#count = 0;
	#characters = 0;
	#pausedAt = 0;

	add(entry) {
		entry.n = ++this.#count;
		this.entries.push(entry);
		this.#characters += entry.text.length;
		if (this.#passes(entry)) {
			if (this.paused)
				this.waiting++;
			else
				this.view.push(entry);
		}
		if (this.entries.length >= KEEP + TRIM_EVERY || this.#characters > KEEP_CHARACTERS)
			this.#trim();
	}

	filter(passes) {
		this.#passes = passes;
		this.#rebuild();
	}

	pause() {
		if (this.paused)
			return;
		this.paused = true;
		this.#pausedAt = this.#count;
		this.waiting = 0;
	}

	resume() {
		this.paused = false;
		this.waiting = 0;
		this.#rebuild();
	}

	/* Marks what the server lost after we had seen it. */
	disown(fromSeq) {
		for (let i = this.entries.length - 1; i >= 0; i--) {
			const entry = this.entries[i];
			if (entry.seq < fromSeq)
				break;
			entry.lost = true;
		}
	}

	#rebuild() {
		const passing = this.entries.filter(this.#passes);

		this.view = this.paused ? passing.filter(({ n }) => n <= this.#pausedAt) : passing;
		this.waiting = passing.length - this.view.length;
		this.dropped = 0;
	}

	/* The front goes until both ceilings hold. A paused view keeps what it shows. */
	#trim() {
		let gone = Math.max(0, this.entries.length - KEEP);

		for (let i = 0; i < gone; i++)
			this.#characters -= this.entries[i].text.length;
		while (this.#characters > KEEP_CHARACTERS)
			this.#characters -= this.entries[gone++].text.length;
		this.entries.splice(0, gone);
		if (this.paused)
			return;
		const first = this.entries.length > 0 ? this.entries[0].n : Infinity;
		let out = 0;
		while (out < this.view.length && this.view[out].n < first)
			out++;
		this.view.splice(0, out);
		this.dropped += out;
	}
}
