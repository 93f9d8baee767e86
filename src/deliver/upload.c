/* upload.c - files on their way to a chat. */
#include "deliver/upload.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/must.h"

#define READ_BYTES (256 * KIB)

struct channel_upload upload_keep(const struct channel_upload *file)
{
	struct channel_upload copy = *file;

	copy.path = must_dup(file->path);
	copy.name.at = copy.path + strlen(copy.path) - copy.name.len;
	return copy;
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

bool upload_read(const struct channel_upload *file, struct buf *out, struct error *why)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool good;

	if (fd < 0)
		return error_errno(why, "it cannot be read");
	good = add_bytes(out, fd, why);
	close(fd);
	return good;
}

bool upload_add(struct multipart *form, const char *name, const struct channel_upload *file,
                struct error *why)
{
	bool good;

	multipart_begin_file(form, &(struct multipart_file){name, file->name, file->type});
	good = upload_read(file, &form->body, why);
	multipart_end_file(form);
	return good;
}
