/* mock.h - an engine that is a script: the turns of the first version of the protocol; pure.
 *
 * It understands no sound and calls nobody.  Its words and their times are fixed, so that a
 * client can be built and tested against it.
 */
#ifndef VOICE_MOCK_H
#define VOICE_MOCK_H

#include "voice/engine.h"

/* Milliseconds since the turn was committed, triggered or typed.  One that is less than the one
 * before comes at once after it. */
struct voice_mock_times {
	unsigned final;         /* what was said */
	unsigned speaking;      /* the answer begins */
	unsigned first, second; /* its two pieces */
	unsigned end;
};

/* times: lent, for as long as the engine is used. */
struct voice_engine voice_mock(const struct voice_mock_times *times);

#endif
