/* telegram_poll.c - what people write: getMe once, then getUpdates for ever. */
#include <stdio.h>

#include "base/log.h"
#include "base/put.h"
#include "deliver/telegram/telegram_inside.h"

#define POLL_S 25           /* that Telegram keeps a question open */
#define POLL_MS (40 * 1000) /* and that we wait for its end */
#define KEPT_MS 20          /* between two looks whether all is on the disk */
#define FULL_MS 1000        /* before updates that were not taken are offered again */
#define RETRY_MS 1000       /* doubling to ... */
#define RETRY_MOST_MS 30000
#define REFUSED_MS 30000 /* of a token that is refused, or another one who asks */
#define WORDS_MAX 256

/* ---- what went wrong ---- */

static void log_once(struct telegram_chat *t, const char *words)
{
	char shown[WORDS_MAX];

	snprintf(shown, sizeof(shown), "%s", words);
	secret_hide(shown, t->token);
	if (strcmp(shown, t->failed) != 0)
		log_warn("deliver", "Telegram does not answer: %s", shown);
	snprintf(t->failed, sizeof(t->failed), "%s", shown);
}

static void wait_longer(struct telegram_chat *t, const char *why)
{
	int64_t wait = RETRY_MS << (t->fails < 5 ? t->fails : 5);

	t->fails++;
	t->is_live = t->is_denied = false;
	t->poll_ms = telegram_now(t) + (wait < RETRY_MOST_MS ? wait : RETRY_MOST_MS);
	log_once(t, why);
}

static void wait_as_told(struct telegram_chat *t, const struct telegram_answer *a)
{
	char words[WORDS_MAX];

	snprintf(words, sizeof(words), "%lld %.*s", (long long)a->code, TEXT_ARG(a->why));
	if (a->code == 429 && a->after_s)
		t->poll_ms = telegram_now(t) + a->after_s * 1000;
	else if (a->code == 401 || a->code == 404 || a->code == 409)
		t->poll_ms = telegram_now(t) + REFUSED_MS;
	else
		wait_longer(t, words);
	t->is_live = false;
	t->is_denied = a->code == 401 || a->code == 404 || a->code == 409;
	log_once(t, words);
}

/* ---- updates ---- */

/* False: not now. */
static bool take_update(struct telegram_chat *t, yyjson_val *update, struct telegram_words *words)
{
	struct channel_inbound inbound;
	struct channel_press press;

	if (telegram_read_press(update, words, &press)) {
		t->options.pressed(t->options.self, &press);
		return true;
	}
	return !telegram_read_message(update, &t->bot, words, &inbound) ||
	       t->options.came(t->options.self, &inbound);
}

/* Those that came are offered from the first on that was not taken; true: all were. */
static bool take_updates(struct telegram_chat *t)
{
	struct telegram_words words = {.place = ""};
	struct telegram_answer answer;
	yyjson_arr_iter it;
	yyjson_val *one;
	bool goes_on = true;

	if (!t->updates.len || !telegram_read_answer(&t->reader, buf_text(&t->updates), &answer))
		return true;
	buf_init(&words.text, CHANNEL_TEXT_MAX);
	it = yyjson_arr_iter_with(answer.result);
	while (goes_on && (one = yyjson_arr_iter_next(&it))) {
		int64_t number = telegram_update(one);

		if (number < t->offset)
			continue;
		goes_on = take_update(t, one, &words);
		if (goes_on)
			t->offset = number + 1;
	}
	buf_finish(&words.text);
	if (goes_on)
		buf_clear(&t->updates);
	return goes_on;
}

/* ---- requests ---- */

static void poll_head(void *self, const struct request_head *head)
{
	((struct telegram_chat *)self)->status = head->status;
}

static void poll_heard(void *self, struct text bytes)
{
	struct telegram_chat *t = self;

	buf_add(&t->news, bytes);
}

static void take_answer(struct telegram_chat *t)
{
	struct telegram_answer answer;

	if (!telegram_read_answer(&t->reader, buf_text(&t->news), &answer)) {
		wait_longer(t, "its answer makes no sense");
	} else if (!answer.is_good) {
		wait_as_told(t, &answer);
	} else if (t->bot.name[0]) {
		t->fails = 0;
		t->is_live = true;
		t->failed[0] = '\0';
		buf_clear(&t->updates);
		buf_add(&t->updates, buf_text(&t->news));
	} else if (!telegram_read_self(answer.result, &t->bot)) {
		wait_longer(t, "it does not say who the bot is");
	} else {
		log_info("deliver", "Telegram: the bot is @%s", t->bot.name);
	}
}

static void poll_done(void *self, const char *why)
{
	struct telegram_chat *t = self;

	t->poll = NULL;
	if (why)
		wait_longer(t, why);
	else
		take_answer(t);
	buf_clear(&t->news);
	t->options.wake(t->options.self);
}

static void put_question(const struct telegram_chat *t, struct buf *body)
{
	put_object(body, NULL);
	if (t->bot.name[0]) {
		if (t->offset)
			put_i64(body, "offset", t->offset);
		put_u64(body, "timeout", t->is_live ? POLL_S : 0);
		put_list(body, "allowed_updates");
		put_text(body, NULL, TEXT("message"));
		put_text(body, NULL, TEXT("callback_query"));
		put_list_end(body);
	}
	put_end(body);
}

static void ask(struct telegram_chat *t)
{
	struct request_options o = {.head_ms = POLL_MS,
	                            .total_ms = 2 * POLL_MS,
	                            .body_max = TELEGRAM_BODY_MAX,
	                            .may_repeat = true,
	                            .head = poll_head,
	                            .heard = poll_heard,
	                            .done = poll_done};
	struct error why;
	struct buf body;

	buf_init(&body, KIB);
	put_question(t, &body);
	o.body = buf_text(&body);
	t->poll = telegram_start(t, t->bot.name[0] ? "getUpdates" : "getMe", &o, &why);
	if (!t->poll)
		wait_longer(t, why.words);
	buf_finish(&body);
}

int64_t telegram_poll_tick(struct telegram_chat *t, int64_t now_ms)
{
	if (t->poll)
		return INT64_MAX;
	if (!take_updates(t))
		return now_ms + FULL_MS;
	if (t->options.kept && !t->options.kept(t->options.self))
		return now_ms + KEPT_MS;
	if (now_ms < t->poll_ms)
		return t->poll_ms;
	ask(t);
	return t->poll ? INT64_MAX : t->poll_ms;
}
