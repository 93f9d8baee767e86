/* past.c - signals of the journal, played as if they came now: at a start, and when
 * the show was asleep.  What it may take is counted in work: a machine or a disk that stands
 * still for a moment costs time, and is no reason for an empty stage.
 */
#include <math.h>

#include "base/clock.h"
#include "journal/reader.h"
#include "play/house/hands.h"

#define LOOK_EVERY 256 /* signals between two looks at the clock */
#define CHUNK (256 * KIB)
#define WAIT_MS 1000 /* at a time */
#define MILLISECOND_NS UINT64_C(1000000)

struct replaying {
	const struct show_past *past;
	struct journal_reader *from;
	struct signal_reader *lines;
	uint64_t work_until_ns, wait_until_ns;
	unsigned count;
	double at_ms; /* of the signal that was played last */
};

/* At its own time: not before the one before it, and not in the future. */
static void play_line(struct replaying *f, struct text line)
{
	struct signal s;

	if (!signal_read(f->lines, line, &s, NULL))
		return;
	f->at_ms = fmax(f->at_ms, fmin(s.at_ms, f->past->now_ms));
	theatre_hear(f->past->theatre, &s, f->at_ms);
}

/* False when the last was played, or it is too much work. */
static bool play_lines(struct replaying *f, struct text lines)
{
	while (lines.len) {
		struct text line = text_cut(lines, '\n', &lines);
		uint64_t seq = signal_seq_of(line);

		if (seq > f->past->until)
			return false;
		play_line(f, line);
		journal_reader_take(f->from, line.len + 1, seq + 1);
		if (++f->count % LOOK_EVERY == 0 && clock_work_ns() > f->work_until_ns)
			return false;
	}
	return true;
}

static bool wait_for_disk(const struct replaying *f)
{
	struct journal *journal = f->past->journal;

	if (clock_mono_ns() >= f->wait_until_ns)
		return false;
	journal_wait(journal, WAIT_MS);
	journal_poll(journal);
	return true;
}

uint64_t hands_play_past(const struct show_past *past)
{
	struct replaying f = {
		.past = past,
		.from = journal_reader_create(past->journal, past->after),
		.lines = signal_reader_create(),
		.work_until_ns = clock_work_ns() + past->ns,
		.wait_until_ns = clock_mono_ns() + past->wait_ms * MILLISECOND_NS,
	};
	enum journal_news news;
	struct text lines;
	struct gap gap;
	uint64_t last;
	bool on = true;

	while (on && (news = journal_read(f.from, CHUNK, &lines, &gap)) != JOURNAL_END) {
		if (news == JOURNAL_LINES)
			on = play_lines(&f, lines);
		else if (news == JOURNAL_COLD)
			on = wait_for_disk(&f);
	}
	last = journal_reader_next(f.from) - 1;
	journal_reader_destroy(f.from);
	signal_reader_destroy(f.lines);
	return last < past->until ? last : past->until;
}
