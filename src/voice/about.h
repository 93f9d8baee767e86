/* about.h - what the engine at a place says of itself: asked by `describe`, and kept for a while.
 *
 * Nobody waits for it.  Who wants to know takes what is known, and has it asked again where that
 * is old; so a turn never takes longer, and an engine that came back with other abilities is
 * known soon after.
 */
#ifndef VOICE_ABOUT_H
#define VOICE_ABOUT_H

#include "voice/wyoming_info.h"
#include "voice/wyoming_line.h"

#define ABOUT_MS 5000                /* for the whole of an answer, and for reaching it */
#define ABOUT_AGE_MS (5 * 60 * 1000) /* then it is asked again */
#define ABOUT_AGAIN_MS 2000          /* likewise where it was not there */

struct voice_about;

/* All of it outlives it. */
struct voice_about_options {
	struct loop *loop;
	const struct wyoming_place *place;
	const char *written; /* the place, in words */
	enum wyoming_part part;
	struct wyoming_wish wish;
};

struct voice_about *voice_about_create(const struct voice_about_options *options);
void voice_about_destroy(struct voice_about *about); /* NULL is fine, as everywhere here */

/* Asks, unless what is known is new enough, or it is being asked. */
void voice_about_want(struct voice_about *about);
/* It failed, or did not do what it had said: that is old now. */
void voice_about_doubt(struct voice_about *about);
/* As far as is known: what is to be said may come piece by piece. */
bool voice_about_streams(const struct voice_about *about);
void voice_about_put(const struct voice_about *about, struct buf *out); /* `"about":{...}` */

#endif
