/* telegram_calls.c - what goes to Telegram: messages, edits, removals, typing, and words for who
 * pressed a button.
 *
 * Limits are kept before asking: one message a second for a chat, twenty a minute for a group,
 * thirty a second in all.  A request that cannot have been accepted goes again, three times; of one
 * that may have been, nobody knows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/telegram/telegram_inside.h"

#define CALL_MS 20000
#define ANSWER_MAX (256 * KIB)
#define TRIES_MAX 3
#define AGAIN_MS 400 /* doubling */
#define CALLS_MAX 1024
#define HTML_MAX (64 * KIB)
#define KEYBOARD_MAX (64 * KIB)
#define ROW_BUTTONS 3 /* beside each other, if they are short */
#define ROW_CHARS 12
#define TOLD_MAX 200 /* characters that are shown to who pressed */

static const struct bucket_rate chat_rate = {3, 1000}, group_rate = {20, 3000};

struct telegram_call {
	struct telegram_chat *chat;
	struct link in_chat;
	enum channel_act act;
	bool is_typing, is_plain;
	char *delivery, *peer, *thread, *reply_to, *message, *text;
	char *keyboard; /* reply_markup, or NULL */
	char *press;    /* of who pressed a button and is told; or NULL */
	unsigned piece, tries;
	int64_t due_ms; /* of one that goes again; 0: it is under way */
	struct request *request;
	int status;
	struct buf body;
};

/* ---- limits ---- */

static struct bucket *bucket_of(struct telegram_chat *t, struct text peer, int64_t now_ms)
{
	bool is_group = peer.len && peer.at[0] == '-';

	return buckets_of(&t->chat_buckets, peer, is_group ? &group_rate : &chat_rate, now_ms);
}

int64_t telegram_ready(void *self, const struct channel_message *where, int64_t now_ms)
{
	const struct telegram_chat *t = self;
	int64_t chat = buckets_ready(&t->chat_buckets, where->peer, now_ms);
	int64_t bot = bucket_ready(&t->bot_bucket, now_ms);

	return chat > bot ? chat : bot;
}

static bool take_tokens(struct telegram_chat *t, const struct channel_message *m)
{
	int64_t now_ms = telegram_now(t);

	if (telegram_ready(t, m, now_ms) > now_ms)
		return false;
	bucket_take(bucket_of(t, m->peer, now_ms), now_ms);
	bucket_take(&t->bot_bucket, now_ms);
	return true;
}

/* ---- the end of a call ---- */

static void free_call(struct telegram_call *c)
{
	list_remove(&c->in_chat);
	c->chat->call_count--;
	if (c->request)
		request_cancel(c->request);
	buf_finish(&c->body);
	free(c->delivery);
	free(c->peer);
	free(c->thread);
	free(c->reply_to);
	free(c->message);
	free(c->text);
	free(c->keyboard);
	free(c->press);
	free(c);
}

/* Nobody waits for its end. */
static bool is_aside(const struct telegram_call *c)
{
	return c->is_typing || c->press;
}

static void answer_with(struct telegram_chat *t, const struct channel_result *result)
{
	t->options.answered(t->options.self, result);
}

static void end_call(struct telegram_call *c, enum channel_answer answer, struct text words)
{
	struct telegram_chat *t = c->chat;
	char id[TELEGRAM_ID_MAX] = "";
	char *delivery = c->delivery;
	struct channel_result result = {.act = c->act, .answer = answer, .piece = c->piece};
	struct telegram_answer said;
	bool aside = is_aside(c);
	struct error why;

	if (answer == CHANNEL_ACCEPTED && c->act == CHANNEL_SEND && !aside &&
	    telegram_read_answer(&t->reader, buf_text(&c->body), &said))
		snprintf(id, sizeof(id), "%lld", (long long)said.message);
	snprintf(why.words, sizeof(why.words), "%.*s", words.len < 200 ? (int)words.len : 200,
	         words.at ? words.at : "");
	telegram_hide(t, why.words, sizeof(why.words));
	c->delivery = NULL;
	c->request = NULL;
	free_call(c);
	result.delivery = text_of(delivery);
	result.message = text_of(id);
	result.why = &why;
	if (!aside)
		answer_with(t, &result);
	free(delivery);
}

