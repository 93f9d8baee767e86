/* left.h - what is left of the limits of accounts, in words; the answer of `GET /api/usage`. */
#ifndef CLI_LEFT_H
#define CLI_LEFT_H

#include <yyjson.h>

#include "cli/out.h"

/* Nothing where no agent told any. */
void left_show(struct out *out, yyjson_val *root);

#endif
