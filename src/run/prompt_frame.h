/* prompt_frame.h - a prompt as frames of the run dialect: towards screens with our id,
 * towards its agent with the agent's own; pure.
 */
#ifndef RUN_PROMPT_FRAME_H
#define RUN_PROMPT_FRAME_H

#include "run/prompt.h"

/* `{"kind":"prompt",...}`: as its agent sent it but for the id, or made of what it asks. */
void prompt_frame(const struct prompt *prompt, struct buf *out);
/* `{"kind":"prompt-closed","prompt-id","state","by"?,"settled"?}` */
void prompt_closed_frame(const struct prompt *prompt, struct buf *out);
/* `{"kind":"answer","prompt-id","value"}` or with `"cancelled":true`, for its agent. */
void prompt_answer_frame(const struct prompt *prompt, struct buf *out);

#endif
