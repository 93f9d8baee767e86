/* journal.c - the start of a journal whose files were garbled.
 *
 * A sound journal of some segments is made once, the oldest of them in the old form.  The
 * input is a list of edits, six bytes each, to its files: bytes flipped, cut off or added,
 * files removed, and heads of batches, entries of an index and checkpoints of a segment changed and sealed again, so that
 * hostile numbers get past their checksum.  Whatever comes of it: nothing crashes, every line
 * that a reader gets was committed once or stands in a file (behind the index, lines are kept
 * without a checksum), seqs rise, what is appended then is there, and a checkpoint that was kept
 * is as it was written, unless it was sealed again.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "base/map.h"
#include "base/must.h"
#include "journal/batch.h"
#include "journal/disk.h"
#include "journal/kept.h"
#include "journal/reader.h"
#include "journal/segment.h"
#include "journal/verify.h"
#include "lib/hold.h"

#define FILES_MAX 96
#define EDIT_BYTES 6
#define EDITS_MAX 64
#define LINE_ROOM 200
#define FRESH 3 /* appended after the start */
#define OLD_SEGMENTS 3
#define FILE_MAX (4 * MIB)
#define KEPT_STATE "the state of things"
#define KEPT_CRC 36 /* of a kept checkpoint: where its checksum stands */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct file {
	char *name;
	struct buf sound, edited;
	bool removed;
};

static struct file files[FILES_MAX];
static size_t file_count;
static struct map committed; /* every line of the sound journal */
static char dir[64], journal_dir[80];
static bool is_sealed; /* a kept checkpoint was changed and sealed again */

/* --- the sound journal ---------------------------------------------------- */

static struct text line_of(uint64_t seq, char out[LINE_ROOM])
{
	int n = snprintf(out, LINE_ROOM, "{\"seq\":%llu,\"x\":\"%.*s\"}", (unsigned long long)seq,
	                 (int)(seq * 13 % 90),
	                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789"
	                 "abcdefghijklmnopqrstuvwxyz");

	return (struct text){out, (size_t)n};
}

static void remove_all(void)
{
	DIR *list = opendir(journal_dir);
	struct dirent *d;
	char path[400];

	while (list && (d = readdir(list))) {
		snprintf(path, sizeof path, "%s/%s", journal_dir, d->d_name);
		unlink(path);
	}
	if (list)
		closedir(list);
}

static void leave(void)
{
	char lock[80];

	remove_all();
	snprintf(lock, sizeof lock, "%s/lock", dir);
	unlink(lock);
	rmdir(journal_dir);
	rmdir(dir);
}

static bool fold(void *self, struct saved_state *out)
{
	buf_add(&saved_state_add(out, true)->bytes, TEXT(KEPT_STATE));
	buf_add(&saved_state_add(out, false)->bytes, TEXT(", and what of it is for a start alone"));
	return true;
}

static struct journal *start(void)
{
	struct journal_options o = {
		.dir = dir,
		.segment_bytes = 1 * KIB,
		.wait_max = 2 * KIB,
		.commit_ms = 1,
		.checkpoint = fold,
	};
	struct error why;

	return journal_open(&o, &why);
}

static void wait_durable(struct journal *j)
{
	while (journal_durable_seq(j) < journal_last_seq(j)) {
		journal_wait(j, 1000);
		journal_poll(j);
	}
}

