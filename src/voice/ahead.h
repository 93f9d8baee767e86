/* ahead.h - hearing ahead of a turn: the microphone is open, and somebody may begin to speak; pure.
 *
 * A session whose hands are free gives all of its sound here.  Frame by frame it is found out
 * whether somebody speaks: by the engine, to which a work listens that no turn has yet, or by the
 * gate.  Who speaks long enough gets a turn, and the turn gets that work, or what was said since a
 * moment before.  Silence is kept nowhere but for this moment, and a work that heard nothing but
 * silence is renewed, so a microphone may be open for days.
 */
#ifndef VOICE_AHEAD_H
#define VOICE_AHEAD_H

#include "base/buf.h"
#include "voice/engine.h"
#include "voice/gate.h"

#define AHEAD_BARGE_MS 400      /* somebody speaks for so long before a turn is interrupted */
#define AHEAD_BEFORE_MS 500     /* of sound before it was found that somebody speaks */
#define AHEAD_RENEW_MS 60000    /* of silence that one work of an engine hears */
#define AHEAD_PAUSE_MS 5000     /* after an engine failed, before it is tried again */
#define AHEAD_CHUNK_MAX 1048576 /* bytes of sound that come at once */

/* What its user wants to know of. */
enum ahead_mode {
	AHEAD_OPEN, /* nothing is under way: who speaks begins a turn, */
	AHEAD_BUSY, /* or interrupts the one that there is */
	AHEAD_TURN, /* what is said is of the turn */
};

struct ahead_user {
	void *self;
	enum ahead_mode (*mode)(void *self);
	/* Somebody speaks: text has the sound until now, unless the work that ahead_take() gives
	 * has heard it. */
	void (*started)(void *self, struct text sound, uint64_t now_ms);
	void (*stopped)(void *self, uint64_t now_ms);
	void (*sound)(void *self, struct text sound, uint64_t now_ms); /* more, of the turn */
	void (*told)(void *self, const struct voice_fact *fact); /* by a work that the turn has */
	/* FACT_FAILED of no turn: the next sound is heard again, or that after a pause. */
	void (*failed)(void *self, const struct voice_fact *fact);
};

struct voice_ahead {
	struct ahead_user user;
	const struct voice_engine *engine;
	unsigned silence_ms; /* 0: it is not used */
	struct gate gate;
	struct buf recent;  /* the last sound: PCM, */
	struct buf rest;    /* and what is less than a frame */
	bool is_wanted;     /* somebody speaks, and has no turn for it yet */
	unsigned since_ms;  /* since when, */
	unsigned spoken_ms; /* and how much of this was loud */
	void *work;         /* of the engine; NULL: none listens */
	uint64_t number;    /* of that work; the turn's has a lower one, or none */
	uint64_t begun_ms;  /* when that was, */
	unsigned heard_ms;  /* and how much silence it heard */
	uint64_t deaf_until_ms;
};

void ahead_init(struct voice_ahead *ahead, const struct voice_engine *engine,
                const struct ahead_user *user);
/* Its work is stopped and what it heard forgotten; it may be used again, unless silence_ms is 0. */
void ahead_drop(struct voice_ahead *ahead, unsigned silence_ms);

static inline bool ahead_is_used(const struct voice_ahead *ahead)
{
	return ahead->silence_ms > 0;
}

/* A chunk as clients send it, in base64.  What it finds is told from inside. */
void ahead_feed(struct voice_ahead *ahead, struct text chunk, uint64_t now_ms);
/* One that the turn has already: only the gate looks at it, and told() has what it finds. */
void ahead_watch(struct voice_ahead *ahead, struct text chunk, uint64_t now_ms);

/* The work that heard who began to speak, which is the turn's from now on; NULL: a new one has to
 * hear it.  ahead_give() returns it: its words are not wanted, but when they end. */
void *ahead_take(struct voice_ahead *ahead);
void ahead_give(struct voice_ahead *ahead, void *work);

#endif
