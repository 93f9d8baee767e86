/* saving_test.c - whatever happens meanwhile, what is saved is what there was. */
#include "bus/saving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define THINGS 400

struct thing {
	unsigned value;
	size_t size; /* bytes that it takes more */
	size_t number;
};

static void save_thing(const void *of, struct buf *out)
{
	const struct thing *t = of;

	buf_print(out, "%u", t->value);
	for (size_t i = 0; i < t->size; i++)
		buf_add_char(out, '0');
}

static void begin(struct saving *s, struct thing *things, unsigned count)
{
	saving_begin(s, count, save_thing);
	for (unsigned i = 0; i < count; i++)
		saving_add(s, &things[i], &things[i].number);
}

static void save_all(struct saving *s, struct thing *things, unsigned count, struct buf *out)
{
	buf_init(out, 16 * MIB);
	begin(s, things, count);
	while (saving_more(s, out))
		;
}

/* The same ones each time. */
static unsigned draw(unsigned count)
{
	static uint64_t number = 1;

	number = number * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(number >> 33) % count;
}

static void make(struct thing *things)
{
	for (unsigned i = 0; i < THINGS; i++)
		things[i] = (struct thing){.value = draw(1000) + 1, .size = draw(900)};
}

static void what_changes_meanwhile_is_saved_as_it_was(void **state)
{
	struct thing things[THINGS];
	struct saving s = {0};

	for (unsigned round = 0; round < 100; round++) {
		struct buf expected, out;
		bool more = true;

		make(things);
		save_all(&s, things, THINGS, &expected);
		buf_init(&out, 16 * MIB);
		begin(&s, things, THINGS);
		while (more) {
			size_t before = out.len;

			for (unsigned n = draw(30); n > 0; n--) {
				struct thing *t = &things[draw(THINGS)];

				saving_change(&s, &t->number);
				t->value++;
				t->size = 0;
			}
			more = saving_more(&s, &out);
			assert_true(out.len - before < SAVING_PIECE + 1000);
		}
		assert_true(text_equal(buf_text(&out), buf_text(&expected)));
		for (unsigned i = 0; i < THINGS; i++)
			assert_int_equal(things[i].number, 0);
		buf_finish(&out);
		buf_finish(&expected);
	}
}

static void one_that_is_given_up_leaves_nothing(void **state)
{
	struct thing things[THINGS];
	struct saving s = {0};
	struct buf out;

	make(things);
	begin(&s, things, THINGS);
	buf_init(&out, MIB);
	assert_true(saving_more(&s, &out));
	saving_change(&s, &things[THINGS - 1].number);
	begin(&s, things, 2); /* which gives the first one up */
	assert_int_equal(things[0].number, 1);
	assert_int_equal(things[2].number, 0);
	saving_finish(&s);
	assert_int_equal(things[0].number, 0);
	saving_change(&s, &things[0].number); /* changes nothing */
	buf_finish(&out);
}

static void nothing_is_saved_at_once(void **state)
{
	struct saving s = {0};
	struct buf out;

	save_all(&s, NULL, 0, &out);
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_changes_meanwhile_is_saved_as_it_was),
		cmocka_unit_test(one_that_is_given_up_leaves_nothing),
		cmocka_unit_test(nothing_is_saved_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
