/* back.c - the way back from every screen to the sources. */
#include "bus/back.h"

#include "box/parts.h"
#include "source/source.h"

static enum back_answer answer_of(enum source_answer answer)
{
	static const enum back_answer answers[] = {
		[SOURCE_DONE] = BACK_DONE,
		[SOURCE_INVALID] = BACK_INVALID,
		[SOURCE_UNKNOWN] = BACK_UNKNOWN,
		[SOURCE_CONFLICT] = BACK_CONFLICT,
		[SOURCE_NOT_SUPPORTED] = BACK_NOT_SUPPORTED,
		[SOURCE_UNSAVED] = BACK_DONE,
	};

	return answers[answer];
}

static enum back_answer ask(void *self, const struct back_ask *ask, char run[BACK_RUN_LEN],
                            struct error *why)
{
	struct box *box = self;
	struct ask a = {.prompt = ask->prompt, .model = ask->model, .session = ask->session};

	_Static_assert(BACK_RUN_LEN == RUN_ID_LEN, "a run's id is one thing");
	return answer_of(sources_ask(box->sources, ask->source, &a, run, why));
}

static enum back_answer cancel(void *self, struct text run, struct error *why)
{
	return answer_of(sources_cancel(((struct box *)self)->sources, run, why));
}

static enum back_answer send(void *self, struct text source, struct text message, struct error *why)
{
	return answer_of(sources_send(((struct box *)self)->sources, source, message, why));
}

struct back box_back(struct box *box)
{
	return (struct back){.self = box, .ask = ask, .cancel = cancel, .send = send};
}
