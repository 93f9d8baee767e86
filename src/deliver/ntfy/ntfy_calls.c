/* ntfy_calls.c - what is published.
 *
 * A request that cannot have been accepted goes again, three times; of one that may have been,
 * nobody knows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "deliver/ntfy/ntfy_inside.h"

#define CALL_MS 20000
#define ANSWER_MAX (64 * KIB)
#define BODY_MAX (128 * KIB)
#define TRIES_MAX 3
#define AGAIN_MS 400 /* doubling */
#define LATER_MS 5000
#define CALLS_MAX 64
#define WORDS_MAX 200

struct ntfy_call {
	struct ntfy_chat *chat;
	struct link in_chat;
	char *delivery, *body;
	unsigned piece, tries, retry_ms;
	int64_t due_ms; /* of one that goes again; 0: it is under way */
	struct request *request;
	int status;
	struct buf answer;
};

int64_t ntfy_ready(void *self, const struct channel_message *where, int64_t now_ms)
{
	return bucket_ready(&((struct ntfy_chat *)self)->bucket, now_ms);
}

/* ---- the end of a call ---- */

static void free_call(struct ntfy_call *c)
{
	list_remove(&c->in_chat);
	c->chat->call_count--;
	if (c->request)
		request_cancel(c->request);
	buf_finish(&c->answer);
	free(c->delivery);
	free(c->body);
	free(c);
}

static void end_call(struct ntfy_call *c, const struct channel_result *how, struct text words)
{
	struct ntfy_chat *n = c->chat;
	char *delivery = c->delivery;
	struct channel_result result = *how;
	char id[NTFY_ID_ROOM];
	struct error why;

	snprintf(why.words, sizeof(why.words), "%.*s",
	         words.len < WORDS_MAX ? (int)words.len : WORDS_MAX, words.len ? words.at : "");
	snprintf(id, sizeof(id), "%.*s", TEXT_ARG(how->message));
	result.delivery = text_of(delivery);
	result.piece = c->piece;
	result.message = text_of(id);
	result.why = &why;
	c->delivery = NULL;
	c->request = NULL;
	free_call(c);
	n->options.answered(n->options.self, &result);
	free(delivery);
	ntfy_hand_on(n);
}

static void end_as(struct ntfy_call *c, enum channel_answer answer, struct text words)
{
	end_call(c, &(struct channel_result){.answer = answer, .message = TEXT("")}, words);
}

static void note_own(struct ntfy_chat *n, struct text id)
{
	snprintf(n->own[n->own_next++ % NTFY_OWN_MAX], NTFY_ID_ROOM, "%.*s", TEXT_ARG(id));
}

static void take_accepted(struct ntfy_call *c)
{
	struct ntfy_chat *n = c->chat;
	struct ntfy_event event;

	if (!ntfy_read_event(&n->reader, buf_text(&c->answer), &event)) {
		end_as(c, CHANNEL_UNKNOWN, TEXT("its answer makes no sense"));
		return;
	}
	note_own(n, event.id);
	end_call(c, &(struct channel_result){.answer = CHANNEL_ACCEPTED, .message = event.id},
	         TEXT(""));
}

static void take_answer(struct ntfy_call *c)
{
	struct ntfy_chat *n = c->chat;
	struct text why = ntfy_read_refusal(&n->reader, buf_text(&c->answer));

	if (c->status == 200) {
		take_accepted(c);
		return;
	}
	if (!why.len)
		why = TEXT("ntfy refused it");
	if (c->status == 429) {
		bucket_stop(&n->bucket, ntfy_now(n) + (c->retry_ms ? c->retry_ms : LATER_MS));
		end_as(c, CHANNEL_LATER, why);
	} else {
		end_as(c, c->status >= 500 ? CHANNEL_UNKNOWN : CHANNEL_REFUSED, why);
	}
}

/* ---- requests ---- */

static uint64_t draw(struct ntfy_chat *n)
{
	n->seed ^= n->seed << 13;
	n->seed ^= n->seed >> 7;
	n->seed ^= n->seed << 17;
	return n->seed;
}

