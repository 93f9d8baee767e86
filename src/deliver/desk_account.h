/* desk_account.h - an account that messages come in and leave by, as the desk has it. */
#ifndef DELIVER_DESK_ACCOUNT_H
#define DELIVER_DESK_ACCOUNT_H

#include "base/list.h"
#include "deliver/dues.h"
#include "deliver/outbox.h"

struct desk;
struct desk_check; /* desk_channels.c */
struct nexus;

/* An account of the configuration, or one that is built in. */
struct desk_account {
	struct desk *desk;
	struct outbox_line line; /* its name and its channel */
	struct channel_kind own; /* of a program outside: what was learned of it */
	char *own_name;          /* its channel's */
	char *words;             /* as the channel was opened with */
	bool is_gone;            /* the configuration has it no more */
	int64_t due_ms, retry_ms;
	uint64_t came_seq; /* of the newest message that came there */
	enum channel_state state;
	int64_t since_ms; /* wall clock, that it is so; 0: nobody has looked */
	struct error why; /* of the state */
	struct error unopened;
	struct desk_check *check; /* that somebody waits for, or NULL */
	int64_t check_ms;         /* when it is due */
	struct nexus *hears;      /* whose voice note is being heard, or NULL: one at a time */
	struct link in_desk;      /* desk.accounts */
};

const struct config_adapter *desk_config(const struct desk_account *account); /* or NULL */

/* ---- desk_accounts.c ---- */

void desk_open_accounts(struct desk *d); /* those of the configuration, and the built-in one */
void desk_close_accounts(struct desk *d);
struct desk_account *desk_find_account(const struct desk *d, struct text name);
/* Of a message that came in an earlier life: one that is gone, if it is not there. */
struct desk_account *desk_account_of(struct desk *d, const struct received *r);
void desk_tick_accounts(struct desk *d);
int64_t desk_accounts_due(const struct desk *d);

/* ---- desk_channels.c ---- */

void desk_note_states(struct desk *d);               /* since when each is as it is */
int64_t desk_go_on_checking(struct desk_account *a); /* when it wants to be called again */
void desk_end_check(struct desk_account *a, const char *why);
void desk_forget_checks(struct desk *d, const void *of);

#endif
