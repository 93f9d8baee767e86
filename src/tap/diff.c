/* diff.c - lines that went and lines that came, found by Myers' greedy search.
 *
 * What the two have in common at both ends is put aside first.  The search takes
 * memory by the square of the differences; beyond DIFFERENCES_MAX of them it is given
 * up, and all that is left is told as gone and come: longer, and as true.
 */
#include "tap/diff.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

#define CONTEXT 3
#define DIFFERENCES_MAX 1024

/* One of the two texts. */
struct side {
	struct text *lines; /* each with its newline */
	bool *changed;      /* of each line: it is not in the other text */
	size_t count;
};

static void side_read(struct side *side, struct text text)
{
	size_t newlines = 0, at = 0;

	for (size_t i = 0; i < text.len; i++)
		newlines += text.at[i] == '\n';
	*side = (struct side){0};
	side->lines = must_zero(newlines + 1, sizeof(*side->lines));
	side->changed = must_zero(newlines + 1, sizeof(*side->changed));
	while (at < text.len) {
		struct text rest = {text.at + at, text.len - at};
		const char *end = memchr(rest.at, '\n', rest.len);

		rest.len = end ? (size_t)(end - rest.at) + 1 : rest.len;
		assert(side->count <= newlines);
		side->lines[side->count++] = rest;
		at += rest.len;
	}
}

static void side_finish(struct side *side)
{
	free(side->lines);
	free(side->changed);
}

/* ---- the search ---- */

/* What is left between the common ends: lines from..from+count of both. */
struct diff_search {
	const struct side *a, *b;
	size_t from;
	long a_count, b_count;
	long *rows[DIFFERENCES_MAX + 1]; /* rows[d][k + d]: how far on diagonal k by d changes */
};

static long row_at(const struct diff_search *s, long d, long k)
{
	return s->rows[d][k + d];
}

/* Does the way to diagonal k by d changes come down from k + 1: by a line of b? */
static bool comes_down(const struct diff_search *s, long d, long k)
{
	return k == -d || (k != d && row_at(s, d - 1, k - 1) < row_at(s, d - 1, k + 1));
}

static long slide(const struct diff_search *s, long x, long k)
{
	while (x < s->a_count && x - k < s->b_count &&
	       text_equal(s->a->lines[s->from + (size_t)x], s->b->lines[s->from + (size_t)(x - k)]))
		x++;
	return x;
}

/* True: with d changes the end is reached. */
static bool diff_step(struct diff_search *s, long d)
{
	bool is_end = false;

	s->rows[d] = must_zero((size_t)(2 * d + 1), sizeof(**s->rows));
	for (long k = -d; k <= d; k += 2) {
		long x = 0;

		if (d > 0)
			x = comes_down(s, d, k) ? row_at(s, d - 1, k + 1)
			                        : row_at(s, d - 1, k - 1) + 1;
		x = slide(s, x, k);
		s->rows[d][k + d] = x;
		is_end |= x >= s->a_count && x - k >= s->b_count;
	}
	return is_end;
}

/* Back from the end, change by change. */
static void mark_way(const struct diff_search *s, long d)
{
	long x = s->a_count, y = s->b_count;

	for (; d > 0; d--) {
		long k = x - y;
		bool down = comes_down(s, d, k);

		k += down ? 1 : -1;
		x = row_at(s, d - 1, k);
		y = x - k;
		if (down)
			s->b->changed[s->from + (size_t)y] = true;
		else
			s->a->changed[s->from + (size_t)x] = true;
	}
}

static void mark_all(const struct diff_search *s)
{
	for (long i = 0; i < s->a_count; i++)
		s->a->changed[s->from + (size_t)i] = true;
	for (long i = 0; i < s->b_count; i++)
		s->b->changed[s->from + (size_t)i] = true;
}

static void compare(const struct side *a, const struct side *b)
{
	struct diff_search *s = must_zero(1, sizeof(*s));
	size_t shorter = a->count < b->count ? a->count : b->count, end = 0;
	long d = 0;

	s->a = a;
	s->b = b;
	while (s->from < shorter && text_equal(a->lines[s->from], b->lines[s->from]))
		s->from++;
	while (end < shorter - s->from &&
	       text_equal(a->lines[a->count - 1 - end], b->lines[b->count - 1 - end]))
		end++;
	s->a_count = (long)(a->count - end - s->from);
	s->b_count = (long)(b->count - end - s->from);
	while (d <= DIFFERENCES_MAX && !diff_step(s, d))
		d++;
	if (d <= DIFFERENCES_MAX)
		mark_way(s, d);
	else
		mark_all(s);
	for (long i = 0; i <= d && i <= DIFFERENCES_MAX; i++)
		free(s->rows[i]);
	free(s);
}

