/* typing.h - when a chat shows that an agent is typing.
 *
 * Five signals of a run begin it or keep it up, as the mode says; it is shown again at every
 * interval.  It ends when the run is over and everything is sent, when nothing happened for two
 * minutes, and when the run is cancelled, fails, or loses its channel.  Once it has ended, it does
 * not begin again in that turn.
 *
 *   signal           instant   message          thinking         never
 *   run start        shows     -                -                -
 *   message start    -         after some text  -                -
 *   text delta       shows     shows            shows            -
 *   reasoning delta  -         -                after some text  -
 *   tool start       shows     shows            shows            -
 *
 * Text that is, or may still become, NO_REPLY or HEARTBEAT_OK shows nothing.
 *
 * The caller sends what typing_next() says, after each call and at typing_due().
 */
#ifndef DELIVER_TYPING_H
#define DELIVER_TYPING_H

#include "base/text.h"

enum typing_mode {
	TYPING_UNSET,
	TYPING_INSTANT,
	TYPING_MESSAGE,
	TYPING_THINKING,
	TYPING_NEVER,
};

#define TYPING_INTERVAL_MS 6000
#define TYPING_SILENCE_MS 120000
#define TYPING_BEGINNING_MAX 32

/* What a channel can do; one that is not known shows typing as most do. */
struct typing_channel {
	const char *name;
	int64_t interval_ms;
	enum typing_place {
		TYPING_EVERYWHERE,
		TYPING_IN_THREADS, /* as the status of an assistant's thread */
		TYPING_NOWHERE,
	} place;
};
const struct typing_channel *typing_channel(struct text name);

/* Whom a turn is for. */
struct typing_turn {
	bool is_heartbeat, is_direct, is_mentioned;
	bool is_in_thread;
};

bool typing_read_mode(struct text word, enum typing_mode *mode);

/* A heartbeat and a channel that cannot: never; else what is configured; else instant where
 * somebody spoke to the agent, and message in a group. */
enum typing_mode typing_resolve(enum typing_mode configured, const struct typing_turn *turn,
                                const struct typing_channel *channel);

enum typing_end {
	TYPING_GOES_ON,
	TYPING_IS_DONE,   /* the run is over and everything is sent */
	TYPING_IS_SILENT, /* nothing happened for two minutes */
	TYPING_IS_CANCELLED,
	TYPING_IS_FAILED,
	TYPING_IS_LOST, /* the channel */
};

struct typing_signaler {
	enum typing_mode mode;
	int64_t interval_ms;
	enum typing_end end;
	bool is_on, was_shown, is_run_over, is_sent, saw_text;
	int64_t shown_ms, active_ms;
	char beginning[TYPING_BEGINNING_MAX]; /* of a text that may be a token */
	size_t beginning_len;
};

void typing_init(struct typing_signaler *t, enum typing_mode mode, int64_t interval_ms);

/* --- signals of the run ------------------------------------------------------------------- */

void typing_run_start(struct typing_signaler *t, int64_t now_ms);
void typing_message_start(struct typing_signaler *t, int64_t now_ms);
void typing_text_delta(struct typing_signaler *t, struct text delta, int64_t now_ms);
void typing_reasoning_delta(struct typing_signaler *t, int64_t now_ms);
void typing_tool_start(struct typing_signaler *t, int64_t now_ms);

/* --- its end ------------------------------------------------------------------------------ */

/* Signals that follow are late.  What the run leaves to be sent is enqueued before. */
void typing_run_over(struct typing_signaler *t);
void typing_sent(struct typing_signaler *t, bool is_idle); /* dispatch_is_idle() */
void typing_stop(struct typing_signaler *t, enum typing_end why);

/* --- what to send ------------------------------------------------------------------------- */

enum typing_act {
	TYPING_NOTHING,
	TYPING_SHOW,
	TYPING_HIDE, /* once, where a channel can take it back */
};
enum typing_act typing_next(struct typing_signaler *t, int64_t now_ms);
int64_t typing_due(const struct typing_signaler *t); /* INT64_MAX: when something happens */

#endif
