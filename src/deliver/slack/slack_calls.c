/* slack_calls.c - what goes to Slack: messages, edits, removals, looks, typing.
 *
 * Limits are kept before asking: one message a second for a chat with short bursts, and what the
 * methods' tiers allow in all.  A request that cannot have been accepted goes again, three times;
 * of one that may have been, the history tells: block_id says which delivery a message is.
 */
#include "deliver/slack/slack_call.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

#define CALL_MS 20000
#define ANSWER_MAX SLACK_BODY_MAX
#define FORM_MAX (2 * MIB)
#define TRIES_MAX 3
#define AGAIN_MS 400 /* doubling */
#define CALLS_MAX 1024
#define FULL_MS 100  /* before another one, where there are so many */
#define PAGES_MAX 20 /* of a history */
#define MUCH_MS 1000 /* of a "too many" that does not say for how long */
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

	if (t->call_count >= CALLS_MAX)
		return now_ms + FULL_MS;
	return later_of(all, buckets_ready(&t->rooms, where->peer, now_ms));
}

static struct bucket *method_bucket(struct slack_chat *t, enum slack_method method)
{
	switch (method) {
	case SLACK_POST:
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
	int64_t ready = bucket_ready(own, now_ms);

	if (method <= SLACK_DELETE)
		ready = later_of(ready, slack_ready(t, m, now_ms));
	if (ready > now_ms)
		return false;
	bucket_take(own, now_ms);
	if (method <= SLACK_UPDATE)
		bucket_take(room_of(t, m->peer, now_ms), now_ms);
	return true;
}

/* ---- the end of a call ---- */

static void drop_call(struct slack_call *c)
{
	list_remove(&c->in_chat);
	c->chat->call_count--;
	if (c->request)
		request_cancel(c->request);
	buf_finish(&c->body);
	free(c->delivery);
	free(c->peer);
	free(c->thread);
	free(c->message);
	free(c->text);
	free(c->actions);
	free(c->stale);
	free(c->cursor);
	free(c);
}

static void tell_result(struct slack_chat *t, const struct channel_result *result)
{
	t->options.answered(t->options.self, result);
}

/* The words are its id, of what is accepted, else why. */
static void finish_call(struct slack_call *c, enum channel_answer answer, struct text words)
{
	struct slack_chat *t = c->chat;
	char *delivery = c->delivery;
	struct channel_result result = {.act = c->act, .answer = answer, .piece = c->piece};
	bool is_quiet = c->is_quiet;
	struct error why;

	snprintf(why.words, sizeof(why.words), "%.*s",
	         words.len < WHY_MAX ? (int)words.len : WHY_MAX, words.at ? words.at : "");
	slack_hide(t, why.words);
	c->delivery = NULL;
	c->request = NULL;
	drop_call(c);
	result.delivery = text_of(delivery);
	result.message = answer == CHANNEL_ACCEPTED ? text_of(why.words) : TEXT("");
	result.why = &why;
	if (!is_quiet)
		tell_result(t, &result);
	free(delivery);
}

/* ---- requests ---- */

static void begin_call(struct slack_call *c);

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
	finish_call(c, c->act == CHANNEL_LOOK ? CHANNEL_UNKNOWN : CHANNEL_REFUSED, text_of(words));
}

/* That chat waits, or that method; others do not. */
static void call_is_much(struct slack_call *c)
{
	int64_t now_ms = slack_now(c->chat);
	int64_t until = now_ms + (c->head.retry_after_ms ? c->head.retry_after_ms : MUCH_MS);

	if (c->method == SLACK_POST)
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

	if (c->head.status == 429 || is_error_of(a->why, much)) {
		call_is_much(c);
	} else if (c->act == CHANNEL_REMOVE && text_is(a->why, "message_not_found")) {
		finish_call(c, CHANNEL_ACCEPTED, TEXT(""));
	} else if (is_error_of(a->why, broken)) {
		finish_call(c, c->act == CHANNEL_LOOK ? CHANNEL_AWAY : CHANNEL_UNKNOWN, a->why);
	} else if (!c->is_plain && is_error_of(a->why, blocks)) {
		c->is_plain = true;
		buf_clear(&c->body);
		begin_call(c);
	} else {
		refuse_call(c, a);
	}
}

