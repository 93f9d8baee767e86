/* run_memory.c - the run, its open prompts and what was heard of it, across connections. */
#include "source/run/run_memory.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "parse/parse.h"
#include "source/resume.h"
#include "source/transport.h"

#define PROMPTS_MAX 256 /* open ones; the oldest is forgotten */

struct text run_memory_run(const struct run_memory *m)
{
	return m->session ? text_of(m->session) : source_id(m->source);
}

/* ---- prompts ---- */

void run_memory_close(struct run_memory *m, struct run_asked *a)
{
	list_remove(&a->in_memory);
	assert(m->prompt_count > 0);
	m->prompt_count--;
	free(a->id);
	free(a->invoke);
	free(a);
}

struct run_asked *run_memory_find(const struct run_memory *m, struct text id)
{
	list_each(&m->prompts, l) {
		struct run_asked *a = list_of(l, struct run_asked, in_memory);

		if (text_is(id, a->id))
			return a;
	}
	return NULL;
}

struct run_asked *run_memory_ask(struct run_memory *m, struct text id, struct text invoke)
{
	struct run_asked *a = must_zero(1, sizeof(*a));

	if (m->prompt_count == PROMPTS_MAX)
		run_memory_close(m, list_of(m->prompts.next, struct run_asked, in_memory));
	a->id = text_dup(id);
	a->invoke = text_dup(invoke);
	list_add(&m->prompts, &a->in_memory);
	assert(m->prompt_count < PROMPTS_MAX);
	m->prompt_count++;
	return a;
}

struct open_ids {
	char *ids[PROMPTS_MAX];
	size_t count;
};

static void keep_id(void *of, struct text id)
{
	struct open_ids *open = of;

	if (open->count < PROMPTS_MAX)
		open->ids[open->count++] = text_dup(id);
}

bool run_memory_left_open(const struct run_memory *m, struct text id)
{
	struct open_ids open = {.count = 0};
	bool found = false;

	if (m->is_fresh)
		source_each_prompt(m->source, keep_id, &open);
	for (size_t i = 0; i < open.count; i++) {
		found = found || text_is(id, open.ids[i]);
		free(open.ids[i]);
	}
	return found;
}

void run_memory_withdraw(struct run_memory *m)
{
	struct open_ids open = {.count = 0};

	source_each_prompt(m->source, keep_id, &open);
	for (size_t i = 0; i < open.count; i++) {
		if (!run_memory_find(m, text_of(open.ids[i])))
			source_withdrew(m->source, text_of(open.ids[i]),
			                "the hub does not ask it any more");
		free(open.ids[i]);
	}
}

/* ---- signals ---- */

static void run_memory_made_signal(void *self, struct text envelope)
{
	struct run_memory *m = self;
	struct buf at;

	if (m->made++ < m->passes)
		return;
	if (m->in_event)
		m->place.told = m->made;
	if (!m->place.is_known) {
		source_received(m->source, envelope);
		return;
	}
	buf_init(&at, RESUME_AT_MAX);
	run_place_write(&m->place, run_memory_run(m), &at);
	source_received_at(m->source, envelope, buf_text(&at));
	buf_finish(&at);
}

static void run_memory_met_bad(void *self, const char *why)
{
	source_bad(((struct run_memory *)self)->source, why);
}

static void begin_parse(struct run_memory *m)
{
	struct parse_options options = {
		.source = source_id(m->source),
		.correlation = run_memory_run(m),
		.event_max = RUN_FRAME_MAX,
		.self = m,
		.signal = run_memory_made_signal,
		.bad = run_memory_met_bad,
	};

	parse_destroy(m->parse);
	m->parse = parse_create(parse_find(TEXT("escapement")), &options);
}

void run_memory_parse(struct run_memory *m, struct text frame, uint64_t passes)
{
	m->made = 0;
	m->passes = passes;
	parse_message(m->parse, frame);
}

/* Another run: what the last one asked is nobody's question any more. */
void run_memory_begin(struct run_memory *m, struct text session)
{
	if (session.len == 0 || text_equal(session, run_memory_run(m)))
		return;
	while (!list_is_empty(&m->prompts)) {
		struct run_asked *a = list_of(m->prompts.next, struct run_asked, in_memory);

		source_withdrew(m->source, text_of(a->id), "its run is over");
		run_memory_close(m, a);
	}
	free(m->session);
	m->session = text_dup(session);
	begin_parse(m);
}

/* ---- life ---- */

struct run_memory *run_memory_of(struct source *source)
{
	void **slot = source_memory(source);
	struct run_memory *m = *slot;
	struct text run;

	if (m)
		return m;
	m = must_zero(1, sizeof(*m));
	m->source = source;
	list_init(&m->prompts);
	m->is_fresh = run_place_read(&m->place, source_position(source), &run);
	if (m->is_fresh && !text_equal(run, source_id(source)))
		m->session = text_dup(run);
	begin_parse(m);
	*slot = m;
	return m;
}

void run_memory_forget(void *memory)
{
	struct run_memory *m = memory;

	while (!list_is_empty(&m->prompts))
		run_memory_close(m, list_of(m->prompts.next, struct run_asked, in_memory));
	parse_destroy(m->parse);
	free(m->session);
	free(m);
}
