/* put.c - keys, values, and the commas between them. */
#include "base/put.h"

#include <ctype.h>
#include <inttypes.h>

/* Does the buffer end with a value?  Behind what opens, a colon, a comma and white space the
 * next one begins. */
static bool ends_with_value(const struct buf *out)
{
	char last = out->len ? out->at[out->len - 1] : '{';

	return last == '"' || last == '}' || last == ']' || isalnum((unsigned char)last);
}

void put_key(struct buf *out, const char *key)
{
	if (ends_with_value(out))
		buf_add_char(out, ',');
	if (!key)
		return;
	buf_add_char(out, '"');
	buf_add(out, text_of(key));
	buf_add(out, TEXT("\":"));
}

void put_object(struct buf *out, const char *key)
{
	put_key(out, key);
	buf_add_char(out, '{');
}

void put_end(struct buf *out)
{
	buf_add_char(out, '}');
}

void put_list(struct buf *out, const char *key)
{
	put_key(out, key);
	buf_add_char(out, '[');
}

void put_list_end(struct buf *out)
{
	buf_add_char(out, ']');
}

void put_text(struct buf *out, const char *key, struct text value)
{
	put_key(out, key);
	buf_add_json(out, value);
}

void put_word(struct buf *out, const char *key, const char *value)
{
	put_key(out, key);
	if (value)
		buf_add_json(out, text_of(value));
	else
		buf_add(out, TEXT("null"));
}

void put_u64(struct buf *out, const char *key, uint64_t value)
{
	put_key(out, key);
	buf_add_u64(out, value);
}

void put_i64(struct buf *out, const char *key, int64_t value)
{
	put_key(out, key);
	buf_print(out, "%" PRId64, value);
}

void put_bool(struct buf *out, const char *key, bool value)
{
	put_json(out, key, value ? TEXT("true") : TEXT("false"));
}

void put_json(struct buf *out, const char *key, struct text json)
{
	put_key(out, key);
	buf_add(out, text_trim(json)); /* what follows looks at its end */
}
