/* back.c - what people want of sessions that come by hooks. */
#include "source/claude/back.h"

#include "source/claude/approve.h"
#include "source/claude/pauses.h"

static enum back_answer control(void *self, const struct back_control *c, struct error *why)
{
	struct claude_back *b = self;

	return b->pauses ? pauses_control(b->pauses, c, why) : BACK_UNKNOWN;
}

static bool can(void *self, struct text run, struct text op)
{
	const struct claude_back *b = self;

	return b->pauses && pauses_can(b->pauses, run, op);
}

/* A hook that is gone has no need to know. */
static enum back_answer settle(void *self, const struct back_outcome *o, struct error *why)
{
	struct claude_back *b = self;

	if (!approve_is_ours(o->source))
		return BACK_UNKNOWN;
	if (b->approve)
		approve_reply(b->approve, o);
	return BACK_DONE;
}

static void look(void *self, struct text source, struct text id)
{
	struct claude_back *b = self;

	if (b->approve && approve_is_ours(source))
		approve_look(b->approve, id);
}

static struct text input(void *self, struct text source, struct text id)
{
	struct claude_back *b = self;

	return b->approve && approve_is_ours(source) ? approve_input(b->approve, id) : TEXT("");
}

void claude_back_init(struct claude_back *back)
{
	back->end = (struct back_end){
		.name = "hooks",
		.self = back,
		.control = control,
		.can = can,
		.settle = settle,
		.look = look,
		.input = input,
	};
}
