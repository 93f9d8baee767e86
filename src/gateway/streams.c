/* streams.c - frames are made once for each stream, and taken by its clients when they can. */
#include "gateway/streams.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/follow.h"
#include "gateway/inside.h"
#include "gateway/presence.h"
#include "gateway/tell.h"
#include "hub/hub.h"

#define TRIM_EVERY (16 * KIB) /* a strip that grew by so much: what do its clients lack? */

/* ---- who sees what ---- */

/* Its client may have left in this turn. */
static bool is_of_session(const struct gateway_stream *stream, struct text key)
{
	const struct link *first = stream->views.next;

	if (!stream->is_private)
		return true;
	return first != &stream->views &&
	       gateway_follow_has(list_of(first, struct gateway_view, in_stream), key);
}

static bool is_for(const struct gateway_stream *stream, const struct gateway_event *e)
{
	if (stream->is_quiet || (e->protocol && e->protocol != stream->protocol))
		return false;
	switch (e->family) {
	case GATEWAY_FOR_ALL:
		return true;
	case GATEWAY_FOR_LIVE:
		return !stream->is_exact;
	case GATEWAY_OF_RUNS:
		return stream->sees_runs && is_of_session(stream, e->session);
	case GATEWAY_OF_TOOLS:
		return stream->sees_tools && is_of_session(stream, e->session);
	}
	return false;
}

bool gateway_is_heard(const struct gateway *g, unsigned protocol)
{
	list_each(&g->streams, l)
		if (list_of(l, struct gateway_stream, in_room)->protocol == protocol)
			return true;
	return false;
}

bool gateway_sees_session(const struct gateway_view *view, struct text key)
{
	return view->stream->sees_runs && is_of_session(view->stream, key);
}

size_t gateway_watchers_of(const struct gateway *g, struct text key)
{
	size_t count = g->watchers;

	list_each(&g->streams, l) {
		const struct gateway_stream *stream = list_of(l, struct gateway_stream, in_room);

		if (stream->is_private && !list_is_empty(&stream->views))
			count -= !is_of_session(stream, key);
	}
	return count;
}

/* ---- clients that lag ---- */

struct rescue {
	struct gateway_view *view;
	size_t max;
};

static void rescue_frame(void *self, const struct strip_frame *frame, struct text bytes)
{
	struct rescue *r = self;
	struct client *c = r->view->client;

	if (frame->may_drop) {
		r->view->has_lost = true;
		return;
	}
	if (c->state == CLIENT_CLOSING)
		return;
	if (client_owed(c) + bytes.len > r->max)
		client_close(c, 1008, TEXT("slow consumer"));
	else
		client_say(c, bytes);
}

/* The strip is about to forget what stands before this place. */
static void rescue(struct gateway_stream *stream, uint64_t place)
{
	list_each(&stream->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_stream);
		struct rescue r = {view, gateway_of(view)->options.config->max_buffered};

		if (view->at < place && !client_owed(view->client))
			gateway_pump_stream(view);
		if (view->at >= place || view->client->state == CLIENT_CLOSING)
			continue;
		client_count_behind(view->client);
		strip_each(&stream->strip, view->at, place, rescue_frame, &r);
		view->at = place;
	}
}

/* Drops what every client has. */
static void trim(const struct gateway *g, struct gateway_stream *stream)
{
	uint64_t oldest = g->place;

	list_each(&stream->views, l) {
		const struct gateway_view *view = list_of(l, struct gateway_view, in_stream);

		if (view->at < oldest)
			oldest = view->at;
	}
	strip_drop_before(&stream->strip, oldest);
	stream->trim_at = stream->strip.bytes.len + TRIM_EVERY;
}

/* ---- events ---- */

static void write_event(struct gateway *g, const struct gateway_event *e, uint64_t seq)
{
	struct buf *out = &g->scratch;

	buf_clear(out);
	out->full = false;
	openclaw_wire_event(out, e->event);
	put_json(out, "payload", e->payload);
	put_u64(out, "seq", seq);
	if (e->has_versions)
		gateway_put_versions(g, out);
	put_end(out);
}

/* One that is longer than the strip: whoever is owed nothing gets it at once. */
static void say_to_each(struct gateway_stream *stream, const struct gateway_event *e,
                        struct text json)
{
	list_each(&stream->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_stream);
		size_t max = gateway_of(view)->options.config->max_buffered;

		if (e->may_drop && client_owed(view->client))
			view->has_lost = true;
		else if (client_owed(view->client) + json.len > max)
			client_close(view->client, 1008, TEXT("slow consumer"));
		else
			client_say_frame(view->client, WS_OP_TEXT, json);
	}
}

