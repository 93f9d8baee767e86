/* answer.h - what an agent says in a run that was asked for, from the signals of that run; pure.
 *
 * Its words are told as they come, or at once where it does not stream; the same words are told
 * once.  What it thinks, and what its subagents say, is not for the person.
 */
#ifndef VOICE_ANSWER_H
#define VOICE_ANSWER_H

#include "base/buf.h"
#include "run/hear.h"

#define ANSWER_MESSAGE_MAX (512 * KIB) /* bytes of a message that another is compared with */
#define ANSWER_WHY_MAX KIB

enum voice_answer_end { ANSWER_GOES_ON, ANSWER_WHOLE, ANSWER_CANCELLED, ANSWER_FAILED };

struct voice_answer_listener {
	void *self;
	void (*said)(void *self, struct text words); /* Markdown; gone after the call */
	void (*works)(void *self, struct text tool, bool begins); /* NULL: nobody wants to know */
};

struct voice_answer {
	struct voice_answer_listener listener;
	struct hearing hearing;
	struct buf message; /* what was said of the one under way, or of the last */
	struct buf why;     /* it failed */
	bool in_text;       /* pieces of a message came */
	bool has_said;      /* there was a message before */
	enum voice_answer_end end;
};

void answer_init(struct voice_answer *answer, const struct voice_answer_listener *listener);
void answer_finish(struct voice_answer *answer);

/* Each signal of the run, as signal_read() gives it. */
enum voice_answer_end answer_hear(struct voice_answer *answer, const struct signal *s,
                                  struct text run);
struct text answer_why(const struct voice_answer *answer); /* in words; perhaps none */

#endif