/* ---- requests ---- */

static void start_call(struct telegram_call *c);

static bool is_said(struct text words, const char *part)
{
	return words.len && memmem(words.at, words.len, part, strlen(part));
}

/* What has the text already, or is gone already, is as it should be. */
static bool is_done_already(const struct telegram_call *c, struct text why)
{
	if (c->act == CHANNEL_EDIT)
		return is_said(why, "message is not modified");
	return c->act == CHANNEL_REMOVE && is_said(why, "message to delete not found");
}

static void go_plain(struct telegram_call *c)
{
	c->is_plain = true;
	buf_clear(&c->body);
	start_call(c);
}

static void take_refusal(struct telegram_call *c, const struct telegram_answer *a)
{
	int64_t now_ms = telegram_now(c->chat);
	struct text why = a->why.len ? a->why : TEXT("Telegram refused it");

	if (a->code == 429) {
		bucket_stop(c->press ? &c->chat->told_bucket
		                     : bucket_of(c->chat, text_of(c->peer), now_ms),
		            now_ms + (a->after_s ? a->after_s : 1) * 1000);
		end_call(c, CHANNEL_LATER, why);
	} else if (is_done_already(c, why)) {
		end_call(c, CHANNEL_ACCEPTED, why);
	} else if (a->code == 400 && !c->is_plain && c->text &&
	           (is_said(why, "parse entities") || is_said(why, "text is empty") ||
	            is_said(why, "must be non-empty"))) {
		go_plain(c);
	} else if (a->code >= 500) {
		end_call(c, CHANNEL_UNKNOWN, why);
	} else {
		end_call(c, CHANNEL_REFUSED, why);
	}
}

static uint64_t draw(struct telegram_chat *t)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return t->seed;
}

/* Nothing has left: again in a moment, or later by whoever keeps it. */
static void go_again(struct telegram_call *c, const char *why)
{
	int64_t wait = (int64_t)AGAIN_MS << c->tries;

	c->request = NULL;
	if (is_aside(c) || ++c->tries >= TRIES_MAX) {
		end_call(c, CHANNEL_AWAY, text_of(why));
		return;
	}
	wait += wait * ((int64_t)(draw(c->chat) % 21) - 10) / 100;
	c->due_ms = telegram_now(c->chat) + wait;
	buf_clear(&c->body);
	c->chat->options.wake(c->chat->options.self);
}

static void call_head(void *self, const struct request_head *head)
{
	((struct telegram_call *)self)->status = head->status;
}

static void call_heard(void *self, struct text bytes)
{
	struct telegram_call *c = self;

	buf_add(&c->body, bytes);
}

static void call_done(void *self, const char *why)
{
	struct telegram_call *c = self;
	enum request_fault fault = why ? request_fault(c->request) : REQUEST_BROKEN;
	bool has_left = why && fault == REQUEST_BROKEN && request_sent(c->request) > 0;
	struct telegram_answer answer;

	c->request = NULL;
	if (why && !has_left)
		go_again(c, why);
	else if (why)
		end_call(c, CHANNEL_UNKNOWN, text_of(why));
	else if (!telegram_read_answer(&c->chat->reader, buf_text(&c->body), &answer))
		end_call(c, CHANNEL_UNKNOWN, TEXT("Telegram's answer makes no sense"));
	else if (answer.is_good)
		end_call(c, CHANNEL_ACCEPTED, TEXT(""));
	else
		take_refusal(c, &answer);
}

