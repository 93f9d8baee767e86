/* escapement.c - the run dialect: agents and screens, one JSON frame a message.
 *
 * `?session=ID` is one run with its own numbers, without it all are merged under one
 * counter; `?since=SEQ` goes on after an event.  `?role=agent&session=ID` is the other
 * side: whoever does the work.  What is not understood is passed over, as this dialect
 * has it.
 */
#include "escapement/escapement.h"

#include <stdlib.h>

#include "base/must.h"
#include "escapement/inside.h"
#include "hub/hub.h"
#include "net/http.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "run/translate.h"

/* ---- the query ---- */

static bool read_number(struct text value, uint64_t *out)
{
	struct position position;

	if (!position_parse(value, &position) || memchr(value.at, '-', value.len))
		return false;
	*out = position.seq;
	return true;
}

static bool read_role(struct run_wish *wish, struct text value, struct error *why)
{
	wish->is_agent = text_is(value, "agent");
	return wish->is_agent || text_is(value, "screen") ||
	       error_set(why, "a role is agent or screen");
}

static bool read_param(void *self, struct text name, struct text value, struct error *why)
{
	struct run_wish *wish = self;

	if (text_is(name, "session")) {
		buf_clear(&wish->session);
		return (value.len && buf_add(&wish->session, value)) ||
		       error_set(why, "a session has a name of 1 to %d bytes", TRANSLATE_RUN_MAX);
	}
	if (text_is(name, "role"))
		return read_role(wish, value, why);
	if (text_is(name, "since")) {
		wish->has_since = true;
		return read_number(value, &wish->since) || error_set(why, "since is a number");
	}
	return text_is(name, "ticket") || text_is(name, "token") ||
	       error_set(why, "there is no such parameter");
}

bool run_wish_read(struct run_wish *wish, const struct http *http, struct error *why)
{
	*wish = (struct run_wish){0};
	buf_init(&wish->session, TRANSLATE_RUN_MAX);
	if (!http_query_each(http_request(http)->query, read_param, wish, why))
		return false;
	return !wish->is_agent || wish->session.len ||
	       error_set(why, "an agent says which session is its own");
}

void run_wish_finish(struct run_wish *wish)
{
	buf_finish(&wish->session);
}

static bool check(const struct http *http, struct error *why)
{
	struct run_wish wish;
	bool good = run_wish_read(&wish, http, why);

	run_wish_finish(&wish);
	return good;
}

/* ---- coming and going ---- */

void run_say(struct client *c, const char *words)
{
	client_say_frame(c, WS_OP_TEXT, text_of(words));
}

static struct run_view *view_create(struct client *c, const struct run_wish *wish)
{
	struct run_view *view = client_view(c);

	view->client = c;
	view->session = wish->session.len ? text_dup(buf_text(&wish->session)) : NULL;
	json_reader_init(&view->reader, client_options(c)->ws.message_max);
	list_init(&view->in_room);
	list_init(&view->in_stream);
	coalesce_init(&view->joined, &coalesce_deltas, FRAME_MAX);
	return view;
}

static void leave(struct client *c)
{
	struct run_view *view = client_has_view(c);

	if (view->agent)
		run_agent_end(view);
	else
		run_screen_end(view);
	list_remove(&view->in_room);
	coalesce_finish(&view->joined);
	json_reader_finish(&view->reader);
	free(view->session);
}

static enum pump pump(struct client *c, size_t *budget)
{
	struct run_view *view = client_has_view(c);

	return view->agent || c->cold ? PUMP_IDLE : run_screen_pump(view, budget);
}

static void welcome_screen(struct client *c, const struct http *http)
{
	struct run_wish wish;
	bool good = run_wish_read(&wish, http, NULL);

	if (!good || !(c->scopes & (wish.is_agent ? SCOPE_EMIT : SCOPE_OBSERVE))) {
		client_close(c, 1008,
		             wish.is_agent ? TEXT("an agent needs the scope emit")
		                           : TEXT("a screen needs the scope observe"));
	} else if (!wish.is_agent) {
		run_screen_begin(view_create(c, &wish), &wish);
	} else if (!run_agent_begin(view_create(c, &wish), c->has_credential)) {
		client_close(c, 1008, TEXT("this session has an agent"));
	}
	run_wish_finish(&wish);
}

static void hear_frame(struct client *c, struct text message)
{
	struct run_view *view = client_has_view(c);
	struct frame frame;

	if (view->agent)
		run_agent_hear(view, message);
	else if (frame_read(&frame, &view->reader, message, NULL))
		run_hear_screen(view, &frame);
}

/* ---- news ---- */

static void wake(const struct run_stream *stream)
{
	list_each(&stream->screens, l)
		client_work(list_of(l, struct run_view, in_stream)->client);
}

static void wake_seeking(struct escapement *e)
{
	list_each(&e->screens, l) {
		struct run_view *view = list_of(l, struct run_view, in_room);

		if (view->is_seeking)
			client_work(view->client);
	}
}

/* The run that spoke last may be over, which screens of all are told even if it said nothing
 * that has a frame. */
static bool is_last_over(struct runs *runs)
{
	struct link *all = runs_all(runs);

	return !list_is_empty(all) && list_of(all->prev, struct run, in_all)->finished;
}

static void tell_runs(struct escapement *e)
{
	struct streams *streams = &e->streams;

	streams_feed(streams);
	if (streams->all && is_last_over(streams->runs))
		wake(streams->all);
	while (!list_is_empty(&streams->dirty)) {
		struct link *l = streams->dirty.next;

		list_remove(l);
		wake(list_of(l, struct run_stream, in_dirty));
	}
	if (e->seeking)
		wake_seeking(e);
}

static void tell_prompt(struct escapement *e, const struct prompt *prompt)
{
	list_each(&e->screens, l)
		run_screen_prompt(list_of(l, struct run_view, in_room), prompt);
}

static void news(void *of, const struct news *news)
{
	if (news->kind == NEWS_RUNS)
		tell_runs(of);
	else if (news->kind == NEWS_PROMPT)
		tell_prompt(of, news->prompt);
}

/* ---- what it remembers ---- */

struct escapement *escapement_create(const struct escapement_options *options)
{
	struct escapement *e = must_zero(1, sizeof(*e));

	e->options = *options;
	list_init(&e->screens);
	list_init(&e->agents);
	streams_init(&e->streams, options->runs);
	return e;
}

void escapement_destroy(struct escapement *e)
{
	if (!e)
		return;
	streams_finish(&e->streams);
	free(e);
}

const struct dialect dialect_run = {
	.name = "run",
	.path = "/ws/run",
	.pins = hub_pins,
	.is_websocket = true,
	.is_held = true,
	.needs = SCOPE_OBSERVE | SCOPE_EMIT,
	.view = sizeof(struct run_view),
	.check = check,
	.welcome = welcome_screen,
	.hear = hear_frame,
	.beat = client_ping,
	.farewell = client_go_away,
	.pump = pump,
	.leave = leave,
	.news = news,
};
