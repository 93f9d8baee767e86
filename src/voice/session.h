/* session.h - one voice session: idle, listening, thinking, speaking; pure.
 *
 * A session is told what its client wants and what its engine found out.  One table says for
 * each phase and each of these what comes next and what is done: the client is told something,
 * a turn begins or ends, the engine works or is stopped.  Time is an argument.
 *
 * A turn begins with the first sound, a commit, a trigger or a text, and has a number.  What the
 * engine tells of another turn than the one under way is passed over, so nothing of a turn that
 * was cancelled is ever said.
 *
 * Hands-free, all sound goes to ahead.h, which finds out who speaks: that begins a turn, or
 * interrupts one, and the silence after it is the commit.
 */
#ifndef VOICE_SESSION_H
#define VOICE_SESSION_H

#include "voice/ahead.h"

/* What clients see of it is enum voice_state: hearing is listening, too, and at rest a session
 * is idle, or listening if it is hands-free. */
enum voice_phase {
	PHASE_REST,
	PHASE_LISTENING, /* sound comes */
	PHASE_HEARING,   /* all of it came: what was said? */
	PHASE_THINKING,
	PHASE_SPEAKING,
	PHASES,
};

enum voice_input {
	INPUT_START,
	INPUT_TRIGGER,
	INPUT_APPEND, /* text: a piece of sound */
	INPUT_COMMIT,
	INPUT_TEXT, /* text: what was typed */
	INPUT_CANCEL,
	INPUT_VOICE, /* somebody speaks, hands-free; text: the sound until now */
	INPUT_QUIET, /* and does no more */
	INPUT_FACT,  /* and above: of the engine, by enum voice_fact_kind */
	INPUTS = (int)INPUT_FACT + (int)FACT_KINDS,
};

/* What the client is told, unless it is of a feature that it has not. */
struct voice_said {
	enum voice_told event;
	struct text text; /* of transcripts, deltas, sound and tools; of an error its message */
	enum voice_state state; /* of session.state */
	enum voice_code code;   /* of an error, */
	bool retryable;
	unsigned rate; /* of sound */
	uint64_t turn; /* 0: of none */
};

enum voice_mark {
	MARK_BEGAN,
	MARK_HEARD, /* all of its sound came: session.chunks, session.bytes */
	MARK_DONE,
	MARK_CANCELLED,
	MARK_FAILED,
};

struct voice_desk {
	void *self;
	void (*say)(void *self, const struct voice_said *said);
	void (*mark)(void *self, uint64_t turn, enum voice_mark mark); /* of the turn under way */
	void (*stirred)(void *self); /* voice_session_due may be another one; may be NULL */
};

struct voice_session {
	enum voice_phase phase;
	bool hands_free;
	bool tells_speech;    /* its client wants to know when somebody speaks, */
	unsigned silence_ms;  /* who is silent again after this */
	bool is_spoken;       /* its client plays sound */
	bool listens;         /* the turn began hands-free, and what is said is of it; */
	bool by_voice;        /* or was */
	bool is_over;         /* it was finished, perhaps by what it said */
	unsigned chunks;      /* that came in this turn, */
	uint64_t bytes;       /* and how long they are, as they came */
	uint64_t turn, turns; /* 0: none is under way; how many were begun */
	const struct voice_engine *engine;
	const struct voice_desk *desk;
	void *work[VOICE_PARTS]; /* NULL: not at work */
	struct voice_ahead ahead;
};

/* Both outlive it. */
void voice_session_init(struct voice_session *s, const struct voice_engine *engine,
                        const struct voice_desk *desk);
/* Stops the engine; a turn under way is cancelled, and nothing is said any more.  A desk that is
 * told something may do this; the memory stays until that is over. */
void voice_session_finish(struct voice_session *s);

/* What was heard ahead of a turn, while none is under way. */
void voice_session_forget(struct voice_session *s);

/* Hands-free from now on, or not.  An engine that finds nothing only is `listening` at rest. */
void voice_session_free_hands(struct voice_session *s, bool hands_free);

void voice_session_hear(struct voice_session *s, enum voice_input input, struct text text,
                        uint64_t now_ms);

/* When the engine wants to go on, or VOICE_NEVER; and it does, with all that is due. */
uint64_t voice_session_due(const struct voice_session *s);
void voice_session_tick(struct voice_session *s, uint64_t now_ms);

enum voice_state voice_session_state(const struct voice_session *s);

#endif
