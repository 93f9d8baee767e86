/* talk.h - one connection to the speech engine, from its first event to its last, on a thread
 * of its own.
 *
 * It speaks Wyoming (parse/wyoming.h).  Of ours are two wishes that `transcribe` may have:
 * `partials`, answered with `transcript-partial` events, each of which replaces the last; and `vad`
 * with `speech_ms` and `silence_ms`, answered with `voice-started` and `voice-stopped`.
 * Whoever asks for neither gets the protocol as it is. */
#ifndef SPEECH_TALK_H
#define SPEECH_TALK_H

#include "speech/mouth.h"
#include "speech/sherpa.h"

/* What the program found; either may be missing, and words say why. */
struct engines {
	struct sherpa *sherpa;
	struct mouth *mouth;
	struct error no_sherpa, no_mouth;
};

#define TALK_QUIET_S 300 /* a connection that says nothing for so long is closed */

/* Until the other end closes it or breaks the protocol.  Closes fd. */
void talk(const struct engines *engines, int fd);

#endif
