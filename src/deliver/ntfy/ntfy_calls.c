/* ntfy_calls.c - what is published. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "deliver/ntfy/ntfy_inside.h"
#include "deliver/upload.h"

#define CALL_MS 20000
#define UPLOAD_MS 55000 /* with a file; the outbox waits longer */
#define FIELD_MAX (8 * KIB)
#define ANSWER_MAX (64 * KIB)
#define BODY_MAX (128 * KIB)
#define LATER_MS 5000
#define CALLS_MAX 64

struct ntfy_call {
	struct channel_errand call;
	struct ntfy_chat *chat;
	char *body;                 /* of a text, or NULL */
	struct channel_upload file; /* without a path: none */
	char *topic, *name, *words; /* of it: the topic's route, and fields of the head */
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

/* The bytes are the body; the name, and words that come with it, are in the head. */
static struct request *start_file(const struct ntfy_call *c, struct request_options *o,
                                  struct error *why)
{
	const char *const headers[] = {c->name, c->words, NULL};
	struct request *request = NULL;
	struct buf bytes;

	buf_init(&bytes, UPLOAD_ROOM);
	if (upload_read(&c->file, &bytes, why)) {
		o->method = "PUT";
		o->headers = headers;
		o->body = buf_text(&bytes);
		o->head_ms = o->total_ms = UPLOAD_MS;
		request = ntfy_start(c->chat, c->topic, o, why);
	}
	buf_finish(&bytes);
	return request;
}

static struct request *start_request(struct channel_errand *call, struct request_options *o,
                                     struct error *why)
{
	struct ntfy_call *c = (struct ntfy_call *)call;

	if (c->file.path)
		return start_file(c, o, why);
	o->body = text_of(c->body);
	return ntfy_start(c->chat, "/", o, why);
}

static void drop_own(struct channel_errand *call)
{
	struct ntfy_call *c = (struct ntfy_call *)call;

	free(c->body);
	free(c->file.path);
	free(c->topic);
	free(c->name);
	free(c->words);
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

static char *field_of(const char *name, struct text value)
{
	struct buf field;
	char *made;

	buf_init(&field, FIELD_MAX);
	ntfy_put_field(name, value, &field);
	made = text_dup(buf_text(&field));
	buf_finish(&field);
	return made;
}

static void keep_published(struct ntfy_call *c, const struct channel_message *m)
{
	struct buf body;

	if (m->file) {
		c->file = upload_keep(m->file);
		c->topic = must_print("/%.*s", TEXT_ARG(m->peer));
		c->name = field_of("Filename", m->file->name);
		c->words = m->text.len ? field_of("Message", m->text) : NULL;
		return;
	}
	buf_init(&body, BODY_MAX);
	ntfy_put_message(m, c->chat->press, &body);
	c->body = text_dup(buf_text(&body));
	buf_finish(&body);
}

void ntfy_send(void *self, const struct channel_message *m)
{
	struct ntfy_chat *n = self;
	struct error why = {"that is no topic"};
	int64_t now_ms = ntfy_now(n);
	struct ntfy_call *c;

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
	c = (struct ntfy_call *)errands_make(&n->calls, m, CHANNEL_SEND);
	c->chat = n;
	keep_published(c, m);
	errands_start(&c->call);
}
