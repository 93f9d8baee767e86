/* faults_test.c - disks that fail and power that goes, with tests/preload.
 *
 * The test starts itself again as a driver, with the library preloaded: the
 * driver appends and says on its standard output what was acknowledged and what
 * was seen, until it ends or the power goes.  Then the files are opened without
 * faults: everything acknowledged must be there, once, in order.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "journal/epochs.h"
#include "journal/fixture.h"
#include "journal/verify.h"

#define DRIVER_SIGNALS 400
#define STATUS_CRASHED 99
#define STATUS_NOT_OPENED 3

/* --- the driver ----------------------------------------------------------- */

/* What the parent reads, one after the other. */
struct word {
	char epoch[EPOCH_LEN + 1];
	uint64_t acked, seen;
};

static void say(struct journal *j)
{
	struct word w = {.acked = journal_durable_seq(j), .seen = journal_last_seq(j)};

	memcpy(w.epoch, journal_epoch(j), sizeof w.epoch);
	if (write(STDOUT_FILENO, &w, sizeof w) != sizeof w)
		exit(4);
}

static int drive(const char *dir)
{
	struct journal_options o = some_options(dir);
	struct journal *j;
	struct error why;

	o.segment_bytes = 8 * KIB;
	j = journal_open(&o, &why);
	if (!j)
		return STATUS_NOT_OPENED;
	for (unsigned i = 0; i < DRIVER_SIGNALS; i++) {
		append(j, i % 3 == 0);
		if (i % 7 == 0) {
			journal_wait(j, 2);
			journal_poll(j);
		}
		say(j);
	}
	wait_durable(j);
	say(j);
	journal_close(j);
	return 0;
}

struct told {
	unsigned begun, over;
};

static void note_trouble(void *self, const char *why)
{
	struct told *t = self;

	if (why)
		t->begun++;
	else
		t->over++;
}

#define INSIST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			exit(5); \
		} \
	} while (0)

/* The disk fails as long as there is a file DIR.while; this removes it. */
static int drive_full(const char *dir)
{
	struct told told = {0};
	struct journal_options o = some_options(dir);
	struct journal *j;
	char *failing = must_print("%s.while", dir);
	uint64_t kept;

	o.wait_max = 32 * KIB;
	o.trouble = note_trouble;
	o.self = &told;
	j = open_with(&o);
	commit(j, 20);
	INSIST(told.begun == 0 && !journal_trouble(j));
	save_file(failing, TEXT(""));
	while (append(j, true) == JOURNAL_KEPT)
		;
	kept = journal_last_seq(j) - 1;
	INSIST(!journal_has_room(j, 1000) && journal_trouble(j));
	for (int i = 0; i < 50; i++) {
		INSIST(append(j, false) == JOURNAL_LIVE_ONLY);
		journal_wait(j, 10);
		journal_poll(j);
	}
	INSIST(journal_durable_seq(j) == 20 && told.begun == 1 && told.over == 0);
	unlink(failing);
	wait_durable(j);
	INSIST(told.over == 1 && !journal_trouble(j));
	INSIST(journal_durable_seq(j) == kept + 51);
	commit(j, 10);
	say(j);
	journal_close(j);
	free(failing);
	return 0;
}

/* --- the parent ----------------------------------------------------------- */

static char *library(void)
{
	const char *build = getenv("TEST_BUILD");
	char self[1024], *slash;
	ssize_t n;

	if (build)
		return must_print("%s/tests/preload/libfaults.so", build);
	n = readlink("/proc/self/exe", self, sizeof self - 1);
	assert_true(n > 0);
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	return must_print("%s/../tests/preload/libfaults.so", self);
}

/* Runs the driver with these variables, which end with NULL, and reads its last
 * word.  Returns its exit status. */
static int run_driver(const char *dir, const char *what, char *const faults[], struct word *last)
{
	char *argv[] = {(char *)"driver", (char *)what, (char *)dir, NULL};
	char *so = library(), *env[16];
	posix_spawn_file_actions_t actions;
	int pipe_fds[2], status;
	struct word w;
	size_t n = 0;
	pid_t pid;

	assert_int_equal(access(so, R_OK), 0);
	env[n++] = must_print("LD_PRELOAD=%s", so);
	env[n++] = must_print("FAULTS_DIR=%s", dir);
	env[n++] = must_dup("ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0");
	env[n++] = must_dup("TSAN_OPTIONS=atexit_sleep_ms=0");
	for (size_t i = 0; faults[i]; i++)
		env[n++] = must_dup(faults[i]);
	env[n] = NULL;
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, env), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fds[1]);
	while (read(pipe_fds[0], &w, sizeof w) == sizeof w)
		*last = w;
	close(pipe_fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	while (n > 0)
		free(env[--n]);
	free(so);
	return WEXITSTATUS(status);
}

static void note_problem(void *self, const char *words)
{
	fprintf(stderr, "verify: %s\n", words);
}

/* What the lives before left: how far the journal went, and how much of it went with torn
 * commits. */
struct past {
	uint64_t end, lost;
	bool can_tear; /* the power goes, so the last commit may be torn */
};