/* Nothing has left: again in a moment, or later by whoever keeps it. */
static void repeat_call(struct slack_call *c, const char *why)
{
	struct slack_chat *t = c->chat;
	int64_t wait = (int64_t)AGAIN_MS << c->tries;

	c->request = NULL;
	if (c->is_quiet || ++c->tries >= TRIES_MAX) {
		finish_call(c, CHANNEL_AWAY, text_of(why));
		return;
	}
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	wait += wait * ((int64_t)(t->seed % 21) - 10) / 100;
	c->due_ms = slack_now(t) + wait;
	buf_clear(&c->body);
	t->options.wake(t->options.self);
}

/* A page of the history: it is there, or on the next one, or nowhere. */
static void take_history(struct slack_call *c, const struct slack_answer *a)
{
	struct slack_sought sought = {.delivery = text_of(c->delivery),
	                              .stale = text_of(c->stale),
	                              .piece = c->piece,
	                              .self = &c->chat->bot};
	char ts[SLACK_ID_MAX];

	if (slack_find_message(a, &sought, ts)) {
		finish_call(c, CHANNEL_ACCEPTED, text_of(ts));
	} else if (!a->cursor.len) {
		finish_call(c, CHANNEL_ABSENT, TEXT("it is not in the history"));
	} else if (++c->pages >= PAGES_MAX) {
		finish_call(c, CHANNEL_UNKNOWN, TEXT("the history is too long"));
	} else {
		free(c->cursor);
		c->cursor = text_dup(a->cursor);
		buf_clear(&c->body);
		begin_call(c);
	}
}

static void take_good(struct slack_call *c, const struct slack_answer *a)
{
	if (c->act == CHANNEL_LOOK)
		take_history(c, a);
	else if (c->act == CHANNEL_SEND && !c->is_quiet && !slack_is_ts(a->ts))
		finish_call(c, CHANNEL_UNKNOWN, TEXT("Slack does not say which message it is"));
	else
		finish_call(c, CHANNEL_ACCEPTED, c->act == CHANNEL_SEND ? a->ts : TEXT(""));
}

static void call_head(void *self, const struct request_head *head)
{
	struct slack_call *c = self;

	c->head = (struct request_head){.status = head->status,
	                                .retry_after_ms = head->retry_after_ms};
}

static void call_heard(void *self, struct text bytes)
{
	buf_add(&((struct slack_call *)self)->body, bytes);
}

static void call_done(void *self, const char *why)
{
	struct slack_call *c = self;
	bool has_left = why && request_fault(c->request) == REQUEST_BROKEN &&
	                request_sent(c->request) > 0 && c->act != CHANNEL_LOOK;
	struct slack_answer answer;

	c->request = NULL;
	if (why && !has_left)
		repeat_call(c, why);
	else if (why)
		finish_call(c, CHANNEL_UNKNOWN, text_of(why));
	else if (slack_read_answer(&c->chat->reader, buf_text(&c->body), &answer))
		answer.is_good ? take_good(c, &answer) : take_error(c, &answer);
	else if (c->head.status == 429)
		call_is_much(c);
	else
		finish_call(c, c->act == CHANNEL_LOOK ? CHANNEL_AWAY : CHANNEL_UNKNOWN,
		            TEXT("Slack's answer makes no sense"));
}

