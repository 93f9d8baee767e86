/* process_test.c - programs that talk, flood, hang, fork, stay silent and do not begin. */
#include "net/process.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/proc.h"
#include "net/interrupt.h"
#include "net/loop.h"
#include "net/test_clock.h"

#define SAID_MAX (4 * MIB)

struct world {
	struct loop *loop;
	struct processes *processes;
	struct process *process;
	struct buf said;       /* its lines, each ended by a newline; or its bytes */
	struct buf complaints; /* likewise */
	unsigned cuts, rooms, silents, ends;
	int status;
	char words[100];
	bool hushes;   /* at the first piece */
	bool destroys; /* likewise */
};

/* --- system calls that fail, in the place of libc's ---------------------------- */

static int pipes_left = -1; /* that succeed before one fails; -1: all */
static int spawn_failure;
static bool has_no_pidfd;

int pipe2(int ends[2], int flags)
{
	if (pipes_left == 0) {
		errno = EMFILE;
		return -1;
	}
	pipes_left -= pipes_left > 0;
	return (int)syscall(SYS_pipe2, ends, flags);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const env[])
{
	__typeof__(&posix_spawnp) real;

	if (spawn_failure)
		return spawn_failure;
	*(void **)&real = dlsym(RTLD_NEXT, "posix_spawnp");
	return real(pid, file, actions, attributes, argv, env);
}

int pidfd_open(pid_t pid, unsigned flags)
{
	if (!has_no_pidfd)
		return (int)syscall(SYS_pidfd_open, pid, flags);
	errno = EMFILE;
	return -1;
}

/* --- a world ------------------------------------------------------------------- */

static void on_heard(void *self, enum process_stream stream, const struct piece *piece)
{
	struct world *w = self;
	struct buf *to = stream == PROCESS_OUTPUT ? &w->said : &w->complaints;

	assert_int_equal(w->ends, 0);
	buf_add(to, piece->bytes);
	buf_add_char(to, '\n');
	w->cuts += piece->is_cut;
	if (w->hushes)
		process_hush(w->process, true);
	if (w->destroys)
		process_destroy(w->process);
}

static void on_writable(void *self)
{
	((struct world *)self)->rooms++;
}

static void on_silent(void *self)
{
	((struct world *)self)->silents++;
}

static void on_ended(void *self, const struct process_end *end)
{
	struct world *w = self;

	w->ends++;
	w->status = end->status;
	snprintf(w->words, sizeof(w->words), "%s", end->words);
	if (!w->process)
		return;
	process_write(w->process, TEXT("to nobody"));
	process_hush(w->process, false);
	process_stop(w->process);
	process_destroy(w->process);
}

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	w->loop = loop_create();
	w->processes = processes_create(w->loop);
	buf_init(&w->said, SAID_MAX);
	buf_init(&w->complaints, SAID_MAX);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	processes_destroy(w->processes);
	loop_destroy(w->loop);
	buf_finish(&w->said);
	buf_finish(&w->complaints);
	free(w);
	return 0;
}

static struct process_options options_of(struct world *w, const char *const *argv)
{
	return (struct process_options){
		.argv = argv,
		.directory = "/",
		.line_max = 1000,
		.input_max = 64 * KIB,
		.self = w,
		.heard = on_heard,
		.writable = on_writable,
		.silent = on_silent,
		.ended = on_ended,
	};
}

static void start(struct world *w, const struct process_options *o)
{
	struct error why;

	w->process = process_start(w->processes, o, &why);
	assert_non_null(w->process);
}

static void shell(struct world *w, const char *script)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	struct process_options o = options_of(w, argv);

	start(w, &o);
}

static void turn(struct world *w)
{
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	usleep(500);
}

/* The clock may stand still, so turns are counted. */
#define UNTIL(w, condition) \
	do { \
		for (int turns_ = 0; turns_ < 120000 && !(condition); turns_++) \
			turn(w); \
		assert_true(condition); \
	} while (0)

static bool has_said(struct world *w, const char *words)
{
	buf_add_char(&w->said, '\0');
	w->said.len--;
	return strstr(w->said.at, words) != NULL;
}

static void assert_said(struct world *w, const char *words)
{
	buf_add_char(&w->said, '\0');
	w->said.len--;
	assert_string_equal(w->said.at, words);
}

