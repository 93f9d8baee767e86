/* secret.c - reading and making token files. */
#include "cli/secret.h"

#include <errno.h>

#include "base/random.h"
#include "base/whole.h"

#define FILE_MAX (4 * KIB) /* the newline, and what should not be there */

static bool is_token(struct text line)
{
	if (line.len && line.at[line.len - 1] == '\n')
		line.len--;
	if (line.len != SECRET_LEN)
		return false;
	for (size_t i = 0; i < line.len; i++)
		if (!strchr("0123456789abcdef", line.at[i]) || !line.at[i])
			return false;
	return true;
}

bool secret_read(const char *path, char out[SECRET_LEN + 1], struct error *why)
{
	struct buf bytes;
	bool good;

	buf_init(&bytes, FILE_MAX);
	good = whole_load(path, WHOLE_PRIVATE, &bytes, why);
	if (good && !is_token(buf_text(&bytes)))
		good = error_set(why, "%s holds no token: 64 hexadecimal characters are wanted",
		                 path);
	if (good) {
		memcpy(out, bytes.at, SECRET_LEN);
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
