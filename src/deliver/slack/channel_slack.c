/* channel_slack.c - Slack, by Socket Mode: one app in one workspace is one account.
 *
 * Messages come by a WebSocket that the app opens, and are acknowledged when they are on the disk
 * (slack_socket.c).  What goes out are methods of the Web API (slack_calls.c).  There are two
 * tokens, of the bot and of the app; they stand in no log and in no error.
 */
#include <stdlib.h>

#include "base/must.h"
#include "config/chat.h"
#include "deliver/slack/slack_inside.h"
#include "net/loop.h"
#include "net/url.h"

#define BASE_URL "https://slack.com/api"
#define DRAFT_MS 1200
#define DRAFT_CHARS 30
#define TOKEN_MAX 512
#define CONNECT_MS 10000
#define BUTTONS_MOST 25

/* 300 messages a minute of one app; the third tier of methods, 50 a minute, is that of edits and
 * of histories; connections are opened five at once, and then five a minute. */
static const struct bucket_rate posts = {60, 200}, third_tier = {40, 1250}, states = {20, 200},
				openings = {5, 12000};

int64_t slack_now(const struct slack_chat *t)
{
	return (int64_t)loop_now_ms(t->options.loop);
}

static char *address_of(const struct slack_chat *t, const struct slack_ask *ask)
{
	if (strstr(ask->method, "://"))
		return must_dup(ask->method);
	if (ask->is_query && ask->form.len)
		return must_print("%s/%s?%.*s", t->base, ask->method, TEXT_ARG(ask->form));
	return must_print("%s/%s", t->base, ask->method);
}

struct request *slack_start(struct slack_chat *t, const struct slack_ask *ask,
                            struct request_options *options, struct error *why)
{
	bool is_hook = strstr(ask->method, "://") != NULL;
	char *url = address_of(t, ask);
	char *bearer = is_hook ? NULL : must_print("Authorization: Bearer %s", ask->token);
	const char *const headers[] = {
		ask->type ? ask->type
		: is_hook ? "Content-Type: application/json; charset=utf-8"
			  : "Content-Type: application/x-www-form-urlencoded; charset=utf-8",
		bearer, NULL};
	struct request *request;

	options->url = url;
	options->is_direct = t->is_direct;
	options->headers = headers;
	options->connect_ms = CONNECT_MS;
	options->method = ask->is_query ? "GET" : "POST";
	options->body = ask->is_query ? TEXT("") : ask->form;
	request = request_start(t->requests, options, why);
	secret_forget(bearer);
	free(url);
	return request;
}

void slack_hide(const struct slack_chat *t, char *words)
{
	secret_hide(words, t->token);
	secret_hide(words, t->app_token);
}

/* ---- open and close ---- */

/* Letters, digits and what Slack puts between: nothing that would change a head. */
static bool is_token(struct text token)
{
	for (size_t i = 0; i < token.len; i++)
		if (!memchr("-._", token.at[i], 3) && !(token.at[i] >= '0' && token.at[i] <= '9') &&
		    !(token.at[i] >= 'A' && token.at[i] <= 'Z') &&
		    !(token.at[i] >= 'a' && token.at[i] <= 'z'))
			return false;
	return token.len > 0 && token.len <= TOKEN_MAX;
}

static bool check_tokens(const struct channel_options *o, struct error *why)
{
	if (!o->credential.len)
		return error_set(why, "it needs a credential: the token of the bot (xoxb-...)");
	if (!o->app_credential.len)
		return error_set(why,
		                 "it needs an app_credential: the token of the app (xapp-...)");
	if (!is_token(o->credential) || text_starts(o->credential, TEXT("xapp-")))
		return error_set(why, "the credential is no token of a bot (xoxb-...)");
	return (is_token(o->app_credential) && text_starts(o->app_credential, TEXT("xapp-"))) ||
	       error_set(why, "the app_credential is no token of an app (xapp-...)");
}

static void slack_close(void *self)
{
	struct slack_chat *t = self;

	slack_check_finish(t);
	errands_finish(&t->calls);
	slack_socket_finish(t);
	fetches_finish(&t->fetches);
	requests_destroy(t->requests);
	buckets_finish(&t->rooms);
	json_reader_finish(&t->reader);
	buf_finish(&t->asked);
	buf_finish(&t->check_body);
	buf_finish(&t->check_scopes);
	secret_forget(t->token);
	secret_forget(t->app_token);
	free(t->base);
	free(t);
}

static void *slack_open(const struct channel_options *options, struct error *why)
{
	const char *url = options->config->url;
	struct text base = url_base(text_of(url ? url : BASE_URL));
	struct slack_chat *t;

	if (!check_tokens(options, why))
		return NULL;
	t = must_zero(1, sizeof(*t));
	t->options = *options;
	t->options.config = NULL;
	t->options.credential = t->options.app_credential = t->options.place = TEXT("");
	t->requests = requests_create(options->loop);
	t->base = text_dup(base);
	t->token = text_dup(options->credential);
	t->app_token = text_dup(options->app_credential);
	t->is_direct = url != NULL;
	t->posts.rate = posts;
	t->edits.rate = t->looks.rate = third_tier;
	t->states.rate = states;
	t->openings.rate = openings;
	t->lines[0].chat = t->lines[1].chat = t;
	slack_files_init(t);
	buckets_init(&t->rooms);
	slack_calls_init(t);
	list_init(&t->news);
	json_reader_init(&t->reader, SLACK_BODY_MAX);
	buf_init(&t->asked, SLACK_BODY_MAX);
	buf_init(&t->check_body, SLACK_BODY_MAX);
	buf_init(&t->check_scopes, 16 * KIB);
	return t;
}

static int64_t slack_tick(void *self, int64_t now_ms)
{
	int64_t in = slack_socket_tick(self, now_ms);
	int64_t out = errands_tick(&((struct slack_chat *)self)->calls, now_ms);

	return in < out ? in : out;
}

const struct channel_kind channel_slack = {
	.name = "slack",
	.traits = {.limit = {CHUNK_UTF16, SLACK_TEXT_MAX, 0},
                   .mode = CHANNEL_DRAFTS,
                   .can_type = true,
                   .can_edit = true,
                   .can_media = true,
                   .buttons = BUTTONS_MOST,
                   .button_chars = SLACK_LABEL_MAX,
                   .can_recognise = true,
                   .threads_rooms = true,
                   .gathers = true,
                   .draft_ms = DRAFT_MS,
                   .draft_chars = DRAFT_CHARS},
	.open = slack_open,
	.close = slack_close,
	.send = slack_send,
	.look = slack_look,
	.type = slack_type,
	.edit = slack_edit,
	.remove = slack_remove,
	.ready = slack_ready,
	.tell = slack_tell,
	.state = slack_state,
	.check = slack_check,
	.fetch = slack_fetch,
	.tick = slack_tick,
};