/* Once for all frames that come before the first of them is served. */
static void wake(struct gateway_stream *stream)
{
	if (stream->is_awake)
		return;
	stream->is_awake = true;
	list_each(&stream->views, l)
		client_work(list_of(l, struct gateway_view, in_stream)->client);
}

static void feed(struct gateway *g, struct gateway_stream *stream, const struct gateway_event *e)
{
	struct strip_frame frame = {.place = g->place, .may_drop = e->may_drop};
	uint64_t whole;

	if (stream->strip.bytes.len >= stream->trim_at)
		trim(g, stream);
	stream->seq = stream->protocol == GATEWAY_OLDEST ? g->seq : stream->seq + 1;
	write_event(g, e, stream->seq);
	if (g->scratch.full)
		return;
	if (!strip_fits(&stream->strip, g->scratch.len)) {
		rescue(stream, g->place);
		say_to_each(stream, e, buf_text(&g->scratch));
		return;
	}
	whole = strip_whole_with(&stream->strip, g->scratch.len);
	if (whole > stream->strip.whole_from)
		rescue(stream, whole);
	strip_add(&stream->strip, &frame, buf_text(&g->scratch));
	wake(stream);
}

void gateway_broadcast(struct gateway *g, const struct gateway_event *e)
{
	if (!e->protocol || e->protocol == GATEWAY_OLDEST)
		g->seq++;
	list_each(&g->streams, l) {
		struct gateway_stream *stream = list_of(l, struct gateway_stream, in_room);

		if (is_for(stream, e))
			feed(g, stream, e);
	}
	g->place++;
}

/* ---- joining and leaving ---- */

static struct gateway_stream *stream_for(struct gateway *g, const struct gateway_view *view)
{
	struct gateway_stream wanted = {
		.protocol = view->protocol,
		.sees_runs = view->client->scopes & SCOPE_OBSERVE &&
	                     (view->protocol == GATEWAY_OLDEST || view->scopes & OPERATOR_READ),
	};
	struct gateway_stream *stream;

	if (view->caps & GATEWAY_POSITIONS) { /* of runs it is told otherwise */
		wanted.sees_runs = false;
		wanted.is_quiet = !view->exact;
		wanted.is_exact = true;
	}
	wanted.sees_tools = wanted.sees_runs && view->caps & GATEWAY_TOOLS;
	wanted.is_private = wanted.sees_runs && view->caps & GATEWAY_SCOPED;
	list_each(&g->streams, l) {
		stream = list_of(l, struct gateway_stream, in_room);
		if (!wanted.is_private && !stream->is_private &&
		    stream->protocol == wanted.protocol && stream->is_quiet == wanted.is_quiet &&
		    stream->is_exact == wanted.is_exact && stream->sees_runs == wanted.sees_runs &&
		    stream->sees_tools == wanted.sees_tools)
			return stream;
	}
	stream = must_zero(1, sizeof(*stream));
	*stream = wanted;
	stream->trim_at = TRIM_EVERY;
	strip_init(&stream->strip, client_options(view->client)->behind_max, g->place);
	list_init(&stream->views);
	list_add(&g->streams, &stream->in_room);
	return stream;
}

void gateway_join_stream(struct gateway_view *view)
{
	struct gateway *g = gateway_of(view);

	view->stream = stream_for(g, view);
	view->at = g->place;
	list_add(&view->stream->views, &view->in_stream);
	g->watchers += view->stream->sees_runs;
}

void gateway_leave_stream(struct gateway_view *view)
{
	gateway_of(view)->watchers -= view->stream->sees_runs;
	list_remove(&view->in_stream);
	view->stream = NULL;
}

void gateway_end_streams(struct gateway *g)
{
	list_each(&g->streams, l) {
		struct gateway_stream *stream = list_of(l, struct gateway_stream, in_room);

		if (!list_is_empty(&stream->views))
			continue;
		list_remove(&stream->in_room);
		strip_finish(&stream->strip);
		free(stream);
	}
}

/* Nobody else is there who lacks something: while it is at rest, it costs no room. */
static void empty(struct gateway_stream *stream, uint64_t place)
{
	size_t max = stream->strip.bytes.max;

	strip_finish(&stream->strip);
	strip_init(&stream->strip, max, place);
	stream->trim_at = TRIM_EVERY;
}

void gateway_pump_stream(struct gateway_view *view)
{
	struct stretch news;

	view->stream->is_awake = false;
	if (!strip_from(&view->stream->strip, view->at, &news))
		assert(!"a client lags behind its strip");
	view->at = gateway_of(view)->place;
	client_pass(view->client, news.bytes);
	if (view->stream->is_private)
		empty(view->stream, view->at);
	if (view->has_lost && view->client->state != CLIENT_CLOSING) {
		view->has_lost = false;
		gateway_tell_anew(view);
		if (view->client->state != CLIENT_CLOSING)
			gateway_tell_presence_anew(view);
	}
}
