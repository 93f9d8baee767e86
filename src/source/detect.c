/* detect.c - which protocol a URL speaks, by its looks alone. */
#include <strings.h>

#include "net/url.h"
#include "source/source.h"

#define OPENCLAW_PORT 18789

static bool starts(struct text t, const char *prefix)
{
	size_t n = strlen(prefix);

	return t.len >= n && strncasecmp(t.at, prefix, n) == 0;
}

static bool contains(struct text t, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= t.len; i++)
		if (strncasecmp(t.at + i, word, n) == 0)
			return true;
	return false;
}

const char *source_detect(struct text url)
{
	struct text t = text_trim(url);
	struct url parsed;
	bool is_known = url_parse(&parsed, t, NULL);

	if (starts(t, "scenario:"))
		return "scenario";
	if (starts(t, "midi://"))
		return "midi";
	if ((is_known && parsed.port == OPENCLAW_PORT) || contains(t, "openclaw"))
		return "openclaw";
	if (starts(t, "ws://") || starts(t, "wss://"))
		return "websocket";
	return contains(t, "anthropic") ? "anthropic" : "sse";
}
