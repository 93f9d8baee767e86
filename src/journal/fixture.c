/* fixture.c - see fixture.h. */
#include "journal/fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "journal/disk.h"
#include "journal/inspect.h"
#include "journal/shelf.h"

#define LINE_ROOM 400

char *new_dir(void)
{
	const char *tmp = getenv("TEST_TMP");
	char *dir = must_print("%s/journal-XXXXXX", tmp ? tmp : "/tmp");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void remove_files(const char *dir)
{
	DIR *list = opendir(dir);
	struct dirent *d;

	while (list && (d = readdir(list))) {
		char *path = must_print("%s/%s", dir, d->d_name);

		if (d->d_type == DT_DIR && d->d_name[0] != '.')
			remove_files(path);
		else if (d->d_type != DT_DIR)
			unlink(path);
		free(path);
	}
	if (list)
		closedir(list);
	rmdir(dir);
}

void remove_dir(char *dir)
{
	remove_files(dir);
	free(dir);
}

char *path_in(const char *dir, const char *name)
{
	return must_print("%s/journal/%s", dir, name);
}

char *segment_path(const char *dir, uint64_t first, enum segment_file which)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, which);
	return path_in(dir, name);
}

void load_file(const char *path, struct buf *out)
{
	buf_init(out, 256 * MIB);
	assert_true(disk_load(AT_FDCWD, path, out));
}

void load_lines(const char *path, struct buf *out)
{
	load_file(path, out);
	while (out->len > 1 && out->at[out->len - 1] == '\n' && out->at[out->len - 2] == '\n')
		out->len--;
}

void save_file(const char *path, struct text bytes)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes.at, 1, bytes.len, f), bytes.len);
	assert_int_equal(fclose(f), 0);
}

/* The files of a journal as they are now, in a directory of their own. */
/* Copies the file unless it is gone by now, and notes its name. */
static void copy_file(const char *from, const char *to, const char *name, struct buf *names)
{
	char *a = must_print("%s/%s", from, name), *b = must_print("%s/%s", to, name);
	struct buf bytes;

	buf_print(names, "%s\n", name);
	buf_init(&bytes, 256 * MIB);
	if (disk_load(AT_FDCWD, a, &bytes))
		save_file(b, buf_text(&bytes));
	buf_finish(&bytes);
	free(a);
	free(b);
}

/* To nowhere: only the names. */
static void copy_files(const char *from, const char *to, struct buf *names)
{
	DIR *list = opendir(from);
	struct dirent *d;

	assert_non_null(list);
	while ((d = readdir(list))) {
		if (d->d_type == DT_REG && to)
			copy_file(from, to, d->d_name, names);
		else if (d->d_type == DT_REG)
			buf_print(names, "%s\n", d->d_name);
	}
	closedir(list);
}

static char *try_copy(const char *dir)
{
	char *copy = new_dir();
	char *to = must_print("%s/journal", copy), *from = must_print("%s/journal", dir);
	struct buf before, after;

	buf_init(&before, MIB);
	buf_init(&after, MIB);
	assert_int_equal(mkdir(to, 0700), 0);
	copy_files(from, to, &before);
	copy_files(from, NULL, &after);
	if (!text_equal(buf_text(&before), buf_text(&after))) {
		remove_dir(copy);
		copy = NULL;
	}
	buf_finish(&before);
	buf_finish(&after);
	free(from);
	free(to);
	return copy;
}

/* A crash happens in one moment, and a copy does not: one in which files came and
 * went is made again. */
char *crash_copy(const char *dir)
{
	char *copy;

	while (!(copy = try_copy(dir)))
		;
	return copy;
}

static void write_old(int dir, uint64_t first, bool crashed)
{
	static const struct index_entry zeros[100];
	struct segment_files f;
	struct inspection in = {0};
	struct buf all, index, lines;
	char name[SEGMENT_NAME_ROOM];
	struct error why;

	assert_true(segment_files_open(&f, dir, first, O_RDONLY) && inspect(&in, &f, &why));
	assert_true(in.title > 0);
	buf_init(&all, 64 * MIB);
	buf_init(&lines, 64 * MIB);
	buf_init(&index, 64 * MIB);
	segment_name(name, first, SEGMENT_LINES);
	assert_true(disk_load(dir, name, &all));
	for (size_t i = 0; i < in.used; i++) {
		struct index_entry e = in.entries[i];

		assert_int_equal(in.states[i], BATCH_GOOD);
		buf_add(&lines, (struct text){all.at + e.offset, e.length});
		e.offset = lines.len - e.length;
		index_entry_seal(&e);
		buf_add(&index, (struct text){(const char *)&e, sizeof e});
	}
	if (crashed)
		buf_add(&index, (struct text){(const char *)zeros, sizeof zeros});
	assert_true(disk_replace(dir, name, buf_text(&lines), &why));
	segment_name(name, first, SEGMENT_INDEX);
	assert_true(disk_replace(dir, name, buf_text(&index), &why));
	buf_finish(&all);
	buf_finish(&lines);
	buf_finish(&index);
	inspection_finish(&in);
	segment_files_close(&f);
}

static int open_journal_dir(const char *dir)
{
	char *path = path_in(dir, "");
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	free(path);
	return fd;
}