/* Of the seqs up to `end`, those behind `whole` went with a torn commit. */
static void tell_end(struct buf *out, uint64_t whole, uint64_t end)
{
	if (whole < end)
		buf_print(out, " gap %llu-%llu lost", (unsigned long long)whole + 1,
		          (unsigned long long)end);
	buf_add_char(out, '\0');
}

/* All that came since is there, but for what went at the end. */
static void check_end(struct journal *j, const struct past *past, uint64_t whole)
{
	struct buf expected;

	buf_init(&expected, KIB);
	if (whole > past->end)
		buf_print(&expected, " %llu-%llu", (unsigned long long)past->end + 1,
		          (unsigned long long)whole);
	tell_end(&expected, whole, journal_last_seq(j));
	expect_story(j, past->end, expected.at + (expected.len > 1));
	buf_finish(&expected);
}

static void check_who_was_ahead(struct journal *j, const struct word *last, uint64_t whole)
{
	struct position ahead = {.seq = last->seen};
	struct buf expected, story;

	buf_init(&expected, KIB);
	memcpy(ahead.epoch, last->epoch, sizeof ahead.epoch);
	buf_print(&expected, "gap %llu-%llu lost", (unsigned long long)whole + 1,
	          (unsigned long long)last->seen);
	tell_end(&expected, whole, journal_last_seq(j));
	read_all(j, ahead, 64 * KIB, &story);
	assert_string_equal(story.at, expected.at);
	buf_finish(&story);
	buf_finish(&expected);
}

/* Everything acknowledged is there and whole; whoever was ahead is told, also
 * later, because a crash begins a new timeline. */
static void check(const char *dir, int status, const struct word *last, struct past *past)
{
	struct journal_report report = {.problem = note_problem};
	struct journal *j = open_in(dir);
	uint64_t end = journal_last_seq(j), whole;

	assert_true(journal_verify(dir, &report, NULL));
	assert_int_equal(report.problems, 0);
	assert_int_equal(report.signals + report.lost, end);
	assert_true(report.lost >= past->lost);
	assert_true(past->can_tear || report.lost == 0);
	whole = end - (report.lost - past->lost);
	assert_true(whole >= last->acked && whole >= past->end);
	if (status == STATUS_CRASHED && last->epoch[0])
		assert_string_not_equal(journal_epoch(j), last->epoch);
	check_end(j, past, whole);
	if (last->epoch[0] && last->seen > whole)
		check_who_was_ahead(j, last, whole);
	past->end = end;
	past->lost = report.lost;
	journal_close(j);
}

static void remove_limbo(const char *dir)
{
	remove_dir(must_print("%s.limbo", dir));
}

/* The power goes at one sync after the other, over and over on one journal. */
static void lose_power(const char *loss, const char *call, unsigned rounds)
{
	char *dir = new_dir();
	struct past past = {.can_tear = strcmp(loss, "none") != 0};
	unsigned crashes = 0;

	for (unsigned i = 0; i < rounds; i++) {
		char *faults[] = {
			must_print("FAULTS_CRASH=%s:%u", call, 1 + i * 7 % 101),
			must_print("FAULTS_LOSS=%s", loss),
			must_print("FAULTS_SEED=%u", i),
			NULL,
		};
		struct word last = {.acked = 0};
		int status = run_driver(dir, "drive", faults, &last);

		assert_true(status == STATUS_CRASHED || status == 0);
		crashes += status == STATUS_CRASHED;
		check(dir, status, &last, &past);
		for (size_t k = 0; faults[k]; k++)
			free(faults[k]);
	}
	assert_true(crashes > rounds / 2);
	remove_limbo(dir);
	remove_dir(dir);
}

static void a_power_loss_takes_nothing_that_was_acknowledged(void **state)
{
	lose_power("all", "sync", 12);
	lose_power("all", "write", 8);
}

static void garbled_bytes_are_not_taken_for_signals(void **state)
{
	lose_power("garble", "sync", 12);
	lose_power("garble", "write", 8);
}

static void a_power_loss_by_halves_is_survived_too(void **state)
{
	lose_power("mixed", "sync", 16);
	lose_power("mixed", "any", 16);
}

static void a_process_that_is_killed_loses_nothing(void **state)
{
	lose_power("none", "any", 12);
}

static void fail_and_recover(const char *call, const char *when, const char *how)
{
	char *dir = new_dir();
	char *faults[] = {must_print("FAULTS_FAIL=%s:%s:%s", call, when, how), NULL};
	struct word last = {.acked = 0};
	struct past past = {.end = 0};
	int status = run_driver(dir, "drive", faults, &last);

	/* A disk that fails while the journal opens is a reason not to start. */
	assert_true(status == 0 || status == STATUS_NOT_OPENED);
	if (status == 0)
		assert_int_equal(last.acked, DRIVER_SIGNALS);
	check(dir, status, &last, &past);
	assert_true(status != 0 || past.end >= DRIVER_SIGNALS);
	free(faults[0]);
	remove_dir(dir);
}

