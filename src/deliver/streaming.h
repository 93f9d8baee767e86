/* streaming.h - what joins an agent that speaks to a chat that listens: two tables.
 *
 * The broker hears the signals of a run as they are admitted and calls the agent's callbacks; those
 * act on the context, which knows where the reply goes.  No stage of a request is between the two.
 */
#ifndef DELIVER_STREAMING_H
#define DELIVER_STREAMING_H

#include <yyjson.h>

#include "base/buf.h"
#include "deliver/payload.h"
#include "deliver/typing.h"
#include "run/hear.h"

struct outbox_line;

/* StreamingContext: where the reply of one turn goes, and how. */
struct streaming_context {
	/* The target; thread_id and reply_to_id may be NULL. */
	const char *channel, *peer_id, *thread_id, *reply_to_id;
	const struct outbox_line *out_adapter; /* or NULL, where it is not there */

	void *self;
	/* The text of the message so far; only while streaming_enabled. */
	void (*on_partial)(struct streaming_context *c, const struct payload *partial,
	                   int64_t now_ms);
	void (*on_typing)(struct streaming_context *c, bool shows);
	void (*on_tool_start)(struct streaming_context *c, struct text tool, int64_t now_ms);

	struct typing_signaler typing_signaler;
	bool streaming_enabled;
	bool draft_mode; /* one message is edited as the text grows */

	char **sent_message_ids; /* in this turn, so far */
	size_t sent_count;
};

void streaming_note_sent(struct streaming_context *c, struct text message);
void streaming_finish(struct streaming_context *c); /* frees what was noted */

/* AgentStreamingCallbacks: what an agent does, as it does it.  All slots are optional. */
struct agent_streaming_callbacks {
	void (*on_assistant_message_start)(void *self, int64_t now_ms);
	void (*on_assistant_message_end)(void *self, int64_t now_ms);
	void (*on_text_start)(void *self, int64_t now_ms);
	void (*on_text_delta)(void *self, struct text delta, int64_t now_ms);
	void (*on_text_end)(void *self, struct text full_text, int64_t now_ms);
	/* The text of the message so far; or the same again, with media that came now. */
	void (*on_partial_reply)(void *self, const struct payload *reply, int64_t now_ms);
	void (*on_reasoning_stream)(void *self, struct text text, int64_t now_ms);
	void (*on_tool_start)(void *self, struct text tool, yyjson_val *params, int64_t now_ms);
	void (*on_tool_end)(void *self, struct text tool, yyjson_val *result, int64_t now_ms);
};

#define BROKER_MESSAGE_MAX (512 * KIB) /* bytes of one message; the rest is left out */

/* How a run ended, as far as is known. */
enum broker_end { BROKER_GOES_ON, BROKER_COMPLETED, BROKER_FAILED };

struct broker {
	const struct agent_streaming_callbacks *callbacks;
	void *self;
	struct hearing hearing;
	struct buf message; /* what is being said, or was said last */
	bool in_message, in_text;
	bool is_cut; /* the message is too long: the rest of it is left out */
	enum broker_end end;
	struct buf why;                       /* of a failure */
	struct text media[PAYLOAD_MEDIA_MAX]; /* of the signal that is heard */
	size_t media_count;
	bool is_voice;
	struct text call; /* of the tool that a callback is about, and whether it failed */
	bool tool_failed;
	int64_t now_ms;
};

void broker_init(struct broker *b, const struct agent_streaming_callbacks *callbacks, void *self);
void broker_finish(struct broker *b);

/* A signal of its run, read by signal_read(). */
void broker_hear(struct broker *b, const struct signal *s, struct text run, int64_t now_ms);

#endif
