/* follow.c - messages, told when nothing is added to them any more.
 *
 * They are noted while the journal is folded, and told after each piece of it, when what the
 * streams have of the same signals went out.
 */
#include "gateway/follow.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/streams.h"
#include "gateway/transcript.h"
#include "hub/dialogue.h"
#include "run/said.h"

#define FOLLOWED_MAX 256   /* sessions, by one client */
#define NEWS_MAX (8 * MIB) /* bytes of news that wait; of more it is told that there are some */
#define ROW_MAX (2 * MIB)  /* likewise */
#define OPEN_MAX 16        /* messages of a run that are being said; more are told by history */

struct gateway_follow {
	struct gateway_follow *next;
	char key[];
};

/* What is not told yet of a run in which somebody speaks. */
struct followed_run {
	uint64_t newest; /* message that was looked at */
	uint64_t open[OPEN_MAX];
	unsigned open_count;
};

struct followed_news {
	char *key, *frame;
	struct link in_news; /* gateway_follows.news */
};

struct gateway_follows {
	size_t followers; /* clients that follow the list, and sessions that are followed */
	struct map runs;  /* id -> struct followed_run, of those that have an open message */
	struct link news; /* followed_news.in_news */
	size_t news_bytes;
};

struct gateway_follows *gateway_follows_create(void)
{
	struct gateway_follows *f = must_zero(1, sizeof(*f));

	map_init(&f->runs);
	list_init(&f->news);
	return f;
}

static void forget_runs(struct gateway_follows *f)
{
	struct text id;
	size_t at = 0;
	void *run;

	while (map_next(&f->runs, &at, &id, &run))
		free(run);
	map_finish(&f->runs);
	map_init(&f->runs);
}

static void forget_news(struct gateway_follows *f, struct followed_news *news)
{
	f->news_bytes -= strlen(news->frame);
	list_remove(&news->in_news);
	free(news->key);
	free(news->frame);
	free(news);
}

void gateway_follows_destroy(struct gateway_follows *f)
{
	if (!f)
		return;
	list_each(&f->news, l)
		forget_news(f, list_of(l, struct followed_news, in_news));
	forget_runs(f);
	map_finish(&f->runs);
	free(f);
}

bool gateway_follow_is_any(const struct gateway *g)
{
	return g->desk.follows->followers;
}

/* ---- who follows ---- */

bool gateway_follow_has(const struct gateway_view *view, struct text key)
{
	for (const struct gateway_follow *f = view->follows; f; f = f->next)
		if (text_is(key, f->key))
			return true;
	return false;
}

static bool follows(const struct gateway_view *view, struct text key)
{
	return view->follows_sessions || gateway_follow_has(view, key);
}

static bool is_followed(const struct gateway *g, struct text key)
{
	list_each(&g->views, l)
		if (follows(list_of(l, struct gateway_view, in_room), key))
			return true;
	return false;
}

static void note_open(struct followed_run *run, const struct said *said)
{
	list_each(&said->messages, l) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->is_open && run->open_count < OPEN_MAX)
			run->open[run->open_count++] = m->number;
	}
	run->newest = said->number;
}

/* What is being said when the first of them comes is told when it is whole. */
static void begin_following(struct gateway *g)
{
	if (g->desk.follows->followers++)
		return;
	list_each(runs_all(g->options.runs), l) {
		const struct run *run = list_of(l, struct run, in_all);
		struct followed_run *made;

		if (!run->said || !said_open(run->said))
			continue;
		made = must_zero(1, sizeof(*made));
		note_open(made, run->said);
		map_set(&g->desk.follows->runs, text_of(run->id), made);
	}
}

static void end_following(struct gateway *g)
{
	if (--g->desk.follows->followers == 0)
		forget_runs(g->desk.follows);
}

void gateway_follow_list(struct gateway_view *view)
{
	if (!view->follows_sessions)
		begin_following(gateway_of(view));
	view->follows_sessions = true;
}

void gateway_follow_leave(struct gateway_view *view)
{
	struct gateway_follow *next;

	if (view->follows_sessions)
		end_following(gateway_of(view));
	view->follows_sessions = false;
	for (; view->follows; view->follows = next) {
		next = view->follows->next;
		free(view->follows);
		end_following(gateway_of(view));
	}
}

/* ---- sessions.messages.subscribe and unsubscribe ---- */

static void answer_followed(const struct gateway_call *call, struct text key, bool is_followed)
{
	struct buf out;

	buf_init(&out, 8 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "subscribed", is_followed);
	put_text(&out, "key", key);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

static bool follow(struct gateway_view *view, struct text key)
{
	struct gateway_follow *made;
	size_t count = 0;

	for (const struct gateway_follow *f = view->follows; f; f = f->next) {
		if (text_is(key, f->key))
			return true;
		count++;
	}
	if (count >= FOLLOWED_MAX)
		return false;
	made = must_zero(1, sizeof(*made) + key.len + 1);
	memcpy(made->key, key.at, key.len);
	made->next = view->follows;
	view->follows = made;
	begin_following(gateway_of(view));
	return true;
}

/* includeApprovals is no matter: whoever may decide is told of all of them. */
void gateway_messages_subscribe(const struct gateway_call *call)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST};
	struct gateway_place place;

	gateway_find_place(call->gateway, json_text_at(call->params, "key"),
	                   json_text_at(call->params, "agentId"), &place);
	if (!follow(call->view, buf_text(&place.key)))
		fault.message = "a connection follows at most 256 sessions";
	if (fault.message)
		gateway_refuse(call, &fault);
	else
		answer_followed(call, buf_text(&place.key), true);
	gateway_place_finish(&place);
}