static void begin_call(struct slack_call *c)
{
	struct slack_ask ask = {
		.method = c->method == SLACK_HOOK ? c->message : slack_method_name(c->method),
		.token = c->chat->token,
		.is_query = c->method == SLACK_HISTORY || c->method == SLACK_REPLIES};
	struct request_options o = {.head_ms = CALL_MS,
	                            .total_ms = CALL_MS,
	                            .body_max = ANSWER_MAX,
	                            .self = c,
	                            .head = call_head,
	                            .heard = call_heard,
	                            .done = call_done};
	struct error why;
	struct buf form;

	buf_init(&form, FORM_MAX);
	slack_put_call(c, &form);
	ask.form = buf_text(&form);
	c->due_ms = 0;
	c->head = (struct request_head){0};
	c->request = slack_start(c->chat, &ask, &o, &why);
	buf_finish(&form);
	if (!c->request)
		repeat_call(c, why.words);
}

/* ---- what the outbox wants ---- */

static char *keep_text(struct text t)
{
	return t.len ? text_dup(t) : NULL;
}

static struct slack_call *new_call(struct slack_chat *t, const struct channel_message *m,
                                   enum slack_method method, enum channel_act act)
{
	struct slack_call *c = must_zero(1, sizeof(*c));
	struct buf actions;

	buf_init(&actions, 64 * KIB);
	slack_put_actions(m->buttons, m->button_count, &actions);
	c->chat = t;
	c->method = method;
	c->act = act;
	c->piece = m->piece;
	c->is_plain = m->is_plain;
	c->since_ms = m->since_ms;
	c->delivery = keep_text(m->delivery);
	c->peer = text_dup(m->peer);
	c->thread = slack_is_ts(m->thread) ? text_dup(m->thread) : NULL;
	c->message = keep_text(m->message);
	c->text = keep_text(m->text);
	c->stale = keep_text(m->stale);
	c->actions = keep_text(buf_text(&actions));
	buf_finish(&actions);
	buf_init(&c->body, ANSWER_MAX);
	list_init(&c->in_chat);
	list_add(&t->calls, &c->in_chat);
	t->call_count++;
	return c;
}

static void call_slack(struct slack_chat *t, const struct channel_message *m,
                       enum slack_method method, enum channel_act act)
{
	struct error why = {"as many messages as Slack takes are on their way"};

	if (t->call_count < CALLS_MAX && take_turn(t, m, method)) {
		begin_call(new_call(t, m, method, act));
		return;
	}
	tell_result(t, &(struct channel_result){.act = act,
	                                        .answer = CHANNEL_LATER,
	                                        .delivery = m->delivery,
	                                        .piece = m->piece,
	                                        .why = &why});
}

void slack_send(void *self, const struct channel_message *m)
{
	call_slack(self, m, SLACK_POST, CHANNEL_SEND);
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
		tell_result(t, &(struct channel_result){.act = CHANNEL_LOOK,
		                                        .answer = CHANNEL_AWAY,
		                                        .delivery = m->delivery,
		                                        .piece = m->piece,
		                                        .why = &why});
}

/* ---- what nobody waits for ---- */

static void call_quietly(struct slack_chat *t, const struct channel_message *m,
                         enum slack_method method)
{
	struct slack_call *c;

	if (t->call_count >= CALLS_MAX || !take_turn(t, m, method))
		return;
	c = new_call(t, m, method, CHANNEL_SEND);
	c->is_quiet = true;
	begin_call(c);
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

int64_t slack_calls_tick(struct slack_chat *t, int64_t now_ms)
{
	int64_t due = INT64_MAX;

	list_each(&t->calls, l) {
		struct slack_call *c = list_of(l, struct slack_call, in_chat);

		if (c->due_ms && c->due_ms <= now_ms)
			begin_call(c);
		else if (c->due_ms && c->due_ms < due)
			due = c->due_ms;
	}
	return due;
}

void slack_calls_finish(struct slack_chat *t)
{
	while (!list_is_empty(&t->calls))
		drop_call(list_of(t->calls.next, struct slack_call, in_chat));
}
