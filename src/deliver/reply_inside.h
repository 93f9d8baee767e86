/* reply_inside.h - what the files of reply.h share. */
#ifndef DELIVER_REPLY_INSIDE_H
#define DELIVER_REPLY_INSIDE_H

#include "deliver/flow.h"
#include "deliver/progress.h"
#include "deliver/reply.h"
#include "deliver/tool_news.h"

#define REPLY_MEDIA_MAX 64     /* of a turn; more are left out */
#define REPLY_TOOL_NAME_MAX 64 /* bytes */
#define REPLY_CALLS_MAX (REPLY_TOOLS_MAX * (6 * REPLY_TOOL_NAME_MAX + 16)) /* JSON, at worst */

enum reply_step {
	REPLY_RUNS,
	REPLY_FLUSHED, /* the run is over, and blocks are still on their way */
	REPLY_FINAL,   /* the last message is on its way */
	REPLY_OVER,
};

struct reply {
	struct reply_options options;
	struct streaming_context context;
	struct broker broker;
	struct pipeline *pipeline; /* NULL: it accumulates */
	struct dispatch *dispatch;
	struct buf text;        /* of the whole turn */
	struct buf calls;       /* of tools, items of a list */
	size_t partial;         /* bytes of the message that the pipeline has */
	struct tool_news *news; /* NULL: nobody is told of tools */
	unsigned tools, tools_told, sent;
	enum reply_step step;
	/* Pictures and files of the turn: each goes once. */
	char *media[REPLY_MEDIA_MAX];
	size_t media_count;
	struct text kept[PAYLOAD_MEDIA_MAX]; /* of these, that go with the final */
	size_t kept_count;
	bool kept_is_voice;
	bool has_failed, is_cancelled;
	bool is_doubted; /* something may be there that was not accepted */

	/* Of a message that is edited. */
	bool is_live;
	struct live_draft live;
	bool live_is_stale;             /* there is a newer text */
	struct progress_note *progress; /* NULL: it does not say what is being done */

	/* Of one that is shown as it is written. */
	struct flow flow;
	bool flow_is_open, flow_ends; /* a message is shown; its end is on its way */
	int64_t flow_due_ms;
};

/* Of tools; blocks have smaller numbers, finals larger ones. */
#define REPLY_TOOL_NUMBER ((uint64_t)1 << 61)

void reply_take_blocks(struct reply *r, int64_t now_ms); /* what is ready is enqueued */

/* ---- reply_tools.c ---- */

void reply_tool_begins(struct reply *r, struct text tool, yyjson_val *params);
void reply_tool_ends(struct reply *r, struct text tool, yyjson_val *result, int64_t now_ms);

/* ---- reply_flow.c ---- */

void reply_flow_init(struct reply *r);
void reply_flow_finish(struct reply *r);
void reply_flow_work(struct reply *r, int64_t now_ms);
int64_t reply_flow_due(const struct reply *r);
void reply_flow_settle(struct reply *r, enum pipeline_sent sent);
void reply_flow_lost(struct reply *r);
bool reply_flow_waits(const struct reply *r); /* before the final can be made */
/* What was not accepted of the turn, as the text of the final. */
void reply_flow_put(struct reply *r, struct buf *out);

/* ---- reply_live.c ---- */

void reply_live_init(struct reply *r);
void reply_live_finish(struct reply *r);
void reply_live_hear(struct reply *r, const struct signal *s, int64_t now_ms);
void reply_live_work(struct reply *r, int64_t now_ms);
int64_t reply_live_due(const struct reply *r);
void reply_live_drop(struct reply *r); /* it has to go, if it is there */

#endif
