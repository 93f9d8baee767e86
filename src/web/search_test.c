/* search_test.c - what a search through everything costs the loop: its files are read elsewhere,
 * and what was read is taken in slices. */
#include "web/search.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "journal/recent.h"

#define SIGNALS (RECENT_SIGNALS + 6000) /* more than memory holds */
#define LINE_BYTES 200
#define BUDGET (32 * KIB)
#define READ_MAX (64 * KIB) /* the most that a search takes beyond its budget */

static struct journal *journal;
static char dir[64];

static void wait_for_journal(void)
{
	journal_wait(journal, 20);
	journal_poll(journal);
}

static void fill(void)
{
	char head[32], body[LINE_BYTES];

	for (unsigned i = 1; i <= SIGNALS; i++) {
		int n = snprintf(head, sizeof(head), "{\"seq\":%u,", i);
		int len = snprintf(body, sizeof(body),
		                   "\"id\":\"%u\",\"type\":\"x\",\"timestamp\":1,\"source\":\"s\","
		                   "\"payload\":{\"text\":\"%0100d\"}}",
		                   i, 0);

		journal_append(journal, (struct text){head, (size_t)n},
		               (struct text){body, (size_t)len}, false, NULL);
	}
	while (journal_durable_seq(journal) < SIGNALS)
		wait_for_journal();
}

static int set_up(void **state)
{
	struct journal_options o = {
		.dir = dir, .segment_bytes = 256 * KIB, .wait_max = 64 * MIB, .commit_ms = 1};
	struct error why;

	snprintf(dir, sizeof(dir), "/tmp/search-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	journal = journal_open(&o, &why);
	if (!journal)
		fail_msg("%s", why.words);
	fill();
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

static int tear_down(void **state)
{
	journal_close(journal);
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void begin(struct search *search, const char *words)
{
	struct query query;
	struct error why;

	if (!query_parse(&query, text_of(words), &why))
		fail_msg("%s", why.words);
	search_init(search, journal, &query);
	search->until = SIGNALS + 1;
	query_finish(&query);
}

static void files_are_read_on_the_journals_thread(void **state)
{
	static const char *const queries[] = {"after=0", "after=0&source=s", "after=0&q=nobody"};

	for (size_t i = 0; i < 3; i++) {
		size_t budget = 64 * MIB;
		struct search search;

		/* They were just written, so that they are in the page cache. */
		begin(&search, queries[i]);
		assert_int_equal(search_run(&search, &budget), SEARCH_COLD);
		assert_int_equal(search.hit_count, 0);
		assert_int_equal(budget, 64 * MIB);
		search_finish(&search);
	}
}

/* All of it, and no slice of it is long. */
static void read_in_slices(struct search *search, uint64_t from)
{
	enum search_answer answer;
	size_t hits = 0;

	do {
		size_t before = search->found.len, budget = BUDGET;

		answer = search_run(search, &budget);
		assert_true(search->found.len - before <= BUDGET + READ_MAX);
		for (; hits < search->hit_count; hits++)
			assert_int_equal(search->hits[hits].seq, from + hits);
		if (answer == SEARCH_COLD)
			wait_for_journal();
	} while (answer != SEARCH_DONE);
	assert_int_equal(hits, SIGNALS + 1 - from);
	assert_int_equal(search->gap_count, 0);
}

static void what_was_read_is_taken_in_slices(void **state)
{
	struct search search;

	begin(&search, "after=0");
	read_in_slices(&search, 1);
	search_finish(&search);
	begin(&search, "after=0&source=s");
	read_in_slices(&search, 1);
	search_rewind(&search, 0, 0, 777);
	read_in_slices(&search, 777);
	search_finish(&search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_on_the_journals_thread),
		cmocka_unit_test(what_was_read_is_taken_in_slices),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
