/* listens.h - where the box listens, and another configuration under way. */
#ifndef BOX_LISTENS_H
#define BOX_LISTENS_H

#include "base/error.h"
#include "bus/admit.h"

struct box;
struct config;

/* ---- reload.c ---- */

/* Reads the configuration again and follows it; a bad one changes nothing. */
void box_reload(struct box *box);
void box_forget_config(struct box *box); /* the one that was read again, if any */
struct config_log;
void box_follow_log(const struct config_log *log); /* what is logged, and how */
struct journal_options box_journal_options(struct box *box);
enum admit_mode box_admit_mode(const struct config *config);
struct account_limits box_account_limits(const struct config *config);

/* ---- listens.c ---- */

struct listen_plan;

/* Could they be opened, were the ports free?  Opens nothing. */
bool box_check_listens(const struct config *config, struct error *why);
bool box_open_listens(struct box *box, struct error *why);
void box_warn_of_trust(const struct box *box); /* what is given without a token, to the log */
void box_stop_listens(struct box *box);        /* accepts no more */
void box_destroy_listens(struct box *box);
/* DATA/listen tells scripts where we are: the port may have been chosen by the kernel.  It
 * is there once we serve. */
bool box_write_addresses(struct box *box, struct error *why);

/* For another configuration: all that can fail, and then all that cannot.  The plan is
 * followed, or dropped. */
struct listen_plan *box_plan_listens(struct box *box, const struct config *config,
                                     struct error *why);
void box_drop_plan(struct listen_plan *plan); /* NULL is fine */
void box_follow_plan(struct box *box, struct listen_plan *plan);

#endif
