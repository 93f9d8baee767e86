/* discord_check.c - who the bot is, how many sessions it may begin, what its servers let it do, and
 * how the gateway stands. */
#include <stdio.h>

#include "deliver/discord/discord_inside.h"

#define FEW_SESSIONS 10
#define SERVERS_MAX 20 /* that are named */
#define FOUND_MAX 300

static void ask_self(struct discord_chat *d);

static void found(const struct discord_chat *d, bool is_good, const char *words)
{
	char shown[FOUND_MAX];

	snprintf(shown, sizeof(shown), "%s", words);
	for (char *c = shown; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	d->check.found(d->check.self, is_good, shown);
}

static void end_discord_check(struct discord_chat *d)
{
	struct channel_check check = d->check;
	struct error why;

	switch (discord_gate_state(d->gate, &why)) {
	case CHANNEL_CONNECTED:
		found(d, true, "the gateway tells what people write");
		break;
	case CHANNEL_CONNECTING:
		found(d, true, "the gateway is being called");
		break;
	default:
		found(d, false, why.words);
	}
	d->is_checking = false;
	d->check = (struct channel_check){0};
	check.done(check.self);
}

/* Another check has taken its place: it begins anew. */
static bool is_stale(struct discord_chat *d)
{
	bool is = d->checks_again;

	d->checks_again = false;
	if (is)
		ask_self(d);
	return is;
}

static void ask_check(struct discord_chat *d, const char *path,
                      void (*done)(void *, const struct discord_reply *))
{
	discord_start(d, &(struct discord_ask){.way = {DISCORD_TO_BEGIN, text_of(path)},
	                                       .method = "GET",
	                                       .path = path,
	                                       .may_repeat = true,
	                                       .waits = true,
	                                       .self = d,
	                                       .done = done});
}

/* True: it was found to lack something. */
static bool look_at_server(const struct discord_chat *d, yyjson_val *guild)
{
	struct text name = json_text_at(guild, "name");
	char lacked[FOUND_MAX / 2], words[FOUND_MAX];

	if (!discord_lacks(guild, lacked, sizeof(lacked)))
		return false;
	name.len = chunk_reach(CHUNK_BYTES, name, 100);
	snprintf(words, sizeof(words), "in the server %.*s the bot lacks: %s", (int)name.len,
	         name.len ? name.at : "", lacked);
	found(d, false, words);
	return true;
}

static void check_took_servers(void *self, const struct discord_reply *r)
{
	struct discord_chat *d = self;
	unsigned named = 0;
	yyjson_val *root, *guild;
	size_t at, count;

	if (is_stale(d))
		return;
	root = discord_read_body(&d->reader, r->body);
	if (r->fate != DISCORD_DONE)
		found(d, false, r->why.words);
	yyjson_arr_foreach(root, at, count, guild)
	{
		if (named < SERVERS_MAX)
			named += look_at_server(d, guild);
	}
	end_discord_check(d);
}

static void check_took_gateway(void *self, const struct discord_reply *r)
{
	struct discord_chat *d = self;
	yyjson_val *root, *left;
	char words[FOUND_MAX];

	if (is_stale(d))
		return;
	root = discord_read_body(&d->reader, r->body);
	left = yyjson_obj_get(yyjson_obj_get(root, "session_start_limit"), "remaining");
	if (r->fate != DISCORD_DONE) {
		found(d, false, r->why.words);
	} else if (yyjson_is_int(left)) {
		snprintf(words, sizeof(words), "it may begin %lld more sessions today",
		         (long long)yyjson_get_sint(left));
		found(d, yyjson_get_sint(left) > FEW_SESSIONS, words);
	}
	ask_check(d, "/users/@me/guilds", check_took_servers);
}

static void check_took_self(void *self, const struct discord_reply *r)
{
	struct discord_chat *d = self;
	struct discord_self bot;
	char words[FOUND_MAX];

	if (is_stale(d))
		return;
	if (r->fate != DISCORD_DONE) {
		snprintf(words, sizeof(words), "%s%s",
		         r->status == 401 ? "the token is refused: " : "", r->why.words);
		found(d, false, words);
		end_discord_check(d);
		return;
	}
	if (discord_read_self(discord_read_body(&d->reader, r->body), &bot)) {
		snprintf(words, sizeof(words), "the bot is %s (%s)", bot.name, bot.id);
		found(d, true, words);
	} else {
		found(d, false, "Discord does not say who the bot is");
	}
	ask_check(d, "/gateway/bot", check_took_gateway);
}

static void ask_self(struct discord_chat *d)
{
	ask_check(d, "/users/@me", check_took_self);
}

void discord_check(void *self, const struct channel_check *check)
{
	struct discord_chat *d = self;

	d->check = *check;
	d->checks_again = d->is_checking;
	if (!d->is_checking)
		ask_self(d);
	d->is_checking = true;
}
