/* lines.c - hostile files for import and replay, compressed or not: every line is within
 * its bounds, and what is sent again of one is an envelope.
 *
 * The first letter of the input says what stands behind it: z a text that is compressed
 * first, so that the lines in it are reached; anything else the file as it is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/must.h"
#include "cli/lines.h"
#include "cli/replayed.h"
#include "lib/hold.h"
#include "signal/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A line that was refused is passed over; of all others the file must be held to account. */
static void read_line(struct text line)
{
	static struct json_reader reader;
	struct replayed replayed;
	struct error why = {""};
	struct buf out;

	if (!reader.copy.max)
		json_reader_init(&reader, 64 * MIB);
	buf_init(&out, 64 * MIB);
	replayed_init(&replayed);
	if (replayed_read(&replayed, line, &why)) {
		replayed.epoch = replayed.seq ? "0123456789ab" : NULL;
		replayed_may_go(&replayed);
		replayed_add(&out, &replayed);
		must_hold(yyjson_is_obj(
			yyjson_doc_get_root(json_read(&reader, buf_text(&out), NULL))));
	} else {
		must_hold(why.words[0] != '\0');
	}
	replayed_finish(&replayed);
	buf_finish(&out);
}

static void read_file(const char *path)
{
	struct error why = {""};
	struct lines *lines = lines_open(path, &why);
	enum lines_answer answer;
	struct text line;
	uint64_t last = 0;

	must_hold(lines != NULL);
	while ((answer = lines_next(lines, &line, &why)) != LINES_END) {
		if (answer == LINES_BAD)
			break;
		must_hold(lines_number(lines) == ++last);
		if (answer == LINES_ONE) {
			must_hold(!memchr(line.at, '\n', line.len));
			read_line(line);
		}
	}
	must_hold(lines_done(lines) <= lines_total(lines));
	must_hold(answer != LINES_BAD || why.words[0]);
	lines_close(lines);
}

static void write_all(int fd, const void *bytes, size_t n)
{
	must_hold(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, n, 0) == (ssize_t)n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static int fd;
	char path[40];

	if (n == 0)
		return 0;
	if (!fd)
		fd = memfd_create("lines", MFD_CLOEXEC);
	if (bytes[0] == 'z') {
		size_t room = ZSTD_compressBound(n);
		void *packed = must_alloc(room);

		write_all(fd, packed, ZSTD_compress(packed, room, bytes + 1, n - 1, 1));
		free(packed);
	} else {
		write_all(fd, bytes + 1, n - 1);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_file(path);
	return 0;
}
