/* run_memory.c - the run, its open prompts and what was heard of it, across connections. */
#include "source/run_memory.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "base/random.h"
#include "parse/parse.h"
#include "source/transport.h"

#define PROMPTS_MAX 256 /* open ones; the oldest is forgotten */

/* ---- what is known ---- */

uint64_t run_memory_hash(const struct run_memory *m, struct text frame)
{
	return map_hash(m->seed, frame);
}

bool run_memory_knows(const struct run_memory *m, uint64_t hash)
{
	for (size_t i = 0; i < m->known_count && i < RUN_KNOWN_MAX; i++)
		if (m->known[i] == hash)
			return true;
	return false;
}

void run_memory_know(struct run_memory *m, uint64_t hash)
{
	m->known[m->known_count++ % RUN_KNOWN_MAX] = hash;
}

struct text run_memory_run(const struct run_memory *m)
{
	return m->session ? text_of(m->session) : source_id(m->source);
}

/* ---- prompts ---- */

void run_memory_close(struct run_memory *m, struct run_asked *a)
{
	list_remove(&a->in_memory);
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
	m->prompt_count++;
	return a;
}

/* ---- signals ---- */

static void made_signal(void *self, struct text envelope)
{
	source_received(((struct run_memory *)self)->source, envelope);
}

static void met_bad(void *self, const char *why)
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
		.signal = made_signal,
		.bad = met_bad,
	};

	parse_destroy(m->parse);
	m->parse = parse_create(parse_find(TEXT("escapement")), &options);
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

	if (m)
		return m;
	m = must_zero(1, sizeof(*m));
	m->source = source;
	random_bytes(&m->seed, sizeof(m->seed));
	list_init(&m->prompts);
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
