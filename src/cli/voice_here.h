/* voice_here.h - what a box has for voice, in words, and whether what is on its machine works. */
#ifndef CLI_VOICE_HERE_H
#define CLI_VOICE_HERE_H

#include "cli/remote.h"

/* `signalbox voice check`: the exit status. */
int voice_here_check(struct command_context *context, const struct options *options,
                     struct remote *remote);

/* What somebody has to know before they speak: that there is but a mock, or that their voice
 * leaves this machine.  Appends lines, or nothing.  False: the box cannot be asked. */
bool voice_here_warn(struct remote *remote, struct buf *out, struct error *why);

#endif
