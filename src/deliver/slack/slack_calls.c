/* slack_calls.c - what goes to Slack: messages, edits, removals, looks, typing.
 *
 * Limits are kept before asking: one message a second for a chat with short bursts, and what the
 * methods' tiers allow in all.  Of a message that may have been accepted the history tells:
 * block_id says which delivery it is.
 */
#include "deliver/slack/slack_call.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

#define CALL_MS 20000
#define FORM_MAX (2 * MIB)
#define CALLS_MAX 1024
#define PAGES_MAX 20  /* of a history */
#define SHOWN_MS 5000 /* in which a file that was shared is seen */
#define MUCH_MS 1000  /* of a "too many" that does not say for how long */
#define WHY_MAX 200
#define HOOKS "https://hooks.slack.com/"

static const struct bucket_rate room_rate = {3, 1000};

/* ---- limits ---- */

static struct bucket *room_of(struct slack_chat *t, struct text peer, int64_t now_ms)
{
	return buckets_of(&t->rooms, peer, &room_rate, now_ms);
}

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t slack_ready(void *self, const struct channel_message *where, int64_t now_ms)
{
	const struct slack_chat *t = self;
	int64_t all = later_of(bucket_ready(&t->posts, now_ms), bucket_ready(&t->edits, now_ms));

	all = later_of(all, errands_ready(&t->calls, now_ms));
	return later_of(all, buckets_ready(&t->rooms, where->peer, now_ms));
}

static struct bucket *method_bucket(struct slack_chat *t, enum slack_method method)
{
	switch (method) {
	case SLACK_POST:
	case SLACK_PLACE:
	case SLACK_BYTES:
	case SLACK_SHARE:
		return &t->posts;
	case SLACK_UPDATE:
	case SLACK_DELETE:
		return &t->edits;
	case SLACK_HISTORY:
	case SLACK_REPLIES:
		return &t->looks;
	default:
		return &t->states;
	}
}

static bool take_turn(struct slack_chat *t, const struct channel_message *m,
                      enum slack_method method)
{
	struct bucket *own = method_bucket(t, method);
	int64_t now_ms = slack_now(t);
	int64_t ready = later_of(bucket_ready(own, now_ms), errands_ready(&t->calls, now_ms));

	if (method <= SLACK_DELETE || method == SLACK_PLACE)
		ready = later_of(ready, slack_ready(t, m, now_ms));
	if (ready > now_ms)
		return false;
	bucket_take(own, now_ms);
	if (method <= SLACK_UPDATE || method == SLACK_PLACE)
		bucket_take(room_of(t, m->peer, now_ms), now_ms);
	return true;
}

/* ---- answers ---- */

static struct slack_call *own_call(struct channel_errand *c)
{
	return (struct slack_call *)c;
}

static void finish_call(struct slack_call *c, enum channel_answer answer, struct text words)
{
	errands_end(&c->call, answer, TEXT(""), words);
}

static void accept_call(struct slack_call *c, struct text message)
{
	errands_end(&c->call, CHANNEL_ACCEPTED, message, TEXT(""));
}

static bool is_error_of(struct text word, const char *const *words)
{
	for (; *words; words++)
		if (text_is(word, *words))
			return true;
	return false;
}

static void refuse_call(struct slack_call *c, const struct slack_answer *a)
{
	char words[WHY_MAX];

	snprintf(words, sizeof(words), "Slack refused it: %.*s%s%.*s",
	         a->why.len < 60 ? (int)a->why.len : 60, a->why.len ? a->why.at : "",
	         a->needed.len ? ", the app needs the scope " : "",
	         a->needed.len < 60 ? (int)a->needed.len : 60, a->needed.len ? a->needed.at : "");
	finish_call(c, c->call.act == CHANNEL_LOOK ? CHANNEL_UNKNOWN : CHANNEL_REFUSED,
	            text_of(words));
}

/* That chat waits, or that method; others do not. */
static void call_is_much(struct slack_call *c)
{
	int64_t now_ms = slack_now(c->chat);
	int64_t until =
		now_ms + (c->call.head.retry_after_ms ? c->call.head.retry_after_ms : MUCH_MS);

	if (method_bucket(c->chat, c->method) == &c->chat->posts)
		bucket_stop(room_of(c->chat, text_of(c->peer), now_ms), until);
	else
		bucket_stop(method_bucket(c->chat, c->method), until);
	finish_call(c, CHANNEL_LATER, TEXT("Slack says that it is too much"));
}

