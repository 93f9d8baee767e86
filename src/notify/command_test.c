/* command_test.c - a command that gets its words, one that hangs, one that is not there. */
#include "notify/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "base/whole.h"
#include "net/loop.h"

#define PATIENCE 60000 /* turns of at most a moment each */

struct world {
	struct loop *loop;
	struct notify_command *command;
	char dir[64], *out;
};

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	snprintf(w->dir, sizeof(w->dir), "/tmp/notify-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	w->out = must_print("%s/out", w->dir);
	w->loop = loop_create();
	w->command = notify_command_create(w->loop);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	notify_command_destroy(w->command);
	loop_destroy(w->loop);
	unlink(w->out);
	rmdir(w->dir);
	free(w->out);
	free(w);
	return 0;
}

static void use_shell(struct world *w, const char *script)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)script, (char *)"sh", w->out};

	notify_command_set(w->command, argv, 5);
}

/* Until the file has so many bytes. */
static void await_bytes(struct world *w, size_t count, struct buf *got)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		buf_clear(got);
		if (whole_load(w->out, 0, got, NULL) && got->len >= count)
			return;
		loop_step(w->loop, false);
		usleep(1000);
	}
	fail_msg("only %zu bytes came", got->len);
}

static void it_gets_words_and_facts_and_no_shell_sees_them(void **state)
{
	struct world *w = *state;
	struct buf got;

	buf_init(&got, MIB);
	use_shell(w, "{ cat; printf '%s' \"$SIGNALBOX_MATTER\"; } >\"$1\"");
	notify_command_run(w->command, TEXT("shop-1 waits: `id` $(id)\n"),
	                   TEXT("{\"a\":\"$HOME\"}"));
	await_bytes(w, strlen("shop-1 waits: `id` $(id)\n{\"a\":\"$HOME\"}"), &got);
	assert_int_equal(got.len, strlen("shop-1 waits: `id` $(id)\n{\"a\":\"$HOME\"}"));
	assert_memory_equal(got.at, "shop-1 waits: `id` $(id)\n{\"a\":\"$HOME\"}", got.len);
	buf_finish(&got);
}

static void without_a_command_nothing_runs_and_one_that_is_not_there_is_survived(void **state)
{
	struct world *w = *state;
	char *missing[] = {(char *)"/nowhere/at/all"};
	struct buf got;

	buf_init(&got, MIB);
	notify_command_run(w->command, TEXT("a"), TEXT("{}"));
	notify_command_set(w->command, missing, 1);
	notify_command_run(w->command, TEXT("b"), TEXT("{}"));
	use_shell(w, "cat >\"$1\"");
	notify_command_run(w->command, TEXT("c"), TEXT("{}"));
	await_bytes(w, 1, &got);
	assert_memory_equal(got.at, "c", 1);
	buf_finish(&got);
}

/* Those that run at once wait for a file; of those that wait too many, the oldest go. */
static void too_many_wait_and_the_oldest_are_dropped(void **state)
{
	enum { MORE = 10, ALL = COMMAND_AT_ONCE + COMMAND_WAITING_MAX + MORE };
	struct world *w = *state;
	char *gate = must_print("%s/gate", w->dir), *script;
	struct buf got;
	FILE *file;

	buf_init(&got, MIB);
	script = must_print("while [ ! -e %s ]; do sleep 0.02; done; cat >>\"$1\"", gate);
	use_shell(w, script);
	for (int i = 0; i < ALL; i++) {
		char words[16];

		snprintf(words, sizeof(words), "%03d\n", i);
		notify_command_run(w->command, text_of(words), TEXT("{}"));
	}
	file = fopen(gate, "w");
	assert_non_null(file);
	fclose(file);
	await_bytes(w, (size_t)(ALL - MORE) * 4, &got);
	assert_int_equal(got.len, (ALL - MORE) * 4);
	buf_add_char(&got, '\0');
	assert_non_null(strstr(got.at, "000\n"));
	assert_null(strstr(got.at, "004\n")); /* the first that had to wait */
	assert_null(strstr(got.at, "013\n"));
	assert_non_null(strstr(got.at, "014\n"));
	assert_non_null(strstr(got.at, "077\n"));
	unlink(gate);
	free(gate);
	free(script);
	buf_finish(&got);
}

static void its_output_is_nobodys_and_much_of_it_is_survived(void **state)
{
	struct world *w = *state;
	struct buf got;

	buf_init(&got, MIB);
	use_shell(w, "yes | head -n 400000; yes | head -n 20000 >&2; printf done >\"$1\"");
	notify_command_run(w->command, TEXT("a"), TEXT("{}"));
	await_bytes(w, 4, &got);
	assert_memory_equal(got.at, "done", 4);
	buf_finish(&got);
}

static void what_runs_ends_with_the_box(void **state)
{
	struct world *w = *state;

	use_shell(w, "exec sleep 1000");
	notify_command_run(w->command, TEXT("a"), TEXT("{}"));
	notify_command_set(w->command, NULL, 0);
	loop_step(w->loop, false);
}

#define shared(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		shared(it_gets_words_and_facts_and_no_shell_sees_them),
		shared(without_a_command_nothing_runs_and_one_that_is_not_there_is_survived),
		shared(too_many_wait_and_the_oldest_are_dropped),
		shared(its_output_is_nobodys_and_much_of_it_is_survived),
		shared(what_runs_ends_with_the_box),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
