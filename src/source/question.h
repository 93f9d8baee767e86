/* question.h - what Claude Code asks a person that is no permission; pure.
 *
 * AskUserQuestion has several questions, each with options of which one or several may be
 * chosen, and always a text of one's own.  They are asked one after another; who chooses a text
 * of their own is asked for it next.  The answers go back as `answers` of the tool's input:
 * {"QUESTION": "LABEL, LABEL"}.  ExitPlanMode asks if its plan may be carried out.
 */
#ifndef SOURCE_QUESTION_H
#define SOURCE_QUESTION_H

#include <yyjson.h>

#include "base/buf.h"

#define QUESTION_OTHER "(other)" /* the value of the option that a text of one's own follows */

bool question_is(struct text tool);                         /* AskUserQuestion? */
bool question_is_plan(struct text tool, yyjson_val *input); /* ExitPlanMode, and it can be shown? */

/* How many it asks; 0: it is not as it should be, and nobody can be asked. */
size_t question_count(yyjson_val *input);

/* Number n from 0: `"type":...,"prompt":...,"options"?`.  own: the text of one's own. */
void question_ask(struct buf *out, yyjson_val *input, size_t n, bool own);
/* The same for a plan. */
void question_ask_plan(struct buf *out, yyjson_val *input);

/* Appends what this answer chose, behind what was chosen before; true when a text of one's own
 * is to follow. */
bool question_choose(struct buf *chosen, yyjson_val *value, bool own);

/* Appends `"QUESTION":"CHOSEN"` to answers, with a comma when there are some. */
void question_answer(struct buf *answers, yyjson_val *input, size_t n, struct text chosen);

#endif
