/* sse.c - Server-Sent Events: for curl, EventSource and our own tail.
 *
 * Each event's id is EPOCH-SEQ, so that a client that comes back with
 * Last-Event-ID goes on exactly where it was.  The body ends with the
 * connection, so one tape serves all.
 */
#include "net/sse.h"
#include "hub/encoding.h"
#include "hub/inside.h"
#include "hub/query.h"
#include "journal/journal.h"
#include "net/http.h"

#define SSE_SAY_MAX KIB
#define SSE_RETRY_MS 1000

static void say(struct client *c, struct buf *words)
{
	client_say(c, buf_text(words));
	buf_finish(words);
}

static void welcome_stream(struct client *c, const struct http *http)
{
	struct subscription wish;
	struct buf out;

	buf_init(&out, SSE_SAY_MAX);
	sse_add_comment(&out, TEXT("connected"));
	sse_add_retry(&out, SSE_RETRY_MS);
	say(c, &out);
	if (hub_query_read(&wish, http, NULL))
		client_subscribe(c, &wish);
	filter_finish(&wish.filter);
}

/* Its id is the last seq that is missing, so that whoever comes back after it is not
 * told again; or the last before the fork, so that it misses nothing of this timeline. */
static void sse_tell_gap(struct client *c, const struct gap *gap)
{
	uint64_t seen = gap->is_fork ? gap->from - 1 : gap->to;
	char id[EPOCH_LEN + 24], data[160];
	struct buf out;

	snprintf(id, sizeof(id), "%s-%llu", journal_epoch(c->hub->options.journal),
	         (unsigned long long)seen);
	snprintf(data, sizeof(data), "{\"from\":%llu,\"to\":%llu,\"why\":\"%s\"}",
	         (unsigned long long)gap->from, (unsigned long long)gap->to, gap->why);
	buf_init(&out, SSE_SAY_MAX);
	sse_add_event(&out, text_of(id), TEXT("gap"), text_of(data));
	say(c, &out);
}

static void beat(struct client *c)
{
	client_say(c, TEXT(":\n\n"));
}

static void farewell(struct client *c)
{
	struct buf out;

	buf_init(&out, SSE_SAY_MAX);
	sse_add_comment(&out, TEXT("the server stops"));
	sse_add_retry(&out, SSE_RETRY_MS);
	say(c, &out);
	client_close(c, 0, TEXT(""));
}

const struct dialect dialect_sse = {
	.name = "sse",
	.path = "/api/stream",
	.alias = "/__signals__/stream",
	.encoding = &encoding_event,
	.needs = SCOPE_OBSERVE,
	.check = hub_query_check,
	.welcome = welcome_stream,
	.tell_gap = sse_tell_gap,
	.beat = beat,
	.farewell = farewell,
};
