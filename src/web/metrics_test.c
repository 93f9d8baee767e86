/* metrics_test.c - the text that Prometheus reads. */
#include "web/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct metric sent = {"box_sent_total", METRIC_COUNTER, "What was sent."};
static const struct metric open_now = {"box_open", METRIC_GAUGE, "What is open."};

static struct buf out;

static int start(void **state)
{
	buf_init(&out, 4 * KIB);
	return 0;
}

static int stop(void **state)
{
	buf_finish(&out);
	return 0;
}

static void assert_out(const char *wanted)
{
	if (!text_is(buf_text(&out), wanted))
		fail_msg("got\n%.*snot\n%s", (int)out.len, out.at, wanted);
}

static void a_family_of_one_is_three_lines(void **state)
{
	metric_add(&out, &sent, 1794734858874.0);
	metric_add(&out, &open_now, 0.25);
	assert_out("# HELP box_sent_total What was sent.\n"
	           "# TYPE box_sent_total counter\n"
	           "box_sent_total 1794734858874\n"
	           "# HELP box_open What is open.\n"
	           "# TYPE box_open gauge\n"
	           "box_open 0.25\n");
}

static void a_label_cannot_end_its_line_or_its_quotes(void **state)
{
	metric_begin(&out, &sent);
	metric_sample(&out, &sent, "to", TEXT("a"), 1);
	metric_sample(&out, &sent, "to", TEXT("\"} 5\nx\\"), 2);
	assert_out("# HELP box_sent_total What was sent.\n"
	           "# TYPE box_sent_total counter\n"
	           "box_sent_total{to=\"a\"} 1\n"
	           "box_sent_total{to=\"\\\"} 5\\nx\\\\\"} 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_family_of_one_is_three_lines, start, stop),
		cmocka_unit_test_setup_teardown(a_label_cannot_end_its_line_or_its_quotes, start,
	                                        stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
