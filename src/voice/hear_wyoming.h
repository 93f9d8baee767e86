/* hear_wyoming.h - hearing by an engine that speaks Wyoming. */
#ifndef VOICE_HEAR_WYOMING_H
#define VOICE_HEAR_WYOMING_H

#include "voice/engine.h"
#include "voice/wyoming_line.h"

#define HEAR_SECONDS_MAX 120     /* of one utterance; more is too_long */
#define HEAR_PATIENCE_MS 30000   /* that it may think about an utterance */
#define HEAR_RATE 16000          /* what clients send: PCM of 16 bits, mono, in base64 */
#define HEAR_CHUNK_MAX (1 * MIB) /* of sound in one piece */

/* What the role begins with. */
struct hear_wyoming {
	struct loop *loop;
	struct wyoming_place place;
};

extern const struct voice_role voice_hear_wyoming;

#endif
