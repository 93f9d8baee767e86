/* secret.c - reading and making token files. */
#include "cli/secret.h"

#include <ctype.h>
#include <errno.h>

#include "base/random.h"
#include "base/whole.h"

#define FILE_MAX (4 * KIB) /* the newline, and what should not be there */

/* What the box takes for one. */
static bool is_token(struct text line)
{
	for (size_t i = 0; i < line.len; i++)
		if (!isxdigit((unsigned char)line.at[i]))
			return false;
	return line.len == SECRET_LEN;
}

bool secret_read(const char *path, char out[SECRET_LEN + 1], struct error *why)
{
	struct text line;
	struct buf bytes;
	bool good;

	buf_init(&bytes, FILE_MAX);
	good = whole_load(path, WHOLE_PRIVATE, &bytes, why);
	line = text_trim(buf_text(&bytes));
	if (good && !is_token(line))
		good = error_set(why, "%s holds no token: 64 hexadecimal characters are wanted",
		                 path);
	if (good) {
		memcpy(out, line.at, SECRET_LEN);
		out[SECRET_LEN] = '\0';
	}
	whole_forget(&bytes);
	return good;
}

typedef bool write_fn(const char *path, mode_t mode, struct text bytes, struct error *why);

static bool write_new(const char *path, write_fn *write, struct error *why)
{
	char line[SECRET_LEN + 1];
	bool good;

	random_hex(line, SECRET_LEN / 2);
	line[SECRET_LEN] = '\n';
	good = write(path, 0600, (struct text){line, sizeof(line)}, why);
	explicit_bzero(line, sizeof(line));
	return good;
}

bool secret_create(const char *path, struct error *why)
{
	if (write_new(path, whole_create, why))
		return true;
	return errno == EEXIST && error_set(why, "%s is there already", path);
}

bool secret_replace(const char *path, struct error *why)
{
	return write_new(path, whole_replace, why);
}
