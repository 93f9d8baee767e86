/* slack_socket.c - what people write: auth.test once, then a WebSocket for as long as it lasts.
 *
 * An envelope is acknowledged when its message is on the disk: until then Slack sends it again.
 * Before Slack ends a connection it says so, and another one is opened beside it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "deliver/slack/slack_inside.h"
#include "net/ws_client.h"

#define ASK_MS 20000
#define CONNECT_MS 20000
#define PING_MS 30000
#define SEND_MAX (256 * KIB)
#define NEWS_MAX 256  /* that wait; those that come then are not acknowledged */
#define KEPT_MS 20    /* between two looks whether all is on the disk */
#define FULL_MS 1000  /* before what was not taken is offered again */
#define RETRY_MS 1000 /* doubling to ... */
#define RETRY_MOST_MS 30000
#define REFUSED_MS 30000 /* of a token that is refused */
#define WORDS_MAX 256

struct slack_news {
	struct link in_chat;
	struct slack_line *line;
	struct buf raw;
	char *id; /* of the envelope */
	bool is_taken;
};

/* ---- what went wrong ---- */

static void tell_once(struct slack_chat *t, const char *words)
{
	char shown[WORDS_MAX];

	snprintf(shown, sizeof(shown), "%s", words);
	slack_hide(t, shown);
	if (strcmp(shown, t->failed) != 0)
		log_warn("deliver", "Slack does not answer: %s", shown);
	snprintf(t->failed, sizeof(t->failed), "%s", shown);
}

static void ask_later(struct slack_chat *t, const char *why)
{
	int64_t wait = RETRY_MS << (t->fails < 5 ? t->fails : 5);

	t->fails++;
	t->is_denied = false;
	t->ask_ms = slack_now(t) + (wait < RETRY_MOST_MS ? wait : RETRY_MOST_MS);
	tell_once(t, why);
}

static void ask_as_told(struct slack_chat *t, const struct slack_answer *a)
{
	bool is_much = t->head.status == 429 || text_is(a->why, "ratelimited") ||
	               text_is(a->why, "rate_limited");
	char words[WORDS_MAX];

	snprintf(words, sizeof(words), "%.*s%s%.*s", TEXT_ARG(a->why),
	         a->needed.len ? ": the app needs the scope " : "", (int)a->needed.len,
	         a->needed.len ? a->needed.at : "");
	t->is_denied = !is_much;
	if (is_much)
		t->ask_ms = slack_now(t) +
		            (t->head.retry_after_ms ? t->head.retry_after_ms : REFUSED_MS);
	else
		t->ask_ms = slack_now(t) + REFUSED_MS;
	tell_once(t, words);
}

/* ---- news ---- */

static void drop_news(struct slack_chat *t, struct slack_news *n)
{
	list_remove(&n->in_chat);
	t->news_count--;
	buf_finish(&n->raw);
	free(n->id);
	free(n);
}

/* What its connection cannot acknowledge any more comes again. */
static void drop_news_of(struct slack_chat *t, const struct slack_line *line)
{
	list_each(&t->news, l) {
		struct slack_news *n = list_of(l, struct slack_news, in_chat);

		if (n->line == line)
			drop_news(t, n);
	}
}

static void keep_news(struct slack_line *line, struct text message, struct text id)
{
	struct slack_chat *t = line->chat;
	struct slack_news *n;

	if (t->news_count >= NEWS_MAX)
		return;
	n = must_zero(1, sizeof(*n));
	n->line = line;
	n->id = text_dup(id);
	buf_init(&n->raw, SLACK_MESSAGE_MAX);
	buf_add(&n->raw, message);
	list_init(&n->in_chat);
	list_add(&t->news, &n->in_chat);
	t->news_count++;
}

