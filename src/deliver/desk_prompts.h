/* desk_prompts.h - questions of agents in chats, as the desk sees to them. */
#ifndef DELIVER_DESK_PROMPTS_H
#define DELIVER_DESK_PROMPTS_H

#include "deliver/desk_inside.h"

int64_t desk_work_prompts(struct desk *d); /* when it wants to be called again */
bool desk_is_question(const struct letter *l);
/* Is it the answer to a question that was asked in this chat? */
bool desk_is_answer(const struct desk_account *account, const struct channel_inbound *inbound);
void desk_name_person(const struct nexus_request *r, struct buf *out);
enum back_answer desk_give_answer(struct desk *d, const struct letter *l, struct back_reply *reply,
                                  struct error *why);
void desk_press(struct desk_account *account, const struct channel_press *press);
bool desk_has_pressed(const struct desk_account *account); /* and that is not on the disk */
void desk_forget_presses(struct desk *d);

#endif
