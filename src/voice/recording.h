/* recording.h - a recording of a person, heard by the engine of voice sessions.
 *
 * A server with the routes of OpenAI gets the file as it is.  Other engines want plain sound: a WAV
 * file is read here, and anything else by a program that decodes it, if this machine has one.
 * Which it is, its first bytes say.
 */
#ifndef VOICE_RECORDING_H
#define VOICE_RECORDING_H

#include "base/error.h"
#include "base/text.h"

#define RECORDING_BYTES_MAX ((size_t)20 * 1024 * 1024)

struct processes;
struct voice_recording;
struct voice_room;

/* Copied, but for self. */
struct recording_options {
	struct voice_room *voice;
	struct processes *processes;
	const char *path; /* whole; of one that we have written */
	struct text type; /* as a stranger says, who is believed in nothing but this */
	void *self;
	/* Once, last, never from inside recording_hear(), within about a minute: the words, or
	 * why there are none. */
	void (*heard)(void *self, struct text words, const char *why);
};

/* NULL: why.  It is there until it is heard, or stopped. */
struct voice_recording *recording_hear(const struct recording_options *options, struct error *why);
void recording_stop(struct voice_recording *recording); /* NULL is fine */

#endif
