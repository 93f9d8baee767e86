/* What a year of sums costs: 8,760 hours, in each two projects with a model each, 4,096 sessions and
 * 65,536 responses whose counts are known.  Processor time, the median of many. */
#include "bench.h"
#include "crew/spending.h"
#include "micro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOURS = 8760, PARTS = 2, TIMES = 101 };

static const char *const models[] = {"claude-opus-5-5", "claude-sonnet-5", "gpt-5.5", "home-made"};

static void hear(struct spending *s, struct signal_reader *reader, unsigned n, unsigned part)
{
	char line[600];
	struct error why;
	struct signal signal;
	int len = snprintf(line, sizeof line,
	                   "{\"seq\":%u,\"id\":\"i\",\"type\":\"token_usage\",\"timestamp\":%.0f,"
	                   "\"source\":\"adapter:tap\",\"correlationId\":\"session-%u\","
	                   "\"metadata\":{\"cwd\":\"/home/ada/project-%u\"},"
	                   "\"payload\":{\"agentId\":\"a\",\"promptTokens\":%u,"
	                   "\"completionTokens\":%u,\"cacheReadTokens\":90000,"
	                   "\"responseId\":\"msg_%u\",\"model\":\"%s\"}}",
	                   n * 2 + 2, 1.7e12 + n / (4 * PARTS) * 3600000.0, n / 16, part,
	                   1000 + n % 977, 100 + n % 313, n, models[part]);

	if (!signal_read(reader, (struct text){line, (size_t)len}, &signal, &why))
		die("%s", why.words);
	spending_hear(s, &signal);
}

static struct spending *make_year(void)
{
	struct spending *s = spending_create();
	struct signal_reader *reader = signal_reader_create();

	for (unsigned n = 0; n < HOURS * PARTS * 4; n++)
		hear(s, reader, n, n % PARTS);
	signal_reader_destroy(reader);
	return s;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void report_median(uint64_t *took)
{
	qsort(took, TIMES, sizeof *took, compare_times);
	printf("{\"ns\":%llu}\n", (unsigned long long)took[TIMES / 2]);
}

void micro_sums_load(void)
{
	struct spending *year = make_year();
	uint64_t took[TIMES];
	struct buf saved;

	buf_init(&saved, SPENDING_SAVED_MAX);
	spending_save(year, &saved);
	for (unsigned i = 0; i < TIMES; i++) {
		struct spending *s = spending_create();

		took[i] = cpu_ns();
		if (!spending_load(s, buf_text(&saved)))
			die("what was saved does not load");
		took[i] = cpu_ns() - took[i];
		spending_destroy(s);
	}
	report_median(took);
	buf_finish(&saved);
	spending_destroy(year);
}

/* The longest piece of a save, and of an answer: so long the loop stands still. */
static uint64_t longest_of_save(struct spending *year)
{
	uint64_t began = cpu_ns(), longest;
	struct spending_saving *saving = spending_saving_begin(year);
	bool more = true;
	struct buf saved;

	longest = cpu_ns() - began;
	buf_init(&saved, SPENDING_SAVED_MAX);
	buf_reserve(&saved, 32 * MIB);
	while (more) {
		began = cpu_ns();
		more = spending_saving_more(saving, &saved);
		if (cpu_ns() - began > longest)
			longest = cpu_ns() - began;
	}
	spending_saving_end(saving);
	buf_finish(&saved);
	return longest;
}

static uint64_t longest_of_answer(struct spending *year, const struct prices *prices)
{
	struct spending_question q = {SPENDING_BY_HOUR, 0, INFINITY, 0, prices};
	uint64_t began = cpu_ns(), longest;
	struct spending_answer *answer = spending_ask(year, &q);
	bool more = true;
	struct buf out;

	buf_init(&out, 64 * MIB);
	longest = cpu_ns() - began;
	while (more) {
		buf_clear(&out);
		began = cpu_ns();
		more = spending_tell(answer, &out);
		if (cpu_ns() - began > longest)
			longest = cpu_ns() - began;
	}
	spending_answer_destroy(answer);
	buf_finish(&out);
	return longest;
}

void micro_sums_save(void)
{
	struct spending *year = make_year();
	uint64_t took[TIMES];

	for (unsigned i = 0; i < TIMES; i++)
		took[i] = longest_of_save(year);
	report_median(took);
	spending_destroy(year);
}

void micro_sums_hours(void)
{
	struct spending *year = make_year();
	struct prices *prices = prices_own();
	uint64_t took[TIMES];

	for (unsigned i = 0; i < TIMES; i++)
		took[i] = longest_of_answer(year, prices);
	report_median(took);
	prices_destroy(prices);
	spending_destroy(year);
}
