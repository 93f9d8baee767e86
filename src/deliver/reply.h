/* reply.h - one turn: what an agent says, from its tokens to the messages of a chat.
 *
 * It joins the broker and the context (streaming.h), the pipeline of blocks, the dispatcher and
 * typing; or, where a message is edited as the text grows or the work goes on, the draft and
 * the progress.  The messages leave by send(), one at a time; reply_settle() says what became of
 * each; time comes with each call.
 */
#ifndef DELIVER_REPLY_H
#define DELIVER_REPLY_H

#include "deliver/blocks.h"
#include "deliver/channel.h"
#include "deliver/dispatch.h"
#include "deliver/draft.h"
#include "deliver/streaming.h"

#define REPLY_TOOLS_MAX 32 /* that are named; more are not */
#define REPLY_TEXT_MAX MIB /* bytes of all that an agent says in a turn; more is left out */

/* A message that is shown as it is written; its end is settled as REPLY_FLOW_NUMBER. */
enum reply_flow { REPLY_FLOW_BEGINS, REPLY_FLOW_SAYS, REPLY_FLOW_ENDS };
#define REPLY_FLOW_NUMBER ((uint64_t)1 << 63)

/* Of tools of the agent, each in a message of its own when it is done. */
enum reply_tells { REPLY_TELLS_NOTHING, REPLY_TELLS_NAMES, REPLY_TELLS_RESULTS };

struct reply_options {
	struct chunk_options chunking;
	struct gather_options coalescing;
	struct dispatch_options dispatch; /* its texts outlive the reply */
	enum channel_mode mode;
	enum reply_tells tells_tools;
	bool takes_media;           /* what an agent sends with its words goes, too */
	struct draft_options draft; /* of the modes that show a message as it grows */
	const char *failed;         /* words for an agent that fails in the middle; lives on */
	void *self;
	void (*send)(void *self, enum dispatch_kind kind, uint64_t number,
	             const struct payload *payload);
	/* Nobody waits for that one any more.  False: it has not left, and will not; else it is the
	 * caller's to see to. */
	bool (*give_up)(void *self, uint64_t number);
	void (*type)(void *self, bool shows);
	/* For the modes in which a message is edited: a step of it; false: it is not taken.  The
	 * message has to go.  When something may leave. */
	bool (*live)(void *self, const struct draft_step *step);
	void (*drop)(void *self);
	int64_t (*ready)(void *self);
	/* For the mode in which words are shown as they come: the text of the message so far.
	 * False: it is not taken, or of one that is shown: it should end. */
	bool (*stream)(void *self, enum reply_flow act, struct text text);
};

struct reply;

/* The context's target and typing are the caller's to fill in; the rest is the reply's. */
struct reply *reply_create(const struct reply_options *options,
                           const struct streaming_context *target);
void reply_destroy(struct reply *r);
struct streaming_context *reply_context(struct reply *r);

void reply_begin(struct reply *r, int64_t now_ms); /* the agent was asked */
void reply_hear(struct reply *r, const struct signal *s, struct text run, int64_t now_ms);
/* The run will not go on: why is for the record. */
void reply_fail(struct reply *r, struct text why, int64_t now_ms);
/* Somebody stopped the run, which ends soon: that is no failure to be sorry for. */
void reply_cancel(struct reply *r);
void reply_note_heartbeat(struct reply *r); /* the run began by itself: no typing is shown */
void reply_lose_channel(struct reply *r);   /* it is away: no typing is shown any more */

void reply_settle(struct reply *r, uint64_t number, enum pipeline_sent sent, struct text messages,
                  int64_t now_ms);
/* What became of the message that is edited: so many are there; its edit; it is lost. */
void reply_live_there(struct reply *r, unsigned count);
void reply_live_edited(struct reply *r, enum draft_edited how);
/* Likewise, also of one that is shown as it is written.  Nobody knows what is there of it: it is
 * edited no more, and its last text is the final. */
void reply_live_lost(struct reply *r);
void reply_live_doubted(struct reply *r);
void reply_work(struct reply *r, int64_t now_ms); /* at reply_due(), and after each signal */
int64_t reply_due(const struct reply *r);

/* The run is over and everything is sent. */
bool reply_is_over(const struct reply *r);
bool reply_has_ended(const struct reply *r); /* the run is over */
bool reply_has_failed(const struct reply *r);
bool reply_was_stopped(const struct reply *r); /* by somebody, and ended by that */
struct text reply_why(const struct reply *r);
struct text reply_text(const struct reply *r);  /* all that was said */
struct text reply_tools(const struct reply *r); /* the first that were called: {"name"},... */
unsigned reply_sent(const struct reply *r);     /* messages that were accepted */

#endif
