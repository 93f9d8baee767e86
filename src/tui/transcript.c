/* transcript.c - a transcript, read line by line within a ceiling. */
#include "tui/transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "run/frame.h"

#define READ_SIZE (64 * KIB)

static int open_within(const char *dir, struct error *why)
{
	char *path = must_print("%s/transcript.jsonl", dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		error_set(why, "%s: it has no transcript.jsonl", dir);
	else if (fd < 0)
		error_errno(why, "%s", path);
	free(path);
	return fd;
}

bool transcript_open(struct transcript *transcript, const char *path, struct error *why)
{
	struct stat about;

	*transcript = (struct transcript){.fd = -1};
	buf_init(&transcript->bytes, FRAME_MAX + READ_SIZE);
	if (path[0] == '\0')
		return error_set(why, "a transcript needs a name");
	if (stat(path, &about) != 0)
		return errno == ENOENT ? error_set(why, "%s: no such file or run", path)
		                       : error_errno(why, "%s", path);
	if (S_ISDIR(about.st_mode)) {
		transcript->fd = open_within(path, why);
		return transcript->fd >= 0;
	}
	transcript->fd = open(path, O_RDONLY | O_CLOEXEC);
	return transcript->fd >= 0 || error_errno(why, "%s", path);
}

void transcript_close(struct transcript *transcript)
{
	if (transcript->fd >= 0)
		close(transcript->fd);
	transcript->fd = -1;
	buf_finish(&transcript->bytes);
}

/* What is read already goes; a line that does not end within the ceiling too. */
static void read_more(struct transcript *transcript)
{
	char *room;
	ssize_t got;

	buf_drop(&transcript->bytes, transcript->at);
	transcript->at = 0;
	if (transcript->bytes.len > FRAME_MAX) {
		buf_clear(&transcript->bytes);
		transcript->is_too_long = true;
	}
	room = buf_reserve(&transcript->bytes, READ_SIZE);
	do
		got = read(transcript->fd, room, READ_SIZE);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		transcript->bytes.len += (size_t)got;
	else
		transcript->is_over = true;
}

/* True when there is a line, whatever it is; at the end also one without its end. */
static bool cut_line(struct transcript *transcript, struct text *line)
{
	struct text rest;
	int end;

	if (transcript->at == transcript->bytes.len)
		return false;
	rest.at = transcript->bytes.at + transcript->at;
	rest.len = transcript->bytes.len - transcript->at;
	end = text_find(rest, '\n');
	if (end < 0 && !transcript->is_over)
		return false;
	line->at = rest.at;
	line->len = end < 0 ? rest.len : (size_t)end;
	transcript->at += line->len + (end >= 0);
	*line = text_trim(*line);
	if (transcript->is_too_long)
		line->len = 0;
	transcript->is_too_long = false;
	return true;
}

bool transcript_next(struct transcript *transcript, struct text *line)
{
	for (;;) {
		while (cut_line(transcript, line))
			if (line->len > 0)
				return true;
		if (transcript->is_over)
			return false;
		read_more(transcript);
	}
}
