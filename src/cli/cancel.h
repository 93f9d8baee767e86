/* cancel.h - ending a run. */
#ifndef CLI_CANCEL_H
#define CLI_CANCEL_H

#include "cli/dial.h"

bool cancel_run(struct dial *dial, const char *run, struct error *why);

#endif
