/* voice_talk.h - talking with a box at a terminal: microphone, loudspeaker and a few keys. */
#ifndef CLI_VOICE_TALK_H
#define CLI_VOICE_TALK_H

#include "cli/remote.h"

/* Until somebody leaves; source: who is asked, NULL: the box's choice.  The exit status. */
int voice_talk(struct command_context *context, struct remote *remote, const char *source);

#endif
