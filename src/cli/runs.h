/* runs.h - `signalbox run list`, `run show` and `run export`: the runs of a box. */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H

#include "cli/command.h"

/* Is the first word one of these? */
bool runs_wants(const struct options *options);
int runs_run(struct command_context *context, const struct options *options);

#endif