/* False: not now. */
static bool offer_news(struct slack_chat *t, struct slack_words *words, const struct buf *raw)
{
	struct slack_envelope envelope;
	struct channel_inbound inbound;
	struct channel_press press;

	if (!slack_read_envelope(&t->reader, buf_text(raw), &envelope))
		return true;
	if (slack_read_press(&envelope, &press)) {
		t->options.pressed(t->options.self, &press);
		return true;
	}
	return !slack_read_message(&envelope, &t->bot, words, &inbound) ||
	       t->options.came(t->options.self, &inbound);
}

/* From the first on that was not taken; true: all were. */
static bool take_news(struct slack_chat *t)
{
	struct slack_words words = {.name = ""};
	bool goes_on = true;

	buf_init(&words.text, CHANNEL_TEXT_MAX + KIB);
	list_each(&t->news, l) {
		struct slack_news *n = list_of(l, struct slack_news, in_chat);

		if (!n->is_taken && goes_on)
			n->is_taken = goes_on = offer_news(t, &words, &n->raw);
	}
	buf_finish(&words.text);
	return goes_on;
}

static void acknowledge(const struct slack_news *n)
{
	struct buf out;

	buf_init(&out, KIB);
	put_object(&out, NULL);
	put_word(&out, "envelope_id", n->id);
	put_end(&out);
	ws_client_send(n->line->ws, buf_text(&out));
	buf_finish(&out);
}

static void acknowledge_all(struct slack_chat *t)
{
	list_each(&t->news, l) {
		struct slack_news *n = list_of(l, struct slack_news, in_chat);

		if (!n->is_taken)
			continue;
		acknowledge(n);
		drop_news(t, n);
	}
}

/* ---- connections ---- */

static void end_line(struct slack_line *line)
{
	drop_news_of(line->chat, line);
	ws_client_destroy(line->ws);
	*line = (struct slack_line){.chat = line->chat};
}

/* The new one is there: the old one has done its duty. */
static void greet(struct slack_line *line)
{
	struct slack_chat *t = line->chat;

	line->is_live = true;
	t->fails = 0;
	t->failed[0] = '\0';
	for (unsigned i = 0; i < 2; i++)
		if (t->lines[i].is_leaving)
			end_line(&t->lines[i]);
}

static void line_text(void *self, struct text message)
{
	struct slack_line *line = self;
	struct slack_envelope envelope;

	if (!slack_read_envelope(&line->chat->reader, message, &envelope))
		return;
	if (envelope.said == SLACK_HELLO)
		greet(line);
	else if (envelope.said == SLACK_GOODBYE)
		line->is_leaving = true;
	else if (envelope.id.len)
		keep_news(line, message, envelope.id);
	line->chat->options.wake(line->chat->options.self);
}

static void line_bad(void *self, const char *why)
{
	log_warn("deliver", "Slack: a message was passed over: %s", why);
}

static void line_closed(void *self, uint16_t code, int status, const char *why)
{
	struct slack_line *line = self;
	struct slack_chat *t = line->chat;
	bool was_live = line->is_live;

	end_line(line);
	if (!was_live)
		ask_later(t, why ? why : "it closed the connection");
	t->options.wake(t->options.self);
}

static void dial_line(struct slack_chat *t, struct text url)
{
	struct slack_line *line = t->lines[0].ws ? &t->lines[1] : &t->lines[0];
	bool is_safe = text_starts(url, TEXT("wss://")) ||
	               (t->is_direct && text_starts(url, TEXT("ws://")));
	char *address = text_dup(url);
	struct ws_client_options o = {.url = address,
	                              .message_max = SLACK_MESSAGE_MAX,
	                              .send_max = SEND_MAX,
	                              .connect_ms = CONNECT_MS,
	                              .ping_ms = PING_MS,
	                              .self = line,
	                              .text = line_text,
	                              .bad = line_bad,
	                              .closed = line_closed};
	struct error why = {"its socket has no address that is safe"};

	if (is_safe && !line->ws)
		line->ws = ws_client_create(t->options.loop, &o, &why);
	if (!line->ws)
		ask_later(t, why.words);
	free(address);
}

