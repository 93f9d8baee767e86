/* places_test.c - what is found by the index is what is found by looking at everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "journal/places.h"

#define FIRST 184201
#define NAME_ROOM 32

static uint64_t dice = 88172645463325252u;

static unsigned roll(unsigned sides)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (unsigned)(dice % sides);
}

/* What one signal of a made-up journal has; a gap has nothing. */
struct row {
	uint64_t seq;
	uint64_t to; /* not 0: a gap up to there */
	struct place_keys keys;
	bool is_known;
};

struct table {
	struct row *rows;
	size_t count;
	struct place_draft draft;
	struct buf written;
	struct place_segment segment;
};

static struct text name_of(const char *what, unsigned n, char out[NAME_ROOM])
{
	return (struct text){out, (size_t)snprintf(out, NAME_ROOM, "%s-%u", what, n)};
}

static uint32_t hash_of(enum place_kind kind, unsigned n)
{
	static const char *const names[] = {"", "run", "source", "type"};
	char name[NAME_ROOM];

	return place_hash(kind, name_of(names[kind], n, name));
}

static struct place_keys keys_of(unsigned run, unsigned source, unsigned type)
{
	char a[NAME_ROOM], b[NAME_ROOM], c[NAME_ROOM];

	return place_keys_of(run ? name_of("run", run, a) : TEXT(""), name_of("source", source, b),
	                     name_of("type", type, c));
}

static void fill(struct table *t, size_t count, unsigned runs)
{
	uint64_t seq = FIRST;

	*t = (struct table){.count = count, .segment = {roll(1u << 30), roll(1u << 30)}};
	t->rows = must_zero(count ? count : 1, sizeof(*t->rows));
	place_draft_init(&t->draft, FIRST);
	for (size_t i = 0; i < count; i++) {
		struct row *r = &t->rows[i];

		r->seq = seq;
		r->keys = keys_of(roll(runs), roll(5), roll(9));
		r->is_known = roll(500) != 0;
		r->to = roll(400) == 0 ? seq + roll(100) : 0;
		if (r->to)
			place_draft_gap(&t->draft, r->to);
		else
			place_draft_add(&t->draft, r->is_known ? &r->keys : NULL);
		seq = r->to ? r->to + 1 : seq + 1;
		assert_int_equal(t->draft.next, seq);
	}
	buf_init(&t->written, PLACE_FILE_MAX);
	assert_int_equal(place_draft_write(&t->draft, &t->segment, &t->written), count > 0);
}

static void clear(struct table *t)
{
	free(t->rows);
	place_draft_finish(&t->draft);
	buf_finish(&t->written);
}

static bool is_meant(const struct row *r, const uint32_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < PLACE_KEYS; k++)
			if (r->keys.of[k] == hashes[i])
				return true;
	return r->to || !r->is_known;
}

/* Does the block that a seq is in hold any row that is meant? */
static bool block_is_meant(const struct table *t, uint64_t seq, const uint32_t *hashes, size_t n)
{
	uint64_t number = (seq - FIRST) / PLACE_BLOCK;

	for (size_t i = 0; i < t->count; i++)
		if ((t->rows[i].seq - FIRST) / PLACE_BLOCK == number &&
		    is_meant(&t->rows[i], hashes, n))
			return true;
	return false;
}

/* Nothing that is meant is passed over, and nothing is visited in vain. */
static void expect_all(const struct table *t, const struct place_list *list, const uint32_t *hashes,
                       size_t n)
{
	uint64_t at = FIRST, end = t->draft.next;

	assert_int_equal(list->first, FIRST);
	assert_int_equal(list->last, end - 1);
	for (size_t i = 0; i < t->count; i++)
		if (is_meant(&t->rows[i], hashes, n))
			assert_int_equal(place_list_next(list, t->rows[i].seq), t->rows[i].seq);
	while ((at = place_list_next(list, at)) < end) {
		assert_true(block_is_meant(t, at, hashes, n));
		at += PLACE_BLOCK - (at - FIRST) % PLACE_BLOCK;
	}
	assert_int_equal(at, end);
}

static void look_up(const struct table *t, const uint32_t *hashes, size_t n)
{
	struct place_file file = place_file_in_memory(buf_text(&t->written));
	struct place_list list = {0};

	assert_true(place_draft_find(&t->draft, hashes, n, &list));
	expect_all(t, &list, hashes, n);
	assert_true(place_file_find(&file, hashes, n, &list));
	expect_all(t, &list, hashes, n);
	place_list_finish(&list);
}

