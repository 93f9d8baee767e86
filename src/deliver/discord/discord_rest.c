/* discord_rest.c - requests to Discord; each answer says how often its route may be asked. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "deliver/discord/discord_inside.h"
#include "deliver/files.h"
#include "deliver/upload.h"

#define CONNECT_MS 10000
#define REST_MS 15000
#define UPLOAD_MS 55000 /* with a file; the outbox waits longer */
#define ONCE_MS 3000    /* that Discord waits for the answer to a press */
#define ANSWER_MAX (4 * MIB)
#define ASKED_MAX 4096 /* before what is wanted once and now is left out */
#define WHY_MAX 200

struct discord_asked {
	struct channel_errand call;
	struct discord_chat *chat;
	enum discord_route route;
	char *major, *path, *body;
	struct channel_upload file; /* without a path: none */
	const char *method;
	bool waits;
	struct discord_said said;
	void *self;
	void (*done)(void *self, const struct discord_reply *reply);
};

static struct discord_asked *own_asked(struct channel_errand *c)
{
	return (struct discord_asked *)c;
}

static void drop_asked(struct channel_errand *c)
{
	struct discord_asked *a = own_asked(c);

	free(a->major);
	free(a->path);
	free(a->body);
	free(a->file.path);
}

static struct discord_way way_of(const struct discord_asked *a)
{
	return (struct discord_way){a->route, text_of(a->major)};
}

/* ---- the end ---- */

static void end_asked(struct discord_asked *a, enum discord_fate fate, const char *why)
{
	struct discord_reply reply = {.fate = fate, .status = a->call.head.status};
	void (*done)(void *self, const struct discord_reply *reply) = a->done;
	struct buf answer = a->call.answer;
	void *self = a->self;

	reply.body = buf_text(&answer);
	snprintf(reply.why.words, sizeof(reply.why.words), "%.*s", WHY_MAX, why);
	secret_hide(reply.why.words, a->chat->token);
	buf_init(&a->call.answer, ANSWER_MAX);
	errands_drop(&a->call);
	if (done)
		done(self, &reply);
	buf_finish(&answer);
}

static void fail_asked(struct channel_errand *c, enum channel_answer answer, const char *why)
{
	end_asked(own_asked(c), c->has_left ? DISCORD_LOST : DISCORD_AWAY, why);
}

static void take_limit(struct discord_asked *a)
{
	int64_t now_ms = discord_now(a->chat);
	struct discord_way way = way_of(a);
	struct discord_error error;

	discord_read_error(&a->chat->reader, buf_text(&a->call.answer), &error);
	discord_limits_stop(
		&a->chat->limits, &way,
		&(struct discord_stop){now_ms + (error.after_ms ? error.after_ms : 1000),
	                               error.is_global},
		now_ms);
	if (!a->waits) {
		end_asked(a, DISCORD_LIMITED, "Discord takes no more for the moment");
		return;
	}
	errands_wait(&a->call, discord_limits_ready(&a->chat->limits, &way, now_ms));
}

static void refuse(struct discord_asked *a)
{
	struct discord_error error;
	char words[WHY_MAX + 1];

	discord_read_error(&a->chat->reader, buf_text(&a->call.answer), &error);
	error.why.len = error.why.len < 150 ? error.why.len : 150;
	snprintf(words, sizeof(words), "Discord refused it (%d%s%.*s)", a->call.head.status,
	         error.why.len ? ": " : "", TEXT_ARG(error.why));
	end_asked(a, DISCORD_REFUSED, words);
}

/* ---- the request ---- */

static void rest_field(void *self, struct text name, struct text value)
{
	discord_read_said(&((struct discord_asked *)self)->said, name, value);
}

/* A fault of theirs: it may have happened. */
static void meet_fault(struct discord_asked *a)
{
	static const char words[] = "Discord has a fault of its own";

	a->call.has_left = true;
	if (a->call.may_repeat)
		errands_again(&a->call, words);
	else
		end_asked(a, DISCORD_LOST, words);
}