static void fail_at_each(const char *call, const char *how, unsigned upto)
{
	for (unsigned n = 1; n <= upto; n += n < 12 ? 1 : 7) {
		char when[16];

		snprintf(when, sizeof when, "%u", n);
		fail_and_recover(call, when, how);
	}
}

static void a_write_that_fails_is_made_good(void **state)
{
	fail_at_each("write", "EIO", 30);
	fail_at_each("write", "ENOSPC", 12);
	fail_and_recover("write", "%5", "EIO");
	fail_and_recover("write", "%7", "ENOSPC");
}

static void a_short_write_is_made_good(void **state)
{
	fail_at_each("write", "short", 12);
	fail_and_recover("write", "%2", "short");
}

static void a_sync_that_fails_is_made_good(void **state)
{
	fail_at_each("sync", "EIO", 30);
	fail_and_recover("sync", "%7", "EIO");
	fail_and_recover("sync", "%11", "ENOSPC");
}

static void names_that_cannot_be_made_are_made_good(void **state)
{
	fail_at_each("open", "ENOSPC", 8);
	fail_at_each("rename", "EIO", 2);
	fail_at_each("unlink", "EIO", 4);
	fail_at_each("truncate", "EIO", 6);
}

/* A sync that failed is not made good by a later one, and then the power goes. */
static void what_failed_to_sync_is_not_counted_on(void **state)
{
	char *dir = new_dir();
	struct past past = {.can_tear = true};

	for (unsigned i = 0; i < 12; i++) {
		char *faults[] = {
			must_print("FAULTS_FAIL=sync:%%%u:EIO", 7 + i),
			must_print("FAULTS_CRASH=sync:%u", 20 + 5 * i),
			must_print("FAULTS_LOSS=%s", i % 2 ? "all" : "mixed"),
			must_print("FAULTS_SEED=%u", i),
			NULL,
		};
		struct word last = {.acked = 0};

		check(dir, run_driver(dir, "drive", faults, &last), &last, &past);
		for (size_t k = 0; faults[k]; k++)
			free(faults[k]);
	}
	remove_limbo(dir);
	remove_dir(dir);
}

static void a_full_disk_is_waited_for_and_what_was_live_only_is_told(void **state)
{
	static const char *const rules[] = {"write:1+:ENOSPC", "sync:1+:EIO", "any:1+:ENOSPC"};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		char *dir = new_dir(), expected[16];
		char *faults[] = {
			must_print("FAULTS_FAIL=%s", rules[i]),
			must_print("FAULTS_WHILE=%s.while", dir),
			NULL,
		};
		struct word last = {.acked = 0};
		struct journal *j;
		struct buf story;

		assert_int_equal(run_driver(dir, "full", faults, &last), 0);
		j = open_in(dir);
		assert_int_equal(journal_last_seq(j), last.acked);
		read_all(j, (struct position){.seq = 0}, 64 * KIB, &story);
		assert_non_null(strstr(story.at, " lost "));
		snprintf(expected, sizeof expected, "-%llu", (unsigned long long)last.acked);
		assert_non_null(strstr(story.at, expected));
		buf_finish(&story);
		journal_close(j);
		free(faults[0]);
		free(faults[1]);
		remove_dir(dir);
	}
}

static void a_stop_does_not_wait_for_ever_for_a_failing_disk(void **state)
{
	char *dir = new_dir();
	char *faults[] = {(char *)"FAULTS_FAIL=sync:20+:EIO", NULL};
	struct word last = {.acked = 0};

	assert_int_equal(run_driver(dir, "stop", faults, &last), 0);
	check(dir, 0, &last, &(struct past){.end = 0});
	remove_dir(dir);
}

/* Appends until it fails, and closes. */
static int drive_stop(const char *dir)
{
	struct journal *j = open_in(dir);

	for (int i = 0; i < 1000 && !journal_trouble(j); i++) {
		append(j, true);
		journal_wait(j, 20);
		journal_poll(j);
		say(j);
	}
	INSIST(journal_trouble(j));
	journal_close(j);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_power_loss_takes_nothing_that_was_acknowledged),
		cmocka_unit_test(garbled_bytes_are_not_taken_for_signals),
		cmocka_unit_test(a_power_loss_by_halves_is_survived_too),
		cmocka_unit_test(a_process_that_is_killed_loses_nothing),
		cmocka_unit_test(a_write_that_fails_is_made_good),
		cmocka_unit_test(a_short_write_is_made_good),
		cmocka_unit_test(a_sync_that_fails_is_made_good),
		cmocka_unit_test(names_that_cannot_be_made_are_made_good),
		cmocka_unit_test(what_failed_to_sync_is_not_counted_on),
		cmocka_unit_test(a_full_disk_is_waited_for_and_what_was_live_only_is_told),
		cmocka_unit_test(a_stop_does_not_wait_for_ever_for_a_failing_disk),
	};

	if (argc == 3 && strcmp(argv[1], "drive") == 0)
		return drive(argv[2]);
	if (argc == 3 && strcmp(argv[1], "full") == 0)
		return drive_full(argv[2]);
	if (argc == 3 && strcmp(argv[1], "stop") == 0)
		return drive_stop(argv[2]);
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
