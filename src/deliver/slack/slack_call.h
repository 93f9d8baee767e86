/* slack_call.h - one call of a method of Slack, and what it asks. */
#ifndef DELIVER_SLACK_CALL_H
#define DELIVER_SLACK_CALL_H

#include "deliver/slack/slack_inside.h"

enum slack_method {
	SLACK_POST,
	SLACK_UPDATE,
	SLACK_DELETE,
	SLACK_HISTORY,
	SLACK_REPLIES,
	SLACK_STATUS,
	SLACK_HOOK, /* an address of Slack's own, with JSON */
	/* A file goes in three steps, of which the last one shows it. */
	SLACK_PLACE, /* where do the bytes go? */
	SLACK_BYTES,
	SLACK_SHARE,
};

struct slack_call {
	struct channel_errand call;
	struct slack_chat *chat;
	enum slack_method method;
	bool is_plain;
	char *peer, *thread, *message, *text, *actions, *stale, *cursor;
	unsigned pages;
	double since_ms;
	bool is_file, was_awaited;  /* of a look: it may come a little later than it was said */
	struct channel_upload file; /* without a path: none */
	struct slack_place place;   /* of it */
	int64_t until_ms;           /* likewise: it is shown before, or not at all */
};

const char *slack_method_name(enum slack_method method);
void slack_put_call(const struct slack_call *c, struct buf *form);

/* ---- slack_upload.c ---- */

bool slack_is_upload(const struct slack_call *c); /* a file, of which nobody sees anything yet */
void slack_keep_file(struct slack_call *c, const struct channel_upload *file);
struct request *slack_start_upload(struct slack_call *c, struct request_options *o,
                                   struct error *why);
/* A step is done: the next one begins.  False: what is said makes no sense. */
bool slack_take_place(struct slack_call *c, const struct slack_answer *a);
void slack_take_bytes(struct slack_call *c);

#endif