static void judge_asked(struct channel_errand *c)
{
	struct discord_asked *a = own_asked(c);
	struct discord_way way = way_of(a);
	int status = c->head.status;

	discord_limits_learn(&a->chat->limits, &way, &a->said, discord_now(a->chat));
	if (status >= 200 && status < 300)
		end_asked(a, DISCORD_DONE, "");
	else if (status == 429)
		take_limit(a);
	else if (status < 500)
		refuse(a);
	else
		meet_fault(a);
}

/* As JSON, or as a form with that and the file. */
static bool add_body(const struct discord_asked *a, struct multipart *form, const char **type,
                     struct request_options *o, struct error *why)
{
	*type = a->body ? "Content-Type: application/json" : NULL;
	o->body = text_of(a->body);
	if (!a->file.path)
		return true;
	multipart_add_json(form, "payload_json", text_of(a->body));
	if (!upload_add(form, "files[0]", &a->file, why))
		return false;
	multipart_end(form);
	*type = form->header;
	o->body = buf_text(&form->body);
	o->head_ms = o->total_ms = UPLOAD_MS;
	return true;
}

static struct request *ask_now(struct channel_errand *c, struct request_options *o,
                               struct error *why)
{
	struct discord_asked *a = own_asked(c);
	struct discord_chat *d = a->chat;
	struct discord_way way = way_of(a);
	char *url = must_print("%s%s", d->base, a->path);
	char *bearer = must_print("Authorization: Bot %s", d->token);
	const char *headers[] = {bearer, NULL, NULL};
	struct request *request = NULL;
	struct multipart form;

	o->url = url;
	o->is_direct = d->is_direct;
	o->method = a->method;
	o->headers = headers;
	o->connect_ms = c->is_aside ? ONCE_MS : CONNECT_MS;
	o->head_ms = o->total_ms = c->is_aside ? ONCE_MS : REST_MS;
	o->may_repeat = c->may_repeat;
	o->field = rest_field;
	discord_limits_take(&d->limits, &way, discord_now(d));
	a->said = (struct discord_said){0};
	multipart_begin(&form, FILES_BYTES_MAX);
	if (add_body(a, &form, &headers[1], o, why))
		request = request_start(d->requests, o, why);
	multipart_finish(&form);
	secret_forget(bearer);
	free(url);
	return request;
}

static int64_t asked_ready(struct channel_errand *c, int64_t now_ms)
{
	const struct discord_asked *a = own_asked(c);
	struct discord_way way = way_of(a);

	return a->waits ? discord_limits_ready(&a->chat->limits, &way, now_ms) : now_ms;
}

static const struct errands_kind asked_kind = {
	.size = sizeof(struct discord_asked),
	.answer_max = ANSWER_MAX,
	.most = ASKED_MAX,
	.start = ask_now,
	.judge = judge_asked,
	.drop = drop_asked,
	.fail = fail_asked,
	.ready = asked_ready,
};

void discord_rest_init(struct discord_chat *d)
{
	errands_init(&d->asked, &asked_kind, &d->options);
}

void discord_start(struct discord_chat *d, const struct discord_ask *ask)
{
	int64_t now_ms = discord_now(d);
	struct discord_asked *a;

	if (ask->is_once && errands_ready(&d->asked, now_ms) > now_ms)
		return;
	a = own_asked(errands_make(&d->asked, &(struct channel_message){.piece = 0}, CHANNEL_SEND));
	a->chat = d;
	a->route = ask->way.route;
	a->major = text_dup(ask->way.chat);
	a->path = must_dup(ask->path);
	a->body = errands_keep(ask->body);
	if (ask->file)
		a->file = upload_keep(ask->file);
	a->method = ask->method;
	a->waits = ask->waits;
	a->self = ask->self;
	a->done = ask->done;
	a->call.may_repeat = ask->may_repeat;
	a->call.is_aside = ask->is_once;
	errands_wait(&a->call, 1);
}
