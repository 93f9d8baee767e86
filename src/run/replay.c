/* replay.c - one run's frames, from its first signal on. */
#include "run/replay.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "run/inside.h"
#include "run/past.h"

/* A frame that was made and not told yet: its bytes are in `made`. */
struct made_frame {
	struct frame_pieces
		pieces; /* lengths; the bytes are in replay.bytes, one after the other */
	uint64_t own;
};

struct run_replay {
	struct run_past past;
	struct run run; /* what it has heard and its count */
	bool has_after;
	uint64_t after;
	struct signal signal; /* under way */
	struct buf scratch, bytes;
	struct made_frame *made;
	size_t count, room, next; /* of made; the first that was not told */
	size_t at;                /* of its bytes */
};

struct run_replay *run_replay_create(const struct run_replay_options *options)
{
	struct run_replay *r = must_zero(1, sizeof(*r));

	r->has_after = options->has_after;
	r->after = options->after;
	run_past_init(&r->past, options->journal, options->run, options->first_seq);
	hearing_init(&r->run.hearing);
	buf_init(&r->scratch, TRANSLATE_FRAME_MAX);
	buf_init(&r->bytes, 4 * TRANSLATE_FRAME_MAX);
	return r;
}

void run_replay_destroy(struct run_replay *r)
{
	if (!r)
		return;
	run_past_finish(&r->past);
	hearing_finish(&r->run.hearing);
	buf_finish(&r->scratch);
	buf_finish(&r->bytes);
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
	assert(r->count < r->room);
	r->made[r->count++] = (struct made_frame){p, r->run.frames};
	buf_add(&r->bytes, p.head);
	buf_add(&r->bytes, p.own);
	buf_add(&r->bytes, p.tail);
}

static void give_frame(struct run_replay *r, struct run_frame *out)
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
	static const enum run_replay_news news[] = {
		[RUN_PAST_COLD] = REPLAY_COLD,
		[RUN_PAST_MORE] = REPLAY_MORE,
		[RUN_PAST_LOST] = REPLAY_LOST,
		[RUN_PAST_END] = REPLAY_END,
	};
	enum run_past_news heard;

	while (r->next == r->count) {
		rewind_made(r);
		heard = run_past_next(&r->past, until, budget, &r->signal);
		if (heard != RUN_PAST_SIGNAL)
			return news[heard];
		hear_signal(&r->run.hearing, &r->signal, take_event, r);
	}
	give_frame(r, out);
	return REPLAY_FRAME;
}
