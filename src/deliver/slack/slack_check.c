/* slack_check.c - is everything there that the app needs?  auth.test with the bot's token, which
 * says its scopes, then apps.connections.open with the app's. */
#include <stdio.h>

#include "deliver/slack/slack_inside.h"

#define ASK_MS 10000
#define STEPS 2
#define WORDS_MAX 300

static const struct {
	const char *scope;
	bool is_needed; /* nothing works without it */
	const char *words;
} scopes[] = {
	{"chat:write", true, "it cannot write"},
	{"im:history", true, "it does not hear who writes to it alone"},
	{"app_mentions:read", false, "it does not hear who names it in a room"},
	{"channels:history", false, "in public rooms it cannot find what it sent before a crash"},
	{"groups:history", false, "in private rooms it cannot find what it sent before a crash"},
	{"mpim:history", false, "in group messages it cannot find what it sent before a crash"},
	{"files:read", false, "pictures and files of people do not reach the agent"},
	{"files:write", false, "pictures and files of agents do not reach people"},
	{"assistant:write", false, "it is not shown as typing"},
	{"commands", false, "it has no slash command"},
};

static void check_step(struct slack_chat *t);

static void tell_found(struct slack_chat *t, bool is_good, const char *words)
{
	char shown[WORDS_MAX];

	snprintf(shown, sizeof(shown), "%s", words);
	slack_hide(t, shown);
	t->check.found(t->check.self, is_good, shown);
}

static void finish_check(struct slack_chat *t)
{
	struct channel_check check = t->check;

	t->check = (struct channel_check){0};
	if (check.done)
		check.done(check.self);
}

/* ---- what is answered ---- */

static bool has_scope(struct text all, const char *scope)
{
	for (struct text rest = all; rest.at;)
		if (text_is(text_trim(text_cut(rest, ',', &rest)), scope))
			return true;
	return false;
}

static void look_at_scopes(struct slack_chat *t)
{
	char words[WORDS_MAX];
	bool has_all = true;

	for (size_t i = 0; t->check_scopes.len && i < sizeof(scopes) / sizeof(*scopes); i++) {
		if (has_scope(buf_text(&t->check_scopes), scopes[i].scope))
			continue;
		has_all = false;
		snprintf(words, sizeof(words), "the bot lacks the scope %s: %s", scopes[i].scope,
		         scopes[i].words);
		tell_found(t, !scopes[i].is_needed, words);
	}
	if (t->check_scopes.len && has_all)
		tell_found(t, true, "the bot has all scopes that it needs");
}

static void look_at_bot(struct slack_chat *t, const struct slack_answer *answer)
{
	struct text team = json_text_at(answer->root, "team");
	struct slack_self self;
	char words[WORDS_MAX];

	if (!slack_read_self(answer, &self)) {
		tell_found(t, false, "Slack does not say who the bot is");
		return;
	}
	team.len = chunk_reach(CHUNK_BYTES, team, 100);
	snprintf(words, sizeof(words), "the bot is %s in the workspace %.*s", self.user,
	         (int)team.len, team.len ? team.at : "");
	tell_found(t, true, words);
	look_at_scopes(t);
}

static void refused_check(struct slack_chat *t, const struct slack_answer *a)
{
	char words[WORDS_MAX];

	snprintf(words, sizeof(words), "Slack refuses the token of the %s: %.*s%s%.*s",
	         t->check_at == 1 ? "bot" : "app", a->why.len < 60 ? (int)a->why.len : 60,
	         a->why.len ? a->why.at : "", a->needed.len ? ", it needs the scope " : "",
	         a->needed.len < 60 ? (int)a->needed.len : 60, a->needed.len ? a->needed.at : "");
	tell_found(t, false, words);
}

static void take_checked(struct slack_chat *t)
{
	struct slack_answer answer;

	if (!slack_read_answer(&t->reader, buf_text(&t->check_body), &answer))
		tell_found(t, false, "Slack's answer makes no sense");
	else if (!answer.is_good)
		refused_check(t, &answer);
	else if (t->check_at == 1)
		look_at_bot(t, &answer);
	else
		tell_found(t, true, "the app opens connections (Socket Mode)");
}

/* ---- requests ---- */

static void check_field(void *self, struct text name, struct text value)
{
	struct slack_chat *t = self;

	if (!text_equal_nocase(name, TEXT("X-OAuth-Scopes")))
		return;
	buf_clear(&t->check_scopes);
	buf_add(&t->check_scopes, value);
}

static void checked_heard(void *self, struct text bytes)
{
	buf_add(&((struct slack_chat *)self)->check_body, bytes);
}

static void checked_done(void *self, const char *why)
{
	struct slack_chat *t = self;

	t->check_request = NULL;
	if (why)
		tell_found(t, false, why);
	else
		take_checked(t);
	check_step(t);
}

static void check_step(struct slack_chat *t)
{
	bool is_bot = t->check_at == 0;
	struct slack_ask ask = {.method = is_bot ? "auth.test" : "apps.connections.open",
	                        .token = is_bot ? t->token : t->app_token,
	                        .is_query = is_bot};
	struct request_options o = {.head_ms = ASK_MS,
	                            .total_ms = ASK_MS,
	                            .body_max = SLACK_BODY_MAX,
	                            .may_repeat = true,
	                            .self = t,
	                            .field = check_field,
	                            .heard = checked_heard,
	                            .done = checked_done};
	struct error why;

	buf_clear(&t->check_body);
	if (t->check_at == STEPS) {
		finish_check(t);
		return;
	}
	t->check_at++;
	t->check_request = slack_start(t, &ask, &o, &why);
	if (t->check_request)
		return;
	tell_found(t, false, why.words);
	finish_check(t);
}

void slack_check(void *self, const struct channel_check *check)
{
	struct slack_chat *t = self;

	slack_check_finish(t);
	t->check = *check;
	t->check_at = 0;
	buf_clear(&t->check_scopes);
	check_step(t);
}

void slack_check_finish(struct slack_chat *t)
{
	if (t->check_request)
		request_cancel(t->check_request);
	t->check_request = NULL;
	buf_clear(&t->check_body);
}
