/* format.c - the file that says what the others are, and what may be among them. */
#include "journal/format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "journal/batch.h"
#include "journal/disk.h"
#include "journal/segment.h"
#include "journal/shelf.h"

#define FORMAT_FILE "format"
#define FORMAT 2
#define FORMAT_LINE "signalbox journal 2\n"
#define FORMAT_BYTES_MAX 4096

/* The number is the last word of the first line; more may follow it one day. */
static bool read_format(struct text file, uint64_t *format)
{
	struct text rest, line = text_cut(file, '\n', &rest);
	struct text prefix = TEXT("signalbox journal ");

	if (!text_starts(line, prefix))
		return false;
	return text_to_u64((struct text){line.at + prefix.len, line.len - prefix.len}, format);
}

/* *format: 0 without the file, of which the segments alone say what they are. */
static bool check_file(int dir, uint64_t *format, struct error *why)
{
	struct buf file;
	bool good = true, is_there;

	*format = 0;
	buf_init(&file, FORMAT_BYTES_MAX);
	is_there = disk_load(dir, FORMAT_FILE, &file);
	if (!is_there && errno != ENOENT)
		good = error_errno(why, "journal/" FORMAT_FILE);
	else if (is_there && !read_format(buf_text(&file), format))
		good = error_set(why, "journal/" FORMAT_FILE " makes no sense");
	else if (*format > FORMAT)
		good = error_set(why, "the journal has format %llu and" NEWER_WORDS,
		                 (unsigned long long)*format);
	buf_finish(&file);
	return good;
}

static ssize_t read_start(int dir, uint64_t first, enum segment_file which, void *into, size_t len)
{
	char name[SEGMENT_NAME_ROOM];
	ssize_t got;
	int fd;

	segment_name(name, first, which);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	got = fd >= 0 ? disk_read(fd, into, len, 0) : -1;
	if (fd >= 0)
		close(fd);
	return got;
}

static bool check_segment(int dir, uint64_t first, struct error *why)
{
	char start[BATCH_HEAD_MAX];
	struct index_entry e;
	ssize_t got = read_start(dir, first, SEGMENT_LINES, start, sizeof start);
	size_t length;

	if ((got <= 0 ||
	     batch_read_title((struct text){start, (size_t)got}, &length) != TITLE_NEWER) &&
	    (read_start(dir, first, SEGMENT_INDEX, &e, sizeof e) != (ssize_t)sizeof e ||
	     !index_entry_is_newer(&e)))
		return true;
	return error_set(why, "segment %llu" NEWER_WORDS, (unsigned long long)first);
}

static bool check_segments(int dir, struct error *why)
{
	struct shelf shelf;
	bool good = shelf_load(&shelf, dir, why);

	for (size_t i = 0; good && i < shelf.count; i++)
		good = check_segment(dir, shelf.firsts[i], why);
	shelf_finish(&shelf);
	return good;
}

bool format_check(int dir, struct error *why)
{
	uint64_t format;

	return check_file(dir, &format, why) && check_segments(dir, why);
}

static bool is_file(int dir, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_REG;
	return fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

static bool is_dots(const char *name)
{
	return text_is(text_of(name), ".") || text_is(text_of(name), "..");
}

/* A link, a pipe or a directory under one of our names would be written through, waited for
 * or tripped over later, in the middle of a commit. */
bool format_check_files(int dir, struct error *why)
{
	DIR *list = disk_list(dir);
	struct dirent *d;
	bool good = true;

	if (!list)
		return error_errno(why, "the journal's directory");
	while (good && (d = readdir(list)))
		if (!is_dots(d->d_name) && !is_file(dir, d))
			good = error_set(why, "journal/%s is no regular file", d->d_name);
	closedir(list);
	return good;
}

bool format_is_there(int dir)
{
	return faccessat(dir, FORMAT_FILE, F_OK, 0) == 0;
}

static bool has_segments(int dir)
{
	struct shelf shelf;
	bool has = shelf_load(&shelf, dir, NULL) && shelf.count > 0;

	shelf_finish(&shelf);
	return has;
}

bool format_write(int dir, struct error *why)
{
	return disk_replace(dir, FORMAT_FILE, TEXT(FORMAT_LINE), why);
}

bool format_check_start(int dir, struct error *why)
{
	uint64_t format;

	if (!format_check_files(dir, why) || !check_file(dir, &format, why) ||
	    !check_segments(dir, why))
		return false;
	if (format == 0 && has_segments(dir))
		log_warn("journal", "journal/" FORMAT_FILE " is missing: it is written again");
	return format == FORMAT || format_write(dir, why);
}
