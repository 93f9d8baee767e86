/* ntfy_inside.h - what the files of the ntfy channel share. */
#ifndef DELIVER_NTFY_INSIDE_H
#define DELIVER_NTFY_INSIDE_H

#include "deliver/buckets.h"
#include "deliver/errands.h"
#include "deliver/ntfy/ntfy.h"

#define NTFY_OWN_MAX 64 /* messages that we are known to have written */
#define NTFY_ID_ROOM 65

struct ntfy_chat {
	struct channel_options options;
	struct requests *requests;
	char *base, *topic, *press; /* press NULL: it is not said where phones reach us */
	char *authorization;        /* a header, or NULL: never shown */
	bool is_direct;
	struct json_reader reader;

	/* In: one stream of the topic. */
	struct request *stream;
	struct buf line;
	bool is_skipping; /* a line that is too long */
	bool is_live, is_denied;
	int status;
	char newest[NTFY_ID_ROOM]; /* the id of the message that came last, or "" */
	char failed[256];          /* the words that were logged last */
	int64_t stream_ms;         /* not before */
	unsigned fails;            /* in a row */
	struct link waiting;       /* struct ntfy_waiting, oldest first */
	size_t waiting_count;

	/* A check that is under way. */
	struct channel_check check;
	struct request *check_request;
	struct buf check_body;
	int check_status;

	/* Out. */
	struct errands calls;
	struct bucket bucket;
	char own[NTFY_OWN_MAX][NTFY_ID_ROOM];
	unsigned own_next;
};

/* ---- ntfy_stream.c ---- */

int64_t ntfy_stream_tick(struct ntfy_chat *n, int64_t now_ms);
void ntfy_hand_on(struct ntfy_chat *n); /* what waited for the end of our calls */
void ntfy_stream_finish(struct ntfy_chat *n);

/* ---- ntfy_calls.c ---- */

void ntfy_send(void *self, const struct channel_message *m);
int64_t ntfy_ready(void *self, const struct channel_message *where, int64_t now_ms);
void ntfy_calls_init(struct ntfy_chat *n);

/* ---- channel_ntfy.c ---- */

int64_t ntfy_now(const struct ntfy_chat *n);
/* To base and route; the options have the callbacks, limits and body, and two headers at most
 * that are not those of JSON.  NULL: why. */
struct request *ntfy_start(struct ntfy_chat *n, const char *route, struct request_options *options,
                           struct error *why);

#endif
