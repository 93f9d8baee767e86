/* discord_inside.h - what the files of the Discord channel share. */
#ifndef DELIVER_DISCORD_INSIDE_H
#define DELIVER_DISCORD_INSIDE_H

#include "base/random.h"
#include "deliver/discord/discord.h"
#include "deliver/discord/discord_limits.h"
#include "deliver/discord/discord_place.h"
#include "deliver/errands.h"
#include "deliver/fetches.h"
#include "deliver/secret.h"
#include "net/loop.h"

struct discord_gate;
struct discord_past;

struct discord_chat {
	struct channel_options options;
	struct requests *requests;
	char *base, *token;
	bool is_direct;
	struct discord_self bot;
	struct json_reader reader; /* of answers */
	struct errands asked;      /* discord_rest.c */
	struct discord_limits limits;
	struct errands calls;
	struct map opened; /* "@PERSON" -> the id of the chat with them */
	uint64_t seed;
	struct discord_gate *gate;
	struct discord_past *past;
	struct discord_place place; /* how far it has read */
	struct channel_check check; /* that is under way */
	bool is_checking, checks_again;
	struct fetches fetches; /* files of people */
};

int64_t discord_now(const struct discord_chat *d);
uint64_t discord_draw(struct discord_chat *d, uint64_t below);

/* ---- discord_rest.c: requests, within the limits of their routes ---- */

/* What became of it. */
enum discord_fate {
	DISCORD_DONE,
	DISCORD_REFUSED, /* with words */
	DISCORD_LIMITED, /* too many: nothing has happened */
	DISCORD_AWAY,    /* it did not leave */
	DISCORD_LOST,    /* nobody knows */
};

struct discord_reply {
	enum discord_fate fate;
	int status;
	int64_t code; /* Discord's own, of a refusal */
	struct text body;
	struct error why;
};

struct discord_ask {
	struct discord_way way;
	const char *method, *path;
	struct text body;
	const struct channel_upload *file; /* that goes with it, or NULL */
	bool may_repeat;                   /* twice is as good as once */
	bool waits;   /* for the limits; else it is answered that there are too many */
	bool is_once; /* it comes too late if it comes again */
	void *self;
	/* Once, and never from inside discord_start(). */
	void (*done)(void *self, const struct discord_reply *reply);
};
void discord_start(struct discord_chat *d, const struct discord_ask *ask);
void discord_rest_init(struct discord_chat *d);

/* ---- discord_calls.c: messages ---- */

void discord_send(void *self, const struct channel_message *m);
void discord_edit(void *self, const struct channel_message *m);
void discord_remove(void *self, const struct channel_message *m);
void discord_look(void *self, const struct channel_message *m);
void discord_type(void *self, const struct channel_message *where, bool shows);
void discord_tell(void *self, const struct channel_press *press, struct text words);
int64_t discord_ready(void *self, const struct channel_message *where, int64_t now_ms);
void discord_calls_init(struct discord_chat *d);
void discord_calls_finish(struct discord_chat *d);

/* ---- discord_files.c: files of people ---- */

void discord_fetch(void *self, const struct channel_fetch *fetch);

/* ---- discord_gate.c: the WebSocket ---- */

struct discord_gate *discord_gate_create(struct discord_chat *d);
void discord_gate_destroy(struct discord_gate *g);
enum channel_state discord_gate_state(const struct discord_gate *g, struct error *why);

/* ---- discord_check.c: is everything there that the bot needs? ---- */

void discord_check(void *self, const struct channel_check *check);

/* ---- discord_past.c: messages of the session and of the history, and threads ---- */

struct discord_past *discord_past_create(struct discord_chat *d);
void discord_past_destroy(struct discord_past *p);
/* A session begins, and nobody knows what came before; so many servers will tell their chats. */
void discord_past_begin(struct discord_past *p, size_t guilds);
void discord_past_guild(struct discord_past *p, yyjson_val *guild);
void discord_past_thread(struct discord_past *p, yyjson_val *thread);
void discord_past_take(struct discord_past *p, yyjson_val *message); /* of the session */
int64_t discord_past_tick(struct discord_past *p, int64_t now_ms);

#endif
