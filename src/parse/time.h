/* time.h - a time that somebody wrote as text; pure. */
#ifndef PARSE_TIME_H
#define PARSE_TIME_H

#include "base/text.h"

/* ISO 8601: 2026-11-16, 2026-11-16T08:49:50.886Z, with a space for the T, with an offset
 * for the Z, without either (then it is taken for UTC).  False: it is none. */
bool time_read(struct text iso, double *ms);

#endif
