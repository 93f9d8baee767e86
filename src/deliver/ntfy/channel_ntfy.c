/* channel_ntfy.c - ntfy: messages to phones that read a topic, with buttons.
 *
 * Whoever knows a topic reads it, and whoever reads it presses: nobody is known there.  So what
 * comes in is never asked, and a button is a request to ourselves with a code (button.h).
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "config/chat.h"
#include "deliver/ntfy/ntfy_inside.h"
#include "deliver/secret.h"
#include "net/loop.h"
#include "net/url.h"

#define BASE_URL "https://ntfy.sh"
#define BURST 60 /* requests that a server takes at once from one visitor, and then */
#define EVERY_MS 5000
#define SECRET_MAX 1024
#define CONNECT_MS 10000
#define CHECK_MS 10000
#define LABEL_CHARS 40

int64_t ntfy_now(const struct ntfy_chat *n)
{
	return (int64_t)loop_now_ms(n->options.loop);
}

struct request *ntfy_start(struct ntfy_chat *n, const char *route, struct request_options *options,
                           struct error *why)
{
	const char *headers[4] = {"Content-Type: application/json"};
	size_t count = 1;

	if (options->headers)
		for (count = 0; count < 2 && options->headers[count]; count++)
			headers[count] = options->headers[count];
	headers[count] = n->authorization;
	options->url = n->base;
	options->route = route;
	options->is_direct = n->is_direct;
	options->headers = headers;
	options->connect_ms = CONNECT_MS;
	return request_start(n->requests, options, why);
}

/* ---- how it stands ---- */

static enum channel_state ntfy_state(void *self, struct error *why)
{
	const struct ntfy_chat *n = self;

	error_set(why, "%s", n->is_live ? "" : n->failed);
	if (n->is_live)
		return CHANNEL_CONNECTED;
	if (!n->failed[0])
		return CHANNEL_CONNECTING;
	return n->is_denied ? CHANNEL_DENIED : CHANNEL_GONE;
}

static void check_head(void *self, const struct request_head *head)
{
	((struct ntfy_chat *)self)->check_status = head->status;
}

static void check_heard(void *self, struct text bytes)
{
	buf_add(&((struct ntfy_chat *)self)->check_body, bytes);
}

static void check_end(void *self, const char *why)
{
	struct ntfy_chat *n = self;
	struct text said = ntfy_read_refusal(&n->reader, buf_text(&n->check_body));
	struct error words;

	n->check_request = NULL;
	if (why)
		error_set(&words, "%s", why);
	else if (n->check_status == 200)
		error_set(&words, "the topic %s can be read", n->topic);
	else
		error_set(&words, "the server does not let us read the topic %s: %d %.*s", n->topic,
		          n->check_status, TEXT_ARG(said));
	n->check.found(n->check.self, !why && n->check_status == 200, words.words);
	n->check.done(n->check.self);
}

static void check_press(const struct ntfy_chat *n, const struct channel_check *check)
{
	struct error why, words;
	struct url url;

	if (!n->press)
		check->found(check->self, false,
		             "press_url is not set, so questions have no buttons there");
	else if (!url_parse(&url, text_of(n->press), &why)) {
		error_set(&words, "press_url is no URL: %s", why.words);
		check->found(check->self, false, words.words);
	} else if (!url.is_secure && !url_is_loopback(&url))
		check->found(check->self, false,
		             "press_url is no https: who listens on the way can press, too");
	else
		check->found(check->self, true, "buttons lead to press_url");
}

static void ntfy_check(void *self, const struct channel_check *check)
{
	struct ntfy_chat *n = self;
	struct request_options o = {.head_ms = CHECK_MS,
	                            .total_ms = CHECK_MS,
	                            .body_max = NTFY_LINE_MAX,
	                            .self = n,
	                            .head = check_head,
	                            .heard = check_heard,
	                            .done = check_end};
	struct error why;
	char route[128];

	if (n->check_request)
		request_cancel(n->check_request);
	n->check = *check;
	n->check_status = 0;
	buf_clear(&n->check_body);
	check_press(n, check);
	snprintf(route, sizeof(route), "/%s/auth", n->topic);
	n->check_request = ntfy_start(n, route, &o, &why);
	if (n->check_request)
		return;
	check->found(check->self, false, why.words);
	check->done(check->self);
}

