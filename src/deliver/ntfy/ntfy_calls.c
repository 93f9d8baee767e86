/* ntfy_calls.c - what is published. */
#include <stdio.h>
#include <stdlib.h>

#include "deliver/ntfy/ntfy_inside.h"

#define CALL_MS 20000
#define ANSWER_MAX (64 * KIB)
#define BODY_MAX (128 * KIB)
#define LATER_MS 5000
#define CALLS_MAX 64

struct ntfy_call {
	struct channel_errand call;
	struct ntfy_chat *chat;
	char *body;
};

int64_t ntfy_ready(void *self, const struct channel_message *where, int64_t now_ms)
{
	const struct ntfy_chat *n = self;
	int64_t all = bucket_ready(&n->bucket, now_ms), call = errands_ready(&n->calls, now_ms);

	return all > call ? all : call;
}

/* ---- answers ---- */

static void end_call(struct channel_errand *call, enum channel_answer answer, struct text message,
                     struct text words)
{
	struct ntfy_chat *n = ((struct ntfy_call *)call)->chat;

	errands_end(call, answer, message, words);
	ntfy_hand_on(n);
}

static void fail_call(struct channel_errand *call, enum channel_answer answer, const char *why)
{
	end_call(call, answer, TEXT(""), text_of(why));
}

static void note_own(struct ntfy_chat *n, struct text id)
{
	snprintf(n->own[n->own_next++ % NTFY_OWN_MAX], NTFY_ID_ROOM, "%.*s", TEXT_ARG(id));
}

static void take_accepted(struct channel_errand *call)
{
	struct ntfy_chat *n = ((struct ntfy_call *)call)->chat;
	struct ntfy_event event;

	if (!ntfy_read_event(&n->reader, buf_text(&call->answer), &event)) {
		fail_call(call, CHANNEL_UNKNOWN, "its answer makes no sense");
		return;
	}
	note_own(n, event.id);
	end_call(call, CHANNEL_ACCEPTED, event.id, TEXT(""));
}

static void judge_answer(struct channel_errand *call)
{
	struct ntfy_chat *n = ((struct ntfy_call *)call)->chat;
	struct text why = ntfy_read_refusal(&n->reader, buf_text(&call->answer));
	unsigned wait_ms = call->head.retry_after_ms;
	int status = call->head.status;

	if (!why.len)
		why = TEXT("ntfy refused it");
	if (status == 200) {
		take_accepted(call);
	} else if (status == 429) {
		bucket_stop(&n->bucket, ntfy_now(n) + (wait_ms ? wait_ms : LATER_MS));
		end_call(call, CHANNEL_LATER, TEXT(""), why);
	} else {
		end_call(call, status >= 500 ? CHANNEL_UNKNOWN : CHANNEL_REFUSED, TEXT(""), why);
	}
}

/* ---- requests ---- */

static struct request *start_request(struct channel_errand *call, struct request_options *o,
                                     struct error *why)
{
	struct ntfy_call *c = (struct ntfy_call *)call;

	o->body = text_of(c->body);
	return ntfy_start(c->chat, "/", o, why);
}

static void drop_own(struct channel_errand *call)
{
	free(((struct ntfy_call *)call)->body);
}

static const struct errands_kind errands_kind = {
	.size = sizeof(struct ntfy_call),
	.answer_max = ANSWER_MAX,
	.most = CALLS_MAX,
	.total_ms = CALL_MS,
	.full = "as many messages as ntfy takes were sent",
	.start = start_request,
	.judge = judge_answer,
	.drop = drop_own,
	.fail = fail_call,
};

void ntfy_calls_init(struct ntfy_chat *n)
{
	errands_init(&n->calls, &errands_kind, &n->options);
}

/* ---- what the outbox wants ---- */

void ntfy_send(void *self, const struct channel_message *m)
{
	struct ntfy_chat *n = self;
	struct error why = {"that is no topic"};
	int64_t now_ms = ntfy_now(n);
	struct ntfy_call *c;
	struct buf body;

	if (!ntfy_is_topic(m->peer)) {
		errands_refuse(&n->calls, m, CHANNEL_SEND,
		               &(struct channel_result){.answer = CHANNEL_REFUSED, .why = &why});
		return;
	}
	if (ntfy_ready(n, m, now_ms) > now_ms) {
		errands_refuse(&n->calls, m, CHANNEL_SEND,
		               &(struct channel_result){.answer = CHANNEL_LATER});
		return;
	}
	bucket_take(&n->bucket, now_ms);
	buf_init(&body, BODY_MAX);
	ntfy_put_message(m, n->press, &body);
	c = (struct ntfy_call *)errands_make(&n->calls, m, CHANNEL_SEND);
	c->chat = n;
	c->body = text_dup(buf_text(&body));
	buf_finish(&body);
	errands_start(&c->call);
}
