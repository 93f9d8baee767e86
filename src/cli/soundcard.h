/* soundcard.h - the microphone and the loudspeaker of this machine, by the programs that it has for
 * them: those of PipeWire, else those of ALSA.
 *
 * Where one of them cannot do it, the next is tried.  The microphone is open only while somebody
 * records, and no program outlives this one.
 */
#ifndef CLI_SOUNDCARD_H
#define CLI_SOUNDCARD_H

#include "base/error.h"
#include "base/text.h"

struct loop;
struct soundcard;

struct soundcard_user {
	void *self;
	void (*heard)(void *self, struct text bytes); /* PCM16, mono, of VOICE_RATE; cut anywhere */
	/* It records no more; it plays no more.  In words. */
	void (*deaf)(void *self, const char *why);
	void (*mute)(void *self, const char *why);
};

struct soundcard *soundcard_create(struct loop *loop, const struct soundcard_user *user);
void soundcard_destroy(struct soundcard *card); /* it is silent at once; NULL is fine */

bool soundcard_record(struct soundcard *card, struct error *why);
void soundcard_stop(struct soundcard *card); /* recording */

/* Mono PCM16, behind what is played already.  It may only be mute() that says that it cannot. */
void soundcard_play(struct soundcard *card, int rate, struct text pcm);
void soundcard_end(struct soundcard *card);     /* that was all; it plays to the end */
void soundcard_silence(struct soundcard *card); /* at once: what was not played is dropped */

#endif
