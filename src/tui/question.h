/* question.h - a prompt's frame, as it is asked on this screen; pure.
 *
 * People decide on what they read here, so all texts are visible (base/visible.h).
 */
#ifndef TUI_QUESTION_H
#define TUI_QUESTION_H

#include <yyjson.h>

#include "base/buf.h"

#define QUESTION_OPTIONS_MAX 1024

enum way { WAY_TEXT, WAY_SELECT, WAY_MULTI, WAY_CONFIRM };

/* A choice without options is asked as text, as the box does it. */
enum way question_way(yyjson_val *frame);
yyjson_val *question_default(yyjson_val *frame); /* NULL: it has none */

size_t question_option_count(yyjson_val *frame);
yyjson_val *question_option(yyjson_val *frame, size_t at);
yyjson_val *question_value(yyjson_val *option);
bool question_is_safe(yyjson_val *option);   /* may be chosen without a look */
bool question_is_answer(yyjson_val *option); /* false: it leaves the question open */

/* What is asked, with its lines. */
void question_words(yyjson_val *frame, struct buf *out);
/* One line: its label, the rule that it would write, and whether it is the default. */
void question_option_words(yyjson_val *frame, yyjson_val *option, struct buf *out);

#endif