static void take_error(struct slack_call *c, const struct slack_answer *a)
{
	static const char *const much[] = {"ratelimited", "rate_limited", "message_limit_exceeded",
	                                   NULL};
	static const char *const broken[] = {"internal_error",    "fatal_error",
	                                     "request_timeout",   "service_unavailable",
	                                     "team_added_to_org", NULL};
	static const char *const blocks[] = {"invalid_blocks", "invalid_blocks_format", NULL};

	if (c->call.head.status == 429 || is_error_of(a->why, much)) {
		call_is_much(c);
	} else if (c->call.act == CHANNEL_REMOVE && text_is(a->why, "message_not_found")) {
		accept_call(c, TEXT(""));
	} else if (slack_is_upload(c) && is_error_of(a->why, broken)) {
		errands_again(&c->call, "Slack has a fault of its own");
	} else if (is_error_of(a->why, broken)) {
		finish_call(c, c->call.act == CHANNEL_LOOK ? CHANNEL_AWAY : CHANNEL_UNKNOWN,
		            a->why);
	} else if (!c->is_plain && is_error_of(a->why, blocks)) {
		c->is_plain = true;
		errands_start(&c->call);
	} else {
		refuse_call(c, a);
	}
}

/* A page of the history: it is there, or on the next one, or nowhere. */
static void take_history(struct slack_call *c, const struct slack_answer *a)
{
	struct slack_sought sought = {.delivery = text_of(c->call.delivery),
	                              .stale = text_of(c->stale),
	                              .piece = c->call.piece,
	                              .self = &c->chat->bot};
	char ts[SLACK_ID_MAX];

	if (slack_find_message(a, &sought, ts)) {
		accept_call(c, text_of(ts));
	} else if (!a->cursor.len && c->is_file && !c->was_awaited) {
		c->was_awaited = true;
		c->pages = 0;
		free(c->cursor);
		c->cursor = NULL;
		errands_wait(&c->call, slack_now(c->chat) + SHOWN_MS);
	} else if (!a->cursor.len) {
		finish_call(c, CHANNEL_ABSENT, TEXT("it is not in the history"));
	} else if (++c->pages >= PAGES_MAX) {
		finish_call(c, CHANNEL_UNKNOWN, TEXT("the history is too long"));
	} else {
		free(c->cursor);
		c->cursor = text_dup(a->cursor);
		errands_start(&c->call);
	}
}

static void take_place(struct slack_call *c, const struct slack_answer *a)
{
	if (slack_take_place(c, a))
		errands_start(&c->call);
	else
		finish_call(c, CHANNEL_REFUSED, TEXT("Slack does not say where a file goes"));
}

static void take_good(struct slack_call *c, const struct slack_answer *a)
{
	if (c->call.act == CHANNEL_LOOK)
		take_history(c, a);
	else if (c->method == SLACK_PLACE)
		take_place(c, a);
	else if (c->method == SLACK_SHARE)
		accept_call(c, text_of(c->place.id));
	else if (c->call.act == CHANNEL_SEND && !c->call.is_aside && !slack_is_ts(a->ts))
		finish_call(c, CHANNEL_UNKNOWN, TEXT("Slack does not say which message it is"));
	else
		accept_call(c, c->call.act == CHANNEL_SEND ? a->ts : TEXT(""));
}

/* What is said to the bytes of a file is no JSON. */
static void judge_bytes(struct slack_call *c)
{
	int status = c->call.head.status;
	char words[WHY_MAX];

	if (status == 200) {
		slack_take_bytes(c);
		errands_start(&c->call);
	} else if (status == 429) {
		call_is_much(c);
	} else if (status >= 500) {
		errands_again(&c->call, "Slack has a fault of its own");
	} else {
		snprintf(words, sizeof(words), "Slack did not take the file (%d)", status);
		finish_call(c, CHANNEL_REFUSED, text_of(words));
	}
}

/* Of a file that is not shown yet, nothing has left. */
static void fail_call(struct channel_errand *call, enum channel_answer answer, const char *why)
{
	struct slack_call *c = own_call(call);

	finish_call(c, slack_is_upload(c) ? CHANNEL_AWAY : answer, text_of(why));
}

static void judge_call(struct channel_errand *call)
{
	struct slack_call *c = own_call(call);
	struct slack_answer answer;

	if (c->method == SLACK_BYTES)
		judge_bytes(c);
	else if (slack_read_answer(&c->chat->reader, buf_text(&call->answer), &answer))
		answer.is_good ? take_good(c, &answer) : take_error(c, &answer);
	else if (call->head.status == 429)
		call_is_much(c);
	else if (slack_is_upload(c))
		errands_again(call, "Slack's answer makes no sense");
	else
		finish_call(c, call->act == CHANNEL_LOOK ? CHANNEL_AWAY : CHANNEL_UNKNOWN,
		            TEXT("Slack's answer makes no sense"));
}

/* ---- requests ---- */

static struct request *begin_request(struct channel_errand *call, struct request_options *o,
                                     struct error *why)
{
	struct slack_call *c = own_call(call);
	struct slack_ask ask = {
		.method = c->method == SLACK_HOOK ? c->message : slack_method_name(c->method),
		.token = c->chat->token,
		.is_query = c->method == SLACK_HISTORY || c->method == SLACK_REPLIES};
	struct request *request;
	struct buf form;

