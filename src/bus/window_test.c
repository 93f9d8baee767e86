/* window_test.c - what is remembered, for how long, and across a restart. */
#include "bus/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/must.h"

static struct window *window;

static int start(void **state)
{
	window = window_create();
	return 0;
}

static int stop(void **state)
{
	window_destroy(window);
	return 0;
}

static struct window_mark mark_of(const char *source, const char *id, const char *bytes)
{
	return window_mark(window, text_of(source), text_of(id), text_of(bytes));
}

static enum window_answer look(const char *source, const char *id, const char *bytes, uint64_t *seq)
{
	struct window_mark mark = mark_of(source, id, bytes);

	return window_look(window, &mark, seq);
}

static void add(const char *source, const char *id, const char *bytes, uint64_t seq)
{
	struct window_mark mark = mark_of(source, id, bytes);
	uint64_t first;

	window_add(window, &mark, seq, window_look(window, &mark, &first));
}

static struct window_mark numbered(unsigned n)
{
	char id[20];

	snprintf(id, sizeof(id), "id-%u", n);
	return mark_of("s", id, "bytes");
}

static void add_numbered(unsigned from, unsigned to)
{
	for (unsigned n = from; n < to; n++) {
		struct window_mark mark = numbered(n);
		uint64_t first;

		window_add(window, &mark, n + 1, window_look(window, &mark, &first));
	}
}

static void assert_numbered(unsigned n, enum window_answer wanted)
{
	struct window_mark mark = numbered(n);
	uint64_t seq = 0;

	assert_int_equal(window_look(window, &mark, &seq), wanted);
	assert_int_equal(seq, wanted == WINDOW_SAME ? n + 1 : 0);
}

static void the_same_bytes_are_known_again(void **state)
{
	uint64_t seq = 0;

	assert_int_equal(look("s", "i", "b", &seq), WINDOW_NEW);
	add("s", "i", "b", 7);
	assert_int_equal(look("s", "i", "b", &seq), WINDOW_SAME);
	assert_int_equal(seq, 7);
	assert_int_equal(look("s", "j", "b", &seq), WINDOW_NEW);
	assert_int_equal(look("t", "i", "b", &seq), WINDOW_NEW);
	assert_int_equal(look("si", "", "b", &seq), WINDOW_NEW);
	assert_int_equal(look("", "si", "b", &seq), WINDOW_NEW);
}

static void an_id_of_another_length_is_another(void **state)
{
	static const char *const ids[] = {"1",     "21",       "311",      "1111",
	                                  "01111", "31111111", "111111111"};
	uint64_t seq = 0;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		assert_int_equal(look("s", ids[i], "b", &seq), WINDOW_NEW);
		assert_int_equal(look(ids[i], "i", "b", &seq), WINDOW_NEW);
		add("s", ids[i], "b", 1);
		add(ids[i], "i", "b", 1);
	}
}

static void other_bytes_are_an_id_used_again(void **state)
{
	uint64_t seq = 0;

	add("s", "i", "b", 7);
	assert_int_equal(look("s", "i", "c", &seq), WINDOW_REUSED);
	add("s", "i", "c", 8);
	assert_int_equal(look("s", "i", "b", &seq), WINDOW_SAME);
	assert_int_equal(seq, 7);
	assert_int_equal(look("s", "i", "c", &seq), WINDOW_SAME);
	assert_int_equal(seq, 8);
	assert_int_equal(look("s", "i", "", &seq), WINDOW_REUSED);
}

static void the_first_seq_stays(void **state)
{
	uint64_t seq = 0;

	add("s", "i", "b", 7);
	add("s", "i", "b", 9);
	assert_int_equal(look("s", "i", "b", &seq), WINDOW_SAME);
	assert_int_equal(seq, 7);
}

static void the_newest_are_kept_and_the_oldest_go(void **state)
{
	const unsigned many = 3 * WINDOW_SIZE + 77;

	add_numbered(0, many);
	for (unsigned n = many - WINDOW_SIZE; n < many; n++)
		assert_numbered(n, WINDOW_SAME);
	for (unsigned n = 0; n < many - 2 * WINDOW_SIZE; n++)
		assert_numbered(n, WINDOW_NEW);
}

