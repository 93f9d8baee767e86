/* reload.h - what a box takes from its configuration, at the start and when that is read again. */
#ifndef BOX_RELOAD_H
#define BOX_RELOAD_H

#include "base/error.h"
#include "bus/admit.h"

struct box;
struct config;

/* Reads the configuration again and follows it; a bad one changes nothing. */
void box_reload(struct box *box);
void box_forget_config(struct box *box); /* the one that was read again, if any */
struct config_log;
void box_follow_log(const struct config_log *log); /* what is logged, and how */
struct journal_options box_journal_options(struct box *box);
enum admit_mode box_admit_mode(const struct config *config);
struct account_limits box_account_limits(const struct config *config);

#endif
