/* known.c - what a transport may know of its source, and where it is. */
#include "source/inside.h"
#include "source/resume.h"
#include "source/transport.h"

#define SILENCE_MS (5 * 60 * 1000u)
#define STAMP_ROOM (1 * KIB) /* around a position */

struct text source_id(const struct source *s)
{
	return text_of(s->id);
}

struct text source_name(const struct source *s)
{
	return text_of(s->name);
}

const struct transport *source_transport(const struct source *s)
{
	return s->transport;
}

const char *source_url(const struct source *s)
{
	return s->url;
}

const char *source_credential(const struct source *s)
{
	return s->credential;
}

bool source_is_untried(const struct source *s)
{
	return s->is_untried;
}

struct text source_model(const struct source *s)
{
	return text_of(s->model ? s->model : s->model_count ? s->models[0] : NULL);
}

size_t source_model_count(const struct source *s)
{
	return s->model_count;
}

struct text source_model_at(const struct source *s, size_t i)
{
	return text_of(s->models[i]);
}

struct loop *source_loop(const struct source *s)
{
	return s->all->options.loop;
}

struct requests *source_requests(const struct source *s)
{
	return s->all->options.requests;
}

const char *source_data_dir(const struct source *s)
{
	return s->all->options.data;
}

unsigned source_silence_ms(const struct source *s)
{
	unsigned ms = s->all->options.silence_ms;

	return ms ? ms : SILENCE_MS;
}

void **source_memory(struct source *s)
{
	return &s->memory;
}

bool source_is_guessed(const struct source *s)
{
	return s->is_guessed;
}

bool source_takes_asks(const struct source *s)
{
	return s->transport && s->transport->ask;
}

bool source_works_on(const struct source *s)
{
	return s->transport && s->transport->works_on;
}

struct text source_position(const struct source *s)
{
	const struct sources_options *o = &s->all->options;

	return o->position ? o->position(o->self, text_of(s->id)) : (struct text){NULL, 0};
}

bool source_is_local(const struct source *s)
{
	return s->is_local;
}

bool source_is_stopping(const struct source *s)
{
	return s->all->is_stopped;
}

void source_each_run(struct source *s, void (*each)(void *of, struct text run, struct text at),
                     void *of)
{
	if (s->all->options.each_run)
		s->all->options.each_run(s->all->options.self, text_of(s->id), each, of);
}

static void known_receive(struct source *s, struct text envelope, const struct resume_place *place)
{
	struct buf stamped;

	buf_init(&stamped, envelope.len + place->at.len * 6 + STAMP_ROOM);
	if (resume_stamp(&stamped, envelope, place))
		envelope = buf_text(&stamped);
	source_received(s, envelope);
	buf_finish(&stamped);
}

void source_received_at(struct source *s, struct text envelope, struct text at)
{
	known_receive(s, envelope, &(struct resume_place){.source = text_of(s->id), .at = at});
}

void source_received_of_run(struct source *s, struct text envelope, struct text at)
{
	known_receive(s, envelope,
	              &(struct resume_place){.source = text_of(s->id), .at = at, .is_run = true});
}
