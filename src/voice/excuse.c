/* excuse.c - a role for what no engine does: its work fails as soon as it is wanted. */
#include <stdlib.h>

#include "base/must.h"
#include "voice/means.h"

struct excused {
	const struct voice_excuse *excuse;
	struct voice_ear ear;
	bool is_told;
};

static void *excuse_begin(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	struct excused *work = must_zero(1, sizeof(*work));

	(void)now_ms;
	*work = (struct excused){.excuse = of, .ear = *ear};
	return work;
}

static void excuse_feed(void *work, struct text piece, uint64_t now_ms)
{
	(void)work;
	(void)piece;
	(void)now_ms;
}

static void excuse_end(void *work, uint64_t now_ms)
{
	(void)work;
	(void)now_ms;
}

static void excuse_stop(void *work)
{
	free(work);
}

/* At once, but not from inside of its beginning. */
static uint64_t excuse_due(const void *work)
{
	return ((const struct excused *)work)->is_told ? VOICE_NEVER : 0;
}

static void excuse_tick(void *work, uint64_t now_ms)
{
	struct excused *excused = work;
	const struct voice_excuse *excuse = excused->excuse;
	struct voice_ear ear = excused->ear;

	excused->is_told = true;
	ear.told(ear.self, ear.turn,
	         &(struct voice_fact){.kind = FACT_FAILED,
	                              .text = text_of(excuse->words.words),
	                              .code = excuse->code,
	                              .retryable = excuse->retryable,
	                              .now_ms = now_ms});
}

const struct voice_role voice_excuses = {
	.begin = excuse_begin,
	.feed = excuse_feed,
	.end = excuse_end,
	.stop = excuse_stop,
	.due = excuse_due,
	.tick = excuse_tick,
};
