/* transcribe.h - a file of sound, heard by a server with the routes of OpenAI. */
#ifndef VOICE_TRANSCRIBE_H
#define VOICE_TRANSCRIBE_H

#include "net/multipart.h"
#include "voice/means.h"

struct transcribe;

/* A form with all but its file. */
void transcribe_begin_form(struct multipart *form, const struct voice_means *means,
                           size_t file_max);

/* A form that is whole, which is copied.  What becomes of it is told as the facts of who hears:
 * partials, then the words or a failure, after which nothing is told.  told() may stop it.  NULL:
 * it cannot be asked. */
struct transcribe *transcribe_start(const struct voice_means *means, const struct multipart *form,
                                    const struct voice_ear *ear, struct error *why);
void transcribe_stop(struct transcribe *transcribe); /* at once, and frees it; NULL is fine */

#endif