static void keep_file(const char *name)
{
	struct file *f = &files[file_count++];
	int fd = open(journal_dir, O_RDONLY | O_DIRECTORY);
	struct text rest;

	must_hold(file_count <= FILES_MAX);
	f->name = must_dup(name);
	buf_init(&f->sound, FILE_MAX);
	buf_init(&f->edited, FILE_MAX);
	must_hold(disk_load(fd, name, &f->sound));
	close(fd);
	if (!strstr(name, "ndjson"))
		return;
	for (rest = buf_text(&f->sound); rest.len > 0;)
		map_set(&committed, text_cut(rest, '\n', &rest), f);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

/* Writes a segment in the old form: bare lines, and their index beside them. */
static void make_old(struct file *f)
{
	struct file *index = &files[file_count++];
	struct text rest = buf_text(&f->sound);
	struct buf lines;

	must_hold(file_count <= FILES_MAX);
	index->name = must_print("%.20s.index", f->name);
	buf_init(&index->sound, FILE_MAX);
	buf_init(&index->edited, FILE_MAX);
	buf_init(&lines, FILE_MAX);
	while (rest.len > 0) {
		struct text line = text_cut(rest, '\n', &rest);
		struct index_entry e;

		if (!batch_head_read(line, &e))
			continue;
		e.offset = lines.len;
		index_entry_seal(&e);
		buf_add(&lines, (struct text){rest.at, e.length});
		buf_add(&index->sound, (struct text){(const char *)&e, sizeof e});
		rest = (struct text){rest.at + e.length, rest.len - e.length};
	}
	buf_finish(&f->sound);
	f->sound = lines;
}

/* Segments of some batches each, one with a gap line, and a crash behind it. */
static void make_sound(void)
{
	struct journal *j = start();
	struct dirent *d;
	DIR *list;

	must_hold(j != NULL);
	for (int i = 0; i < 60; i++) {
		char line[LINE_ROOM];

		journal_append(j, TEXT(""), line_of(journal_last_seq(j) + 1, line), i % 4 == 0,
		               NULL);
		if (i % 4 == 0 && i < 30)
			wait_durable(j);
	}
	wait_durable(j);
	journal_close(j);
	list = opendir(journal_dir);
	while (list && (d = readdir(list)))
		if (d->d_name[0] != '.')
			keep_file(d->d_name);
	closedir(list);
	qsort(files, file_count, sizeof *files, by_name);
	for (size_t i = 0, old = 0, n = file_count; i < n && old < OLD_SEGMENTS; i++)
		if (strstr(files[i].name, ".ndjson")) {
			make_old(&files[i]);
			old++;
		}
}

static void begin(void)
{
	const char *shm = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	log_set_level((enum log_level)(-1));
	map_init(&committed);
	snprintf(dir, sizeof dir, "%s/signalbox-fuzz-%ld", shm, (long)getpid());
	snprintf(journal_dir, sizeof journal_dir, "%s/journal", dir);
	must_hold(mkdir(dir, 0700) == 0);
	atexit(leave);
	make_sound();
}

/* --- the edits ------------------------------------------------------------ */

static uint64_t *field_of(struct index_entry *e, unsigned which)
{
	uint64_t *const fields[] = {&e->first, &e->last, &e->offset};

	return fields[which % 3];
}

static void change(struct index_entry *e, unsigned value)
{
	if (value % 5 == 4)
		e->length = value * 16777259u;
	else if (value % 5 == 3)
		e->kind = (uint8_t)(value / 5);
	else
		*field_of(e, value % 5) += value / 5 > 25 ? value * 0x100000001ull : value / 5;
}

/* The head of one of the first batches, of which a kind that there is not cannot be written. */
static void edit_head(struct file *f, unsigned at, unsigned value)
{
	struct text all = buf_text(&f->edited), rest = all;
	struct index_entry e = {0};
	struct text line = {0};
	char head[BATCH_HEAD_MAX];
	struct buf changed;

	for (unsigned n = at % 6 + 1; n > 0 && rest.len > 0;) {
		line = text_cut(rest, '\n', &rest);
		n -= batch_head_read(line, &e);
	}
	if (!e.last)
		return;
	change(&e, value);
	e.kind = (uint8_t)(1 + e.kind % 3);
	buf_init(&changed, FILE_MAX);
	buf_add(&changed, (struct text){all.at, (size_t)(line.at - all.at)});
	buf_add(&changed, (struct text){head, batch_head_write(head, &e)});
	buf_add(&changed, rest);
	buf_finish(&f->edited);
	f->edited = changed;
}

static void edit_entry(struct file *f, unsigned at, unsigned value)
{
	size_t count = f->edited.len / sizeof(struct index_entry);
	struct index_entry e;

	if (count == 0)
		return;
	at %= count < 12 ? count : 12;
	memcpy(&e, f->edited.at + at * sizeof e, sizeof e);
	change(&e, value);
	index_entry_seal(&e);
	memcpy(f->edited.at + at * sizeof e, &e, sizeof e);
}

static void edit_kept(struct file *f, unsigned at, unsigned value)
{
	char *bytes = f->edited.at;
	uint32_t crc;

	if (f->edited.len <= KEPT_CRC + sizeof crc)
		return;
	bytes[8 + at % (f->edited.len - 8)] ^= (char)(value ? value : 1);
	crc = crc32c(crc32c(0, bytes, KEPT_CRC), bytes + KEPT_CRC + sizeof crc,
	             f->edited.len - KEPT_CRC - sizeof crc);
	memcpy(bytes + KEPT_CRC, &crc, sizeof crc);
	is_sealed = true;
}

static void edit(const uint8_t *b)
{
	struct file *f = &files[b[0] % file_count];
	unsigned at = b[2] | (unsigned)b[3] << 8, value = b[4];
	size_t len = f->edited.len;

	switch (b[1] % 6) {
	case 0:
		if (len)
			f->edited.at[at % len] ^= (char)(value ? value : 1);
		break;
	case 1:
		f->edited.len = len ? at % len : 0;
		break;
	case 2:
		f->removed = true;
		break;
	case 3:
		if (strstr(f->name, "index"))
			edit_entry(f, at, value);
		else if (strstr(f->name, ".ndjson"))
			edit_head(f, at, value);
		else if (strstr(f->name, ".checkpoint"))
			edit_kept(f, at, value);
		break;
	case 4:
		for (unsigned i = 0; i < at % 300; i++)
			buf_add_char(&f->edited, (char)(value + i * b[5]));
		break;
	default:
		if (len >= sizeof(struct index_entry))
			memset(f->edited.at + at % (len - sizeof(struct index_entry) + 1), 0,
			       sizeof(struct index_entry));
	}
}

static void put_files(const uint8_t *bytes, size_t n)
{
	is_sealed = false;
	for (size_t i = 0; i < file_count; i++) {
		buf_clear(&files[i].edited);
		buf_add(&files[i].edited, buf_text(&files[i].sound));
		files[i].removed = false;
	}
	for (size_t i = 0; i + EDIT_BYTES <= n && i < (size_t)EDITS_MAX * EDIT_BYTES;
	     i += EDIT_BYTES)
		edit(bytes + i);
	remove_all();
	for (size_t i = 0; i < file_count; i++) {
		char path[400];
		struct iovec piece = {files[i].edited.at, files[i].edited.len};
		int fd;

		if (files[i].removed)
			continue;
		snprintf(path, sizeof path, "%s/%s", journal_dir, files[i].name);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		must_hold(fd >= 0 && (piece.iov_len == 0 || disk_write(fd, &piece, 1, 0)));
		close(fd);
	}
}

/* --- what must hold ------------------------------------------------------- */

static bool stands_in_a_file(struct text line)
{
	for (size_t i = 0; i < file_count; i++) {
		struct text rest = buf_text(&files[i].edited);

		while (rest.len > 0 && !files[i].removed)
			if (text_equal(text_cut(rest, '\n', &rest), line))
				return true;
	}
	return false;
}

static void check_lines(struct text lines, uint64_t seq, uint64_t old)
{
	must_hold(lines.len > 0 && lines.at[lines.len - 1] == '\n');
	for (; lines.len > 0; seq++) {
		struct text line = text_cut(lines, '\n', &lines);
		char fresh[LINE_ROOM];

		must_hold(map_get(&committed, line) || stands_in_a_file(line) ||
		          (seq > old && text_equal(line, line_of(seq, fresh))));
	}
}

static uint64_t count_lines(struct text lines)
{
	uint64_t n = 0;

	while (lines.len > 0) {
		text_cut(lines, '\n', &lines);
		n++;
	}
	return n;
}

static void read_all(struct journal *j, uint64_t after, size_t max, uint64_t old)
{
	struct journal_reader *r = journal_reader_create(j, after);
	enum journal_news news;
	struct text lines;
	struct gap gap;

	while ((news = journal_read(r, max, &lines, &gap)) != JOURNAL_END) {
		uint64_t next = journal_reader_next(r);

		if (news == JOURNAL_LINES) {
			check_lines(lines, next, old);
			journal_reader_take(r, lines.len, next + count_lines(lines));
		} else if (news == JOURNAL_COLD) {
			journal_wait(j, 1000);
			journal_poll(j);
		} else {
			must_hold(gap.from <= gap.to && next > gap.to);
		}
	}
	must_hold(journal_reader_next(r) > journal_last_seq(j));
	journal_reader_destroy(r);
}

static void check_kept(struct journal *j, uint64_t seq)
{
	struct buf state;
	uint64_t at;

	buf_init(&state, FILE_MAX);
	if (journal_kept(j, seq, &state, &at))
		must_hold(at <= seq && (is_sealed || text_is(buf_text(&state), KEPT_STATE)));
	else
		must_hold(at == 0 && state.len == 0);
	buf_finish(&state);
}

static void use(struct journal *j, size_t max)
{
	uint64_t old = journal_last_seq(j);
	char line[LINE_ROOM];

	check_kept(j, old);
	check_kept(j, old / 2);
	read_all(j, 0, max, old);
	read_all(j, old / 2, max, old);
	for (int i = 0; i < FRESH && old < UINT64_MAX - FRESH; i++)
		journal_append(j, TEXT(""), line_of(journal_last_seq(j) + 1, line), true, NULL);
	wait_durable(j);
	read_all(j, old, max, old);
	read_all(j, 0, 64 * KIB, old);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct journal_report report = {0};
	struct journal *j;

	if (!dir[0])
		begin();
	put_files(bytes, n);
	journal_verify(dir, &report, NULL);
	j = start();
	if (j) {
		use(j, 1 + n * 37 % 3000);
		journal_close(j);
	}
	return 0;
}
