/* back.h - the way back in a box: its back ends, and what agents ask. */
#ifndef BOX_BACK_H
#define BOX_BACK_H

#include "bus/backs.h"

#define BOX_BACKS_MAX 16

struct box;
struct source_decision;

void box_make_back(struct box *box);
void box_join_backs(struct box *box);  /* when there is a hub, and sources */
struct back box_back(struct box *box); /* for screens */
void box_stop_back(struct box *box);   /* nobody is told any more */
bool box_make_prompts(struct box *box, struct error *why);

/* Of sources and hooks, with the box as self: what their options say. */
void box_tell_verdict(void *self, uint64_t ticket, enum back_answer verdict, const char *why);
void box_tell_called(void *self, uint64_t ticket, const struct back_verdict *verdict);
void box_withdraw_prompt(void *self, struct text source, struct text id, const char *why);
void box_settle_prompt(void *self, struct text run, struct text id, bool is_agents,
                       const char *decision);
void box_decide_prompt(void *self, struct text source, const struct source_decision *decision);
void box_tell_prompts(void *self, struct text run);
void box_each_prompt(void *self, struct text source, void (*each)(void *of, struct text id),
                     void *of);

#endif