static void an_index_finds_what_a_look_at_everything_finds(void **state)
{
	static const size_t counts[] = {1, 15, 16, 17, 300, 3000};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct table t;

		fill(&t, counts[i], (unsigned)counts[i] / 10 + 2);
		for (unsigned k = 0; k < 12; k++) {
			uint32_t several[] = {hash_of(PLACE_RUN, roll(300)),
			                      hash_of(PLACE_SOURCE, roll(8)),
			                      hash_of(PLACE_TYPE, roll(12))};

			for (size_t one = 0; one < 3; one++)
				look_up(&t, several + one, 1);
			look_up(&t, several, 3);
			look_up(&t, several, 0);
		}
		clear(&t);
	}
}

static void kinds_are_kept_apart(void **state)
{
	struct text same = TEXT("claude");

	assert_int_not_equal(place_hash(PLACE_RUN, same), place_hash(PLACE_SOURCE, same));
	assert_int_not_equal(place_hash(PLACE_SOURCE, same), place_hash(PLACE_TYPE, same));
	assert_int_not_equal(place_hash(PLACE_RUN, TEXT("")), PLACE_ANY);
}

static void without_a_run_a_signal_is_found_by_its_source(void **state)
{
	struct place_keys keys = place_keys_of(TEXT(""), TEXT("demo"), TEXT("agent.thinking"));

	assert_int_equal(keys.of[0], place_hash(PLACE_SOURCE, TEXT("demo")));
	assert_int_equal(keys.of[1], place_hash(PLACE_SOURCE, TEXT("demo")));
	assert_int_equal(keys.of[2], place_hash(PLACE_TYPE, TEXT("agent.thinking")));
}

static void an_index_knows_its_segment(void **state)
{
	struct place_segment other;
	struct place_file file;
	struct table t;

	fill(&t, 100, 10);
	file = place_file_in_memory(buf_text(&t.written));
	assert_true(place_file_is_of(&file, FIRST, &t.segment));
	assert_false(place_file_is_of(&file, FIRST + 1, &t.segment));
	other = t.segment;
	other.bytes++;
	assert_false(place_file_is_of(&file, FIRST, &other));
	other = t.segment;
	other.tail++;
	assert_false(place_file_is_of(&file, FIRST, &other));
	clear(&t);
}

static void a_damaged_index_is_none(void **state)
{
	const char *slow = getenv("TEST_SANITIZER");
	unsigned rounds = slow && *slow ? 400 : 2000;
	uint32_t hash = hash_of(PLACE_RUN, 3);
	struct place_list list = {0};
	struct table t;

	fill(&t, 20000, 2000);
	assert_true(t.written.len > 3 * PLACE_PAGE);
	for (unsigned i = 0; i < rounds; i++) {
		char *at = &t.written.at[roll((unsigned)t.written.len)];
		struct place_file file = place_file_in_memory(buf_text(&t.written));
		char was = *at;

		*at = (char)(*at ^ 1 << roll(8));
		if (place_file_find(&file, &hash, 1, &list))
			expect_all(&t, &list, &hash, 1); /* it was not in what was read */
		else
			assert_true(list.last < list.first);
		*at = was;
	}
	place_list_finish(&list);
	clear(&t);
}

static void an_index_that_is_cut_off_is_none(void **state)
{
	uint32_t hash = hash_of(PLACE_RUN, 3);
	struct place_list list = {0};
	struct table t;

	fill(&t, 5000, 500);
	for (size_t len = 0; len < t.written.len; len += 1 + roll(500)) {
		struct place_file file = place_file_in_memory((struct text){t.written.at, len});

		assert_false(place_file_find(&file, &hash, 1, &list));
		assert_false(place_file_is_of(&file, FIRST, &t.segment));
	}
	place_list_finish(&list);
	clear(&t);
}

/* The checksum of a page after somebody has changed it on purpose. */
static void sign(struct buf *written, uint32_t page)
{
	char *at = written->at + (size_t)page * PLACE_PAGE;
	uint32_t crc = crc32c(page, at, PLACE_PAGE - 4);

	memcpy(at + PLACE_PAGE - 4, &crc, sizeof(crc));
}

