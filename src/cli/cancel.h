/* cancel.h - ending a run. */
#ifndef CLI_CANCEL_H
#define CLI_CANCEL_H

#include "cli/remote.h"

bool cancel_run(struct remote *remote, const char *run, struct error *why);

#endif
