/* back.c - the sources as a back end: asks, controls, messages and answers for them. */
#include "source/back.h"

#include "base/put.h"
#include "signal/signal.h"
#include "source/inside.h"
#include "source/source.h"

#define PASSED_EXTRA (64 * KIB) /* a correlationId, escaped */

static enum back_answer ask(void *self, const struct back_ask *ask, struct error *why)
{
	return sources_ask(self, ask, why);
}

static enum back_answer cancel(void *self, const struct back_control *c, struct error *why)
{
	return sources_cancel(self, c, why);
}

static enum back_answer control(void *self, const struct back_control *c, struct error *why)
{
	return sources_control(self, c, why);
}

static bool can(void *self, struct text run, struct text op)
{
	struct sources *sources = self;
	const struct sources_options *o = &sources->options;

	if (text_is(op, "tell"))
		return o->source_of && sources_can_send(sources, o->source_of(o->self, run));
	return sources_can(sources, run, op, o->is_live && o->is_live(o->self, run));
}

static enum back_answer send(void *self, struct text source, struct text message, struct error *why)
{
	return sources_send(self, source, message, why);
}

static enum back_answer call(void *self, const struct back_call *call, struct error *why)
{
	return sources_call(self, call, why);
}

/* The stored envelope, and what it belongs to if it did not say so itself. */
static void add_passed(struct buf *out, const struct signal *s, struct text run)
{
	struct text line = s->line;

	if (s->correlation.at || !run.len) {
		buf_add(out, line);
		return;
	}
	buf_add(out, (struct text){line.at, line.len - 1});
	buf_add_char(out, ','); /* there may be a space before */
	put_text(out, "correlationId", run);
	buf_add_char(out, '}');
}

static enum back_answer tell(void *self, const struct back_deed *deed, struct error *why)
{
	enum back_answer answer = BACK_INVALID;
	struct buf passed;

	if (!deed->source.len) {
		error_set(why, "nobody knows whose it is");
		return BACK_UNKNOWN;
	}
	buf_init(&passed, deed->signal->line.len + PASSED_EXTRA);
	add_passed(&passed, deed->signal, deed->run);
	if (passed.full)
		error_set(why, "it is too long");
	else
		answer = sources_send(self, deed->source, buf_text(&passed), why);
	buf_finish(&passed);
	return answer;
}

static enum back_answer settle(void *self, const struct back_outcome *o, struct error *why)
{
	return sources_reply(self, o->source, o, why);
}

struct back_end sources_back_end(struct sources *sources)
{
	return (struct back_end){
		.name = "sources",
		.self = sources,
		.ask = ask,
		.cancel = cancel,
		.control = control,
		.can = can,
		.send = send,
		.call = call,
		.tell = tell,
		.settle = settle,
	};
}
