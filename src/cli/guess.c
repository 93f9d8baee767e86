/* guess.c - which protocol a program prints, by its command line. */
#include "cli/guess.h"

#include <string.h>

const char *guess_name(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash && slash[1] ? slash + 1 : program;
}

static bool has_word(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

/* --name value, or --name=value. */
static bool has_option(const char *const *words, size_t count, const char *name, const char *value)
{
	size_t len = strlen(name);

	for (size_t i = 1; i < count; i++) {
		if (strncmp(words[i], name, len) != 0)
			continue;
		if (words[i][len] == '=' && strcmp(words[i] + len + 1, value) == 0)
			return true;
		if (words[i][len] == '\0' && i + 1 < count && strcmp(words[i + 1], value) == 0)
			return true;
	}
	return false;
}

const char *guess_protocol(const char *const *words, size_t count)
{
	const char *name = guess_name(words[0]);

	if (strcmp(name, "claude") == 0 &&
	    has_option(words, count, "--output-format", "stream-json"))
		return "claude-stream";
	if (strcmp(name, "codex") == 0 && has_word(words, count, "exec") &&
	    has_word(words, count, "--json"))
		return "codex";
	return "lines";
}

bool guess_has_hooks(const char *const *words, const char *protocol)
{
	return strcmp(guess_name(words[0]), "claude") == 0 && strcmp(protocol, "lines") == 0;
}
