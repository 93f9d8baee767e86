/* sse.c - events as lines. */
#include "net/sse.h"

/* Nothing that would end the line, and no NUL: an id with one is ignored by
 * clients, which would then resume at the wrong place. */
static bool is_one_line(struct text t)
{
	return text_find(t, '\n') < 0 && text_find(t, '\r') < 0 && text_find(t, '\0') < 0;
}

static bool sse_add_field(struct buf *out, struct text name, struct text value)
{
	return buf_add(out, name) && buf_add(out, TEXT(": ")) && buf_add(out, value) &&
	       buf_add_char(out, '\n');
}

/* The first line of t, ended by CR, LF or CRLF; rest gets what follows, with a
 * NULL pointer when this was the last. */
static struct text first_line(struct text t, struct text *rest)
{
	size_t i = 0, next;

	while (i < t.len && t.at[i] != '\r' && t.at[i] != '\n')
		i++;
	*rest = (struct text){0};
	if (i == t.len)
		return t;
	next = i + (t.at[i] == '\r' && i + 1 < t.len && t.at[i + 1] == '\n' ? 2 : 1);
	*rest = (struct text){t.at + next, t.len - next};
	return (struct text){t.at, i};
}

static bool sse_add_lines(struct buf *out, struct text name, struct text value)
{
	do {
		if (!sse_add_field(out, name, first_line(value, &value)))
			return false;
	} while (value.at);
	return true;
}

static bool undo(struct buf *out, size_t was)
{
	out->len = was;
	return false;
}

bool sse_add_event(struct buf *out, struct text id, struct text event, struct text data)
{
	size_t was = out->len;
	bool ok = is_one_line(id) && is_one_line(event);

	if (ok && id.len)
		ok = sse_add_field(out, TEXT("id"), id);
	if (ok && event.len)
		ok = sse_add_field(out, TEXT("event"), event);
	ok = ok && sse_add_lines(out, TEXT("data"), data) && buf_add_char(out, '\n');
	return ok || undo(out, was);
}

bool sse_add_comment(struct buf *out, struct text words)
{
	size_t was = out->len;
	bool ok = sse_add_lines(out, TEXT(""), words) && buf_add_char(out, '\n');

	return ok || undo(out, was);
}

bool sse_add_retry(struct buf *out, unsigned ms)
{
	return buf_print(out, "retry: %u\n\n", ms);
}