void make_old(const char *dir, bool crashed)
{
	int fd = open_journal_dir(dir);
	struct shelf shelf;
	struct error why;

	assert_true(shelf_load(&shelf, fd, &why));
	for (size_t i = 0; i < shelf.count; i++)
		write_old(fd, shelf.firsts[i], crashed && i + 1 == shelf.count);
	assert_true(disk_replace(fd, "format", TEXT("signalbox journal 1\n"), &why));
	shelf_finish(&shelf);
	close(fd);
}

void remove_segments(const char *dir)
{
	int fd = open_journal_dir(dir);
	struct shelf shelf;
	struct error why;

	assert_true(shelf_load(&shelf, fd, &why));
	for (size_t i = 0; i < shelf.count; i++)
		segment_remove(fd, shelf.firsts[i]);
	shelf_finish(&shelf);
	close(fd);
}

struct journal_options some_options(const char *dir)
{
	return (struct journal_options){
		.dir = dir,
		.segment_bytes = 1 * MIB,
		.wait_max = 64 * MIB,
		.commit_ms = 5,
		.sync_ms = 25,
	};
}

struct journal *open_with(const struct journal_options *options)
{
	struct error why = {{0}};
	struct journal *j = journal_open(options, &why);

	assert_string_equal(why.words, "");
	assert_non_null(j);
	return j;
}

struct journal *open_in(const char *dir)
{
	struct journal_options o = some_options(dir);

	return open_with(&o);
}

/* Without its newline; some are short and some are long. */
size_t line_of(uint64_t seq, char *out, size_t room)
{
	size_t len = (size_t)snprintf(out, room, "{\"seq\":%llu,\"payload\":\"",
	                              (unsigned long long)seq);
	size_t more = seq * 7919 % 301;

	for (size_t i = 0; i < more && len + 3 < room; i++)
		out[len++] = (char)('a' + (seq + i) % 26);
	out[len++] = '"';
	out[len++] = '}';
	return len;
}

enum journal_append append(struct journal *j, bool hurry)
{
	char line[LINE_ROOM];
	size_t len = line_of(journal_last_seq(j) + 1, line, sizeof line);

	return journal_append(j, (struct text){line, 8}, (struct text){line + 8, len - 8}, hurry,
	                      NULL);
}

void wait_durable(struct journal *j)
{
	uint64_t until = clock_mono_ns() + WAIT_MS * UINT64_C(1000000);

	while (journal_durable_seq(j) < journal_last_seq(j)) {
		assert_true(clock_mono_ns() < until);
		journal_wait(j, 10);
		journal_poll(j);
	}
}

/* Appends n and waits for them: one commit, or several. */
void commit(struct journal *j, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		append(j, i + 1 == n);
	wait_durable(j);
}

/* The lines are those of the seqs from `seq` on; returns the seq after them. */
static uint64_t check_lines(struct text lines, uint64_t seq)
{
	assert_true(lines.len > 0 && lines.at[lines.len - 1] == '\n');
	for (; lines.len > 0; seq++) {
		struct text line = text_cut(lines, '\n', &lines);
		char expected[LINE_ROOM];
		size_t len = line_of(seq, expected, sizeof expected);

		assert_int_equal(line.len, len);
		assert_memory_equal(line.at, expected, len);
	}
	return seq;
}

static void tell_range(struct buf *story, uint64_t from, uint64_t next)
{
	if (from)
		buf_print(story, "%llu-%llu ", (unsigned long long)from,
		          (unsigned long long)next - 1);
}

void read_all(struct journal *j, struct position after, size_t max, struct buf *story)
{
	struct positions all = {.all = {after}, .count = 1};
	struct journal_reader *r = journal_reader_resume(j, &all);
	uint64_t from = 0, next = journal_reader_next(r);
	enum journal_news news;
	struct text lines;
	struct gap gap;

	buf_init(story, 64 * KIB);
	while ((news = journal_read(r, max, &lines, &gap)) != JOURNAL_END) {
		if (news == JOURNAL_COLD) {
			journal_wait(j, WAIT_MS);
			journal_poll(j);
		} else if (news == JOURNAL_GAP) {
			tell_range(story, from, next);
			buf_print(story, "gap %llu-%llu %s ", (unsigned long long)gap.from,
			          (unsigned long long)gap.to, gap.why);
			from = 0;
			next = journal_reader_next(r);
		} else {
			assert_int_equal(journal_reader_next(r), next);
			from = from ? from : next;
			next = check_lines(lines, next);
			journal_reader_take(r, lines.len, next);
		}
	}
	tell_range(story, from, next);
	if (story->len)
		story->len--;
	buf_add_char(story, '\0');
	journal_reader_destroy(r);
}

void expect_story(struct journal *j, uint64_t after, const char *expected)
{
	static const size_t sizes[] = {1, 1000, 64 * KIB, 1 * MIB};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct buf story;

		read_all(j, (struct position){.seq = after}, sizes[i], &story);
		assert_string_equal(story.at, expected);
		buf_finish(&story);
	}
}

void expect_refusal(const char *dir, const char *words)
{
	struct journal_options o = some_options(dir);
	struct error why = {{0}};

	assert_null(journal_open(&o, &why));
	assert_non_null(strstr(why.words, words));
}
