/* marks.c - line by line, and within a line mark by mark. */
#include "deliver/marks.h"

#include <limits.h>

#define DEPTH_MAX 4 /* of emphasis within emphasis */
#define BULLET "\xE2\x80\xA2 "

static struct text slice(struct text t, size_t from, size_t to)
{
	return (struct text){t.at + from, to - from};
}

static size_t leading(struct text t, char c)
{
	size_t n = 0;

	while (n < t.len && t.at[n] == c)
		n++;
	return n;
}

static bool is_among(const char *these, char c)
{
	return c && strchr(these, c);
}

bool marks_is_letter(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* ---- what a line has ---- */

size_t marks_code(struct text t, struct text *inside)
{
	size_t ticks = leading(t, '`'), run = 0;

	for (size_t i = ticks; ticks && i <= t.len; i++) {
		if (i < t.len && t.at[i] == '`') {
			run++;
			continue;
		}
		if (run == ticks) {
			*inside = slice(t, ticks, i - ticks);
			return i;
		}
		run = 0;
	}
	return 0;
}

size_t marks_link(struct text t, struct text *words, struct text *address)
{
	int close = t.len && t.at[0] == '[' ? text_find(t, ']') : -1;
	size_t from = (size_t)close + 2;
	int end;

	if (close < 0 || from > t.len || t.at[from - 1] != '(')
		return 0;
	end = text_find(slice(t, from, t.len), ')');
	if (end < 0)
		return 0;
	*words = slice(t, 1, (size_t)close);
	*address = slice(t, from, from + (size_t)end);
	return from + (size_t)end + 1;
}

/* ---- within a line ---- */

static void put_part(struct marks_page *p, struct text t, unsigned depth);

/* Where the mark stands again, after something; or t.len. */
static size_t find_mark(struct text t, size_t from, struct text mark)
{
	for (size_t i = from + 1; i + mark.len <= t.len; i++)
		if (memcmp(t.at + i, mark.at, mark.len) == 0 && t.at[i - 1] != ' ' &&
		    t.at[i - 1] != '\\')
			return i;
	return t.len;
}

struct mark {
	struct text sign;
	enum marks_kind kind;
	bool is_between; /* words only */
};

static const struct mark marks[] = {
	{{"**", 2}, MARKS_STRONG, false}, {{"__", 2}, MARKS_STRONG, true},
	{{"~~", 2}, MARKS_STRUCK, false}, {{"*", 1}, MARKS_EMPHASIS, false},
	{{"_", 1}, MARKS_EMPHASIS, true},
};

/* Where it ends if it begins there; else t.len. */
static size_t find_end(const struct mark *mark, struct text t, size_t at)
{
	struct text sign = mark->sign;
	size_t from = at + sign.len, end;

	if (from >= t.len || memcmp(t.at + at, sign.at, sign.len) != 0 || t.at[from] == ' ' ||
	    t.at[from] == sign.at[0] ||
	    (mark->is_between && at > 0 && marks_is_letter(t.at[at - 1])))
		return t.len;
	end = find_mark(t, from, sign);
	return mark->is_between && end + sign.len < t.len && marks_is_letter(t.at[end + sign.len])
	               ? t.len
	               : end;
}

/* How far it goes, or 0: there is none here.  So do the others. */
static size_t put_emphasis(struct marks_page *p, struct text t, size_t at, unsigned depth)
{
	for (size_t i = 0; depth < DEPTH_MAX && i < sizeof(marks) / sizeof(*marks); i++) {
		size_t end = find_end(&marks[i], t, at), len = marks[i].sign.len;

		if (end == t.len)
			continue;
		buf_add(p->out, text_of(p->style->signs[marks[i].kind].open));
		put_part(p, slice(t, at + len, end), depth + 1);
		buf_add(p->out, text_of(p->style->signs[marks[i].kind].close));
		return end + len;
	}
	return 0;
}

static size_t put_code(struct marks_page *p, struct text t, size_t at)
{
	struct text inside;
	size_t len = marks_code(slice(t, at, t.len), &inside);

	if (!len)
		return 0;
	p->style->code(p, inside);
	return at + len;
}

static size_t put_link(struct marks_page *p, struct text t, size_t at)
{
	struct text words, address;
	size_t len = marks_link(slice(t, at, t.len), &words, &address);

	return len && words.len && address.len && p->style->link(p, words, address) ? at + len : 0;
}

static void put_part(struct marks_page *p, struct text t, unsigned depth)
{
	for (size_t i = 0; i < t.len;) {
		size_t next = 0;

		if (t.at[i] == '\\' && i + 1 < t.len && is_among("*_`~[]\\#-", t.at[i + 1]))
			next = p->style->letter(p, t, i + 1);
		else if (t.at[i] == '`')
			next = put_code(p, t, i);
		else if (t.at[i] == '[')
			next = put_link(p, t, i);
		else if (is_among("*_~", t.at[i]))
			next = put_emphasis(p, t, i, depth);
		i = next ? next : p->style->letter(p, t, i);
	}
}

/* ---- lines ---- */

static void put_heading(struct marks_page *p, struct text words)
{
	if (!words.len)
		return;
	buf_add(p->out, text_of(p->style->signs[MARKS_STRONG].open));
	p->style->words(p, words);
	buf_add(p->out, text_of(p->style->signs[MARKS_STRONG].close));
}

void marks_put_line(struct marks_page *p, struct text line)
{
	size_t hashes = leading(line, '#'), indent = leading(line, ' ');

	if (hashes >= 1 && hashes <= 6 && hashes < line.len && line.at[hashes] == ' ') {
		put_heading(p, text_trim(slice(line, hashes, line.len)));
		return;
	}
	if (p->style->quote && line.len && line.at[0] == '>') {
		buf_add(p->out, text_of(p->style->quote));
		line = slice(line, 1, line.len);
	} else if (indent + 1 < line.len && is_among("-*+", line.at[indent]) &&
	           line.at[indent + 1] == ' ') {
		buf_add(p->out, slice(line, 0, indent));
		buf_add(p->out, TEXT(BULLET));
		line = slice(line, indent + 2, line.len);
	}
	put_part(p, line, 0);
}

enum marks_line marks_pass(struct fence *fence, struct text line)
{
	if (!fence->mark)
		return fence_opens(fence, line, UINT_MAX) ? MARKS_OPENS : MARKS_TEXT;
	if (!fence_closes(fence, line))
		return MARKS_CODE;
	*fence = (struct fence){0};
	return MARKS_CLOSES;
}
