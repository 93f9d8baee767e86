/* Every cell of the table of states: what is to come of it, written down a second time, row by
 * row, in the words of the documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "crew/state.h"

static const char *const moments[MOMENTS] = {"none",   "began",    "told",  "busy",     "said",
                                             "called", "returned", "asked", "answered", "held",
                                             "over",   "failed",   "ended", "vanished"};

/* For each state, what each moment makes of it; `.`: it stays. */
static const struct {
	const char *state;
	const char *after[MOMENTS];
} rows[CREW_STATES] = {
	{"idle",
         {".", ".", "thinking", "thinking", "answering", "tool", ".", "asks", ".", "waits", ".",
          "failed", "finished", "gone"}},
	{"thinking",
         {".", "idle", ".", ".", "answering", "tool", ".", "asks", ".", "waits", "idle", "failed",
          "finished", "gone"}},
	{"answering",
         {".", "idle", "thinking", ".", ".", "tool", "thinking", "asks", ".", "waits", "idle",
          "failed", "finished", "gone"}},
	{"tool",
         {".", "idle", "thinking", ".", "answering", ".", "thinking", "asks", ".", "waits", "idle",
          "failed", "finished", "gone"}},
	{"asks",
         {".", "idle", "thinking", "thinking", "answering", "tool", "thinking", ".", "thinking",
          "waits", "idle", "failed", "finished", "gone"}},
	{"waits",
         {".", "idle", "thinking", "thinking", "answering", "tool", "thinking", "asks", "thinking",
          ".", "idle", "failed", "finished", "gone"}},
	{"finished",
         {".", "idle", "thinking", ".", "answering", "tool", ".", "asks", ".", ".", ".", "failed",
          ".", "."}},
	{"failed",
         {".", "idle", "thinking", "thinking", "answering", "tool", ".", "asks", ".", "waits", ".",
          ".", ".", "."}},
	{"gone",
         {".", "idle", "thinking", "thinking", "answering", "tool", ".", "asks", ".", ".", ".",
          "failed", "finished", "."}},
};

static void test_every_cell(void **state)
{
	(void)state;
	for (unsigned s = 0; s < CREW_STATES; s++) {
		enum crew_state from;

		assert_true(state_of_name(text_of(rows[s].state), &from));
		for (unsigned m = 0; m < MOMENTS; m++) {
			const char *wanted = rows[s].after[m];
			const char *came = state_name(state_after(from, (enum crew_moment)m));

			if (strcmp(wanted, ".") == 0)
				wanted = rows[s].state;
			if (strcmp(came, wanted) != 0)
				print_error("%s, %s\n", rows[s].state, moments[m]);
			assert_string_equal(came, wanted);
		}
	}
}

static void test_groups(void **state)
{
	(void)state;
	assert_string_equal(state_group_name(state_group(CREW_ASKS)), "waits");
	assert_string_equal(state_group_name(state_group(CREW_FAILED)), "failed");
	assert_string_equal(state_group_name(state_group(CREW_GONE)), "failed");
	assert_string_equal(state_group_name(state_group(CREW_TOOL)), "work");
	assert_string_equal(state_group_name(state_group(CREW_WAITS)), "work");
	assert_string_equal(state_group_name(state_group(CREW_IDLE)), "idle");
	assert_string_equal(state_group_name(state_group(CREW_FINISHED)), "over");
	assert_false(state_is_work(CREW_WAITS));
	assert_true(state_is_over(CREW_GONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
