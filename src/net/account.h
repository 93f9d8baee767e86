/* account.h - how much of its share each producer uses, so that one that runs away cannot
 * hurt the others.
 *
 * A producer is a token by its name, a page by its session, a process at the Unix socket by
 * its user and its name, and all without a token on the loopback are one; a source that we
 * dial is one, and so are the hooks that come from one of the others.  Each has an account
 * here; when the table is full, those who come on top of it share one.
 *
 * The ceiling of signals is a bucket that holds those of one second.  Whoever can be told
 * is refused (account_ask) and learns how long to wait; whoever cannot is charged
 * (account_charge) and not read until account_wait says 0.  Time is an argument.
 */
#ifndef NET_ACCOUNT_H
#define NET_ACCOUNT_H

#include "base/list.h"
#include "base/map.h"
#include "net/caller.h"

#define ACCOUNTS_MAX 2048 /* sources are a thousand at most */
#define ACCOUNT_KEY_MAX 80

/* Of one producer; 0: no ceiling. */
struct account_limits {
	unsigned rate; /* signals a second */
	unsigned connections, subscriptions;
};

struct account_stats {
	uint64_t too_fast;                   /* signals that were refused */
	uint64_t held;                       /* times somebody was not read for a while */
	uint64_t connections, subscriptions; /* that were refused */
};

struct account {
	struct accounts *all;
	char key[ACCOUNT_KEY_MAX];
	unsigned users, connections, subscriptions;
	uint64_t empty_ns; /* when the bucket will be */
	struct link in_idle;
};

struct accounts {
	struct account_limits limits;
	struct account_stats counts;
	struct map by_key;
	struct link idle;    /* account.in_idle: nobody uses it; longest ago first */
	struct account rest; /* of those for whom there is no room */
};

struct accounts *accounts_create(const struct account_limits *limits);
void accounts_destroy(struct accounts *accounts);
void accounts_set_limits(struct accounts *accounts, const struct account_limits *limits);

/* The account of whoever this is, until it is closed. */
struct account *account_open(struct accounts *accounts, const struct caller *caller,
                             uint64_t now_ns);
/* Of something else that has a name: "source ID", "hooks NAME". */
struct account *account_open_named(struct accounts *accounts, const char *name, uint64_t now_ns);
void account_close(struct account *account); /* NULL is fine */

/* Is there a ceiling of signals at all?  If not, nothing else need be asked. */
static inline bool account_is_limited(const struct account *account)
{
	return account->all->limits.rate != 0;
}

/* Milliseconds until the next signal may come; 0: now. */
unsigned account_wait(const struct account *account, uint64_t now_ns);
void account_charge(struct account *account, uint64_t now_ns);
/* The same as account_wait, by somebody who will refuse it then: that is counted. */
unsigned account_ask(struct account *account, uint64_t now_ns);

/* False: it has as many as it may, which is counted. */
bool account_may_connect(struct account *account);
bool account_may_subscribe(struct account *account);

#endif