/* ---- the hunks ---- */

/* A place in both. */
struct diff_spot {
	size_t a, b;
};

static bool diff_is_end(const struct side *a, const struct side *b, struct diff_spot at)
{
	return at.a == a->count && at.b == b->count;
}

static bool is_changed(const struct side *a, const struct side *b, struct diff_spot at)
{
	return (at.a < a->count && a->changed[at.a]) || (at.b < b->count && b->changed[at.b]);
}

static struct diff_spot over_changes(const struct side *a, const struct side *b,
                                     struct diff_spot at)
{
	while (at.a < a->count && a->changed[at.a])
		at.a++;
	while (at.b < b->count && b->changed[at.b])
		at.b++;
	return at;
}

/* How many lines from here on, up to max, are in both. */
static size_t count_common(const struct side *a, const struct side *b, struct diff_spot at,
                           size_t max)
{
	size_t n = 0;

	while (n < max && !diff_is_end(a, b, at) && !is_changed(a, b, at)) {
		at.a++;
		at.b++;
		n++;
	}
	return n;
}

/* at is a change; changes that have little between them are told together. */
static struct diff_spot find_hunk_end(const struct side *a, const struct side *b,
                                      struct diff_spot at)
{
	size_t n;

	for (;;) {
		at = over_changes(a, b, at);
		n = count_common(a, b, at, 2 * CONTEXT + 1);
		if (n > 2 * CONTEXT || diff_is_end(a, b, (struct diff_spot){at.a + n, at.b + n}))
			break;
		at = (struct diff_spot){at.a + n, at.b + n};
	}
	n = n < CONTEXT ? n : CONTEXT;
	return (struct diff_spot){at.a + n, at.b + n};
}

static void diff_add_line(struct buf *out, char mark, struct text line)
{
	buf_add_char(out, mark);
	buf_add(out, line);
	if (line.at[line.len - 1] != '\n')
		buf_add(out, TEXT("\n\\ No newline at end of file\n"));
}

/* Of no lines it is the line before them. */
static void add_range(struct buf *out, char mark, size_t from, size_t to)
{
	buf_print(out, "%c%zu,%zu ", mark, to > from ? from + 1 : from, to - from);
}

static void add_hunk(struct buf *out, const struct side *a, const struct side *b,
                     struct diff_spot from, struct diff_spot to)
{
	struct diff_spot at = from;

	buf_add(out, TEXT("@@ "));
	add_range(out, '-', from.a, to.a);
	add_range(out, '+', from.b, to.b);
	buf_add(out, TEXT("@@\n"));
	while (at.a < to.a || at.b < to.b) {
		if (at.a < to.a && a->changed[at.a]) {
			diff_add_line(out, '-', a->lines[at.a++]);
		} else if (at.b < to.b && b->changed[at.b]) {
			diff_add_line(out, '+', b->lines[at.b++]);
		} else {
			diff_add_line(out, ' ', a->lines[at.a++]);
			at.b++;
		}
	}
}

static void add_hunks(struct buf *out, const struct side *a, const struct side *b)
{
	struct diff_spot at = {0, 0}, from, to;
	size_t lead;

	for (;; at = to) {
		size_t common = count_common(a, b, at, a->count);

		at = (struct diff_spot){at.a + common, at.b + common};
		if (diff_is_end(a, b, at))
			return;
		lead = common < CONTEXT ? common : CONTEXT;
		from = (struct diff_spot){at.a - lead, at.b - lead};
		to = find_hunk_end(a, b, at);
		add_hunk(out, a, b, from, to);
	}
}

static const char *diff_name_of(const struct diff_side *side)
{
	return side->is_there ? side->name : "/dev/null";
}

void diff_add(struct buf *out, const struct diff_side *before, const struct diff_side *after)
{
	struct side a, b;

	if (before->is_there == after->is_there && text_equal(before->text, after->text))
		return;
	side_read(&a, before->text);
	side_read(&b, after->text);
	compare(&a, &b);
	buf_print(out, "--- %s\n+++ %s\n", diff_name_of(before), diff_name_of(after));
	add_hunks(out, &a, &b);
	side_finish(&a);
	side_finish(&b);
}