static bool is_alive(uint64_t pid)
{
	struct proc proc;

	return proc_look(pid, &proc);
}

static unsigned count_descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(all);
	while (readdir(all))
		count++;
	closedir(all);
	return count;
}

static void assert_childless(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* --- talk ------------------------------------------------------------------------ */

static void lines_go_both_ways(void **state)
{
	static const char *const cat[] = {"cat", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, cat);

	start(w, &o);
	assert_int_equal(process_write(w->process, TEXT("one\r\n\ntw")), PROCESS_TAKEN);
	UNTIL(w, has_said(w, "one\n\n"));
	assert_int_equal(process_write(w->process, TEXT("o\nend")), PROCESS_TAKEN);
	process_close_input(w->process);
	assert_int_equal(process_write(w->process, TEXT("late")), PROCESS_CLOSED);
	UNTIL(w, w->ends);
	assert_said(w, "one\n\ntwo\nend\n");
	assert_int_equal(w->status, 0);
	assert_string_equal(w->words, "ended with status 0");
}

static void bytes_come_as_they_are(void **state)
{
	static const char *const argv[] = {"printf", "a\\nb\\r\\n", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);

	o.line_max = 0;
	start(w, &o);
	UNTIL(w, w->ends);
	assert_said(w, "a\nb\r\n\n");
}

static void complaints_are_lines_of_their_own(void **state)
{
	struct world *w = *state;

	shell(w, "echo good; echo bad >&2; exit 3");
	UNTIL(w, w->ends);
	assert_said(w, "good\n");
	assert_int_equal(w->complaints.len, 4);
	assert_memory_equal(w->complaints.at, "bad\n", 4);
	assert_int_equal(w->status, 3);
	assert_string_equal(w->words, "ended with status 3");
}

static void a_long_line_is_cut_and_the_next_is_whole(void **state)
{
	static const char *const argv[] = {
		"sh", "-c",
		"printf 1234567890; sleep 0.1; head -c 100000 /dev/zero | tr '\\0' x; "
		"printf '\\nwhole\\n12345678901\\n1234567890\\n'",
		NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);

	o.line_max = 10;
	start(w, &o);
	UNTIL(w, w->ends);
	assert_said(w, "1234567890\nwhole\n1234567890\n1234567890\n");
	assert_int_equal(w->cuts, 2);
}

static void arguments_are_handed_over_as_they_are(void **state)
{
	static const char *const argv[] = {"printf", "<%s>", "a b", "", "*", "$HOME;id", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);

	start(w, &o);
	UNTIL(w, w->ends);
	assert_said(w, "<a b><><*><$HOME;id>\n");
}

/* --- what it is given -------------------------------------------------------------- */

static void the_environment_is_clean(void **state)
{
	static const char *const argv[] = {"env", NULL}, *const env[] = {"GIVEN=1", "LANG=xx",
	                                                                 NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);

	setenv("SECRET", "k", 1);
	setenv("NOTIFY_SOCKET", "/run/x", 1);
	setenv("LANG", "yy", 1);
	setenv("HOME", "/home/h", 1);
	o.env = env;
	start(w, &o);
	UNTIL(w, w->ends);
	assert_true(has_said(w, "GIVEN=1\n") && has_said(w, "LANG=xx\n"));
	assert_true(has_said(w, "HOME=/home/h\n") && has_said(w, "PATH="));
	assert_false(has_said(w, "SECRET") || has_said(w, "NOTIFY") || has_said(w, "yy"));
}

static void no_descriptor_of_ours_is_inherited(void **state)
{
	struct world *w = *state;
	int low = open("/dev/null", O_RDONLY), high = fcntl(low, F_DUPFD, 200);

	shell(w, "ls /proc/$$/fd; :");
	UNTIL(w, w->ends);
	assert_said(w, "0\n1\n2\n3\n");
	close(low);
	close(high);
}

/* Our own ignoring of SIGPIPE would make `yes | head` run for ever. */
static void no_interrupt_is_ignored_or_blocked(void **state)
{
	struct world *w = *state;
	int fd = interrupt_catch();

	shell(w, "grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -f2");
	UNTIL(w, w->ends);
	assert_true(has_said(w, "0000000000000000\n"));
	/* The two that follow the 31 are glibc's own. */
	assert_int_equal(strtoull(strchr(w->said.at, '\n'), NULL, 16) & 0x7fffffff, 0);
	interrupt_restore();
	interrupt_ignore_pipe();
	close(fd);
}

static void it_has_a_directory_and_a_group_of_its_own(void **state)
{
	static const char *const argv[] = {
		"sh", "-c", "pwd; [ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo leads", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);

	o.directory = "/proc";
	start(w, &o);
	UNTIL(w, w->ends);
	assert_said(w, "/proc\nleads\n");
}

static void without_input_there_is_nothing_to_read(void **state)
{
	static const char *const argv[] = {"cat", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);

	o.input_max = 0;
	start(w, &o);
	assert_int_equal(process_write(w->process, TEXT("x")), PROCESS_CLOSED);
	process_close_input(w->process);
	UNTIL(w, w->ends);
	assert_int_equal(w->said.len, 0);
}

/* --- bad ones ----------------------------------------------------------------------- */

static void one_that_floods_waits_while_nobody_reads(void **state)
{
	struct world *w = *state;

	w->hushes = true;
	shell(w, "echo first; exec yes");
	UNTIL(w, w->said.len);
	for (int i = 0; i < 100; i++)
		turn(w);
	assert_said(w, "first\n");
	w->hushes = false;
	process_hush(w->process, false);
	UNTIL(w, w->said.len > 100000);
	process_stop(w->process);
	UNTIL(w, w->ends);
	assert_int_equal(w->status, 128 + 15);
	assert_string_equal(w->words, "was ended by signal 15 (Terminated)");
}

static void one_that_floods_does_not_keep_others_waiting(void **state)
{
	static const char *const yes[] = {"yes", NULL};
	struct world *w = *state, flood = {0};
	struct process_options o = options_of(&flood, yes);

	buf_init(&flood.said, KIB);
	flood.process = process_start(w->processes, &o, NULL);
	UNTIL(w, flood.said.full);
	shell(w, "echo heard");
	UNTIL(w, w->ends);
	assert_said(w, "heard\n");
	process_stop(flood.process);
	UNTIL(w, flood.ends);
	buf_finish(&flood.said);
}

static void an_end_waits_for_output_that_nobody_reads_yet(void **state)
{
	struct world *w = *state;

	w->hushes = true;
	shell(w, "echo 1; echo 2; exit 7");
	UNTIL(w, w->said.len);
	for (int i = 0; i < 100; i++)
		turn(w);
	assert_int_equal(w->ends, 0);
	w->hushes = false;
	process_hush(w->process, false);
	UNTIL(w, w->ends);
	assert_said(w, "1\n2\n");
	assert_int_equal(w->status, 7);
}

static void one_that_hangs_takes_what_fits_and_no_more(void **state)
{
	static const char kilobyte[1024];
	struct world *w = *state;
	unsigned taken = 0;

	shell(w, "exec sleep 1000");
	while (process_write(w->process, (struct text){kilobyte, sizeof(kilobyte)}) ==
	       PROCESS_TAKEN)
		taken++;
	assert_in_range(taken, 64, 64 + 1024); /* what may wait, and a pipe */
	for (int i = 0; i < 100; i++)
		turn(w);
	assert_int_equal(w->rooms, 0);
	process_stop(w->process);
	UNTIL(w, w->ends);
	assert_int_equal(w->status, 128 + 15);
}

static void room_is_told_once_there_is_some(void **state)
{
	static const char kilobyte[1024];
	struct world *w = *state;

	shell(w, "echo ready; sleep 0.2; cat >/dev/null");
	UNTIL(w, w->said.len);
	while (process_write(w->process, (struct text){kilobyte, sizeof(kilobyte)}) ==
	       PROCESS_TAKEN)
		;
	UNTIL(w, w->rooms);
	assert_int_equal(process_write(w->process, TEXT("more")), PROCESS_TAKEN);
	process_close_input(w->process);
	UNTIL(w, w->ends);
	assert_int_equal(w->status, 0);
	assert_int_equal(w->rooms, 1);
}

static void writing_to_one_that_reads_no_more_is_told(void **state)
{
	struct world *w = *state;

	shell(w, "exec <&-; echo closed; exec sleep 1000");
	UNTIL(w, w->said.len);
	assert_int_equal(process_write(w->process, TEXT("x")), PROCESS_CLOSED);
	process_stop(w->process);
	UNTIL(w, w->ends);
}

static void one_that_closes_its_output_and_stays_is_told_of(void **state)
{
	struct world *w = *state;

	shell(w, "echo bye; exec >&- 2>&-; read x; exit 3");
	UNTIL(w, w->silents);
	for (int i = 0; i < 100; i++)
		turn(w);
	assert_int_equal(w->silents, 1);
	assert_int_equal(w->ends, 0);
	process_write(w->process, TEXT("\n"));
	UNTIL(w, w->ends);
	assert_said(w, "bye\n");
	assert_int_equal(w->status, 3);
}

static void what_it_forked_ends_with_it(void **state)
{
	struct world *w = *state;
	uint64_t pid;

	shell(w, "sleep 1000 & echo $!");
	UNTIL(w, w->ends);
	pid = strtoull(w->said.at, NULL, 10);
	UNTIL(w, !is_alive(pid));
	assert_int_equal(w->status, 0);
}

static void what_it_forked_is_stopped_with_it(void **state)
{
	struct world *w = *state;

	shell(w, "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait");
	UNTIL(w, w->said.len);
	process_stop(w->process);
	UNTIL(w, w->ends);
	UNTIL(w, !is_alive(strtoull(w->said.at, NULL, 10)));
}

static void who_left_the_group_does_not_keep_the_end_back(void **state)
{
	struct world *w = *state;
	uint64_t pid;

	shell(w, "setsid sh -c 'echo $$; exec sleep 1000' & read x; exit 4");
	UNTIL(w, w->said.len);
	process_write(w->process, TEXT("\n"));
	UNTIL(w, w->ends);
	pid = strtoull(w->said.at, NULL, 10);
	assert_true(is_alive(pid));
	interrupt_kill((int)pid);
	assert_int_equal(w->status, 4);
}

static void who_is_destroyed_says_nothing_more_and_ends(void **state)
{
	struct world *w = *state;

	w->destroys = true;
	shell(w, "echo $$; echo 2; exec yes");
	UNTIL(w, w->said.len);
	UNTIL(w, !is_alive(strtoull(w->said.at, NULL, 10)));
	turn(w);
	assert_non_null(memchr(w->said.at, '\n', w->said.len));
	assert_ptr_equal(memchr(w->said.at, '\n', w->said.len), w->said.at + w->said.len - 1);
	assert_int_equal(w->ends, 0);
	UNTIL(w, waitpid(-1, NULL, WNOHANG) == -1);
}

/* --- many, and none ------------------------------------------------------------------ */

static void a_thousand_starts_leave_nothing(void **state)
{
	static const char *const argv[] = {"true", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);
	unsigned before, started = 0;

	turn(w);
	before = count_descriptors();
	while (started < 1000) {
		unsigned wave = started + 50;

		for (; started < wave; started++)
			assert_non_null(process_start(w->processes, &o, NULL));
		UNTIL(w, w->ends == started);
	}
	assert_int_equal(count_descriptors(), before);
	assert_childless();
}

static void one_too_many_is_refused(void **state)
{
	static const char *const argv[] = {"sleep", "1000", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);
	struct error why;

	for (int i = 0; i < PROCESSES_MAX; i++)
		assert_non_null(w->process = process_start(w->processes, &o, &why));
	assert_null(process_start(w->processes, &o, &why));
	assert_string_equal(why.words, "64 programs run already");
	process_stop(w->process);
	UNTIL(w, w->ends);
	assert_non_null(process_start(w->processes, &o, &why));
}

static void assert_fails(struct world *w, const struct process_options *o, const char *words)
{
	unsigned before = count_descriptors();
	struct error why;

	assert_null(process_start(w->processes, o, &why));
	assert_string_equal(why.words, words);
	turn(w);
	assert_int_equal(count_descriptors(), before);
	assert_childless();
	assert_int_equal(w->ends, 0);
}

static void what_cannot_begin_leaves_nothing(void **state)
{
	static const char *argv[] = {"sleep", "1000", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);

	turn(w);
	for (int i = 0; i < 4; i++) {
		pipes_left = i;
		assert_fails(w, &o, "no pipe for the program: Too many open files");
	}
	pipes_left = -1;
	spawn_failure = EAGAIN;
	assert_fails(w, &o, "cannot run sleep: Resource temporarily unavailable");
	spawn_failure = 0;
	has_no_pidfd = true;
	assert_fails(w, &o, "no descriptor for the program's end: Too many open files");
	has_no_pidfd = false;
	argv[0] = "no-such-program";
	assert_fails(w, &o, "cannot run no-such-program: No such file or directory");
	argv[0] = "/etc/passwd";
	assert_fails(w, &o, "cannot run /etc/passwd: Permission denied");
	o.directory = "/no/such";
	assert_fails(w, &o, "cannot work in /no/such: No such file or directory");
}

static void all_end_with_the_box(void **state)
{
	static const char *const argv[] = {"sh", "-c",
	                                   "trap '' TERM; echo $$; sleep 1000; sleep 1000", NULL};
	struct world *w = *state;
	struct process_options o = options_of(w, argv);
	unsigned before = count_descriptors();

	start(w, &o);
	UNTIL(w, w->said.len);
	shell(w, "exec sleep 1000");
	processes_destroy(w->processes);
	w->processes = NULL;
	assert_false(is_alive(strtoull(w->said.at, NULL, 10)));
	assert_childless();
	turn(w);
	assert_int_equal(count_descriptors(), before);
	assert_int_equal(w->ends, 0);
}

/* The last one, because the clock stands still from here on. */
static void one_that_ignores_the_request_is_killed_in_time(void **state)
{
	struct world *w = *state;

	test_clock_stop();
	shell(w, "trap '' TERM; echo ready; while :; do sleep 1; done");
	UNTIL(w, w->said.len);
	process_stop(w->process);
	test_clock_forward(PROCESS_GRACE_MS - DEADLINE_TICK_MS);
	for (int i = 0; i < 200; i++)
		turn(w);
	assert_int_equal(w->ends, 0);
	test_clock_forward(2 * DEADLINE_TICK_MS);
	UNTIL(w, w->ends);
	assert_int_equal(w->status, 128 + 9);
}

/* Not by its deadline: the clock stands still. */
static void one_that_ignores_the_request_can_be_killed_at_once(void **state)
{
	struct world *w = *state;

	test_clock_stop();
	shell(w, "trap '' TERM; echo $$; while :; do sleep 1; done");
	UNTIL(w, w->said.len);
	process_kill(w->process);
	UNTIL(w, !is_alive(strtoull(w->said.at, NULL, 10)));
	turn(w);
	assert_int_equal(w->ends, 0);
	process_kill(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(lines_go_both_ways),
		TEST(bytes_come_as_they_are),
		TEST(complaints_are_lines_of_their_own),
		TEST(a_long_line_is_cut_and_the_next_is_whole),
		TEST(arguments_are_handed_over_as_they_are),
		TEST(the_environment_is_clean),
		TEST(no_descriptor_of_ours_is_inherited),
		TEST(no_interrupt_is_ignored_or_blocked),
		TEST(it_has_a_directory_and_a_group_of_its_own),
		TEST(without_input_there_is_nothing_to_read),
		TEST(one_that_floods_waits_while_nobody_reads),
		TEST(one_that_floods_does_not_keep_others_waiting),
		TEST(an_end_waits_for_output_that_nobody_reads_yet),
		TEST(one_that_hangs_takes_what_fits_and_no_more),
		TEST(room_is_told_once_there_is_some),
		TEST(writing_to_one_that_reads_no_more_is_told),
		TEST(one_that_closes_its_output_and_stays_is_told_of),
		TEST(what_it_forked_ends_with_it),
		TEST(what_it_forked_is_stopped_with_it),
		TEST(who_left_the_group_does_not_keep_the_end_back),
		TEST(who_is_destroyed_says_nothing_more_and_ends),
		TEST(a_thousand_starts_leave_nothing),
		TEST(one_too_many_is_refused),
		TEST(what_cannot_begin_leaves_nothing),
		TEST(all_end_with_the_box),
		TEST(one_that_ignores_the_request_is_killed_in_time),
		TEST(one_that_ignores_the_request_can_be_killed_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
