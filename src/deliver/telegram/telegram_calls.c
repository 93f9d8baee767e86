/* telegram_calls.c - what goes to Telegram: messages, edits, removals, typing, and words for who
 * pressed a button.
 *
 * Limits are kept before asking: one message a second for a chat, twenty a minute for a group,
 * thirty a second in all.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/telegram/telegram_inside.h"
#include "deliver/upload.h"

#define CALL_MS 20000
#define ANSWER_MAX (256 * KIB)
#define CALLS_MAX 1024
#define HTML_MAX (64 * KIB)
#define KEYBOARD_MAX (64 * KIB)
#define ROW_BUTTONS 3 /* beside each other, if they are short */
#define ROW_CHARS 12
#define TOLD_MAX 200 /* characters that are shown to who pressed */

static const struct bucket_rate chat_rate = {3, 1000}, group_rate = {5, 4000};

struct telegram_call {
	struct channel_errand call;
	struct telegram_chat *chat;
	bool is_typing, is_plain;
	char *peer, *thread, *reply_to, *message, *text;
	char *keyboard;             /* reply_markup, or NULL */
	char *press;                /* of who pressed a button and is told; or NULL */
	struct channel_upload file; /* without a path: none */
	bool is_document;           /* it goes as a file, whatever it shows */
};

static struct telegram_call *own(struct channel_errand *c)
{
	return (struct telegram_call *)c;
}

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
	int64_t call = errands_ready(&t->calls, now_ms);

	bot = bot > call ? bot : call;
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

/* ---- answers ---- */

static void end_call(struct telegram_call *c, enum channel_answer answer, struct text words)
{
	errands_end(&c->call, answer, TEXT(""), words);
}

static bool is_said(struct text words, const char *part)
{
	return words.len && memmem(words.at, words.len, part, strlen(part));
}

/* What has the text already, or is gone already, is as it should be. */
static bool is_done_already(const struct telegram_call *c, struct text why)
{
	if (c->call.act == CHANNEL_EDIT)
		return is_said(why, "message is not modified");
	return c->call.act == CHANNEL_REMOVE && is_said(why, "message to delete not found");
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
	} else if (a->code == 400 && c->file.path && !c->is_document) {
		c->is_document = true; /* what it cannot show it may still pass on */
		errands_start(&c->call);
	} else if (is_done_already(c, why)) {
		end_call(c, CHANNEL_ACCEPTED, why);
	} else if (a->code == 400 && !c->is_plain && c->text &&
	           (is_said(why, "parse entities") || is_said(why, "text is empty") ||
	            is_said(why, "must be non-empty"))) {
		c->is_plain = true;
		errands_start(&c->call);
	} else if (a->code >= 500) {
		end_call(c, CHANNEL_UNKNOWN, why);
	} else {
		end_call(c, CHANNEL_REFUSED, why);
	}
}

static void take_good(struct telegram_call *c, const struct telegram_answer *a)
{
	char id[TELEGRAM_ID_MAX] = "";

	if (c->call.act == CHANNEL_SEND)
		snprintf(id, sizeof(id), "%lld", (long long)a->message);
	errands_end(&c->call, CHANNEL_ACCEPTED, text_of(id), TEXT(""));
}

static void judge_answer(struct channel_errand *call)
{
	struct telegram_call *c = own(call);
	struct telegram_answer answer;

	if (!telegram_read_answer(&c->chat->reader, buf_text(&call->answer), &answer))
		end_call(c, CHANNEL_UNKNOWN, TEXT("Telegram's answer makes no sense"));
	else if (answer.is_good)
		take_good(c, &answer);
	else
		take_refusal(c, &answer);
}

/* ---- requests ---- */

static void put_chat(const struct telegram_call *c, struct buf *body)
{
	char *end;
	int64_t chat = strtoll(c->peer, &end, 10);

	if (*end)
		put_word(body, "chat_id", c->peer); /* @channelname */
	else
		put_i64(body, "chat_id", chat);
	if (c->thread && (c->is_typing || c->call.act == CHANNEL_SEND))
		put_i64(body, "message_thread_id", telegram_message_number(text_of(c->thread)));
	if (c->call.act == CHANNEL_EDIT || c->call.act == CHANNEL_REMOVE)
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
	int64_t reply =
		c->call.act == CHANNEL_SEND ? telegram_message_number(text_of(c->reply_to)) : 0;

	put_chat(c, body);
	if (c->is_typing)
		put_word(body, "action", "typing");
	else if (c->call.act != CHANNEL_REMOVE)
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

	return c->press       ? "answerCallbackQuery"
	       : c->is_typing ? "sendChatAction"
	                      : methods[c->call.act];
}

