/* spelling.c - character by character. */
#include "gateway/spelling.h"

static bool is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

bool spelling_is_digest(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (!text_is_digit(t.at[i]) && !(t.at[i] >= 'a' && t.at[i] <= 'f'))
			return false;
	return t.len == 64;
}

bool spelling_is_slug(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (!text_is_digit(t.at[i]) && !is_small(t.at[i]) && (i == 0 || t.at[i] != '-'))
			return false;
	return t.len >= 1 && t.len <= 64;
}

bool spelling_is_word(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (!is_small(t.at[i]) && (i == 0 || (!text_is_digit(t.at[i]) && t.at[i] != '_')))
			return false;
	return t.len;
}

/* Half a character is U+FFFD since the text was read. */
bool spelling_is_id(struct text t)
{
	return t.len && !text_is(t, ".") && !text_is(t, "..");
}
