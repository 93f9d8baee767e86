/* metric_test.c - the text that Prometheus reads. */
#include "signal/metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "signal/tally.h"

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

static void a_label_is_text_whatever_it_was(void **state)
{
	metric_sample(&out, &sent, "to", TEXT("\xC3\xA9\xFF\xC3"), 1);
	assert_out("box_sent_total{to=\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"} 1\n");
}

static void a_histogram_adds_up(void **state)
{
	static const struct metric took = {"box_took_seconds", METRIC_HISTOGRAM, "How long."};
	static const double bounds[] = {0.0001, 0.25, 2};
	static const uint64_t counts[] = {3, 0, 2, 1};

	metric_histogram(&out, &took, &(struct metric_spread){bounds, counts, 3, 7.5});
	assert_out("# HELP box_took_seconds How long.\n"
	           "# TYPE box_took_seconds histogram\n"
	           "box_took_seconds_bucket{le=\"0.0001\"} 3\n"
	           "box_took_seconds_bucket{le=\"0.25\"} 3\n"
	           "box_took_seconds_bucket{le=\"2\"} 5\n"
	           "box_took_seconds_bucket{le=\"+Inf\"} 6\n"
	           "box_took_seconds_sum 7.5\n"
	           "box_took_seconds_count 6\n");
}

static void of_a_tally_what_there_was_is_told(void **state)
{
	static struct tally tally;

	tally_init(&tally);
	*tally_of(&tally, TEXT("a\"b"), KIND_TEXT_DELTA) += 7;
	*tally_of(&tally, TEXT("a\"b"), KIND_OTHER) += 1;
	metric_tally(&out, &sent, &tally);
	assert_out("# HELP box_sent_total What was sent.\n"
	           "# TYPE box_sent_total counter\n"
	           "box_sent_total{source=\"a\\\"b\",kind=\"other\"} 1\n"
	           "box_sent_total{source=\"a\\\"b\",kind=\"text_delta\"} 7\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_family_of_one_is_three_lines, start, stop),
		cmocka_unit_test_setup_teardown(a_label_cannot_end_its_line_or_its_quotes, start,
	                                        stop),
		cmocka_unit_test_setup_teardown(a_label_is_text_whatever_it_was, start, stop),
		cmocka_unit_test_setup_teardown(a_histogram_adds_up, start, stop),
		cmocka_unit_test_setup_teardown(of_a_tally_what_there_was_is_told, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
