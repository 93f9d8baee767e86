/* telegram_check.c - is everything there that the bot needs?  getMe, then getWebhookInfo. */
#include <stdio.h>

#include "deliver/telegram/telegram_inside.h"

#define ASK_MS 10000
#define SELF_MAX (256 * KIB)
#define WORDS_MAX 300

static void check_next(struct telegram_chat *t);

static void say_found(struct telegram_chat *t, bool is_good, const char *words)
{
	char shown[WORDS_MAX];

	snprintf(shown, sizeof(shown), "%s", words);
	secret_hide(shown, t->token);
	t->check.found(t->check.self, is_good, shown);
}

static void end_check(struct telegram_chat *t)
{
	struct channel_check check = t->check;

	t->check = (struct channel_check){0};
	if (check.done)
		check.done(check.self);
}

/* ---- what is answered ---- */

static void look_at_self(struct telegram_chat *t, yyjson_val *user)
{
	yyjson_val *all = yyjson_obj_get(user, "can_read_all_group_messages");
	struct telegram_self self;
	char words[WORDS_MAX];

	if (!telegram_read_self(user, &self)) {
		say_found(t, false, "Telegram does not say who the bot is");
		return;
	}
	snprintf(words, sizeof(words), "the bot is @%s", self.name);
	say_found(t, true, words);
	if (yyjson_is_false(yyjson_obj_get(user, "can_join_groups")))
		say_found(t, true, "it cannot be added to groups (/setjoingroups of @BotFather)");
	if (yyjson_is_false(all))
		say_found(t, true,
		          "in groups it hears only who names it or replies to it (/setprivacy of "
		          "@BotFather)");
}

static void look_at_webhook(struct telegram_chat *t, yyjson_val *info)
{
	struct text url = json_text_at(info, "url");
	char words[WORDS_MAX];

	if (!url.len) {
		say_found(t, true, "no webhook takes its messages away");
		return;
	}
	url.len = chunk_reach(CHUNK_BYTES, url, 100);
	snprintf(words, sizeof(words),
	         "its messages go to the webhook %.*s and not to the box: call the method "
	         "deleteWebhook",
	         TEXT_ARG(url));
	say_found(t, false, words);
}

static void take_found(struct telegram_chat *t)
{
	struct telegram_answer answer;
	char words[WORDS_MAX];

	if (!telegram_read_answer(&t->reader, buf_text(&t->check_body), &answer)) {
		say_found(t, false, "Telegram's answer makes no sense");
		return;
	}
	if (!answer.is_good) {
		snprintf(words, sizeof(words), "Telegram refuses the token: %lld %.*s",
		         (long long)answer.code, answer.why.len < 200 ? (int)answer.why.len : 200,
		         answer.why.len ? answer.why.at : "");
		say_found(t, false, words);
	} else if (t->check_step == 1) {
		look_at_self(t, answer.result);
	} else {
		look_at_webhook(t, answer.result);
	}
	t->check_step = answer.is_good ? t->check_step : 2;
}

/* ---- requests ---- */

static void check_heard(void *self, struct text bytes)
{
	buf_add(&((struct telegram_chat *)self)->check_body, bytes);
}

static void check_answered(void *self, const char *why)
{
	struct telegram_chat *t = self;

	t->check_request = NULL;
	if (why) {
		say_found(t, false, why);
		t->check_step = 2;
	} else {
		take_found(t);
	}
	check_next(t);
}

static void check_next(struct telegram_chat *t)
{
	static const char *const methods[] = {"getMe", "getWebhookInfo"};
	struct request_options o = {.head_ms = ASK_MS,
	                            .total_ms = ASK_MS,
	                            .body_max = SELF_MAX,
	                            .may_repeat = true,
	                            .body = TEXT("{}"),
	                            .self = t,
	                            .heard = check_heard,
	                            .done = check_answered};
	struct error why;

	buf_clear(&t->check_body);
	if (t->check_step == 2) {
		end_check(t);
		return;
	}
	t->check_request = telegram_start(t, methods[t->check_step++], &o, &why);
	if (t->check_request)
		return;
	say_found(t, false, why.words);
	end_check(t);
}

void telegram_check(void *self, const struct channel_check *check)
{
	struct telegram_chat *t = self;

	telegram_check_finish(t);
	t->check = *check;
	t->check_step = 0;
	check_next(t);
}

void telegram_check_finish(struct telegram_chat *t)
{
	if (t->check_request)
		request_cancel(t->check_request);
	t->check_request = NULL;
	buf_clear(&t->check_body);
}
