/* plain.c - line by line, and within a line mark by mark. */
#include "deliver/plain.h"

#include "deliver/fence.h"

#define FENCE_MOST 64

static void add_safe(struct buf *out, struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		unsigned char c = (unsigned char)t.at[i];

		if ((c >= ' ' && c != 0x7f) || c == '\t')
			buf_add_char(out, (char)c);
	}
}

static struct text skip(struct text t, size_t n)
{
	return (struct text){t.at + n, t.len - n};
}

/* `code`: up to the same run of marks.  0: it is not closed. */
static size_t code_length(struct text t)
{
	size_t marks = 0, run = 0;

	while (marks < t.len && t.at[marks] == '`')
		marks++;
	for (size_t i = marks; i <= t.len; i++) {
		if (i < t.len && t.at[i] == '`') {
			run++;
			continue;
		}
		if (run == marks)
			return i;
		run = 0;
	}
	return 0;
}

static void add_code(struct buf *out, struct text t)
{
	while (t.len > 1 && t.at[0] == '`' && t.at[t.len - 1] == '`')
		t = (struct text){t.at + 1, t.len - 2};
	add_safe(out, t);
}

/* [words](address).  0: it is none. */
static size_t link_length(struct text t, struct text *words, struct text *address)
{
	int close = text_find(t, ']');
	struct text after;
	int end;

	if (close < 1 || (size_t)close + 1 >= t.len || t.at[close + 1] != '(')
		return 0;
	after = skip(t, (size_t)close + 2);
	end = text_find(after, ')');
	if (end < 1 || text_find((struct text){after.at, (size_t)end}, ' ') >= 0)
		return 0;
	*words = (struct text){t.at + 1, (size_t)close - 1};
	*address = (struct text){after.at, (size_t)end};
	return (size_t)close + 2 + (size_t)end + 1;
}

static void add_link(struct buf *out, struct text words, struct text address)
{
	add_safe(out, words);
	if (text_equal(words, address))
		return;
	buf_add(out, words.len ? TEXT(" (") : TEXT("("));
	add_safe(out, address);
	buf_add_char(out, ')');
}

/* What stands at the beginning of t; how long it was. */
static size_t add_mark(struct buf *out, struct text t)
{
	struct text words, address;
	size_t n = 0;

	if (t.at[0] == '`' && (n = code_length(t)) > 0)
		add_code(out, (struct text){t.at, n});
	else if (t.at[0] == '[' && (n = link_length(t, &words, &address)) > 0)
		add_link(out, words, address);
	else if (text_starts(t, TEXT("**")))
		n = 2;
	return n;
}

static struct text without_heading(struct text line)
{
	size_t marks = 0;

	while (marks < line.len && line.at[marks] == '#')
		marks++;
	return marks > 0 && marks <= 6 && marks < line.len && line.at[marks] == ' '
	               ? skip(line, marks + 1)
	               : line;
}

static void add_line(struct buf *out, struct text line)
{
	line = without_heading(line);
	while (line.len) {
		size_t n = add_mark(out, line);

		if (n == 0) {
			add_safe(out, (struct text){line.at, 1});
			n = 1;
		}
		line = skip(line, n);
	}
}

/* Is the line a fence?  It opens or closes then. */
static bool passes_fence(struct fence *fence, struct text line)
{
	if (!fence->mark)
		return fence_opens(fence, line, FENCE_MOST);
	if (!fence_closes(fence, line))
		return false;
	*fence = (struct fence){0};
	return true;
}

void plain_add(struct buf *out, struct text text)
{
	struct fence fence = {0};
	struct text line;
	bool is_first = true;

	for (size_t at = 0; fence_next_line(text, &at, &line);) {
		if (passes_fence(&fence, line))
			continue;
		if (!is_first)
			buf_add_char(out, '\n');
		is_first = false;
		if (fence.mark)
			add_safe(out, line);
		else
			add_line(out, line);
	}
}
