/* account_test.c - shares of producers: who is refused, for how long, and what a full table
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/account.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(1000000) * MS)

static struct accounts *make(unsigned rate)
{
	return accounts_create(&(struct account_limits){.rate = rate});
}

static struct account *open_named(struct accounts *all, const char *name)
{
	struct caller caller = {.scopes = SCOPE_EMIT};

	snprintf(caller.name, sizeof(caller.name), "%s", name);
	return account_open(all, &caller, START);
}

/* Milliseconds to wait; 0: taken. */
static unsigned take(struct account *account, uint64_t now_ns)
{
	unsigned wait_ms = account_ask(account, now_ns);

	if (wait_ms == 0)
		account_charge(account, now_ns);
	return wait_ms;
}

static unsigned take_many(struct account *account, unsigned n, uint64_t now_ns)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < n; i++)
		taken += take(account, now_ns) == 0;
	return taken;
}

static void a_second_may_come_at_once_and_then_the_rate(void **state)
{
	struct accounts *all = make(100);
	struct account *a = open_named(all, "a");

	assert_int_equal(take_many(a, 150, START), 100);
	assert_int_equal(all->counts.too_fast, 50);
	assert_int_equal(take(a, START), 10);
	assert_int_equal(take(a, START + 9 * MS), 1);
	assert_int_equal(take(a, START + 10 * MS), 0);
	assert_int_equal(take_many(a, 150, START + 510 * MS), 50);
	assert_int_equal(take_many(a, 500, START + 90000 * MS), 100);
	account_close(a);
	accounts_destroy(all);
}

static void without_a_ceiling_nothing_is_counted(void **state)
{
	struct accounts *all = make(0);
	struct account *a = open_named(all, "a");

	assert_false(account_is_limited(a));
	assert_int_equal(take_many(a, 100000, START), 100000);
	assert_int_equal(a->empty_ns, 0);
	account_close(a);
	accounts_destroy(all);
}

static void who_cannot_be_told_pays_afterwards(void **state)
{
	struct accounts *all = make(10);
	struct account *a = open_named(all, "a");

	for (int i = 0; i < 30; i++)
		account_charge(a, START);
	assert_int_equal(account_wait(a, START), 2100);
	assert_int_equal(account_wait(a, START + 2000 * MS), 100);
	assert_int_equal(account_wait(a, START + 2100 * MS), 0);
	account_close(a);
	accounts_destroy(all);
}

static void one_producer_does_not_pay_for_another(void **state)
{
	struct accounts *all = make(5);
	struct caller page = {.which = 1, .name = "page"}, other = {.which = 2, .name = "page"};
	struct caller process = {.which = 1, .name = "page", .is_process = true};
	struct account *a = account_open(all, &page, START);
	struct account *b = account_open(all, &other, START);
	struct account *c = account_open(all, &process, START);
	struct account *again = account_open(all, &page, START);

	assert_ptr_equal(a, again);
	assert_int_equal(take_many(a, 9, START), 5);
	assert_int_equal(take_many(again, 9, START), 0);
	assert_int_equal(take_many(b, 9, START), 5);
	assert_int_equal(take_many(c, 9, START), 5);
	account_close(a);
	account_close(b);
	account_close(c);
	account_close(again);
	accounts_destroy(all);
}

/* Else a producer would be rid of what it owes by leaving. */
static void leaving_and_coming_again_forgives_nothing(void **state)
{
	struct accounts *all = make(5);
	struct account *a = open_named(all, "a");

	take_many(a, 5, START);
	account_close(a);
	a = open_named(all, "a");
	assert_int_equal(take_many(a, 1, START), 0);
	account_close(a);
	accounts_destroy(all);
}

static void a_full_table_forgets_the_idle_and_then_shares(void **state)
{
	static struct account *open[ACCOUNTS_MAX];
	struct accounts *all = make(5);
	struct account *late, *later;
	char name[16];

	for (int i = 0; i < ACCOUNTS_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		open[i] = open_named(all, name);
	}
	late = open_named(all, "late");
	later = open_named(all, "later");
	assert_ptr_equal(late, later);
	account_close(late);
	account_close(later);
	take_many(open[7], 1, START);
	account_close(open[7]);
	late = open_named(all, "late"); /* 7 owes something still */
	assert_ptr_equal(late, later);
	account_close(late);
	open[7]->empty_ns = START;
	late = open_named(all, "late");
	assert_ptr_not_equal(late, later);
	assert_int_equal(all->by_key.count, ACCOUNTS_MAX);
	accounts_destroy(all);
}

static void another_rate_begins_anew(void **state)
{
	struct accounts *all = make(1);
	struct account *a = open_named(all, "a");

	for (int i = 0; i < 60; i++)
		account_charge(a, START);
	accounts_set_limits(all, &(struct account_limits){.rate = 1, .connections = 3});
	assert_true(account_wait(a, START) > 0);
	accounts_set_limits(all, &(struct account_limits){.rate = 50});
	assert_int_equal(account_wait(a, START), 0);
	account_close(a);
	accounts_destroy(all);
}

static void connections_and_subscriptions_have_their_own(void **state)
{
	struct accounts *all =
		accounts_create(&(struct account_limits){.connections = 2, .subscriptions = 1});
	struct account *a = open_named(all, "a");

	a->connections = a->subscriptions = 1;
	assert_true(account_may_connect(a));
	assert_false(account_may_subscribe(a));
	a->connections = 2;
	assert_false(account_may_connect(a));
	assert_int_equal(all->counts.connections, 1);
	assert_int_equal(all->counts.subscriptions, 1);
	account_close(a);
	accounts_destroy(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_may_come_at_once_and_then_the_rate),
		cmocka_unit_test(without_a_ceiling_nothing_is_counted),
		cmocka_unit_test(who_cannot_be_told_pays_afterwards),
		cmocka_unit_test(one_producer_does_not_pay_for_another),
		cmocka_unit_test(leaving_and_coming_again_forgives_nothing),
		cmocka_unit_test(a_full_table_forgets_the_idle_and_then_shares),
		cmocka_unit_test(another_rate_begins_anew),
		cmocka_unit_test(connections_and_subscriptions_have_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
