/* telegram_inside.h - what the files of the Telegram channel share. */
#ifndef DELIVER_TELEGRAM_INSIDE_H
#define DELIVER_TELEGRAM_INSIDE_H

#include "deliver/buckets.h"
#include "deliver/errands.h"
#include "deliver/fetches.h"
#include "deliver/secret.h"
#include "deliver/telegram/telegram.h"

struct telegram_chat {
	struct channel_options options;
	struct requests *requests;
	char *base; /* the URL with the token: never shown */
	char *token;
	bool is_direct;
	struct telegram_self bot;
	struct json_reader reader;

	/* In: one request at a time, getMe and then getUpdates. */
	struct request *poll;
	struct buf news;
	int status;
	int64_t offset;     /* of the first update that was not taken */
	int64_t poll_ms;    /* not before */
	unsigned fails;     /* in a row */
	struct buf updates; /* that came and are not all taken */
	char failed[256];   /* the words that were logged last */
	bool is_live;       /* the last question was answered */
	bool is_denied;     /* or it was refused */

	/* A check that is under way. */
	struct channel_check check;
	struct request *check_request;
	struct buf check_body;
	unsigned check_step; /* methods that were called */

	/* Out. */
	struct errands calls;
	struct bucket bot_bucket;
	struct bucket told_bucket; /* of words for who pressed a button */
	struct buckets chat_buckets;

	/* Files of people. */
	char *files; /* the URL where they are, with the token: never shown */
	struct fetches fetches;
	struct link questions; /* telegram_question.in_chat: where is it? */
};

/* ---- telegram_poll.c ---- */

int64_t telegram_poll_tick(struct telegram_chat *t, int64_t now_ms);

/* ---- telegram_check.c ---- */

void telegram_check(void *self, const struct channel_check *check);
void telegram_check_finish(struct telegram_chat *t);

/* ---- telegram_calls.c ---- */

void telegram_send(void *self, const struct channel_message *m);
void telegram_edit(void *self, const struct channel_message *m);
void telegram_remove(void *self, const struct channel_message *m);
void telegram_type(void *self, const struct channel_message *where, bool shows);
void telegram_tell(void *self, const struct channel_press *press, struct text words);
int64_t telegram_ready(void *self, const struct channel_message *where, int64_t now_ms);
void telegram_calls_init(struct telegram_chat *t);

/* ---- telegram_upload.c ---- */

struct telegram_upload {
	const struct channel_upload *file;
	bool is_document;                    /* whatever it shows */
	const char *peer, *thread, *caption; /* thread and caption may be NULL */
	int64_t reply_to;                    /* or 0 */
};
/* It goes as a file, and not as a picture or a voice note. */
bool telegram_is_document(const struct channel_upload *file);
struct request *telegram_start_upload(struct telegram_chat *t, const struct telegram_upload *u,
                                      struct request_options *o, struct error *why);

/* ---- telegram_files.c ---- */

void telegram_fetch(void *self, const struct channel_fetch *fetch);
void telegram_files_init(struct telegram_chat *t);
void telegram_files_finish(struct telegram_chat *t);

/* ---- channel_telegram.c ---- */

int64_t telegram_now(const struct telegram_chat *t);
/* A method is called; the options have the callbacks, limits and body.  NULL: why. */
struct request *telegram_start(struct telegram_chat *t, const char *method,
                               struct request_options *options, struct error *why);

#endif
