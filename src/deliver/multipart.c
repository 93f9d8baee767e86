/* multipart.c - forms with files. */
#include "deliver/multipart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/must.h"
#include "base/random.h"
#include "deliver/files.h"

#define REST_MAX MIB /* of a form, besides its file */
#define READ_BYTES (256 * KIB)

struct channel_upload multipart_keep(const struct channel_upload *file)
{
	struct channel_upload copy = *file;

	copy.path = must_dup(file->path);
	copy.name.at = copy.path + strlen(copy.path) - copy.name.len;
	return copy;
}

void multipart_begin(struct multipart *m)
{
	buf_init(&m->body, FILES_BYTES_MAX + REST_MAX);
	random_hex(m->mark, MULTIPART_MARK_BYTES);
	snprintf(m->header, sizeof(m->header), "Content-Type: multipart/form-data; boundary=%s",
	         m->mark);
}

void multipart_finish(struct multipart *m)
{
	buf_finish(&m->body);
}

static void begin_part(struct multipart *m, const char *name)
{
	buf_print(&m->body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", m->mark, name);
}

static void add_part(struct multipart *m, struct text value)
{
	buf_add(&m->body, TEXT("\r\n\r\n"));
	buf_add(&m->body, value);
	buf_add(&m->body, TEXT("\r\n"));
}

void multipart_add(struct multipart *m, const char *name, struct text value)
{
	begin_part(m, name);
	add_part(m, value);
}

void multipart_add_json(struct multipart *m, const char *name, struct text json)
{
	begin_part(m, name);
	buf_add(&m->body, TEXT("\r\nContent-Type: application/json"));
	add_part(m, json);
}

/* Nothing of a name ends it, or its line. */
static void add_plain_name(struct multipart *m, struct text name)
{
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.at[i] >= ' ' && name.at[i] != '"' && name.at[i] != '\\')
			buf_add_char(&m->body, name.at[i]);
}

static bool add_bytes(struct buf *out, int fd, struct error *why)
{
	ssize_t n;

	do {
		char *room = buf_reserve(out, READ_BYTES);

		if (!room)
			return error_set(why, "it is larger than 20 MiB");
		n = read(fd, room, READ_BYTES);
		if (n > 0)
			out->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n == 0 || error_errno(why, "it cannot be read");
}

bool multipart_read(const struct channel_upload *file, struct buf *out, struct error *why)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool good;

	if (fd < 0)
		return error_errno(why, "it cannot be read");
	good = add_bytes(out, fd, why);
	close(fd);
	return good;
}

bool multipart_add_file(struct multipart *m, const char *name, const struct channel_upload *file,
                        struct error *why)
{
	bool good;

	begin_part(m, name);
	buf_add(&m->body, TEXT("; filename=\""));
	add_plain_name(m, file->name);
	buf_print(&m->body, "\"\r\nContent-Type: %.*s\r\n\r\n", TEXT_ARG(file->type));
	good = multipart_read(file, &m->body, why);
	buf_add(&m->body, TEXT("\r\n"));
	return good;
}

void multipart_end(struct multipart *m)
{
	buf_print(&m->body, "--%s--\r\n", m->mark);
}
