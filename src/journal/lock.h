/* lock.h - DATA/lock: one box for one directory. */
#ifndef JOURNAL_LOCK_H
#define JOURNAL_LOCK_H

#include "base/error.h"

/* The descriptor that holds it, or -1; the error names who holds it. */
int lock_take(const char *data_dir, struct error *why);

#endif
