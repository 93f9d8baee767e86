/* prompts_key.c - the key of a box that makes the ids of its prompts: DATA/prompt-key. */
#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/random.h"
#include "base/whole.h"
#include "run/prompts.h"

#define KEY_FILE_MAX (8 * KIB)

/* False with errno ENOENT: there is none. */
static bool read_key(const char *path, char key[PROMPTS_KEY], struct error *why)
{
	struct buf bytes;
	int failure;
	bool good;

	buf_init(&bytes, KEY_FILE_MAX);
	good = whole_load(path, WHOLE_PRIVATE | WHOLE_NO_LINK, &bytes, why);
	failure = errno;
	if (good && bytes.len < PROMPTS_KEY) {
		failure = EPERM;
		good = error_set(why, "%s holds no key", path);
	}
	if (good)
		memcpy(key, bytes.at, PROMPTS_KEY);
	whole_forget(&bytes);
	errno = failure;
	return good;
}

/* DATA/prompt-key: who has it can tell the ids of prompts. */
bool prompts_load_key(const char *data, char key[PROMPTS_KEY], struct error *why)
{
	char *path = must_print("%s/prompt-key", data);
	bool good = read_key(path, key, why);

	if (!good && errno == ENOENT) {
		random_bytes(key, PROMPTS_KEY);
		good = whole_replace(path, 0600, (struct text){key, PROMPTS_KEY}, why);
	}
	free(path);
	return good;
}

bool prompts_check_key(const char *data, struct error *why)
{
	char *path = must_print("%s/prompt-key", data);
	char key[PROMPTS_KEY];
	bool good = read_key(path, key, why) || errno == ENOENT;

	OPENSSL_cleanse(key, sizeof(key));
	free(path);
	return good;
}
