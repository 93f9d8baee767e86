/* etag.c - finds a tag among those of a field. */
#include "web/etag.h"

static bool find_tag(struct text field, struct text tag, bool weakly)
{
	while (field.len) {
		struct text one = text_trim(text_cut(field, ',', &field));

		if (weakly && text_starts(one, TEXT("W/")))
			one = (struct text){one.at + 2, one.len - 2};
		if (text_equal(one, tag) || text_is(one, "*"))
			return true;
	}
	return false;
}

bool etag_is_in(struct text field, struct text tag)
{
	return find_tag(field, tag, false);
}

bool etag_is_in_weakly(struct text field, struct text tag)
{
	return find_tag(field, tag, true);
}
