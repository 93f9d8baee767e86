/* say_pace.h - how far what is said may be ahead of the ear that hears it; pure.
 *
 * Engines say faster than people listen.  What was told and not heard yet waits at the client,
 * which is no place for more than a few seconds of it: a slow one would be sent away, and after a
 * cancel all of it is thrown away.
 */
#ifndef VOICE_SAY_PACE_H
#define VOICE_SAY_PACE_H

#include "voice/means.h"

#define SAY_AHEAD_MS 5000 /* of sound that a client may have in advance */

struct say_pace {
	uint64_t heard_ms; /* when all that was told can have been heard; 0: nothing was told */
	size_t rest;       /* bytes of a millisecond that is not whole */
};

/* Sound was told: PCM of 16 bits, mono, VOICE_SAY_RATE. */
static inline void say_pace_told(struct say_pace *pace, size_t bytes, uint64_t now_ms)
{
	const size_t bytes_a_ms = VOICE_SAY_RATE * 2 / 1000;

	if (pace->heard_ms < now_ms)
		pace->heard_ms = now_ms;
	pace->rest += bytes;
	pace->heard_ms += pace->rest / bytes_a_ms;
	pace->rest %= bytes_a_ms;
}

/* More may be told then; 0: it never had to wait. */
static inline uint64_t say_pace_due(const struct say_pace *pace)
{
	return pace->heard_ms > SAY_AHEAD_MS ? pace->heard_ms - SAY_AHEAD_MS : 0;
}

#endif