	if (c->file.path)
		return slack_start_upload(c, o, why);
	buf_init(&form, FORM_MAX);
	slack_put_call(c, &form);
	ask.form = buf_text(&form);
	request = slack_start(c->chat, &ask, o, why);
	buf_finish(&form);
	return request;
}

static void drop_call(struct channel_errand *call)
{
	struct slack_call *c = own_call(call);

	free(c->peer);
	free(c->thread);
	free(c->message);
	free(c->text);
	free(c->actions);
	free(c->stale);
	free(c->cursor);
	free(c->file.path);
}

static const struct errands_kind slack_calls = {
	.size = sizeof(struct slack_call),
	.answer_max = SLACK_BODY_MAX,
	.most = CALLS_MAX,
	.total_ms = CALL_MS,
	.full = "as many messages as Slack takes are on their way",
	.start = begin_request,
	.judge = judge_call,
	.drop = drop_call,
	.fail = fail_call,
};

void slack_calls_init(struct slack_chat *t)
{
	errands_init(&t->calls, &slack_calls, &t->options);
	t->calls.secrets[0] = t->token;
	t->calls.secrets[1] = t->app_token;
}

/* ---- what the outbox wants ---- */

static struct slack_call *new_call(struct slack_chat *t, const struct channel_message *m,
                                   enum slack_method method, enum channel_act act)
{
	struct slack_call *c = own_call(errands_make(&t->calls, m, act));
	struct buf actions;

	buf_init(&actions, 64 * KIB);
	slack_put_actions(m->buttons, m->button_count, &actions);
	c->chat = t;
	c->method = method;
	c->call.may_repeat = act == CHANNEL_LOOK;
	c->is_plain = m->is_plain;
	c->since_ms = m->since_ms;
	c->is_file = m->is_file;
	if (method == SLACK_PLACE)
		slack_keep_file(c, m->file);
	c->peer = text_dup(m->peer);
	c->thread = slack_is_ts(m->thread) ? text_dup(m->thread) : NULL;
	c->message = errands_keep(m->message);
	c->text = errands_keep(m->text);
	c->stale = errands_keep(m->stale);
	c->actions = errands_keep(buf_text(&actions));
	buf_finish(&actions);
	return c;
}

static void call_slack(struct slack_chat *t, const struct channel_message *m,
                       enum slack_method method, enum channel_act act)
{
	if (take_turn(t, m, method))
		errands_start(&new_call(t, m, method, act)->call);
	else
		errands_refuse(&t->calls, m, act,
		               &(struct channel_result){.answer = CHANNEL_LATER});
}

void slack_send(void *self, const struct channel_message *m)
{
	call_slack(self, m, m->file ? SLACK_PLACE : SLACK_POST, CHANNEL_SEND);
}

void slack_edit(void *self, const struct channel_message *m)
{
	struct slack_chat *t = self;

	t->edit_count++;
	call_slack(t, m, SLACK_UPDATE, CHANNEL_EDIT);
}

void slack_remove(void *self, const struct channel_message *m)
{
	call_slack(self, m, SLACK_DELETE, CHANNEL_REMOVE);
}

/* Who the bot is has to be known: only its own messages count. */
void slack_look(void *self, const struct channel_message *m)
{
	struct slack_chat *t = self;
	struct error why = {"Slack has not said yet who the bot is"};

	if (t->bot.user[0])
		call_slack(t, m, slack_is_ts(m->thread) ? SLACK_REPLIES : SLACK_HISTORY,
		           CHANNEL_LOOK);
	else
		errands_refuse(&t->calls, m, CHANNEL_LOOK,
		               &(struct channel_result){.answer = CHANNEL_AWAY, .why = &why});
}

/* ---- what nobody waits for ---- */

static void call_quietly(struct slack_chat *t, const struct channel_message *m,
                         enum slack_method method)
{
	struct slack_call *c;

	if (!take_turn(t, m, method))
		return;
	c = new_call(t, m, method, CHANNEL_SEND);
	c->call.is_aside = true;
	errands_start(&c->call);
}

/* A status of the thread; Slack takes it back by itself when a message follows. */
void slack_type(void *self, const struct channel_message *where, bool shows)
{
	struct channel_message m = {.peer = where->peer,
	                            .thread = where->thread,
	                            .text = shows ? TEXT("typing") : TEXT("")};

	if (slack_is_ts(where->thread))
		call_quietly(self, &m, SLACK_STATUS);
}

/* Only who pressed sees it.  Slack's own address, and no other one. */
void slack_tell(void *self, const struct channel_press *press, struct text words)
{
	struct slack_chat *t = self;
	struct channel_message m = {.peer = press->peer, .message = press->press, .text = words};

	if (text_starts(press->press, TEXT(HOOKS)) ||
	    (t->is_direct && text_starts(press->press, text_of(t->base))))
		call_quietly(t, &m, SLACK_HOOK);
}
