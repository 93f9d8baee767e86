/* fence.c - which lines open and close code. */
#include "deliver/fence.h"

enum { INDENT_MAX = 3, MARKS_LEAST = 3 };

static unsigned count_marks(struct text line, size_t from, char c)
{
	size_t at = from;

	while (at < line.len && line.at[at] == c)
		at++;
	return (unsigned)(at - from);
}

static bool is_fence_line(struct fence *fence, struct text line)
{
	unsigned indent = count_marks(line, 0, ' ');
	char mark = indent <= INDENT_MAX && indent < line.len ? line.at[indent] : '\0';

	if (mark != '`' && mark != '~')
		return false;
	*fence = (struct fence){mark, indent, count_marks(line, indent, mark), false, 0, 0};
	return fence->marks >= MARKS_LEAST;
}

bool fence_is_like(struct text line)
{
	struct fence found;

	return is_fence_line(&found, line);
}

bool fence_is_bare(struct text line)
{
	struct fence found;

	return is_fence_line(&found, line) && found.indent + found.marks == line.len;
}

bool fence_opens(struct fence *fence, struct text line, unsigned most)
{
	struct fence found;
	size_t info;

	if (!is_fence_line(&found, line) || found.marks > most)
		return false;
	info = found.indent + found.marks;
	if (found.mark == '`' && line.len > info && memchr(line.at + info, '`', line.len - info))
		return false;
	*fence = found;
	return true;
}

bool fence_closes(const struct fence *fence, struct text line)
{
	struct fence found;

	return is_fence_line(&found, line) && found.mark == fence->mark &&
	       found.marks >= fence->marks;
}

bool fence_next_line(struct text t, size_t *at, struct text *line)
{
	const char *end;

	if (*at >= t.len)
		return false;
	end = memchr(t.at + *at, '\n', t.len - *at);
	*line = (struct text){t.at + *at, (size_t)((end ? end : t.at + t.len) - (t.at + *at))};
	*at += line->len + 1;
	if (line->len && line->at[line->len - 1] == '\r')
		line->len--;
	return true;
}

struct fence fence_after(struct text t, const struct fence *begin, unsigned most)
{
	struct fence open = *begin;
	struct text line;
	size_t at = 0, from = 0;

	while (fence_next_line(t, &at, &line)) {
		if (open.mark) {
			if (fence_closes(&open, line))
				open = (struct fence){0};
		} else if (fence_opens(&open, line, most)) {
			open.line = from;
			open.end = from + line.len;
		}
		from = at;
	}
	return open;
}

void fence_add(const struct fence *fence, struct buf *out)
{
	for (unsigned i = 0; i < fence->indent; i++)
		buf_add_char(out, ' ');
	for (unsigned i = 0; i < fence->marks; i++)
		buf_add_char(out, fence->mark);
}
