/* channel_discord.c - Discord: one bot is one account.
 *
 * What people write comes by the gateway (discord_gate.c), what goes out by requests
 * (discord_calls.c).  The token stands in the head of each request and in the first frame of a
 * session, and in no log.
 */
#include <stdlib.h>

#include "base/must.h"
#include "config/chat.h"
#include "deliver/discord/discord_inside.h"
#include "net/url.h"

#define DISCORD_API "https://discord.com/api/v10"
#define DISCORD_TOKEN_MAX 256
#define DISCORD_DRAFT_MS 1200
#define DISCORD_DRAFT_CHARS 30

int64_t discord_now(const struct discord_chat *d)
{
	return (int64_t)loop_now_ms(d->options.loop);
}

uint64_t discord_draw(struct discord_chat *d, uint64_t below)
{
	return below ? random_draw(&d->seed) % below : 0;
}

/* ---- open and close ---- */

static bool check_credential(struct text token, struct error *why)
{
	bool is_good = token.len <= DISCORD_TOKEN_MAX;

	for (size_t i = 0; i < token.len; i++)
		is_good &= (token.at[i] >= '0' && token.at[i] <= '9') ||
		           (token.at[i] >= 'A' && token.at[i] <= 'Z') ||
		           (token.at[i] >= 'a' && token.at[i] <= 'z') ||
		           memchr("._-", token.at[i], 3);
	if (!token.len)
		return error_set(why, "it needs a credential: the token of the bot");
	return is_good || error_set(why, "the credential is no token of a bot");
}

static bool check_base(struct text base, struct error *why)
{
	struct url url;

	if (!url_parse(&url, base, why))
		return false;
	if (url.is_ws)
		return error_set(why, "'url' is an address of http or https");
	return url.is_secure || url_is_loopback(&url) ||
	       error_set(why, "a credential goes by https:// only");
}

static void discord_close(void *self)
{
	struct discord_chat *d = self;

	errands_finish(&d->asked);
	discord_calls_finish(d);
	discord_gate_destroy(d->gate);
	discord_past_destroy(d->past);
	fetches_finish(&d->fetches);
	requests_destroy(d->requests);
	discord_limits_finish(&d->limits);
	json_reader_finish(&d->reader);
	secret_forget(d->token);
	free(d->base);
	free(d);
}

static void *discord_open(const struct channel_options *options, struct error *why)
{
	const char *url = options->config->url;
	struct text base = url_base(text_of(url ? url : DISCORD_API));
	struct discord_chat *d;

	if (!check_credential(options->credential, why) || !check_base(base, why))
		return NULL;
	d = must_zero(1, sizeof(*d));
	d->options = *options;
	d->options.config = NULL;
	d->options.credential = d->options.place = TEXT("");
	d->requests = requests_create(options->loop);
	d->base = text_dup(base);
	d->token = text_dup(options->credential);
	d->is_direct = url != NULL;
	d->seed = (uint64_t)discord_now(d) | 1;
	discord_place_read(&d->place, options->place);
	discord_limits_init(&d->limits);
	discord_calls_init(d);
	discord_rest_init(d);
	json_reader_init(&d->reader, DISCORD_FRAME_MAX);
	fetches_init(&d->fetches, &d->options);
	d->past = discord_past_create(d);
	d->gate = discord_gate_create(d);
	return d;
}

static enum channel_state discord_state(void *self, struct error *why)
{
	return discord_gate_state(((struct discord_chat *)self)->gate, why);
}

static int64_t discord_tick(void *self, int64_t now_ms)
{
	struct discord_chat *d = self;
	int64_t in = discord_past_tick(d->past, now_ms);
	int64_t out = errands_tick(&d->asked, now_ms);

	return in < out ? in : out;
}

const struct channel_kind channel_discord = {
	.name = "discord",
	.traits = {.limit = {CHUNK_POINTS, DISCORD_TEXT_MAX, DISCORD_LINES_MAX},
                   .mode = CHANNEL_ACCUMULATES,
                   .can_type = true,
                   .can_edit = true,
                   .can_media = true,
                   .names_all = true,
                   .buttons = DISCORD_ROW * DISCORD_ROWS,
                   .can_recognise = true,
                   .gathers = true,
                   .draft_ms = DISCORD_DRAFT_MS,
                   .draft_chars = DISCORD_DRAFT_CHARS},
	.open = discord_open,
	.close = discord_close,
	.send = discord_send,
	.look = discord_look,
	.type = discord_type,
	.edit = discord_edit,
	.remove = discord_remove,
	.ready = discord_ready,
	.tell = discord_tell,
	.state = discord_state,
	.check = discord_check,
	.fetch = discord_fetch,
	.tick = discord_tick,
};
