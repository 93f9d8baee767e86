/* skeleton_back.c - a back end that answers what is asked of `skeleton` with the same words.
 *
 * An answer is signals, as everything is: task_dispatch opens the run, text_delta has what is
 * said, completion ends it.  Whoever asked follows the run by its id.
 */
#include "skeleton_back/skeleton_back.h"

#include <stdlib.h>

#include "base/must.h"
#include "bus/bus.h"
#include "signal/make.h"

#define NAME TEXT("skeleton")
#define SIGNAL_MAX (8 * BACK_PROMPT_MAX) /* a byte may become six in JSON */

struct skeleton_back {
	struct back_end end;
	struct bus *bus;
};

/* A payload begins with whose work it is. */
static void begin(struct make *m, struct buf *out, const char *type, struct text run)
{
	buf_init(out, SIGNAL_MAX);
	make_begin(m, out,
	           &(struct make_head){
			   .type = type, .source = NAME, .correlation = run, .is_new = true});
	make_payload(m);
	make_text(m, "taskId", run);
	make_text(m, "agentId", NAME);
}

static bool end(struct skeleton_back *b, struct make *m)
{
	struct bus_emit emit = {.from = bus_from(b->bus, NAME, true)};
	struct bus_verdict verdict = {.answer = BUS_REFUSED};

	if (make_end(m)) {
		emit.raw = buf_text(m->out);
		bus_admit(b->bus, &emit, &verdict);
	}
	buf_finish(m->out);
	return verdict.answer == BUS_ACCEPTED;
}

static bool dispatch(struct skeleton_back *b, const struct back_ask *ask)
{
	struct make m;
	struct buf out;

	begin(&m, &out, "task_dispatch", ask->run);
	make_text(&m, "prompt", ask->prompt);
	return end(b, &m);
}

static bool say(struct skeleton_back *b, const struct back_ask *ask)
{
	struct make m;
	struct buf out;

	begin(&m, &out, "text_delta", ask->run);
	make_text(&m, "content", ask->prompt);
	return end(b, &m);
}

static bool complete(struct skeleton_back *b, const struct back_ask *ask)
{
	struct make m;
	struct buf out;

	begin(&m, &out, "completion", ask->run);
	make_bool(&m, "success", true);
	make_text(&m, "result", ask->prompt);
	return end(b, &m);
}

/* BACK_UNKNOWN: it is none of ours, and the next back end is tried. */
static enum back_answer skeleton_ask(void *self, const struct back_ask *ask, struct error *why)
{
	struct skeleton_back *b = self;

	if (!text_equal(ask->source, NAME))
		return BACK_UNKNOWN;
	if (dispatch(b, ask) && say(b, ask) && complete(b, ask))
		return BACK_DONE;
	error_set(why, "the answer could not be stored");
	return BACK_CONFLICT;
}

struct back_end *skeleton_back_create(struct bus *bus)
{
	struct skeleton_back *b = must_zero(1, sizeof(*b));

	b->bus = bus;
	b->end = (struct back_end){.name = "skeleton", .self = b, .ask = skeleton_ask};
	return &b->end;
}

void skeleton_back_destroy(struct back_end *end)
{
	free(list_of(end, struct skeleton_back, end));
}