void gateway_messages_unsubscribe(const struct gateway_call *call)
{
	struct gateway_follow **at = &call->view->follows, *found;
	struct gateway_place place;

	gateway_find_place(call->gateway, json_text_at(call->params, "key"),
	                   json_text_at(call->params, "agentId"), &place);
	while (*at && !text_is(buf_text(&place.key), (*at)->key))
		at = &(*at)->next;
	found = *at;
	if (found) {
		*at = found->next;
		free(found);
		end_following(call->gateway);
	}
	answer_followed(call, buf_text(&place.key), false);
	gateway_place_finish(&place);
}

/* ---- hearing ---- */

struct noting {
	struct gateway *g;
	struct buf key;
};

static void add_news(struct gateway_follows *f, struct text key, struct text frame)
{
	struct followed_news *news = must_zero(1, sizeof(*news));

	news->key = text_dup(key);
	news->frame = text_dup(frame);
	f->news_bytes += frame.len;
	list_add(&f->news, &news->in_news);
}

/* Too much at once: who is told this reads the history. */
static void put_lost(struct buf *out, struct text key)
{
	openclaw_wire_event(out, OPENCLAW_SESSIONS_CHANGED);
	put_object(out, "payload");
	put_text(out, "sessionKey", key);
	put_text(out, "agentId", gateway_key_agent(key));
	put_word(out, "phase", "message");
	put_end(out);
}

static void put_row_event(struct buf *out, const struct noting *n, const struct transcript_row *row)
{
	const struct crew_member *m = crew_find(n->g->options.crew, text_of(row->run->id));

	openclaw_wire_event(out, OPENCLAW_SESSION_MESSAGE);
	put_object(out, "payload");
	transcript_put_news(out, buf_text(&n->key), row);
	if (m)
		put_word(out, "sessionId", m->id);
	put_u64(out, "updatedAt", (uint64_t)row->message->last_ms);
	put_end(out);
}

static void note_row(void *self, const struct transcript_row *row)
{
	struct noting *n = self;
	struct gateway_follows *f = n->g->desk.follows;
	struct buf out;

	buf_init(&out, ROW_MAX);
	put_row_event(&out, n, row);
	put_end(&out);
	if (out.full || f->news_bytes > NEWS_MAX) {
		buf_clear(&out);
		put_lost(&out, buf_text(&n->key));
		put_end(&out);
	}
	add_news(f, buf_text(&n->key), buf_text(&out));
	buf_finish(&out);
}

static void note_message(struct gateway *g, const struct run *run, const struct said_message *m)
{
	struct noting n = {g};

	buf_init(&n.key, 2 * KIB);
	gateway_key_of_run(g, run, &n.key);
	if (is_followed(g, buf_text(&n.key)))
		transcript_each_row(run, m, note_row, &n);
	buf_finish(&n.key);
}

/* All that was said before this signal was whole: there is no note of this run. */
static uint64_t newest_before(const struct said *said, uint64_t seq)
{
	const struct link *l;

	for (l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->seq < seq)
			return m->number;
	}
	return 0;
}

static bool is_noted_open(const struct followed_run *run, uint64_t number)
{
	for (unsigned i = 0; i < run->open_count; i++)
		if (run->open[i] == number)
			return true;
	return false;
}

static void look(struct gateway *g, const struct run *run, struct followed_run *known)
{
	struct followed_run next = {.newest = run->said->number};
	uint64_t oldest = known->open_count ? known->open[0] : known->newest + 1;
	const struct link *l = &run->said->messages;

	while (l->prev != &run->said->messages &&
	       list_of(l->prev, struct said_message, in_said)->number >= oldest)
		l = l->prev;
	for (; l != &run->said->messages; l = l->next) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->number <= known->newest && !is_noted_open(known, m->number))
			continue;
		if (!m->is_open)
			note_message(g, run, m);
		else if (next.open_count < OPEN_MAX)
			next.open[next.open_count++] = m->number;
	}
	*known = next;
}

void gateway_follow_hear(struct gateway *g, const struct run *run, const struct signal *s)
{
	struct map *runs = &g->desk.follows->runs;
	struct followed_run *known, fresh = {0};

	if (!g->desk.follows->followers || !run->said)
		return;
	known = map_get(runs, text_of(run->id));
	if (!known)
		fresh.newest = newest_before(run->said, s->seq);
	look(g, run, known ? known : &fresh);
	if (known && !known->open_count) {
		map_remove(runs, text_of(run->id));
		free(known);
	} else if (!known && fresh.open_count) {
		known = must_zero(1, sizeof(*known));
		*known = fresh;
		map_set(runs, text_of(run->id), known);
	}
}

/* ---- telling ---- */

static void say_followed(struct gateway_view *view, struct text frame, bool may_drop)
{
	struct client *c = view->client;
	size_t max = gateway_of(view)->options.config->max_buffered;

	gateway_pump_stream(view);
	if (c->state == CLIENT_CLOSING || view->stream->is_quiet || (may_drop && client_is_slow(c)))
		return;
	if (client_owed(c) + frame.len > max)
		client_close(c, 1008, TEXT("slow consumer"));
	else
		client_say_frame(c, WS_OP_TEXT, frame);
}

void gateway_follow_say(struct gateway *g, struct text key, struct text frame, bool may_drop)
{
	list_each(&g->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);

		if (key.len ? follows(view, key) : view->follows_sessions)
			say_followed(view, frame, may_drop);
	}
}

void gateway_follow_tell(struct gateway *g)
{
	list_each(&g->desk.follows->news, l) {
		struct followed_news *news = list_of(l, struct followed_news, in_news);

		gateway_follow_say(g, text_of(news->key), text_of(news->frame), false);
		forget_news(g->desk.follows, news);
	}
}