/* Nothing has left: again in a moment, or later by whoever keeps it. */
static void go_again(struct ntfy_call *c, const char *why)
{
	int64_t wait = (int64_t)AGAIN_MS << c->tries;

	c->request = NULL;
	if (++c->tries >= TRIES_MAX) {
		end_as(c, CHANNEL_AWAY, text_of(why));
		return;
	}
	wait += wait * ((int64_t)(draw(c->chat) % 21) - 10) / 100;
	c->due_ms = ntfy_now(c->chat) + wait;
	c->chat->options.wake(c->chat->options.self);
}

static void call_head(void *self, const struct request_head *head)
{
	struct ntfy_call *c = self;

	c->status = head->status;
	c->retry_ms = head->retry_after_ms;
}

static void call_heard(void *self, struct text bytes)
{
	buf_add(&((struct ntfy_call *)self)->answer, bytes);
}

static void call_done(void *self, const char *why)
{
	struct ntfy_call *c = self;
	bool has_left =
		why && request_fault(c->request) == REQUEST_BROKEN && request_sent(c->request) > 0;

	c->request = NULL;
	if (why && !has_left)
		go_again(c, why);
	else if (why)
		end_as(c, CHANNEL_UNKNOWN, text_of(why));
	else
		take_answer(c);
}

static void start_call(struct ntfy_call *c)
{
	struct request_options o = {.head_ms = CALL_MS,
	                            .total_ms = CALL_MS,
	                            .body_max = ANSWER_MAX,
	                            .body = text_of(c->body),
	                            .self = c,
	                            .head = call_head,
	                            .heard = call_heard,
	                            .done = call_done};
	struct error why;

	c->due_ms = 0;
	buf_clear(&c->answer);
	c->request = ntfy_start(c->chat, "/", &o, &why);
	if (!c->request)
		go_again(c, why.words);
}

/* ---- what the outbox wants ---- */

static void refuse_at_once(const struct ntfy_chat *n, const struct channel_message *m,
                           enum channel_answer answer, const char *words)
{
	struct error why;

	error_set(&why, "%s", words);
	n->options.answered(n->options.self, &(struct channel_result){.act = CHANNEL_SEND,
	                                                              .answer = answer,
	                                                              .delivery = m->delivery,
	                                                              .piece = m->piece,
	                                                              .why = &why});
}

void ntfy_send(void *self, const struct channel_message *m)
{
	struct ntfy_chat *n = self;
	int64_t now_ms = ntfy_now(n);
	struct ntfy_call *c;
	struct buf body;

	if (!ntfy_is_topic(m->peer)) {
		refuse_at_once(n, m, CHANNEL_REFUSED, "that is no topic");
		return;
	}
	if (n->call_count >= CALLS_MAX || bucket_ready(&n->bucket, now_ms) > now_ms) {
		refuse_at_once(n, m, CHANNEL_LATER, "as many messages as ntfy takes were sent");
		return;
	}
	bucket_take(&n->bucket, now_ms);
	buf_init(&body, BODY_MAX);
	ntfy_put_message(m, n->press, &body);
	c = must_zero(1, sizeof(*c));
	c->chat = n;
	c->piece = m->piece;
	c->delivery = text_dup(m->delivery);
	c->body = text_dup(buf_text(&body));
	buf_finish(&body);
	buf_init(&c->answer, ANSWER_MAX);
	list_init(&c->in_chat);
	list_add(&n->calls, &c->in_chat);
	n->call_count++;
	start_call(c);
}

int64_t ntfy_calls_tick(struct ntfy_chat *n, int64_t now_ms)
{
	int64_t due = INT64_MAX;

	list_each(&n->calls, l) {
		struct ntfy_call *c = list_of(l, struct ntfy_call, in_chat);

		if (c->due_ms && c->due_ms <= now_ms)
			start_call(c);
		else if (c->due_ms && c->due_ms < due)
			due = c->due_ms;
	}
	return due;
}

void ntfy_calls_finish(struct ntfy_chat *n)
{
	while (!list_is_empty(&n->calls))
		free_call(list_of(n->calls.next, struct ntfy_call, in_chat));
}
