/* past.c - what runs had said, made again from the journal. */
#include "gateway/past.h"

#include <stdlib.h>

#include "base/must.h"
#include "gateway/inside.h"
#include "net/loop.h"
#include "run/past.h"
#include "run/recall.h"

#define PASTS_MAX 256             /* runs; then all are read again */
#define PASTS_SIZE_MAX (32 * MIB) /* bytes of what they said, likewise */

struct gateway_past_run {
	struct gateway_pasts *in;
	struct run run; /* a few members of it */
	struct said *said;
	struct hearing hearing;
	uint64_t seq; /* of the signal that it is about to hear */
};

struct gateway_pasts {
	struct gateway *g;
	struct map runs;                  /* id -> struct gateway_past_run */
	size_t size;                      /* of what they said */
	struct gateway_past_run *opening; /* it is read, */
	struct run_past past;             /* from here */
	uint64_t until;                   /* to there */
};

struct gateway_pasts *gateway_pasts_create(struct gateway *g)
{
	struct gateway_pasts *p = must_zero(1, sizeof(*p));

	p->g = g;
	map_init(&p->runs);
	return p;
}

static void free_run(struct gateway_past_run *r)
{
	said_destroy(r->said);
	hearing_finish(&r->hearing);
	free(r->run.id);
	free(r->run.source);
	free(r);
}

void gateway_pasts_forget(struct gateway_pasts *p)
{
	struct text id;
	size_t at = 0;
	void *run;

	if (p->opening)
		run_past_finish(&p->past);
	p->opening = NULL;
	p->size = 0;
	while (map_next(&p->runs, &at, &id, &run))
		free_run(run);
	map_finish(&p->runs);
	map_init(&p->runs);
}

void gateway_pasts_destroy(struct gateway_pasts *p)
{
	if (!p)
		return;
	gateway_pasts_forget(p);
	map_finish(&p->runs);
	free(p);
}

bool gateway_pasts_want(const struct gateway_pasts *p, const struct signal *s)
{
	const struct run *known;

	if (!yyjson_is_obj(yyjson_obj_get(s->envelope, "payload")) || !run_of_signal(s).len)
		return false;
	known = run_is_told(s) ? runs_find(p->g->options.runs, run_of_signal(s)) : NULL;
	return !run_is_told(s) || (known && known->first_seq < s->seq);
}

static struct gateway_past_run *make(struct gateway_pasts *p, struct text id,
                                     const struct signal *s)
{
	const struct run *known = runs_find(p->g->options.runs, id);
	struct gateway_past_run *r = must_zero(1, sizeof(*r));

	if (p->runs.count >= PASTS_MAX || p->size > PASTS_SIZE_MAX)
		gateway_pasts_forget(p);
	r->in = p;
	r->run.id = text_dup(id);
	r->run.source = known ? must_dup(known->source) : text_dup(s->source);
	r->said = said_create();
	hearing_init(&r->hearing);
	map_set(&p->runs, id, r);
	if (known && known->first_seq < s->seq) {
		p->opening = r;
		p->until = s->seq - 1;
		run_past_init(&p->past, p->g->options.journal, id, known->first_seq);
	}
	return r;
}

struct gateway_past_run *gateway_pasts_find(struct gateway_pasts *p, const struct signal *s)
{
	struct text id = run_of_signal(s);
	struct gateway_past_run *r = map_get(&p->runs, id);

	if (!r)
		r = make(p, id, s);
	return p->opening ? NULL : r;
}

static void hear_event(void *self, const struct run_event *e)
{
	struct gateway_past_run *r = self;

	r->in->size -= r->said->size;
	said_event(r->said, e, r->seq);
	r->in->size += r->said->size;
}

void gateway_past_hear(struct gateway_past_run *r, const struct signal *s)
{
	r->run.signals++;
	r->seq = s->seq;
	hear_signal(&r->hearing, s, hear_event, r);
}

enum pump gateway_pasts_read(struct gateway_pasts *p, size_t *budget)
{
	struct signal s;

	while (p->opening) {
		if (loop_slice_is_over(p->g->options.loop))
			*budget = 0;
		switch (run_past_next(&p->past, p->until, budget, &s)) {
		case RUN_PAST_SIGNAL:
			gateway_past_hear(p->opening, &s);
			break;
		case RUN_PAST_COLD:
			return PUMP_COLD;
		case RUN_PAST_MORE:
			return PUMP_MORE;
		case RUN_PAST_LOST:
			break;
		case RUN_PAST_END:
			run_past_finish(&p->past);
			p->opening = NULL;
			break;
		}
	}
	return PUMP_IDLE;
}

bool gateway_pasts_are_kept(struct gateway_pasts *p)
{
	struct runs *runs = p->g->options.runs;
	bool are_kept = true;
	struct text id;
	size_t at = 0;
	void *value;

	while (map_next(&p->runs, &at, &id, &value)) {
		struct run *known = runs_find(runs, id);

		if (known && !run_said(runs, known))
			are_kept = false;
	}
	return are_kept;
}

const struct said *gateway_past_said(const struct gateway_past_run *r)
{
	return r->said;
}

const struct run *gateway_past_run(struct gateway_past_run *r)
{
	const struct run *known = runs_find(r->in->g->options.runs, text_of(r->run.id));

	r->run.session = known ? known->session : NULL;
	return &r->run;
}
