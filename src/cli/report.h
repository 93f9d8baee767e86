/* report.h - what /api/status tells, as a page for people; pure. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/out.h"

/* Every figure of the box is shown, also one this program does not know yet; a
 * counter that is 0 only when that is worth knowing.  Trouble comes first. */
void report_show(struct out *out, struct text status);

#endif
