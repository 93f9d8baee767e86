/* question.h - what an agent asks a person that is no permission; pure.
 *
 * There are several questions, each with options of which one or several may be chosen, and a
 * text of one's own: always with Claude Code, with OpenClaw where the question says so, with
 * opencode unless it says that there is none.  They are asked one after another; who chooses a
 * text of their own is asked for it next.
 *
 * The answers to AskUserQuestion of Claude Code go back as `answers` of the tool's input:
 * {"QUESTION": "LABEL, LABEL"}; those to a gateway as {"QUESTIONID": ["LABEL", "LABEL"]}, those to
 * opencode as [["LABEL", "LABEL"]].
 * ExitPlanMode asks if its plan may be carried out.
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

/* Number n from 0: `"type":...,"prompt":...,"options"?`.  note: what stands before it, or empty. */
enum question_how {
	QUESTION_OWN = 1,    /* the text of one's own */
	QUESTION_STRICT = 2, /* there is one only where the question says `isOther` */
};
void question_ask(struct buf *out, yyjson_val *input, size_t n, unsigned how, struct text note);
/* The same for a plan. */
void question_ask_plan(struct buf *out, yyjson_val *input);

/* Appends what this answer chose, behind what was chosen before; true when a text of one's own
 * is to follow. */
bool question_choose(struct buf *chosen, yyjson_val *value, bool own);

/* Appends `"QUESTION":"CHOSEN"` to answers, with a comma when there are some. */
void question_answer(struct buf *answers, yyjson_val *input, size_t n, struct text chosen);

/* Likewise for a gateway: JSON strings with commas, then `"QUESTIONID":[...]`. */
bool question_choose_values(struct buf *values, yyjson_val *value, bool own);
void question_answer_values(struct buf *answers, yyjson_val *input, size_t n, struct text values);

#endif
