/* pattern.h - a regular expression that can do no harm; pure.
 *
 * The dialect is JavaScript's as far as PCRE2 has the same: no flags, found anywhere,
 * `$` only at the very end, `\d \w \s` of ASCII.  How hard it tries is counted, not
 * timed, so that the same pattern and text always give the same answer; a pattern
 * that has not been found by then is not there.
 */
#ifndef SIGNAL_PATTERN_H
#define SIGNAL_PATTERN_H

#include "base/text.h"

#define PATTERN_LEN_MAX 1024

struct pattern;

/* NULL: it is not a pattern. */
struct pattern *pattern_create(struct text pattern);
void pattern_destroy(struct pattern *pattern);

bool pattern_is_in(struct pattern *pattern, struct text text);

#endif
