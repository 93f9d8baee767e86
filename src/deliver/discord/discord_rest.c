/* discord_rest.c - requests to Discord.
 *
 * One that cannot have been accepted goes again, three times in all, and so does one that may be
 * made twice.  Each answer says how often its route may be asked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "deliver/discord/discord_inside.h"

#define CONNECT_MS 10000
#define REST_MS 15000
#define ONCE_MS 3000 /* that Discord waits for the answer to a press */
#define REST_TRIES 3
#define REST_AGAIN_MS 500 /* doubling */
#define ANSWER_MAX (4 * MIB)
#define WHY_MAX 200

struct discord_asked {
	struct discord_chat *chat;
	struct link in_chat; /* discord_chat.asked */
	enum discord_route route;
	char *major, *path, *body;
	const char *method;
	bool may_repeat, waits, is_once, has_left;
	unsigned tries;
	int64_t due_ms; /* when it goes; 0: it is under way */
	struct request *request;
	int status;
	struct discord_said said;
	struct buf answer;
	void *self;
	void (*done)(void *self, const struct discord_reply *reply);
};

static void free_asked(struct discord_asked *a)
{
	list_remove(&a->in_chat);
	if (a->request)
		request_cancel(a->request);
	buf_finish(&a->answer);
	free(a->major);
	free(a->path);
	free(a->body);
	free(a);
}

static struct discord_way way_of(const struct discord_asked *a)
{
	return (struct discord_way){a->route, text_of(a->major)};
}

/* ---- the end ---- */