/* ---- requests ---- */

static void asked_head(void *self, const struct request_head *head)
{
	struct slack_chat *t = self;

	t->head = (struct request_head){.status = head->status,
	                                .retry_after_ms = head->retry_after_ms};
}

static void asked_heard(void *self, struct text bytes)
{
	buf_add(&((struct slack_chat *)self)->asked, bytes);
}

static void take_asked(struct slack_chat *t)
{
	struct slack_answer answer;

	if (!slack_read_answer(&t->reader, buf_text(&t->asked), &answer))
		ask_later(t, "its answer makes no sense");
	else if (!answer.is_good)
		ask_as_told(t, &answer);
	else if (t->bot.user[0])
		dial_line(t, answer.url);
	else if (!slack_read_self(&answer, &t->bot))
		ask_later(t, "it does not say who the bot is");
	else
		log_info("deliver", "Slack: the bot is %s", t->bot.user);
}

static void asked_done(void *self, const char *why)
{
	struct slack_chat *t = self;

	t->asking = NULL;
	if (why)
		ask_later(t, why);
	else
		take_asked(t);
	buf_clear(&t->asked);
	t->options.wake(t->options.self);
}

static void ask_slack(struct slack_chat *t)
{
	bool is_known = t->bot.user[0];
	struct slack_ask ask = {.method = is_known ? "apps.connections.open" : "auth.test",
	                        .token = is_known ? t->app_token : t->token,
	                        .is_query = !is_known};
	struct request_options o = {.head_ms = ASK_MS,
	                            .total_ms = ASK_MS,
	                            .body_max = SLACK_BODY_MAX,
	                            .may_repeat = true,
	                            .self = t,
	                            .head = asked_head,
	                            .heard = asked_heard,
	                            .done = asked_done};
	struct error why;

	t->head = (struct request_head){0};
	t->asking = slack_start(t, &ask, &o, &why);
	if (!t->asking)
		ask_later(t, why.words);
}

/* ---- time ---- */

static bool has_line(const struct slack_chat *t)
{
	for (unsigned i = 0; i < 2; i++)
		if (t->lines[i].ws && !t->lines[i].is_leaving)
			return true;
	return t->lines[0].ws && t->lines[1].ws;
}

/* When another connection may be asked for; INT64_MAX: there is one. */
static int64_t open_line(struct slack_chat *t, int64_t now_ms)
{
	int64_t ready = bucket_ready(&t->openings, now_ms);

	if (t->asking || has_line(t))
		return INT64_MAX;
	ready = ready > t->ask_ms ? ready : t->ask_ms;
	if (now_ms < ready)
		return ready;
	if (t->bot.user[0])
		bucket_take(&t->openings, now_ms);
	ask_slack(t);
	return t->asking ? INT64_MAX : t->ask_ms;
}

int64_t slack_socket_tick(struct slack_chat *t, int64_t now_ms)
{
	int64_t due = open_line(t, now_ms), own = INT64_MAX;

	if (list_is_empty(&t->news))
		return due;
	if (!take_news(t))
		own = now_ms + FULL_MS;
	if (!t->options.kept(t->options.self))
		own = now_ms + KEPT_MS;
	else
		acknowledge_all(t);
	return own < due ? own : due;
}

enum channel_state slack_state(void *self, struct error *why)
{
	const struct slack_chat *t = self;
	bool is_live = t->lines[0].is_live || t->lines[1].is_live;

	error_set(why, "%s", is_live ? "" : t->failed);
	if (is_live || !t->failed[0])
		return is_live ? CHANNEL_CONNECTED : CHANNEL_CONNECTING;
	return t->is_denied ? CHANNEL_DENIED : CHANNEL_GONE;
}

void slack_socket_finish(struct slack_chat *t)
{
	if (t->asking)
		request_cancel(t->asking);
	for (unsigned i = 0; i < 2; i++)
		end_line(&t->lines[i]);
}