static void put_chat(const struct telegram_call *c, struct buf *body)
{
	char *end;
	int64_t chat = strtoll(c->peer, &end, 10);

	if (*end)
		put_word(body, "chat_id", c->peer); /* @channelname */
	else
		put_i64(body, "chat_id", chat);
	if (c->thread && (c->is_typing || c->act == CHANNEL_SEND))
		put_i64(body, "message_thread_id", telegram_message_number(text_of(c->thread)));
	if (c->act == CHANNEL_EDIT || c->act == CHANNEL_REMOVE)
		put_i64(body, "message_id", telegram_message_number(text_of(c->message)));
}

static void put_said(const struct telegram_call *c, struct buf *body)
{
	struct buf text;

	buf_init(&text, HTML_MAX);
	if (c->is_plain)
		telegram_put_plain(text_of(c->text), &text);
	else
		telegram_put_html(text_of(c->text), &text);
	put_text(body, "text", buf_text(&text));
	buf_finish(&text);
	if (!c->is_plain)
		put_word(body, "parse_mode", "HTML");
	put_object(body, "link_preview_options");
	put_bool(body, "is_disabled", true);
	put_end(body);
}

static void put_told(const struct telegram_call *c, struct buf *body)
{
	struct text words = text_of(c->text);

	words.len = chunk_reach(CHUNK_UTF16, words, TOLD_MAX);
	put_word(body, "callback_query_id", c->press);
	put_text(body, "text", words);
}

static void put_sent(const struct telegram_call *c, struct buf *body)
{
	int64_t reply = c->act == CHANNEL_SEND ? telegram_message_number(text_of(c->reply_to)) : 0;

	put_chat(c, body);
	if (c->is_typing)
		put_word(body, "action", "typing");
	else if (c->act != CHANNEL_REMOVE)
		put_said(c, body);
	if (reply && !c->is_typing) {
		put_object(body, "reply_parameters");
		put_i64(body, "message_id", reply);
		put_bool(body, "allow_sending_without_reply", true);
		put_end(body);
	}
	if (c->keyboard)
		put_json(body, "reply_markup", text_of(c->keyboard));
}

static void put_call(const struct telegram_call *c, struct buf *body)
{
	put_object(body, NULL);
	if (c->press)
		put_told(c, body);
	else
		put_sent(c, body);
	put_end(body);
}

static const char *method_of(const struct telegram_call *c)
{
	static const char *const methods[] = {[CHANNEL_SEND] = "sendMessage",
	                                      [CHANNEL_EDIT] = "editMessageText",
	                                      [CHANNEL_REMOVE] = "deleteMessage"};

	return c->press ? "answerCallbackQuery" : c->is_typing ? "sendChatAction" : methods[c->act];
}

static void start_call(struct telegram_call *c)
{
	struct request_options o = {.head_ms = CALL_MS,
	                            .total_ms = CALL_MS,
	                            .body_max = ANSWER_MAX,
	                            .may_repeat = c->act != CHANNEL_SEND || c->is_typing,
	                            .self = c,
	                            .head = call_head,
	                            .heard = call_heard,
	                            .done = call_done};
	struct error why;
	struct buf body;

	buf_init(&body, 2 * HTML_MAX + KEYBOARD_MAX);
	put_call(c, &body);
	o.body = buf_text(&body);
	c->due_ms = 0;
	c->request = telegram_start(c->chat, method_of(c), &o, &why);
	buf_finish(&body);
	if (!c->request)
		go_again(c, why.words);
}

/* ---- what the outbox wants ---- */

static char *keep_word(struct text t)
{
	return t.len ? text_dup(t) : NULL;
}

static bool is_short(struct text label)
{
	return chunk_length(CHUNK_POINTS, label) <= ROW_CHARS;
}

/* Short ones stand beside each other. */
static char *make_keyboard(const struct channel_message *m)
{
	struct buf out;
	char *made;

	if (!m->button_count)
		return NULL;
	buf_init(&out, KEYBOARD_MAX);
	put_object(&out, NULL);
	put_list(&out, "inline_keyboard");
	for (unsigned i = 0; i < m->button_count;) {
		unsigned in_row = 0;

		put_list(&out, NULL);
		do {
			put_object(&out, NULL);
			put_text(&out, "text", m->buttons[i].label);
			put_text(&out, "callback_data", m->buttons[i].value);
			put_end(&out);
			i++;
		} while (++in_row < ROW_BUTTONS && i < m->button_count &&
		         is_short(m->buttons[i - 1].label) && is_short(m->buttons[i].label));
		put_list_end(&out);
	}
	put_list_end(&out);
	put_end(&out);
	made = out.full ? NULL : text_dup(buf_text(&out));
	buf_finish(&out);
	return made;
}

