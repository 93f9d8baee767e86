/* slack_inside.h - what the files of the Slack channel share. */
#ifndef DELIVER_SLACK_INSIDE_H
#define DELIVER_SLACK_INSIDE_H

#include "base/list.h"
#include "deliver/buckets.h"
#include "deliver/slack/slack.h"
#include "net/request.h"

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
	struct link calls; /* slack_call.in_chat */
	size_t call_count;
	struct bucket posts, edits, looks, states;
	struct buckets rooms;
	uint64_t edit_count, seed;
};

/* ---- slack_socket.c ---- */

int64_t slack_socket_tick(struct slack_chat *t, int64_t now_ms);
void slack_socket_finish(struct slack_chat *t);

/* ---- slack_calls.c ---- */

void slack_send(void *self, const struct channel_message *m);
void slack_edit(void *self, const struct channel_message *m);
void slack_remove(void *self, const struct channel_message *m);
void slack_look(void *self, const struct channel_message *m);
void slack_type(void *self, const struct channel_message *where, bool shows);
void slack_tell(void *self, const struct channel_press *press, struct text words);
int64_t slack_ready(void *self, const struct channel_message *where, int64_t now_ms);
int64_t slack_calls_tick(struct slack_chat *t, int64_t now_ms);
void slack_calls_finish(struct slack_chat *t);

/* ---- slack_forms.c ---- */

/* What a call asks: its method, and a form or a query. */
enum slack_method {
	SLACK_POST,
	SLACK_UPDATE,
	SLACK_DELETE,
	SLACK_HISTORY,
	SLACK_REPLIES,
	SLACK_STATUS,
	SLACK_HOOK, /* an address of Slack's own, with JSON */
};

struct slack_call {
	struct slack_chat *chat;
	struct link in_chat;
	enum slack_method method;
	enum channel_act act;
	bool is_quiet; /* nobody waits for it */
	bool is_plain;
	char *delivery, *peer, *thread, *message, *text, *actions, *stale, *cursor;
	unsigned piece, tries, pages;
	double since_ms;
	int64_t due_ms; /* of one that goes again; 0: it is under way */
	struct request *request;
	struct request_head head;
	struct buf body;
};

const char *slack_method_name(enum slack_method method);
void slack_put_call(const struct slack_call *c, struct buf *form);

/* ---- channel_slack.c ---- */

int64_t slack_now(const struct slack_chat *t);
/* A method is called; the options have the callbacks and limits.  NULL: why. */
struct slack_ask {
	const char *method, *token;
	bool is_query;
	struct text form;
};
struct request *slack_start(struct slack_chat *t, const struct slack_ask *ask,
                            struct request_options *options, struct error *why);
/* Words of others, without the tokens. */
void slack_hide(const struct slack_chat *t, char *words);

#endif
