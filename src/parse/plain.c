/* plain.c - one shape of an event, byte for byte. */
#include "parse/plain.h"

#include "base/scan.h"
#include "base/utf8.h"

#define INDEX_DIGITS 9 /* more blocks has no message */

/* Each steps over what is expected here; NULL: it is not there, or what was before it was not.
 * Inlined, because the length of a name is known then. */
static inline const char *plain_char(const char *at, const char *end, char c)
{
	return at && at < end && *at == c ? at + 1 : NULL;
}

static inline __attribute__((always_inline)) const char *plain_word(const char *at, const char *end,
                                                                    struct text word)
{
	if (!at || (size_t)(end - at) < word.len + 2 || at[0] != '"' ||
	    memcmp(at + 1, word.at, word.len) != 0 || at[word.len + 1] != '"')
		return NULL;
	return at + word.len + 2;
}

/* The name of a member, behind a brace or a comma, and its colon. */
static inline __attribute__((always_inline)) const char *plain_name(const char *at, const char *end,
                                                                    char before, struct text name)
{
	return plain_char(plain_word(plain_char(at, end, before), end, name), end, ':');
}

static const char *plain_index(const char *at, const char *end)
{
	const char *first = at;

	if (!at)
		return NULL;
	while (at < end && at - first < INDEX_DIGITS && *at >= '0' && *at <= '9')
		at++;
	if (at == first || (*first == '0' && at - first > 1))
		return NULL;
	return at;
}

/* Servers hide how long a piece is with spaces in front of the last brace. */
static const char *plain_padding(const char *at, const char *end)
{
	while (at && at < end && *at == ' ')
		at++;
	return at;
}

/* Those that buf_add_json() writes; what else is escaped is written in another way by us. */
static bool is_our_escape(char c)
{
	return c == 'n' || c == '"' || c == '\\' || c == 't' || c == 'r';
}

/* From the opening quote to behind the other one. */
static const char *plain_words(const char *at, const char *end)
{
	const char *first = at;

	if (!plain_char(at, end, '"'))
		return NULL;
	at = scan_stop(at + 1, end);
	while (end - at >= 2 && *at == '\\' && is_our_escape(at[1]))
		at = scan_stop(at + 2, end);
	if (at == end || *at != '"' || memchr(first, 0x7f, (size_t)(at - first)) ||
	    !utf8_is_valid((struct text){first, (size_t)(at - first)}))
		return NULL;
	return at + 1;
}

struct text plain_text_delta(struct text event)
{
	const char *end = event.len ? event.at + event.len : event.at, *at, *words;

	at = plain_name(event.at, end, '{', TEXT("type"));
	at = plain_word(at, end, TEXT("content_block_delta"));
	at = plain_index(plain_name(at, end, ',', TEXT("index")), end);
	at = plain_name(at, end, ',', TEXT("delta"));
	at = plain_word(plain_name(at, end, '{', TEXT("type")), end, TEXT("text_delta"));
	words = plain_name(at, end, ',', TEXT("text"));
	at = plain_words(words, end);
	if (!at)
		return (struct text){NULL, 0};
	event = (struct text){words, (size_t)(at - words)};
	at = plain_padding(plain_char(at, end, '}'), end);
	at = plain_char(at, end, '}');
	return at && at == end ? event : (struct text){NULL, 0};
}
