/* voice_call.h - a voice session of a box, as its client has it: sound goes there, words and sound
 * come.
 */
#ifndef CLI_VOICE_CALL_H
#define CLI_VOICE_CALL_H

#include "cli/remote.h"

struct voice_call;

enum voice_news_kind {
	VOICE_READY,   /* once: sound may go */
	VOICE_STATE,   /* idle, listening, thinking or speaking */
	VOICE_PARTIAL, /* what is heard so far, in the place of the last */
	VOICE_FINAL,
	VOICE_DELTA,     /* the next words of the answer */
	VOICE_COMPLETED, /* it is whole */
	VOICE_SOUND,     /* of the answer: mono PCM16, of one rate for the whole session */
	VOICE_CLEAR,     /* what was not played of it is dropped */
	VOICE_TROUBLE,   /* in words; the session goes on */
	VOICE_LOST,      /* in words, and the last: there is no session any more */
};

struct voice_news {
	enum voice_news_kind kind;
	struct text text; /* gone after the call */
	int rate;         /* of the sound */
};

struct voice_call_options {
	struct remote *remote;
	const char *source; /* that is to answer; NULL: the one of the box's configuration */
	void *self;
	void (*told)(void *self, const struct voice_news *news); /* it may not end the call */
};

/* It goes on by the loop of the remote, both of which outlive it. */
struct voice_call *voice_call_begin(const struct voice_call_options *options, struct error *why);
void voice_call_end(struct voice_call *call); /* cancels what is under way; NULL is fine */

/* False: not now, because too much waits already or it is lost. */
bool voice_call_speak(struct voice_call *call, struct text pcm); /* mono PCM16 of VOICE_RATE */
bool voice_call_commit(struct voice_call *call);                 /* that was all of it */
bool voice_call_cancel(struct voice_call *call);

#endif
