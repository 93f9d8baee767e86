/* show_box.h - `signalbox show` with a running box.  All give the exit status, and say
 * themselves what is wrong. */
#ifndef CLI_SHOW_BOX_H
#define CLI_SHOW_BOX_H

#include "cli/command.h"

int show_box_export(struct command_context *context, const struct options *options);

/* name: what the document is called to the user. */
int show_box_use(struct command_context *context, const struct options *options, const char *name,
                 struct text document);

int show_box_run(struct command_context *context, const struct options *options, bool on);

#endif