static void one_id_with_ever_new_bytes_does_not_slow_it_down(void **state)
{
	char bytes[20];
	uint64_t seq = 0;

	for (unsigned n = 0; n < 3 * WINDOW_SIZE; n++) {
		snprintf(bytes, sizeof(bytes), "%u", n);
		add("s", "i", bytes, n + 1);
	}
	assert_int_equal(look("s", "i", "65535", &seq), WINDOW_REUSED);
	assert_int_equal(look("s", "i", "65536", &seq), WINDOW_SAME);
	assert_int_equal(seq, 65537);
	add_numbered(0, 2 * WINDOW_SIZE);
	assert_int_equal(look("s", "i", "x", &seq), WINDOW_NEW);
}

static void save(struct buf *out)
{
	for (window_save_begin(window); window_save_more(window, out);)
		;
}

static void it_survives_a_restart(void **state)
{
	struct buf saved;

	buf_init(&saved, 4 * MIB);
	add_numbered(0, 2 * WINDOW_SIZE + 1000);
	save(&saved);
	window_destroy(window);
	window = window_create();
	assert_true(window_load(window, buf_text(&saved)));
	assert_numbered(WINDOW_SIZE - 1, WINDOW_NEW);
	assert_numbered(WINDOW_SIZE, WINDOW_SAME);
	assert_numbered(2 * WINDOW_SIZE + 999, WINDOW_SAME);
	add_numbered(2 * WINDOW_SIZE + 1000, 3 * WINDOW_SIZE + 1);
	assert_numbered(2 * WINDOW_SIZE - 1, WINDOW_NEW);
	assert_numbered(2 * WINDOW_SIZE, WINDOW_SAME);
	buf_finish(&saved);
}

static void what_is_not_whole_is_not_loaded(void **state)
{
	struct buf saved;

	buf_init(&saved, MIB);
	add_numbered(0, 10);
	save(&saved);
	for (size_t i = 0; i < saved.len; i++) {
		saved.at[i] ^= 4;
		assert_false(window_load(window, buf_text(&saved)));
		saved.at[i] ^= 4;
		assert_false(window_load(window, (struct text){saved.at, i}));
		assert_numbered(3, WINDOW_NEW);
	}
	assert_true(window_load(window, buf_text(&saved)));
	assert_numbered(3, WINDOW_SAME);
	buf_finish(&saved);
}

static void a_save_that_does_not_fit_says_so(void **state)
{
	struct buf saved;

	buf_init(&saved, 300);
	add_numbered(0, 100);
	save(&saved);
	assert_true(saved.full);
	buf_finish(&saved);
	window_destroy(NULL);
}

/* However much is added between the pieces: both generations may be turned over meanwhile. */
static void what_is_saved_is_of_the_moment_when_that_began(void **state)
{
	static const unsigned steps[] = {1, 700, WINDOW_SIZE / 7, WINDOW_SIZE, 2 * WINDOW_SIZE};
	unsigned n = 1000;
	struct buf whole, pieces;

	buf_init(&whole, 8 * MIB);
	buf_init(&pieces, 8 * MIB);
	add_numbered(0, n);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		bool more = true;

		buf_clear(&whole);
		buf_clear(&pieces);
		save(&whole);
		window_save_begin(window);
		while (more) {
			size_t was = pieces.len;

			more = window_save_more(window, &pieces);
			assert_true(pieces.len - was <= 65 * KIB);
			add_numbered(n, n + steps[i]);
			n += steps[i];
		}
		assert_int_equal(pieces.len, whole.len);
		assert_memory_equal(pieces.at, whole.at, whole.len);
	}
	window_save_begin(window); /* and is not gone on with */
	window_save_more(window, &pieces);
	add_numbered(n, n + 2 * WINDOW_SIZE);
	buf_finish(&whole);
	buf_finish(&pieces);
}

static void two_windows_do_not_share_their_key(void **state)
{
	struct window *other = window_create();
	struct window_mark a = mark_of("s", "i", "b");
	struct window_mark b = window_mark(other, TEXT("s"), TEXT("i"), TEXT("b"));

	assert_memory_not_equal(a.full, b.full, sizeof(a.full));
	assert_true(a.pair != b.pair);
	window_destroy(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_bytes_are_known_again),
		TEST(an_id_of_another_length_is_another),
		TEST(other_bytes_are_an_id_used_again),
		TEST(the_first_seq_stays),
		TEST(the_newest_are_kept_and_the_oldest_go),
		TEST(one_id_with_ever_new_bytes_does_not_slow_it_down),
		TEST(it_survives_a_restart),
		TEST(what_is_not_whole_is_not_loaded),
		TEST(a_save_that_does_not_fit_says_so),
		TEST(what_is_saved_is_of_the_moment_when_that_began),
		TEST(two_windows_do_not_share_their_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
