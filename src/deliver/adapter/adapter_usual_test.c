/* adapter_usual_test.c - what a channel outside of the box does where nobody configured it. */
#include "deliver/adapter/adapter_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct adapter_info able(void)
{
	struct adapter_info info = {.text_max = 0};

	for (unsigned i = 0; i < sizeof(info.can) / sizeof(*info.can); i++)
		info.can[i] = true;
	return info;
}

/* The table of the seed, "Streaming Modes by Channel". */
static void known_channels_do_what_the_table_says(void **state)
{
	static const struct {
		const char *name;
		enum channel_mode mode;
		bool types;
	} rows[] = {
		{"whatsapp", CHANNEL_ACCUMULATES, true},
		{"signal", CHANNEL_ACCUMULATES, true},
		{"imessage", CHANNEL_ACCUMULATES, false},
		{"xmpp", CHANNEL_DRAFTS, true},
	};
	const struct adapter_info info = able();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct channel_traits early = adapter_traits(rows[i].name, NULL);
		struct channel_traits later = adapter_traits(rows[i].name, &info);

		assert_int_equal(early.mode, rows[i].mode);
		assert_int_equal(later.mode, rows[i].mode);
		assert_int_equal(later.limit.max, 4000);
		assert_int_equal(later.limit.unit, CHUNK_POINTS);
		assert_false(early.can_type);
		assert_int_equal(later.can_type, rows[i].types);
	}
}

static void who_cannot_type_does_not(void **state)
{
	struct adapter_info info = able();

	info.can[ADAPTER_TYPING] = false;
	assert_false(adapter_traits("signal", &info).can_type);
}

static void other_channels_do_what_they_can(void **state)
{
	struct adapter_info info = able();

	assert_int_equal(adapter_traits("notes", &info).mode, CHANNEL_DRAFTS);
	info.can[ADAPTER_EDIT] = false;
	assert_int_equal(adapter_traits("notes", &info).mode, CHANNEL_STREAMS);
	info.can[ADAPTER_STREAM] = false;
	assert_int_equal(adapter_traits("notes", &info).mode, CHANNEL_BLOCKS);
	assert_int_equal(adapter_traits("notes", NULL).mode, CHANNEL_BLOCKS);
	info.text_max = 500;
	assert_int_equal(adapter_traits("whatsapp", &info).limit.max, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_channels_do_what_the_table_says),
		cmocka_unit_test(who_cannot_type_does_not),
		cmocka_unit_test(other_channels_do_what_they_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