static struct telegram_call *make_call(struct telegram_chat *t, const struct channel_message *m,
                                       enum channel_act act)
{
	struct telegram_call *c = must_zero(1, sizeof(*c));

	c->chat = t;
	c->act = act;
	c->piece = m->piece;
	c->delivery = keep_word(m->delivery);
	c->peer = text_dup(m->peer);
	c->thread = keep_word(m->thread);
	c->reply_to = keep_word(m->reply_to);
	c->message = keep_word(m->message);
	c->text = keep_word(m->text);
	c->is_plain = m->is_plain;
	c->keyboard = make_keyboard(m);
	buf_init(&c->body, ANSWER_MAX);
	list_init(&c->in_chat);
	list_add(&t->calls, &c->in_chat);
	t->call_count++;
	return c;
}

static void call(struct telegram_chat *t, const struct channel_message *m, enum channel_act act)
{
	struct error why = {"as many messages as Telegram takes are on their way"};

	if (t->call_count < CALLS_MAX && take_tokens(t, m)) {
		start_call(make_call(t, m, act));
		return;
	}
	answer_with(t, &(struct channel_result){.act = act,
	                                        .answer = CHANNEL_LATER,
	                                        .delivery = m->delivery,
	                                        .piece = m->piece,
	                                        .why = &why});
}

void telegram_send(void *self, const struct channel_message *m)
{
	call(self, m, CHANNEL_SEND);
}

void telegram_edit(void *self, const struct channel_message *m)
{
	call(self, m, CHANNEL_EDIT);
}

void telegram_remove(void *self, const struct channel_message *m)
{
	call(self, m, CHANNEL_REMOVE);
}

/* Nobody waits for it, and it takes no message's place. */
void telegram_type(void *self, const struct channel_message *where, bool shows)
{
	struct telegram_chat *t = self;
	int64_t now_ms = telegram_now(t);
	struct telegram_call *c;

	if (!shows || t->call_count >= CALLS_MAX || bucket_ready(&t->bot_bucket, now_ms) > now_ms ||
	    buckets_ready(&t->chat_buckets, where->peer, now_ms) > now_ms)
		return;
	bucket_take(&t->bot_bucket, now_ms);
	c = make_call(t, where, CHANNEL_SEND);
	c->is_typing = true;
	start_call(c);
}

/* Nobody waits for it; who presses without end is not always told. */
void telegram_tell(void *self, const struct channel_press *press, struct text words)
{
	struct telegram_chat *t = self;
	int64_t now_ms = telegram_now(t);
	struct telegram_call *c;

	if (t->call_count >= CALLS_MAX || bucket_ready(&t->told_bucket, now_ms) > now_ms)
		return;
	bucket_take(&t->told_bucket, now_ms);
	c = make_call(t, &(struct channel_message){.peer = press->peer, .text = words},
	              CHANNEL_SEND);
	c->press = text_dup(press->press);
	start_call(c);
}

int64_t telegram_calls_tick(struct telegram_chat *t, int64_t now_ms)
{
	int64_t due = INT64_MAX;

	list_each(&t->calls, l) {
		struct telegram_call *c = list_of(l, struct telegram_call, in_chat);

		if (c->due_ms && c->due_ms <= now_ms)
			start_call(c);
		else if (c->due_ms && c->due_ms < due)
			due = c->due_ms;
	}
	return due;
}

void telegram_calls_finish(struct telegram_chat *t)
{
	while (!list_is_empty(&t->calls))
		free_call(list_of(t->calls.next, struct telegram_call, in_chat));
}
