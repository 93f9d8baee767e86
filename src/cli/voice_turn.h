/* voice_turn.h - one turn of a voice session of a box: sound goes there, words and sound come.
 *
 * The sound goes at the pace at which it was spoken, so that the box hears it as from a
 * microphone; latencies count from its end.
 */
#ifndef CLI_VOICE_TURN_H
#define CLI_VOICE_TURN_H

#include "cli/remote.h"

#define VOICE_TURN_WORDS_MAX (1 * MIB) /* of an answer; the rest is not kept */

/* What came of it.  Times in ms since the end of the speech; -1: it did not come. */
struct voice_turned {
	struct buf final, answer; /* words */
	struct buf pcm;           /* mono PCM16 of the answer */
	int rate;                 /* of that; 0: there is none */
	int64_t final_ms, text_ms, sound_ms, end_ms;
	bool is_cancelled;
};

struct voice_turn_listener {
	void *self;
	void (*partial)(void *self, struct text words); /* in the place of the last */
	void (*final)(void *self, struct text words);
	void (*delta)(void *self, struct text words);
};

void voice_turned_init(struct voice_turned *told);
void voice_turned_finish(struct voice_turned *told);

struct voice_question {
	struct text pcm;
	const char *source; /* that is asked; NULL: the one of the box's configuration */
};

/* Until the box has said all, or Ctrl-C: then it is cancelled.  False: why says what went wrong. */
bool voice_turn(struct remote *remote, const struct voice_question *question,
                const struct voice_turn_listener *listener, struct voice_turned *told,
                struct error *why);

#endif
