/* check.h - is there speech on this machine that works?  signalbox-speech says a sentence and
 * hears it back.
 *
 * That it did is kept in DATA with what the program and its weights were then: an engine that is
 * chosen by itself is `local` as long as they are the same.
 */
#ifndef VOICE_CHECK_H
#define VOICE_CHECK_H

#include "voice/means.h"

struct voice_check;

struct voice_check_user {
	void *self;
	void (*checked)(void *self); /* a check is over */
};

/* Both outlive it. */
struct voice_check *voice_check_create(const struct voice_around *around,
                                       const struct voice_check_user *user);
void voice_check_destroy(struct voice_check *check); /* NULL is fine */

void voice_check_begin(struct voice_check *check);                      /* unless one goes on */
bool voice_check_is_passed(const struct voice_check *check);            /* by what is here now */
void voice_check_put(const struct voice_check *check, struct buf *out); /* `"local":{...}` */

#endif
