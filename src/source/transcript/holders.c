/* holders.c - an errand of the loop. */
#include "source/transcript/holders.h"

#include <stdlib.h>

#include "base/must.h"
#include "net/work.h"

#define EVERY_MS 5000

struct holders_errand {
	struct holders *holders;
	struct holder_find find;
	char *sessions[HOLDERS_MAX];
};

struct holders {
	struct holders_options options;
	struct holders_errand *next; /* being made up; NULL: none */
	struct work *work;           /* under way; NULL: none */
	uint64_t went_ms;            /* 0: never */
};

static void holders_errand_run(void *self)
{
	holder_find_run(&((struct holders_errand *)self)->find);
}

static void holders_errand_done(void *self)
{
	struct holders_errand *e = self;
	struct holders_options *o = &e->holders->options;

	e->holders->work = NULL;
	for (unsigned i = 0; i < e->find.count; i++)
		if (e->find.wishes[i].pid)
			o->found(o->self, text_of(e->sessions[i]), &e->find.wishes[i]);
}

static void holders_errand_drop(void *self)
{
	struct holders_errand *e = self;

	for (unsigned i = 0; i < e->find.count; i++)
		free(e->sessions[i]);
	holder_find_finish(&e->find);
	free(e);
}

struct holders *holders_create(const struct holders_options *options)
{
	struct holders *holders = must_zero(1, sizeof(*holders));

	holders->options = *options;
	return holders;
}

void holders_destroy(struct holders *holders)
{
	if (!holders)
		return;
	if (holders->work)
		work_leave(holders->work);
	if (holders->next)
		holders_errand_drop(holders->next);
	free(holders);
}

bool holders_begin(struct holders *holders, uint64_t now_ms)
{
	if (holders->work || (holders->went_ms && now_ms - holders->went_ms < EVERY_MS))
		return false;
	if (!holders->next)
		holders->next = must_zero(1, sizeof(*holders->next));
	holders->next->holders = holders;
	return true;
}

void holders_want(struct holders *holders, struct text session, const struct holder_wish *what)
{
	struct holders_errand *e = holders->next;

	if (!e || e->find.count == HOLDERS_MAX)
		return;
	e->sessions[e->find.count] = text_dup(session);
	e->find.wishes[e->find.count] = *what;
	e->find.wishes[e->find.count].name = must_dup(what->name);
	e->find.wishes[e->find.count].cwd = must_dup(what->cwd);
	e->find.count++;
}

void holders_go(struct holders *holders, uint64_t now_ms)
{
	struct holders_errand *e = holders->next;
	struct work_plan plan = {e, holders_errand_run, holders_errand_done, holders_errand_drop};

	if (!e || e->find.count == 0)
		return;
	holders->next = NULL;
	holders->went_ms = now_ms ? now_ms : 1;
	holders->work = work_start(holders->options.loop, &plan);
}
