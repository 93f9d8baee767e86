/* attached_test.c - what agents name: addresses, paths, and what they are shown as; and which
 * files can be opened below a directory. */
#include "deliver/attached.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "deliver/beneath.h"
#include "deliver/files.h"

static void lists_are_lines(void **state)
{
	struct text list = TEXT("https://a/b.png\nc.txt\nd/e.ogg");

	assert_int_equal(attached_count(TEXT("")), 0);
	assert_int_equal(attached_count(TEXT("a")), 1);
	assert_int_equal(attached_count(list), 3);
	assert_true(text_is(attached_get(list, 1), "https://a/b.png"));
	assert_true(text_is(attached_get(list, 3), "d/e.ogg"));
	assert_true(text_is(attached_get(list, 4), ""));
}

static void only_short_lines_fit(void **state)
{
	char *all = must_alloc(CHANNEL_WHERE_MAX + 1);

	memset(all, 'a', CHANNEL_WHERE_MAX + 1);
	assert_true(attached_fits((struct text){all, CHANNEL_WHERE_MAX}));
	assert_false(attached_fits((struct text){all, CHANNEL_WHERE_MAX + 1}));
	assert_false(attached_fits(TEXT("")));
	assert_false(attached_fits(TEXT("a\nb")));
	assert_false(attached_fits(TEXT("a\x7f")));
	assert_true(attached_fits(TEXT("\xC3\xBC.png")));
	free(all);
}

static void paths_are_below_a_directory(void **state)
{
	static const struct {
		const char *where, *below; /* NULL: nowhere */
	} all[] = {
		{"a.png", "a.png"},
		{"../a.png", "../a.png"}, /* for who opens it to refuse */
		{"/srv/out/a/b.png", "a/b.png"},
		{"/srv/out", NULL},
		{"/srv/out/", NULL},
		{"/srv/outside/a", NULL},
		{"/etc/passwd", NULL},
		{"file:///etc/shadow", NULL},
		{"file:///srv/out/a", NULL},
		{"ftp://host/a", NULL},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct text below = attached_below(text_of(all[i].where), TEXT("/srv/out/"));

		if (all[i].below ? !text_is(below, all[i].below) : below.at != NULL)
			fail_msg("%s", all[i].where);
	}
	assert_true(attached_is_web(TEXT("HTTP://a")) && attached_is_web(TEXT("https://a")));
	assert_false(attached_is_web(TEXT("file://a")) || attached_is_web(TEXT("http:/a")));
}

static void names_say_what_it_is(void **state)
{
	static const struct {
		const char *where;
		enum channel_file_kind kind;
		const char *name;
	} all[] = {
		{"https://a.example/x/map.png?key=secret#top", CHANNEL_PICTURE, "map.png"},
		{"https://user:secret@a.example", CHANNEL_DOCUMENT, ""},
		{"https://a.example/", CHANNEL_DOCUMENT, ""},
		{"out/talk.ogg", CHANNEL_VOICE, "talk.ogg"},
		{"report?.pdf", CHANNEL_DOCUMENT, "report?.pdf"},
	};
	struct buf out;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct channel_file file = attached_file(text_of(all[i].where), true);

		if (file.kind != all[i].kind || !text_is(file.name, all[i].name))
			fail_msg("%s: %.*s", all[i].where, TEXT_ARG(file.name));
	}
	assert_int_equal(attached_file(TEXT("a.ogg"), false).kind, CHANNEL_AUDIO);
	buf_init(&out, KIB);
	attached_put_names(TEXT("https://h/map.png?key=secret\na/../b c.txt\nhttps://h"), false,
	                   &out);
	assert_true(text_is(buf_text(&out), "[picture: map.png]\n[file: b_c.txt]\n[file: file]"));
	buf_finish(&out);
}

/* ---- below a directory ---- */

static void put_file(const char *dir, const char *name, off_t size)
{
	char *path = must_print("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
	free(path);
}

static void only_files_below_it_are_opened(void **state)
{
	static const char *const refused[] = {
		"../secret", "link", "way/secret", "sub", "pipe", "none", "/etc/passwd", "big", ""};
	static const char *const made[] = {"good", "big", "link", "way", "sub", "pipe"};
	char place[] = "/tmp/attached-XXXXXX", *dir, *path;
	struct error why;
	int fd;

	assert_non_null(mkdtemp(place));
	put_file(place, "secret", 1);
	dir = must_print("%s/out", place);
	assert_int_equal(mkdir(dir, 0700), 0);
	put_file(dir, "good", FILES_BYTES_MAX);
	put_file(dir, "big", FILES_BYTES_MAX + 1);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(symlink("../secret", "link"), 0);
	assert_int_equal(symlink("..", "way"), 0);
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		fd = beneath_open(dir, refused[i], FILES_BYTES_MAX, &why);
		if (fd >= 0)
			fail_msg("%s was opened", refused[i]);
	}
	fd = beneath_open(dir, "sub/../good", FILES_BYTES_MAX, &why);
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		assert_int_equal(remove(made[i]), 0);
	assert_int_equal(chdir("/") + remove(dir), 0);
	path = must_print("%s/secret", place);
	assert_int_equal(remove(path) + remove(place), 0);
	free(path);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_lines),
		cmocka_unit_test(only_short_lines_fit),
		cmocka_unit_test(paths_are_below_a_directory),
		cmocka_unit_test(names_say_what_it_is),
		cmocka_unit_test(only_files_below_it_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