static void numbers_that_cannot_be_are_refused(void **state)
{
	uint32_t hashes[] = {hash_of(PLACE_RUN, 1), hash_of(PLACE_TYPE, 1)};
	struct place_list list = {0};
	unsigned refused = 0;
	struct table t;

	fill(&t, 300, 5);
	assert_true(t.written.len == PLACE_PAGE);
	for (unsigned i = 0; i < 5000; i++) {
		size_t place = roll(PLACE_PAGE - 4);
		struct place_file file = place_file_in_memory(buf_text(&t.written));
		char was = t.written.at[place];

		t.written.at[place] = (char)roll(256);
		sign(&t.written, 0);
		if (!place_file_find(&file, hashes, 2, &list))
			refused++;
		for (size_t k = 0; k < list.count; k++) {
			assert_true(list.numbers[k] <= (list.last - list.first) / PLACE_BLOCK);
			assert_true(k == 0 || list.numbers[k - 1] < list.numbers[k]);
		}
		t.written.at[place] = was;
	}
	assert_true(refused > 0);
	place_list_finish(&list);
	clear(&t);
}

/* Behind the last seq of all there is none to go on with. */
static void a_last_seq_that_cannot_be_is_refused(void **state)
{
	uint32_t hash = hash_of(PLACE_RUN, 1);
	struct place_list list = {0};
	struct place_file file;
	struct table t;

	fill(&t, 10, 5);
	memset(t.written.at + 8, 0xff, 16);
	sign(&t.written, 0);
	file = place_file_in_memory(buf_text(&t.written));
	assert_false(place_file_find(&file, &hash, 1, &list));
	place_list_finish(&list);
	clear(&t);
}

static void what_is_too_much_for_an_index_has_none(void **state)
{
	uint32_t hash = hash_of(PLACE_RUN, 3);
	struct place_list list = {0};
	struct place_keys keys = keys_of(3, 1, 1);
	struct place_draft draft;
	struct buf out;

	buf_init(&out, MIB);
	place_draft_init(&draft, 1);
	assert_false(place_draft_write(&draft, &(struct place_segment){0}, &out));
	place_draft_add(&draft, &keys);
	place_draft_gap(&draft, UINT64_C(1) << 40);
	assert_false(place_draft_write(&draft, &(struct place_segment){0}, &out));
	assert_true(place_draft_find(&draft, &hash, 1, &list));
	place_draft_add(&draft, &keys);
	assert_true(draft.is_void);
	assert_false(place_draft_find(&draft, &hash, 1, &list));
	assert_false(place_draft_write(&draft, &(struct place_segment){0}, &out));
	place_list_finish(&list);
	place_draft_finish(&draft);
	buf_finish(&out);
}

/* Tokens of some runs at a time, as agents give them: a run of 200 signals, 20 at once. */
static void an_index_is_small(void **state)
{
	enum { SIGNALS = 200000, LINE = 330, AT_ONCE = 20, LONG = 200 };
	struct place_draft draft;
	struct buf out;

	buf_init(&out, PLACE_FILE_MAX);
	place_draft_init(&draft, 1);
	for (unsigned i = 0; i < SIGNALS; i++) {
		unsigned run = 1 + i / (AT_ONCE * LONG) * AT_ONCE + roll(AT_ONCE);
		struct place_keys keys = keys_of(run, run % 4, roll(10) ? 1 : roll(9));

		place_draft_add(&draft, &keys);
	}
	assert_true(place_draft_write(&draft, &(struct place_segment){0}, &out));
	assert_true(out.len * 50 <= (size_t)SIGNALS * LINE); /* two of a hundred */
	print_message("%zu bytes for %d lines: %.2f %%\n", out.len, SIGNALS,
	              100.0 * (double)out.len / (SIGNALS * (double)LINE));
	place_draft_finish(&draft);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_index_finds_what_a_look_at_everything_finds),
		cmocka_unit_test(kinds_are_kept_apart),
		cmocka_unit_test(without_a_run_a_signal_is_found_by_its_source),
		cmocka_unit_test(an_index_knows_its_segment),
		cmocka_unit_test(a_damaged_index_is_none),
		cmocka_unit_test(an_index_that_is_cut_off_is_none),
		cmocka_unit_test(numbers_that_cannot_be_are_refused),
		cmocka_unit_test(a_last_seq_that_cannot_be_is_refused),
		cmocka_unit_test(what_is_too_much_for_an_index_has_none),
		cmocka_unit_test(an_index_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
