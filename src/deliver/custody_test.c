/* custody_test.c - messages that came and letters that are over, as a start finds them in the
 * journal. */
#include "deliver/custody.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/put.h"
#include "bus/bus.h"
#include "bus/fixture.h"
#include "bus/folds.h"
#include "deliver/tell.h"

static struct custody *custody;

static void begin(void)
{
	custody = custody_create();
	folds_add(bus_folds(fixture_bus), &custody_fold, custody);
	folds_catch_up(bus_folds(fixture_bus));
}

static void restart(void)
{
	fixture_stop();
	custody_destroy(custody);
	fixture_start();
	begin();
}

static int open_custody(void **state)
{
	fixture_open();
	begin();
	return 0;
}

static int close_custody(void **state)
{
	fixture_stop();
	custody_destroy(custody);
	fixture_start();
	fixture_close();
	return 0;
}

static void tell(const char *type, const char *name, const char *id)
{
	struct buf out;
	bool good;

	deliver_begin(&out, type);
	put_word(&out, name, id);
	if (text_is(text_of(name), "delivery"))
		put_word(&out, "request", id[0] == 'r' ? "r1" : "r2");
	put_word(&out, "account", "desk");
	put_word(&out, "peer", "ada");
	good = deliver_tell(fixture_bus, &out);
	assert_true(good);
}

static void deliver_others(unsigned from, unsigned to)
{
	char id[32];

	for (unsigned i = from; i < to; i++) {
		snprintf(id, sizeof(id), "other.%u", i);
		tell("delivery.prepared", "delivery", id);
		tell("delivery.delivered", "delivery", id);
	}
}

static void what_an_open_request_waited_for_stays_known(void **state)
{
	tell("nex.received", "request", "r1");
	tell("delivery.prepared", "delivery", "r1.1");
	tell("delivery.delivered", "delivery", "r1.1");
	deliver_others(0, CUSTODY_OVER_MAX + 1);
	assert_non_null(custody_letter(custody, TEXT("r1.1")));
	restart();
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->state, LETTER_DELIVERED);
	tell("nex.request", "request_id", "r1");
	deliver_others(CUSTODY_OVER_MAX + 1, CUSTODY_OVER_MAX + 2);
	assert_null(custody_letter(custody, TEXT("r1.1")));
}

static void a_message_is_known_for_a_day(void **state)
{
	const struct custody_key key = {TEXT("file"), TEXT("desk"), TEXT("m1")};
	const struct custody_key other = {TEXT("file"), TEXT("notes"), TEXT("m1")};
	const double hour_ms = 3600 * 1000.0;
	double at_ms = (double)clock_wall_ms();
	struct buf out;
	bool good;

	deliver_begin(&out, "nex.received");
	put_word(&out, "request", "r1");
	put_word(&out, "channel", "file");
	put_word(&out, "account", "desk");
	put_word(&out, "message", "m1");
	put_word(&out, "peer", "ada");
	good = deliver_tell(fixture_bus, &out);
	assert_true(good);
	restart();
	assert_true(custody_has_seen(custody, &key, at_ms + 23 * hour_ms));
	assert_false(custody_has_seen(custody, &key, at_ms + 25 * hour_ms));
	assert_false(custody_has_seen(custody, &other, at_ms));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_an_open_request_waited_for_stays_known,
	                                        open_custody, close_custody),
		cmocka_unit_test_setup_teardown(a_message_is_known_for_a_day, open_custody,
	                                        close_custody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
