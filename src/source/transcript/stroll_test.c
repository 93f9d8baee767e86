/* stroll_test.c - files of subagents among many others, found a few entries at a time. */
#include "source/transcript/stroll.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

static char top[64];
static unsigned found_count;

static void found(void *self, struct text session, const char *name, bool is_beside)
{
	assert_true(text_is(session, "s"));
	assert_true(is_beside);
	found_count++;
}

static void make_file(const char *name)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

/* It was changed so many seconds ago. */
static void make_old(time_t seconds)
{
	struct timespec then = {.tv_sec = clock_wall_ms() / 1000 - seconds};
	struct timespec times[2] = {then, then};

	assert_int_equal(utimensat(AT_FDCWD, top, times, 0), 0);
}

static void look(struct stroll *stroll)
{
	stroll_look(stroll);
	stroll_into(stroll, open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "folder",
	            &(struct stroll_of){TEXT("s"), true});
}

static void drop_files(void)
{
	DIR *dir = opendir(top);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(top);
}

static void many_entries_take_many_looks_and_then_none(void **state)
{
	struct stroll stroll;
	unsigned looks = 0;
	char name[40];

	snprintf(top, sizeof(top), "%s/strollXXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(top));
	for (unsigned i = 0; i < 1200; i++) {
		snprintf(name, sizeof(name), "other-%u.jsonl", i);
		make_file(name);
	}
	make_file("agent-a.jsonl");
	make_old(100);
	found_count = 0;
	stroll_init(&stroll, NULL, found);
	do {
		look(&stroll);
		looks++;
	} while (stroll.dir && looks < 10);
	assert_true(looks >= 3 && looks < 10);
	assert_int_equal(found_count, 1);
	look(&stroll); /* it is as it was */
	assert_null(stroll.dir);
	assert_int_equal(found_count, 1);
	make_file("agent-b.jsonl");
	for (looks = 0; looks < 5; looks++)
		look(&stroll);
	assert_true(found_count >= 3); /* both, as often as it may change unseen */
	while (stroll.dir)
		stroll_look(&stroll);
	stroll_forget(&stroll);
	make_old(50);
	found_count = 0;
	for (looks = 0; looks < 5; looks++)
		look(&stroll);
	assert_int_equal(found_count, 2);
	stroll_into(&stroll, -1, "nowhere", &(struct stroll_of){TEXT("s"), true});
	stroll_finish(&stroll);
	drop_files();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_entries_take_many_looks_and_then_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
