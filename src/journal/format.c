/* format.c - the file that says what the others are, and what may be among them. */
#include "journal/format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "journal/disk.h"
#include "journal/segment.h"
#include "journal/shelf.h"

#define FORMAT_FILE "format"
#define FORMAT 1
#define FORMAT_LINE "signalbox journal 1\n"
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

/* A journal without the file is of the first format. */
static bool check_file(int dir, bool *is_there, struct error *why)
{
	uint64_t format = FORMAT;
	struct buf file;
	bool good = true;

	buf_init(&file, FORMAT_BYTES_MAX);
	*is_there = disk_load(dir, FORMAT_FILE, &file);
	if (!*is_there && errno != ENOENT)
		good = error_errno(why, "journal/" FORMAT_FILE);
	else if (*is_there && !read_format(buf_text(&file), &format))
		good = error_set(why, "journal/" FORMAT_FILE " makes no sense");
	else if (format > FORMAT)
		good = error_set(why, "the journal has format %llu and" NEWER_WORDS,
		                 (unsigned long long)format);
	buf_finish(&file);
	return good;
}

static bool check_segment(int dir, uint64_t first, struct error *why)
{
	char name[SEGMENT_NAME_ROOM];
	struct index_entry e;
	int fd;
	bool newer;

	segment_name(name, first, SEGMENT_INDEX);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return true;
	newer = disk_read(fd, &e, sizeof e, 0) == (ssize_t)sizeof e && index_entry_is_newer(&e);
	close(fd);
	return !newer || error_set(why, "segment %llu" NEWER_WORDS, (unsigned long long)first);
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
	bool is_there;

	return check_file(dir, &is_there, why) && check_segments(dir, why);
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

bool format_check_start(int dir, struct error *why)
{
	bool is_there;

	if (!format_check_files(dir, why) || !check_file(dir, &is_there, why) ||
	    !check_segments(dir, why))
		return false;
	if (!is_there && has_segments(dir))
		log_warn("journal",
		         "journal/" FORMAT_FILE " is missing: format 1 is written there");
	return is_there || disk_replace(dir, FORMAT_FILE, TEXT(FORMAT_LINE), why);
}
