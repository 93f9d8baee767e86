/* account.c - a table of leaky buckets, each kept as the time at which it will be empty. */
#include "net/account.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

#define SECOND_NS 1000000000u
#define MILLISECOND_NS 1000000u

struct accounts *accounts_create(const struct account_limits *limits)
{
	struct accounts *all = must_zero(1, sizeof(*all));

	all->limits = *limits;
	all->rest.all = all;
	list_init(&all->rest.in_idle);
	list_init(&all->idle);
	map_init(&all->by_key);
	return all;
}

void accounts_destroy(struct accounts *all)
{
	void *account;
	struct text key;
	size_t at = 0;

	if (!all)
		return;
	while (map_next(&all->by_key, &at, &key, &account))
		free(account);
	map_finish(&all->by_key);
	free(all);
}

/* Another rate is another size of every bucket: all begin anew. */
void accounts_set_limits(struct accounts *all, const struct account_limits *limits)
{
	bool same = limits->rate == all->limits.rate;
	void *account;
	struct text key;
	size_t at = 0;

	all->limits = *limits;
	if (same)
		return;
	all->rest.empty_ns = 0;
	while (map_next(&all->by_key, &at, &key, &account))
		((struct account *)account)->empty_ns = 0;
}

/* ---- whose it is ---- */

/* One that nobody uses and that owes nothing is as good as none. */
static bool account_make_room(struct accounts *all, uint64_t now_ns)
{
	struct account *oldest;

	if (all->by_key.count < ACCOUNTS_MAX)
		return true;
	if (list_is_empty(&all->idle))
		return false;
	oldest = list_of(all->idle.next, struct account, in_idle);
	if (oldest->empty_ns > now_ns)
		return false;
	assert(oldest->users == 0);
	list_remove(&oldest->in_idle);
	map_remove(&all->by_key, text_of(oldest->key));
	free(oldest);
	return true;
}

struct account *account_open_named(struct accounts *all, const char *name, uint64_t now_ns)
{
	struct account *account;
	char key[ACCOUNT_KEY_MAX];

	snprintf(key, sizeof(key), "%s", name);
	account = map_get(&all->by_key, text_of(key));
	if (!account && !account_make_room(all, now_ns))
		account = &all->rest;
	if (!account) {
		account = must_zero(1, sizeof(*account));
		account->all = all;
		memcpy(account->key, key, sizeof(key));
		list_init(&account->in_idle);
		map_set(&all->by_key, text_of(key), account);
	}
	list_remove(&account->in_idle);
	account->users++;
	assert(list_is_empty(&account->in_idle));
	return account;
}

struct account *account_open(struct accounts *all, const struct caller *caller, uint64_t now_ns)
{
	char key[ACCOUNT_KEY_MAX];

	snprintf(key, sizeof(key), "%c%llx %s", caller->is_process ? 'p' : 'c',
	         (unsigned long long)caller->which, caller->name);
	return account_open_named(all, key, now_ns);
}

void account_close(struct account *account)
{
	assert(!account || account->users > 0);
	if (!account || --account->users || account == &account->all->rest)
		return;
	list_add(&account->all->idle, &account->in_idle);
}

/* ---- signals ---- */

unsigned account_wait(const struct account *account, uint64_t now_ns)
{
	unsigned rate = account->all->limits.rate;
	uint64_t full_ns;

	if (rate == 0 || account->empty_ns <= now_ns)
		return 0;
	full_ns = now_ns + SECOND_NS - SECOND_NS / rate;
	if (account->empty_ns <= full_ns)
		return 0;
	return (unsigned)((account->empty_ns - full_ns + MILLISECOND_NS - 1) / MILLISECOND_NS);
}

void account_charge(struct account *account, uint64_t now_ns)
{
	if (!account_is_limited(account))
		return;
	if (account->empty_ns < now_ns)
		account->empty_ns = now_ns;
	account->empty_ns += SECOND_NS / account->all->limits.rate;
}

unsigned account_ask(struct account *account, uint64_t now_ns)
{
	unsigned wait_ms = account_wait(account, now_ns);

	account->all->counts.too_fast += wait_ms != 0;
	return wait_ms;
}

/* ---- connections ---- */

bool account_may_connect(struct account *account)
{
	unsigned most = account->all->limits.connections;

	if (most == 0 || account->connections < most)
		return true;
	account->all->counts.connections++;
	return false;
}

bool account_may_subscribe(struct account *account)
{
	unsigned most = account->all->limits.subscriptions;

	if (most == 0 || account->subscriptions < most)
		return true;
	account->all->counts.subscriptions++;
	return false;
}
