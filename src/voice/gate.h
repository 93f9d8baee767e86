/* gate.h - whether somebody speaks, by how loud it is; pure.
 *
 * It is for engines that cannot tell.  What is much louder than the quietest moment of the last
 * seconds is taken for speech, so it gets used to a fan, and to a hum that begins; it cannot tell
 * a voice from other noise that comes and goes.
 */
#ifndef VOICE_GATE_H
#define VOICE_GATE_H

#include "base/text.h"

#define GATE_FRAME_MS 20
#define GATE_FRAME_BYTES 640 /* of 16 bits, mono, 16 kHz */
#define GATE_SPEECH_MS 160   /* of loud sound, before somebody speaks */
#define GATE_PAUSE_MS 100    /* that is still of the word */

enum gate_found { GATE_NOTHING, GATE_STARTED, GATE_STOPPED };

struct gate {
	unsigned silence_ms;   /* of quiet, before nobody speaks any more */
	uint64_t least, older; /* power of the quietest frame in this window, and in the last */
	unsigned window_ms;    /* how much of this window there was */
	unsigned loud_ms, quiet_ms;
	bool speaks;
};

void gate_init(struct gate *gate, unsigned silence_ms);
/* A frame: GATE_FRAME_BYTES, or less at the end. */
enum gate_found gate_feed(struct gate *gate, struct text pcm);
/* Is this frame of a word, or was the last moment? */
bool gate_is_loud(const struct gate *gate);

#endif