static void end_asked(struct discord_asked *a, enum discord_fate fate, const char *why)
{
	struct discord_reply reply = {.fate = fate, .status = a->status};

	list_remove(&a->in_chat);
	list_init(&a->in_chat);
	reply.body = buf_text(&a->answer);
	snprintf(reply.why.words, sizeof(reply.why.words), "%.*s", WHY_MAX, why);
	for (char *c = reply.why.words; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	if (a->done)
		a->done(a->self, &reply);
	free_asked(a);
}

static void again_or_end(struct discord_asked *a, const char *why)
{
	int64_t wait = (int64_t)REST_AGAIN_MS << a->tries;

	if (a->is_once || ++a->tries >= REST_TRIES) {
		end_asked(a, a->has_left ? DISCORD_LOST : DISCORD_AWAY, why);
		return;
	}
	wait += wait * ((int64_t)discord_draw(a->chat, 21) - 10) / 100;
	a->due_ms = discord_now(a->chat) + wait;
	a->chat->options.wake(a->chat->options.self);
}

static void take_limit(struct discord_asked *a)
{
	int64_t now_ms = discord_now(a->chat);
	struct discord_way way = way_of(a);
	struct discord_error error;

	discord_read_error(&a->chat->reader, buf_text(&a->answer), &error);
	discord_limits_stop(
		&a->chat->limits, &way,
		&(struct discord_stop){now_ms + (error.after_ms ? error.after_ms : 1000),
	                               error.is_global},
		now_ms);
	if (!a->waits) {
		end_asked(a, DISCORD_LIMITED, "Discord takes no more for the moment");
		return;
	}
	a->due_ms = discord_limits_ready(&a->chat->limits, &way, now_ms);
	a->chat->options.wake(a->chat->options.self);
}

static void refuse(struct discord_asked *a)
{
	struct discord_error error;
	char words[WHY_MAX + 1];

	discord_read_error(&a->chat->reader, buf_text(&a->answer), &error);
	error.why.len = error.why.len < 150 ? error.why.len : 150;
	snprintf(words, sizeof(words), "Discord refused it (%d%s%.*s)", a->status,
	         error.why.len ? ": " : "", TEXT_ARG(error.why));
	end_asked(a, DISCORD_REFUSED, words);
}

/* ---- the request ---- */

static void rest_field(void *self, struct text name, struct text value)
{
	discord_read_said(&((struct discord_asked *)self)->said, name, value);
}

static void rest_head(void *self, const struct request_head *head)
{
	struct discord_asked *a = self;
	struct discord_way way = way_of(a);

	a->status = head->status;
	discord_limits_learn(&a->chat->limits, &way, &a->said, discord_now(a->chat));
}

static void rest_heard(void *self, struct text bytes)
{
	buf_add(&((struct discord_asked *)self)->answer, bytes);
}

static void rest_failed(struct discord_asked *a, const char *why)
{
	bool is_unheard = request_fault(a->request) != REQUEST_BROKEN ||
	                  (a->body && request_sent(a->request) == 0);

	a->request = NULL;
	a->has_left |= !is_unheard;
	if (is_unheard || a->may_repeat)
		again_or_end(a, why);
	else
		end_asked(a, DISCORD_LOST, why);
}

static void rest_done(void *self, const char *why)
{
	struct discord_asked *a = self;

	if (why) {
		rest_failed(a, why);
		return;
	}
	a->request = NULL;
	if (a->status >= 200 && a->status < 300) {
		end_asked(a, DISCORD_DONE, "");
	} else if (a->status == 429) {
		take_limit(a);
	} else if (a->status < 500) {
		refuse(a);
	} else {
		a->has_left = true;
		if (a->may_repeat)
			again_or_end(a, "Discord has a fault of its own");
		else
			end_asked(a, DISCORD_LOST, "Discord has a fault of its own");
	}
}

static void ask_now(struct discord_asked *a)
{
	struct discord_chat *d = a->chat;
	struct discord_way way = way_of(a);
	char *url = must_print("%s%s", d->base, a->path);
	char *bearer = must_print("Authorization: Bot %s", d->token);
	const char *headers[] = {bearer, a->body ? "Content-Type: application/json" : NULL, NULL};
	struct request_options o = {.url = url,
	                            .is_direct = d->is_direct,
	                            .method = a->method,
	                            .headers = headers,
	                            .body = text_of(a->body),
	                            .connect_ms = a->is_once ? ONCE_MS : CONNECT_MS,
	                            .total_ms = a->is_once ? ONCE_MS : REST_MS,
	                            .body_max = ANSWER_MAX,
	                            .may_repeat = a->may_repeat,
	                            .self = a,
	                            .field = rest_field,
	                            .head = rest_head,
	                            .heard = rest_heard,
	                            .done = rest_done};
	struct error why;

	discord_limits_take(&d->limits, &way, discord_now(d));
	buf_clear(&a->answer);
	a->said = (struct discord_said){0};
	a->due_ms = 0;
	a->request = request_start(d->requests, &o, &why);
	explicit_bzero(bearer, strlen(bearer));
	free(bearer);
	free(url);
	if (!a->request)
		end_asked(a, DISCORD_AWAY, why.words);
}

void discord_start(struct discord_chat *d, const struct discord_ask *ask)
{
	struct discord_asked *a = must_zero(1, sizeof(*a));

	a->chat = d;
	a->route = ask->way.route;
	a->major = text_dup(ask->way.chat);
	a->path = must_dup(ask->path);
	a->body = ask->body.len ? text_dup(ask->body) : NULL;
	a->method = ask->method;
	a->may_repeat = ask->may_repeat;
	a->waits = ask->waits;
	a->is_once = ask->is_once;
	a->self = ask->self;
	a->done = ask->done;
	buf_init(&a->answer, ANSWER_MAX);
	list_init(&a->in_chat);
	list_add(&d->asked, &a->in_chat);
	a->due_ms = 1;
	d->options.wake(d->options.self);
}

/* ---- time ---- */

static bool is_due(struct discord_asked *a, int64_t now_ms)
{
	struct discord_way way = way_of(a);

	if (!a->due_ms || a->due_ms > now_ms)
		return false;
	if (a->waits)
		a->due_ms = discord_limits_ready(&a->chat->limits, &way, now_ms);
	return a->due_ms <= now_ms;
}

/* What is answered may begin or end others: it is looked for from the first on. */
static struct discord_asked *next_asked(struct discord_chat *d, int64_t now_ms)
{
	list_each(&d->asked, l) {
		struct discord_asked *a = list_of(l, struct discord_asked, in_chat);

		if (is_due(a, now_ms))
			return a;
	}
	return NULL;
}

int64_t discord_rest_tick(struct discord_chat *d, int64_t now_ms)
{
	int64_t due = INT64_MAX;
	struct discord_asked *next;

	while ((next = next_asked(d, now_ms)))
		ask_now(next);
	list_each(&d->asked, l) {
		const struct discord_asked *a = list_of(l, struct discord_asked, in_chat);

		if (a->due_ms && a->due_ms < due)
			due = a->due_ms;
	}
	return due;
}

void discord_rest_finish(struct discord_chat *d)
{
	while (!list_is_empty(&d->asked))
		free_asked(list_of(d->asked.next, struct discord_asked, in_chat));
}