static struct request *start_upload(struct telegram_call *c, struct request_options *o,
                                    struct error *why)
{
	struct telegram_upload upload = {.file = &c->file,
	                                 .is_document = c->is_document,
	                                 .peer = c->peer,
	                                 .thread = c->thread,
	                                 .caption = c->text,
	                                 .reply_to = telegram_message_number(text_of(c->reply_to))};

	return telegram_start_upload(c->chat, &upload, o, why);
}

static struct request *start_request(struct channel_errand *call, struct request_options *o,
                                     struct error *why)
{
	struct telegram_call *c = own(call);
	struct request *request;
	struct buf body;

	if (c->file.path)
		return start_upload(c, o, why);
	buf_init(&body, 2 * HTML_MAX + KEYBOARD_MAX);
	put_call(c, &body);
	o->body = buf_text(&body);
	o->may_repeat = call->act != CHANNEL_SEND || c->is_typing;
	request = telegram_start(c->chat, method_of(c), o, why);
	buf_finish(&body);
	return request;
}

static void drop_own(struct channel_errand *call)
{
	struct telegram_call *c = own(call);

	free(c->peer);
	free(c->thread);
	free(c->reply_to);
	free(c->message);
	free(c->text);
	free(c->keyboard);
	free(c->press);
	free(c->file.path);
}

static const struct errands_kind errands_kind = {
	.size = sizeof(struct telegram_call),
	.answer_max = ANSWER_MAX,
	.most = CALLS_MAX,
	.total_ms = CALL_MS,
	.full = "as many messages as Telegram takes are on their way",
	.start = start_request,
	.judge = judge_answer,
	.drop = drop_own,
};

void telegram_calls_init(struct telegram_chat *t)
{
	errands_init(&t->calls, &errands_kind, &t->options);
	t->calls.secrets[0] = t->token;
}

/* ---- what the outbox wants ---- */

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
	struct telegram_call *c = own(errands_make(&t->calls, m, act));

	c->chat = t;
	c->peer = text_dup(m->peer);
	c->thread = errands_keep(m->thread);
	c->reply_to = errands_keep(m->reply_to);
	c->message = errands_keep(m->message);
	c->text = errands_keep(m->text);
	c->is_plain = m->is_plain;
	c->keyboard = make_keyboard(m);
	if (m->file) {
		c->file = upload_keep(m->file);
		c->is_document = telegram_is_document(m->file);
	}
	return c;
}

static void call(struct telegram_chat *t, const struct channel_message *m, enum channel_act act)
{
	if (take_tokens(t, m))
		errands_start(&make_call(t, m, act)->call);
	else
		errands_refuse(&t->calls, m, act,
		               &(struct channel_result){.answer = CHANNEL_LATER});
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

	if (!shows || telegram_ready(t, where, now_ms) > now_ms)
		return;
	bucket_take(&t->bot_bucket, now_ms);
	c = make_call(t, where, CHANNEL_SEND);
	c->is_typing = c->call.is_aside = true;
	errands_start(&c->call);
}

/* Nobody waits for it; who presses without end is not always told. */
void telegram_tell(void *self, const struct channel_press *press, struct text words)
{
	struct telegram_chat *t = self;
	int64_t now_ms = telegram_now(t);
	struct telegram_call *c;

	if (errands_ready(&t->calls, now_ms) > now_ms ||
	    bucket_ready(&t->told_bucket, now_ms) > now_ms)
		return;
	bucket_take(&t->told_bucket, now_ms);
	c = make_call(t, &(struct channel_message){.peer = press->peer, .text = words},
	              CHANNEL_SEND);
	c->press = text_dup(press->press);
	c->call.is_aside = true;
	errands_start(&c->call);
}
