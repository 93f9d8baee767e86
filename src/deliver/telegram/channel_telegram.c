/* channel_telegram.c - Telegram, by its Bot API: one bot is one account.
 *
 * Messages come in by long polling.  The next question confirms the updates before it, so it is
 * asked when these are on the disk.  What goes out is in telegram_calls.c.  The token is a part of
 * each URL; it stands in no log and in no error.
 */
#include <stdlib.h>

#include "base/must.h"
#include "config/chat.h"
#include "deliver/telegram/telegram_inside.h"
#include "net/loop.h"
#include "net/url.h"

#define BASE_URL "https://api.telegram.org"
#define DRAFT_MS 1000
#define DRAFT_CHARS 30
#define BOT_BURST 5 /* with what comes after it 30 messages in a second of one bot */
#define BOT_EVERY_MS 40
#define TOLD_BURST 30 /* presses that are answered with words */
#define TOLD_EVERY_MS 100
#define BUTTONS 8 /* more are hard to read under one message: numbers are typed */
#define LABEL_CHARS 48
#define TOKEN_MAX 256
#define CONNECT_MS 10000

int64_t telegram_now(const struct telegram_chat *t)
{
	return (int64_t)loop_now_ms(t->options.loop);
}

struct request *telegram_start(struct telegram_chat *t, const char *method,
                               struct request_options *options, struct error *why)
{
	static const char *const headers[] = {"Content-Type: application/json", NULL};
	char *url = must_print("%s/%s", t->base, method);
	struct request *request;

	options->url = url;
	options->is_direct = t->is_direct;
	options->headers = options->headers ? options->headers : headers;
	options->connect_ms = CONNECT_MS;
	options->self = options->self ? options->self : t;
	request = request_start(t->requests, options, why);
	secret_forget(url);
	return request;
}

/* ---- open and close ---- */

/* NUMBER:LETTERS, as Telegram makes them: nothing that would change the URL. */
static bool check_token(struct text token, struct error *why)
{
	bool is_good = token.len > 0 && token.len <= TOKEN_MAX;

	for (size_t i = 0; i < token.len; i++)
		is_good &= (token.at[i] >= '0' && token.at[i] <= ':') ||
		           (token.at[i] >= 'A' && token.at[i] <= 'Z') ||
		           (token.at[i] >= 'a' && token.at[i] <= 'z') || token.at[i] == '_' ||
		           token.at[i] == '-';
	if (!token.len)
		return error_set(why, "it needs a credential: the token of the bot");
	return is_good || error_set(why, "the credential is no token of a bot");
}

static void telegram_close(void *self)
{
	struct telegram_chat *t = self;

	errands_finish(&t->calls);
	telegram_check_finish(t);
	telegram_files_finish(t);
	if (t->poll)
		request_cancel(t->poll);
	requests_destroy(t->requests);
	buckets_finish(&t->chat_buckets);
	json_reader_finish(&t->reader);
	buf_finish(&t->news);
	buf_finish(&t->check_body);
	buf_finish(&t->updates);
	secret_forget(t->base);
	secret_forget(t->files);
	secret_forget(t->token);
	free(t);
}

static void *telegram_open(const struct channel_options *options, struct error *why)
{
	const char *url = options->config->url;
	struct text base = url_base(text_of(url ? url : BASE_URL));
	struct telegram_chat *t;
	uint64_t offset = 0;

	if (!check_token(options->credential, why))
		return NULL;
	t = must_zero(1, sizeof(*t));
	t->options = *options;
	t->options.config = NULL;
	t->options.credential = t->options.place = TEXT("");
	t->requests = requests_create(options->loop);
	t->base = must_print("%.*s/bot%.*s", TEXT_ARG(base), TEXT_ARG(options->credential));
	t->files = must_print("%.*s/file/bot%.*s", TEXT_ARG(base), TEXT_ARG(options->credential));
	t->token = text_dup(options->credential);
	telegram_files_init(t);
	t->is_direct = url != NULL;
	t->offset = text_to_u64(options->place, &offset) ? (int64_t)offset : 0;
	t->bot_bucket.rate = (struct bucket_rate){BOT_BURST, BOT_EVERY_MS};
	t->told_bucket.rate = (struct bucket_rate){TOLD_BURST, TOLD_EVERY_MS};
	buckets_init(&t->chat_buckets);
	telegram_calls_init(t);
	json_reader_init(&t->reader, TELEGRAM_BODY_MAX);
	buf_init(&t->news, TELEGRAM_BODY_MAX);
	buf_init(&t->check_body, TELEGRAM_BODY_MAX);
	buf_init(&t->updates, TELEGRAM_BODY_MAX);
	return t;
}

static int64_t telegram_tick(void *self, int64_t now_ms)
{
	int64_t in = telegram_poll_tick(self, now_ms);
	int64_t out = errands_tick(&((struct telegram_chat *)self)->calls, now_ms);

	return in < out ? in : out;
}

static enum channel_state telegram_state(void *self, struct error *why)
{
	const struct telegram_chat *t = self;

	error_set(why, "%s", t->is_live ? "" : t->failed);
	if (t->is_live || !t->failed[0])
		return t->is_live ? CHANNEL_CONNECTED : CHANNEL_CONNECTING;
	return t->is_denied ? CHANNEL_DENIED : CHANNEL_GONE;
}

const struct channel_kind channel_telegram = {
	.name = "telegram",
	.traits = {.limit = {CHUNK_UTF16, TELEGRAM_TEXT_MAX, 0},
                   .mode = CHANNEL_DRAFTS,
                   .can_type = true,
                   .can_edit = true,
                   .can_media = true,
                   .names_all = true,
                   .buttons = BUTTONS,
                   .button_chars = LABEL_CHARS,
                   .gathers = true,
                   .draft_ms = DRAFT_MS,
                   .draft_chars = DRAFT_CHARS},
	.open = telegram_open,
	.close = telegram_close,
	.send = telegram_send,
	.type = telegram_type,
	.edit = telegram_edit,
	.remove = telegram_remove,
	.ready = telegram_ready,
	.tell = telegram_tell,
	.state = telegram_state,
	.check = telegram_check,
	.fetch = telegram_fetch,
	.tick = telegram_tick,
};
