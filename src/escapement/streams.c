/* streams.c - new frames, once for each stream that somebody watches. */
#include "escapement/streams.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "escapement/inside.h"
#include "run/runs.h"

#define STRIP_MAX CLIENT_FILL_MAX /* who lacks more than fits gets frames of its own */
#define TRIM_EVERY (16 * KIB)     /* a strip that grew by so much: what do its screens lack? */

/* ---- frames ---- */

bool run_frame_is_end(const struct run_frame *f)
{
	return !f->pieces.is_numbered && f->run && f->run->finished &&
	       text_is(f->pieces.head, f->run->finished);
}

/* Drops what every screen has, so that a strip is short while they keep up. */
static void trim(struct run_stream *stream)
{
	uint64_t oldest = stream->after;

	list_each(&stream->screens, l) {
		const struct run_view *view = list_of(l, struct run_view, in_stream);

		if (view->at < oldest)
			oldest = view->at;
	}
	strip_drop_before(&stream->strip, oldest);
	stream->trim_at = stream->strip.bytes.len + TRIM_EVERY;
}

static void feed_one(struct streams *streams, struct run_stream *stream, const struct run_frame *f)
{
	bool merged = !stream->session;
	struct strip_frame frame = {
		.place = f->at,
		.number = merged ? f->number : f->own,
		.is_numbered = f->pieces.is_numbered,
	};
	struct text json;

	buf_clear(&streams->scratch);
	streams->scratch.full = false;
	run_frame_add(f, merged, &streams->scratch);
	json = buf_text(&streams->scratch);
	frame.is_end = run_frame_is_end(f);
	if (stream->strip.bytes.len >= stream->trim_at)
		trim(stream);
	if (streams->scratch.full)
		strip_drop_before(&stream->strip, f->at + 1);
	else
		strip_add(&stream->strip, &frame, json);
	stream->after = f->at + 1;
	if (list_is_empty(&stream->in_dirty))
		list_add(&streams->dirty, &stream->in_dirty);
}

/* Frames before this place were forgotten before anybody took them. */
static void miss(struct streams *streams, uint64_t place)
{
	struct run_stream *stream;
	struct text session;
	void *value;
	size_t at = 0;

	if (streams->all)
		strip_drop_before(&streams->all->strip, place);
	while (map_next(&streams->by_session, &at, &session, &value)) {
		stream = value;
		strip_drop_before(&stream->strip, place);
		stream->known_from = place;
	}
}

void streams_feed(struct streams *streams)
{
	struct run_stream *own;
	struct run_frame f;

	if (!streams->all && !streams->by_session.count)
		streams->fed = runs_head(streams->runs);
	while (runs_frame(streams->runs, streams->fed, &f)) {
		if (f.at > streams->fed)
			miss(streams, f.at);
		streams->fed = f.at + 1;
		if (streams->all)
			feed_one(streams, streams->all, &f);
		own = map_get(&streams->by_session, text_of(f.run->id));
		if (own)
			feed_one(streams, own, &f);
	}
}

bool stream_is_done(const struct run_stream *stream, uint64_t place)
{
	return place >= stream->known_from && place >= stream->after;
}

/* ---- life ---- */

static struct run_stream *stream_create(const struct streams *streams, const char *session)
{
	struct run_stream *stream = must_zero(1, sizeof(*stream));

	stream->session = must_dup(session);
	stream->known_from = streams->fed;
	stream->trim_at = TRIM_EVERY;
	list_init(&stream->screens);
	list_init(&stream->in_dirty);
	strip_init(&stream->strip, STRIP_MAX, streams->fed);
	return stream;
}

struct run_stream *streams_open(struct streams *streams, const char *session)
{
	struct run_stream *stream;

	streams_feed(streams);
	if (!session) {
		if (!streams->all)
			streams->all = stream_create(streams, NULL);
		return streams->all;
	}
	stream = map_get(&streams->by_session, text_of(session));
	if (!stream) {
		stream = stream_create(streams, session);
		map_set(&streams->by_session, text_of(session), stream);
	}
	return stream;
}

void streams_close(struct streams *streams, struct run_stream *stream)
{
	if (!list_is_empty(&stream->screens))
		return;
	if (stream->session)
		map_remove(&streams->by_session, text_of(stream->session));
	else
		streams->all = NULL;
	list_remove(&stream->in_dirty);
	strip_finish(&stream->strip);
	free(stream->session);
	free(stream);
}

void streams_init(struct streams *streams, struct runs *runs)
{
	*streams = (struct streams){.runs = runs, .fed = runs_head(runs)};
	map_init(&streams->by_session);
	list_init(&streams->dirty);
	buf_init(&streams->scratch, TRANSLATE_FRAME_MAX);
}

void streams_finish(struct streams *streams)
{
	assert(!streams->all && !streams->by_session.count);
	map_finish(&streams->by_session);
	buf_finish(&streams->scratch);
}
