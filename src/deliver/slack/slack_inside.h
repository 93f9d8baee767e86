/* slack_inside.h - what the files of the Slack channel share. */
#ifndef DELIVER_SLACK_INSIDE_H
#define DELIVER_SLACK_INSIDE_H

#include "deliver/buckets.h"
#include "deliver/errands.h"
#include "deliver/fetches.h"
#include "deliver/secret.h"
#include "deliver/slack/slack.h"

struct slack_chat;
struct ws_client;

/* A connection of the socket; while one is replaced there are two. */
struct slack_line {
	struct slack_chat *chat;
	struct ws_client *ws;
	bool is_live, is_leaving;
};

struct slack_chat {
	struct channel_options options;
	struct requests *requests;
	char *base, *token, *app_token; /* the tokens are never shown */
	bool is_direct;
	struct slack_self bot;
	struct json_reader reader;
	char failed[256]; /* the words that were logged last */
	bool is_denied;   /* it was a token that is refused, or a scope that is missing */

	/* In: auth.test once, then a connection, and another when it ends. */
	struct request *asking;
	struct buf asked;
	struct request_head head;
	struct slack_line lines[2];
	int64_t ask_ms; /* not before */
	unsigned fails; /* in a row */
	struct bucket openings;
	struct link news; /* slack_news.in_chat: that are not acknowledged */
	size_t news_count;

	/* Out. */
	struct errands calls;
	struct bucket posts, edits, looks, states;
	struct buckets rooms;
	uint64_t edit_count;
	struct fetches fetches; /* files of people */

	/* A check, of which so many steps are done. */
	struct channel_check check;
	struct request *check_request;
	struct buf check_body, check_scopes;
	unsigned check_at;
};

/* ---- slack_socket.c ---- */

int64_t slack_socket_tick(struct slack_chat *t, int64_t now_ms);
enum channel_state slack_state(void *self, struct error *why);
void slack_socket_finish(struct slack_chat *t);

/* ---- slack_calls.c ---- */

void slack_send(void *self, const struct channel_message *m);
void slack_edit(void *self, const struct channel_message *m);
void slack_remove(void *self, const struct channel_message *m);
void slack_look(void *self, const struct channel_message *m);
void slack_type(void *self, const struct channel_message *where, bool shows);
void slack_tell(void *self, const struct channel_press *press, struct text words);
int64_t slack_ready(void *self, const struct channel_message *where, int64_t now_ms);
void slack_calls_init(struct slack_chat *t);

/* ---- slack_files.c ---- */

void slack_files_init(struct slack_chat *t);
void slack_fetch(void *self, const struct channel_fetch *fetch);

/* ---- slack_check.c ---- */

void slack_check(void *self, const struct channel_check *check);
void slack_check_finish(struct slack_chat *t);

/* ---- channel_slack.c ---- */

int64_t slack_now(const struct slack_chat *t);
/* A method is called; the options have the callbacks and limits.  NULL: why. */
struct slack_ask {
	const char *method, *token;
	const char *type; /* Content-Type: ..., or NULL: what is usual */
	bool is_query;
	struct text form;
};
struct request *slack_start(struct slack_chat *t, const struct slack_ask *ask,
                            struct request_options *options, struct error *why);
/* Words of others, without the tokens. */
void slack_hide(const struct slack_chat *t, char *words);

#endif
