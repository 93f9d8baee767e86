/* session_steps.h - the table of a voice session; for session.c alone. */
#ifndef VOICE_SESSION_STEPS_H
#define VOICE_SESSION_STEPS_H

#include "voice/session.h"

/* In the order in which they are done. */
enum act {
	STOP = 1U << 0U,      /* the engine */
	CLEAR = 1U << 1U,     /* the client's loudspeaker */
	REFUSE = 1U << 2U,    /* a turn is under way */
	FAIL = 1U << 3U,      /* with the words of the engine */
	COMPLETE = 1U << 4U,  /* the answer */
	END = 1U << 5U,       /* the turn */
	BEGIN = 1U << 6U,     /* one */
	FINAL = 1U << 7U,     /* what was said */
	READY = 1U << 8U,     /* there is a session */
	COUNT = 1U << 9U,     /* a piece of sound */
	STATE = 1U << 10U,    /* as it is now */
	STARTED = 1U << 11U,  /* somebody speaks, */
	STOPPED = 1U << 12U,  /* and no more */
	TELL = 1U << 13U,     /* what the engine told */
	ADOPT = 1U << 14U,    /* whoever heard who began to speak hears the turn */
	HEAR = 1U << 15U,     /* the engine: a piece of sound, */
	TRIGGER = 1U << 16U,  /* a mocked turn, */
	HEAR_END = 1U << 17U, /* all of the sound, */
	THINK = 1U << 18U,    /* the words, */
	SAY = 1U << 19U,      /* those of the answer, */
	SAY_END = 1U << 20U,  /* and all of them */
};

struct voice_step {
	enum voice_phase next;
	unsigned acts;
};

#define FACT(kind) ((int)INPUT_FACT + (int)(kind))

/* By the phase and what comes: what is not in it changes nothing. */
extern const struct voice_step *const voice_steps[PHASES]; /* each has INPUTS */

#endif
