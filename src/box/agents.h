/* agents.h - agents and people: what is asked and answered, and how far they are. */
#ifndef BOX_AGENTS_H
#define BOX_AGENTS_H

#include "base/error.h"
#include "bus/back.h"

struct box;
struct buf;
struct prompt;
struct signal;

/* ---- prompts.c ---- */

bool box_make_prompts(struct box *box, struct error *why);
/* Is what DATA has of them as it must be? */
bool box_check_key(const char *data, struct error *why);
void box_stop_prompts(struct box *box); /* nobody is told any more */
void box_destroy_prompts(struct box *box);
/* Who asked does not want to know any more: one by its own id, or all of a source. */
void box_withdraw_prompt(void *self, struct text source, struct text id, const char *why);
void box_settle_prompt(void *self, struct text run, struct text id, bool is_agents,
                       const char *decision);
struct source_decision;
void box_decide_prompt(void *self, struct text source, const struct source_decision *decision);
void box_withdraw_prompts(struct box *box, bool (*is_meant)(struct text source), const char *why);
/* Who asked is there again: it is told what was answered meanwhile. */
void box_tell_prompts(void *self, struct text run);
/* The open ones of a source, by the ids that it gave them. */
void box_each_prompt(void *self, struct text source, void (*each)(void *of, struct text id),
                     void *of);

#endif
