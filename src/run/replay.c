/* replay.c - one run's frames, from its first signal on. */
#include "run/replay.h"

#include <stdlib.h>

#include "base/must.h"
#include "journal/reader.h"
#include "run/inside.h"

#define READ_CHUNK (256 * KIB)

/* A frame that was made and not told yet: its bytes are in `made`. */
struct made_frame {
	struct frame_pieces
		pieces; /* lengths; the bytes are in replay.bytes, one after the other */
	uint64_t own;
};

struct run_replay {
	struct journal *journal;
	struct journal_reader *reader;
	struct run run; /* its id, what it has heard and its count */
	bool has_after, lost;
	uint64_t after;
	uint64_t seq;
	struct signal_reader *lines;
	struct signal signal; /* under way */
	struct buf scratch, bytes;
	struct made_frame *made;
	size_t count, room, next; /* of made; the first that was not told */
	size_t at;                /* of its bytes */
};

struct run_replay *run_replay_create(const struct run_replay_options *options)
{
	struct run_replay *r = must_zero(1, sizeof(*r));

	r->journal = options->journal;
	r->has_after = options->has_after;
	r->after = options->after;
	r->seq = options->first_seq ? options->first_seq - 1 : 0;
	r->reader = journal_reader_create(r->journal, r->seq);
	r->run.id = text_dup(options->run);
	hearing_init(&r->run.hearing);
	r->lines = signal_reader_create();
	buf_init(&r->scratch, TRANSLATE_FRAME_MAX);
	buf_init(&r->bytes, 4 * TRANSLATE_FRAME_MAX);
	return r;
}

void run_replay_destroy(struct run_replay *r)
{
	if (!r)
		return;
	journal_reader_destroy(r->reader);
	hearing_finish(&r->run.hearing);
	signal_reader_destroy(r->lines);
	buf_finish(&r->scratch);
	buf_finish(&r->bytes);
	free(r->run.id);
	free(r->made);
	free(r);
}

/* Who was not told of an event before it is told of nothing that came before it. */
static bool is_wanted(struct run_replay *r, const struct frame_pieces *p)
{
	if (r->has_after && p->is_numbered && r->run.frames > r->after)
		r->has_after = false;
	return !r->has_after;
}

static void take_event(void *self, const struct run_event *e)
{
	struct run_replay *r = self;
	struct frame_pieces p;

	if (!translate_event(&r->signal, e, &r->scratch, &p))
		return;
	r->run.frames = run_number(&r->run, &p);
	if (!is_wanted(r, &p))
		return;
	if (r->count == r->room) {
		r->room = r->room ? r->room * 2 : 8;
		r->made = must_grow(r->made, r->room * sizeof(*r->made));
	}
	r->made[r->count++] = (struct made_frame){p, r->run.frames};
	buf_add(&r->bytes, p.head);
	buf_add(&r->bytes, p.own);
	buf_add(&r->bytes, p.tail);
}

/* Most lines are of other runs: those are not read but for their run's name. */
static bool may_be_ours(const struct run_replay *r, struct text line)
{
	size_t len = strlen(r->run.id);

	return memmem(line.at, line.len, r->run.id, len) || memchr(line.at, '\\', line.len);
}

static void take_line(struct run_replay *r, struct text line)
{
	struct signal *s = &r->signal;

	if (may_be_ours(r, line) && signal_read(r->lines, line, s, NULL) &&
	    yyjson_is_obj(yyjson_obj_get(s->envelope, "payload")) &&
	    text_equal(run_of_signal(s), text_of(r->run.id)))
		hear_signal(&r->run.hearing, s, take_event, r);
}

static void take_lines(struct run_replay *r, struct text lines, uint64_t until, size_t *budget)
{
	while (lines.len && *budget && r->next == r->count && r->seq < until) {
		struct text line = text_cut(lines, '\n', &lines);

		r->seq = signal_seq_of(line);
		take_line(r, line);
		journal_reader_take(r->reader, line.len + 1, r->seq + 1);
		*budget -= *budget < line.len + 1 ? *budget : line.len + 1;
	}
}

static void give(struct run_replay *r, struct run_frame *out)
{
	struct made_frame *m = &r->made[r->next++];
	const char *at = r->bytes.at + r->at;

	*out = (struct run_frame){.own = m->own, .pieces = m->pieces};
	out->pieces.head.at = at;
	out->pieces.own.at = at + m->pieces.head.len;
	out->pieces.tail.at = at + m->pieces.head.len + m->pieces.own.len;
	r->at += m->pieces.head.len + m->pieces.own.len + m->pieces.tail.len;
}

/* Nothing is left to tell: room for what comes. */
static void rewind_made(struct run_replay *r)
{
	r->count = r->next = r->at = 0;
	buf_clear(&r->bytes);
	r->bytes.full = false;
}

enum run_replay_news run_replay_next(struct run_replay *r, uint64_t until, size_t *budget,
                                     struct run_frame *out)
{
	struct text lines;
	struct gap gap;

	while (r->next == r->count) {
		rewind_made(r);
		if (r->seq >= until)
			return REPLAY_END;
		if (*budget == 0)
			return REPLAY_MORE;
		switch (journal_read(r->reader, READ_CHUNK, &lines, &gap)) {
		case JOURNAL_LINES:
			take_lines(r, lines, until, budget);
			break;
		case JOURNAL_GAP:
			r->seq = journal_reader_next(r->reader) - 1;
			return REPLAY_LOST;
		case JOURNAL_COLD:
			return REPLAY_COLD;
		case JOURNAL_END:
			return REPLAY_END;
		}
	}
	give(r, out);
	return REPLAY_FRAME;
}
