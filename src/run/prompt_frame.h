/* prompt_frame.h - a prompt as frames of the run dialect: towards screens with our id,
 * towards its agent with the agent's own; pure.
 */
#ifndef RUN_PROMPT_FRAME_H
#define RUN_PROMPT_FRAME_H

#include "run/prompt.h"

/* `{"kind":"prompt",...}`, for who may answer so much: as its agent sent it but for the id, or
 * made of what it asks, without what would be refused.
 *
 * A choice, or a yes or no, whose words are not all there can only be declined here: its
 * options are those that are safe, and one that answers nothing but says to open the page. */
#define PROMPT_OPEN_PAGE "signalbox/open-page"
void prompt_frame(const struct prompt *prompt, enum answers may, struct buf *out);
/* Do its words not say all that there is to know? */
bool prompt_is_cut(const struct prompt *prompt);

/* Is the value (NULL: cancelled) among what the frame offered? */
enum prompt_offer { PROMPT_OFFERED, PROMPT_NOT_OFFERED, PROMPT_TO_THE_PAGE };
enum prompt_offer prompt_frame_offers(const struct prompt *prompt, yyjson_val *value);

/* `{"kind":"prompt-closed","prompt-id","state","by"?,"settled"?}` */
void prompt_closed_frame(const struct prompt *prompt, struct buf *out);
/* `{"kind":"answer","prompt-id","value"}` or with `"cancelled":true`, for its agent. */
void prompt_answer_frame(const struct prompt *prompt, struct buf *out);

#endif