/* ---- open and close ---- */

static void ntfy_close(void *self)
{
	struct ntfy_chat *n = self;

	ntfy_stream_finish(n);
	errands_finish(&n->calls);
	if (n->check_request)
		request_cancel(n->check_request);
	requests_destroy(n->requests);
	json_reader_finish(&n->reader);
	buf_finish(&n->line);
	buf_finish(&n->check_body);
	secret_forget(n->authorization);
	free(n->base);
	free(n->topic);
	free(n->press);
	free(n);
}

/* A token, tk_..., or USER:PASSWORD. */
static char *authorize(struct text secret)
{
	char coded[2 * SECRET_MAX];
	char *made;

	if (!memchr(secret.at, ':', secret.len))
		return must_print("Authorization: Bearer %.*s", TEXT_ARG(secret));
	EVP_EncodeBlock((unsigned char *)coded, (const unsigned char *)secret.at, (int)secret.len);
	made = must_print("Authorization: Basic %s", coded);
	explicit_bzero(coded, sizeof(coded));
	return made;
}

static bool check_options(const struct channel_options *options, const char *base,
                          struct error *why)
{
	const struct config_adapter *config = options->config;
	struct url url;

	if (!config->topic || !ntfy_is_topic(text_of(config->topic)))
		return error_set(why, "ntfy needs 'topic': letters, digits, '-' and '_'");
	if (!url_parse(&url, text_of(base), why))
		return false;
	if (url.is_ws || url.query.at)
		return error_set(why, "'url' is http://HOST[:PORT] or https://");
	if (options->credential.len && !url.is_secure && !url_is_loopback(&url))
		return error_set(why, "a credential goes by https:// only");
	for (size_t i = 0; i < options->credential.len; i++)
		if ((unsigned char)options->credential.at[i] < ' ')
			return error_set(why, "the credential has a control character in it");
	return options->credential.len <= SECRET_MAX ||
	       error_set(why, "the credential is longer than %d bytes", SECRET_MAX);
}

static void *ntfy_open(const struct channel_options *options, struct error *why)
{
	const struct config_adapter *config = options->config;
	struct text base = url_base(text_of(config->url ? config->url : BASE_URL));
	struct ntfy_chat *n;

	if (!check_options(options, config->url ? config->url : BASE_URL, why))
		return NULL;
	n = must_zero(1, sizeof(*n));
	n->options = *options;
	n->options.config = NULL;
	n->options.credential = n->options.place = TEXT("");
	n->requests = requests_create(options->loop);
	n->base = text_dup(base);
	n->topic = must_dup(config->topic);
	n->press = config->press_url ? must_dup(config->press_url) : NULL;
	n->authorization = options->credential.len ? authorize(options->credential) : NULL;
	n->is_direct = config->url != NULL;
	n->bucket.rate = (struct bucket_rate){BURST, EVERY_MS};
	ntfy_calls_init(n);
	list_init(&n->waiting);
	json_reader_init(&n->reader, NTFY_LINE_MAX);
	buf_init(&n->line, NTFY_LINE_MAX);
	buf_init(&n->check_body, NTFY_LINE_MAX);
	return n;
}

static int64_t ntfy_tick(void *self, int64_t now_ms)
{
	int64_t in = ntfy_stream_tick(self, now_ms);
	int64_t out = errands_tick(&((struct ntfy_chat *)self)->calls, now_ms);

	return in < out ? in : out;
}

const struct channel_kind channel_ntfy = {
	.name = "ntfy",
	.traits = {.limit = {CHUNK_BYTES, NTFY_TEXT_MAX, 0},
                   .mode = CHANNEL_ACCUMULATES,
                   .can_media = true,
                   .buttons = NTFY_BUTTONS,
                   .button_chars = LABEL_CHARS,
                   .knows_nobody = true},
	.open = ntfy_open,
	.close = ntfy_close,
	.send = ntfy_send,
	.ready = ntfy_ready,
	.state = ntfy_state,
	.check = ntfy_check,
	.tick = ntfy_tick,
};
