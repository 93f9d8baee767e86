/* ntfy_stream.c - what others publish in the topic: a stream of JSON lines, and another one when
 * it ends.
 *
 * Our own messages come, too.  They are known by their ids, which the answers to our calls have: so
 * while a call is under way what comes waits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "deliver/ntfy/ntfy_inside.h"

#define HEAD_MS 30000
#define SILENCE_MS \
	180000        /* a server says each 45 s, unless it was told otherwise, that it is there */
#define RETRY_MS 1000 /* doubling to ... */
#define RETRY_MOST_MS 60000
#define REFUSED_MS 30000
#define WAITING_MAX 64
#define ROUTE_MAX 256
#define WORDS_MAX 256
#define ANYONE "anyone" /* nobody is known there */

struct ntfy_waiting {
	char *id, *text;
	struct link in_chat;
};

/* ---- messages ---- */

static void free_waiting(struct ntfy_chat *n, struct ntfy_waiting *w)
{
	list_remove(&w->in_chat);
	n->waiting_count--;
	free(w->id);
	free(w->text);
	free(w);
}

static bool is_own(const struct ntfy_chat *n, const char *id)
{
	for (unsigned i = 0; i < NTFY_OWN_MAX; i++)
		if (strcmp(n->own[i], id) == 0)
			return true;
	return false;
}

/* What cannot be taken now is left: nobody is answered there. */
void ntfy_hand_on(struct ntfy_chat *n)
{
	while (!n->calls.count && !list_is_empty(&n->waiting)) {
		struct ntfy_waiting *w = list_of(n->waiting.next, struct ntfy_waiting, in_chat);

		if (!is_own(n, w->id))
			n->options.came(n->options.self,
			                &(struct channel_inbound){.message = text_of(w->id),
			                                          .sender = TEXT(ANYONE),
			                                          .peer = text_of(n->topic),
			                                          .text = text_of(w->text),
			                                          .kind = CHANNEL_BROADCAST});
		free_waiting(n, w);
	}
}

static void hear_message(struct ntfy_chat *n, const struct ntfy_event *event)
{
	struct ntfy_waiting *w;
	struct buf text;

	snprintf(n->newest, sizeof(n->newest), "%.*s", TEXT_ARG(event->id));
	if (n->waiting_count == WAITING_MAX || !text_trim(event->message).len ||
	    memchr(event->message.at, '\0', event->message.len) ||
	    (event->title.len && memchr(event->title.at, '\0', event->title.len)))
		return;
	buf_init(&text, 2 * NTFY_LINE_MAX);
	buf_add(&text, event->title);
	if (event->title.len)
		buf_add_char(&text, '\n');
	buf_add(&text, event->message);
	w = must_zero(1, sizeof(*w));
	w->id = text_dup(event->id);
	w->text = text_dup(buf_text(&text));
	list_init(&w->in_chat);
	list_add(&n->waiting, &w->in_chat);
	n->waiting_count++;
	buf_finish(&text);
	ntfy_hand_on(n);
}

static void hear_line(struct ntfy_chat *n, struct text line)
{
	struct ntfy_event event;

	if (n->status != 200 || !ntfy_read_event(&n->reader, line, &event))
		return;
	if (!n->is_live)
		log_info("deliver", "ntfy: the topic is there");
	n->is_live = true;
	n->is_denied = false;
	n->fails = 0;
	n->failed[0] = '\0';
	if (event.is_message && text_is(event.topic, n->topic))
		hear_message(n, &event);
}

/* ---- the stream ---- */

static void wait_longer(struct ntfy_chat *n, const char *why)
{
	int64_t wait = RETRY_MS << (n->fails < 6 ? n->fails : 6);

	n->fails++;
	n->is_live = false;
	wait = n->is_denied ? REFUSED_MS : wait;
	n->stream_ms = ntfy_now(n) + (wait < RETRY_MOST_MS ? wait : RETRY_MOST_MS);
	if (strncmp(why, n->failed, sizeof(n->failed) - 1) != 0)
		log_warn("deliver", "ntfy: the topic cannot be read: %s", why);
	snprintf(n->failed, sizeof(n->failed), "%s", why);
}

static void stream_head(void *self, const struct request_head *head)
{
	((struct ntfy_chat *)self)->status = head->status;
}

static void stream_heard(void *self, struct text bytes)
{
	struct ntfy_chat *n = self;

	while (bytes.len) {
		const char *end = memchr(bytes.at, '\n', bytes.len);
		size_t part = end ? (size_t)(end - bytes.at) : bytes.len;

		n->is_skipping = n->is_skipping || n->line.len + part > NTFY_LINE_MAX;
		if (!n->is_skipping)
			buf_add(&n->line, (struct text){bytes.at, part});
		part += end != NULL;
		bytes = (struct text){bytes.at + part, bytes.len - part};
		if (!end || n->status != 200)
			continue;
		if (!n->is_skipping)
			hear_line(n, buf_text(&n->line));
		buf_clear(&n->line);
		n->is_skipping = false;
	}
}

static void stream_done(void *self, const char *why)
{
	struct ntfy_chat *n = self;
	char words[WORDS_MAX];

	n->stream = NULL;
	n->is_denied = !why && (n->status == 401 || n->status == 403 || n->status == 404);
	if (!why && n->status != 200) {
		struct text said = ntfy_read_refusal(&n->reader, buf_text(&n->line));

		said.len = chunk_reach(CHUNK_BYTES, said, 150);
		snprintf(words, sizeof(words), "%d %.*s", n->status, TEXT_ARG(said));
		why = words;
	}
	wait_longer(n, why ? why : "the server ended the stream");
	buf_clear(&n->line);
	n->is_skipping = false;
	n->options.wake(n->options.self);
}

static void begin_stream(struct ntfy_chat *n)
{
	struct request_options o = {.head_ms = HEAD_MS,
	                            .idle_ms = SILENCE_MS,
	                            .self = n,
	                            .head = stream_head,
	                            .heard = stream_heard,
	                            .done = stream_done};
	char route[ROUTE_MAX];
	struct error why;

	n->status = 0;
	snprintf(route, sizeof(route), "/%s/json%s%s", n->topic, n->newest[0] ? "?since=" : "",
	         n->newest);
	n->stream = ntfy_start(n, route, &o, &why);
	if (!n->stream)
		wait_longer(n, why.words);
}

int64_t ntfy_stream_tick(struct ntfy_chat *n, int64_t now_ms)
{
	if (!n->stream && now_ms >= n->stream_ms)
		begin_stream(n);
	return n->stream ? INT64_MAX : n->stream_ms;
}

void ntfy_stream_finish(struct ntfy_chat *n)
{
	if (n->stream)
		request_cancel(n->stream);
	n->stream = NULL;
	while (!list_is_empty(&n->waiting))
		free_waiting(n, list_of(n->waiting.next, struct ntfy_waiting, in_chat));
}
