/* plain.c - line by line, and within a line mark by mark. */
#include "deliver/plain.h"

#include "deliver/marks.h"

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
	size_t n = marks_code(t, &words);

	if (n > 0) {
		add_safe(out, words);
		return n;
	}
	n = marks_link(t, &words, &address);
	if (n > 0 && address.len && text_find(address, ' ') < 0) {
		add_link(out, words, address);
		return n;
	}
	return text_starts(t, TEXT("**")) ? 2 : 0;
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

void plain_add(struct buf *out, struct text text)
{
	struct fence fence = {0};
	struct text line;
	bool is_first = true;

	for (size_t at = 0; fence_next_line(text, &at, &line);) {
		enum marks_line is = marks_pass(&fence, line);

		if (is == MARKS_OPENS || is == MARKS_CLOSES)
			continue;
		if (!is_first)
			buf_add_char(out, '\n');
		is_first = false;
		if (is == MARKS_CODE)
			add_safe(out, line);
		else
			add_line(out, line);
	}
}
