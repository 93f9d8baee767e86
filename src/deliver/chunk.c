/* chunk.c - what is held, and the pieces that leave it. */
#include "deliver/chunk.h"

#include <assert.h>
#include <stdlib.h>

#include "base/grapheme.h"
#include "base/must.h"
#include "deliver/cut.h"
#include "deliver/fence.h"

enum {
	SLICE = 256,    /* bytes that are counted at once */
	MARKS_PART = 8, /* the marks of a fence are at most such a part of a piece */
	INFO_PART = 4,  /* and so is what stands behind them */
	MARKS_MOST = 64,
};

/* What is left out where a piece begins. */
enum skip {
	SKIP_NOTHING,
	SKIP_ONE,    /* one space, then blank lines */
	SKIP_BLANKS, /* blank lines; the indentation of the next one stays */
	SKIP_SPACE,  /* all of it */
};

struct chunker {
	struct chunk_options options;
	unsigned marks_max;
	struct buf held, out;
	size_t at;     /* of held: the next piece begins here */
	bool flushing; /* all that is held leaves */

	/* How the next piece begins. */
	struct fence open; /* it is opened again, with this line */
	struct buf opening;
	bool at_line; /* it begins where a line of the text does */
	enum skip skip;
	enum chunk_gap gap;

	/* Of what is held from `at` on, so much is counted... */
	size_t counted, length, lines, line_end;
	/* ... and read for paragraphs: the line to read next, and what is open there. */
	size_t line, line_length;
	struct fence line_open;
};

struct text chunk_gap_text(enum chunk_gap gap)
{
	static const char *const texts[] = {
		[CHUNK_GAP_NONE] = "",
		[CHUNK_GAP_SPACE] = " ",
		[CHUNK_GAP_LINE] = "\n",
		[CHUNK_GAP_PARAGRAPH] = "\n\n",
	};

	return text_of(texts[gap]);
}

struct chunker *chunker_create(const struct chunk_options *options)
{
	struct chunker *c = must_zero(1, sizeof(*c));
	size_t marks = options->max_chars / MARKS_PART;

	c->options = *options;
	c->marks_max = marks < MARKS_MOST ? (unsigned)marks : MARKS_MOST;
	buf_init(&c->held, CHUNK_HELD_MAX);
	buf_init(&c->out, CHUNK_HELD_MAX);
	buf_init(&c->opening, CHUNK_HELD_MAX);
	return c;
}

void chunker_destroy(struct chunker *c)
{
	if (!c)
		return;
	buf_finish(&c->held);
	buf_finish(&c->out);
	buf_finish(&c->opening);
	free(c);
}

bool chunk_add(struct chunker *c, struct text token)
{
	if (c->at && c->held.room - c->held.len < token.len) {
		buf_drop(&c->held, c->at);
		c->at = 0;
	}
	return buf_add(&c->held, token);
}

void chunk_flush(struct chunker *c)
{
	c->flushing = true;
}

struct text chunk_held(const struct chunker *c)
{
	return (struct text){c->held.at ? c->held.at + c->at : "", c->held.len - c->at};
}

/* What is held, in whole characters. */
static struct text rest_of(const struct chunker *c)
{
	struct text rest = chunk_held(c);

	for (size_t back = 1; back <= 3 && back <= rest.len; back++) {
		uint8_t byte = (uint8_t)rest.at[rest.len - back];

		if (byte >= (back == 1 ? 0xC0 : back == 2 ? 0xE0 : 0xF0))
			return (struct text){rest.at, rest.len - back};
		if ((byte & 0xC0) != 0x80)
			break;
	}
	return rest;
}

static void begin_at(struct chunker *c, size_t at)
{
	c->at = at;
	c->counted = c->length = c->lines = c->line_end = 0;
	c->line = c->line_length = 0;
	c->line_open = c->open;
	if (c->at == c->held.len) {
		buf_clear(&c->held);
		c->at = 0;
	}
}

static void leave_out(struct chunker *c, size_t n)
{
	const char *dropped = rest_of(c).at;

	for (size_t i = 0; i < n; i++)
		if (dropped[i] == '\n')
			c->gap = c->gap < CHUNK_GAP_LINE ? CHUNK_GAP_LINE : CHUNK_GAP_PARAGRAPH;
		else if (c->gap == CHUNK_GAP_NONE)
			c->gap = CHUNK_GAP_SPACE;
	if (n)
		c->at_line = dropped[n - 1] == '\n';
	begin_at(c, c->at + n);
}

/* --- what is left out at the beginning of a piece -------------------------------------- */

/* One character of space, or CR LF; not one with an accent on it.  False: wait for more. */
static bool skip_one(struct chunker *c)
{
	struct text rest = rest_of(c);
	size_t n = 1;

	if (rest.len == 0)
		return false;
	c->skip = SKIP_BLANKS;
	if (!cut_is_space(rest.at[0]))
		return true;
	if (rest.len == 1 && !c->flushing) {
		c->skip = SKIP_ONE;
		return false;
	}
	if (rest.len > 1 && rest.at[0] == '\r' && rest.at[1] == '\n')
		n = 2;
	if (grapheme_before(rest, n) == n)
		leave_out(c, n);
	return true;
}

/* Up to the line with the first letter.  Endless space is dropped as it comes. */
static bool skip_blanks(struct chunker *c)
{
	struct text rest = rest_of(c);
	size_t at = 0, line = 0;

	for (; at < rest.len && cut_is_space(rest.at[at]); at++) {
		if (rest.at[at] == '\n') {
			line = at + 1;
		} else if (at - line > c->options.max_chars) {
			c->skip = SKIP_SPACE;
			leave_out(c, at);
			return true;
		}
	}
	leave_out(c, line);
	if (at < rest.len)
		c->skip = SKIP_NOTHING;
	return at < rest.len;
}

static bool skip_space(struct chunker *c)
{
	struct text rest = rest_of(c);
	size_t at = 0;

	while (at < rest.len && cut_is_space(rest.at[at]))
		at++;
	leave_out(c, at);
	if (at < rest.len)
		c->skip = SKIP_NOTHING;
	return at < rest.len;
}

static bool skip_beginning(struct chunker *c)
{
	bool goes_on = true;

	while (goes_on && c->skip != SKIP_NOTHING)
		goes_on = c->skip == SKIP_ONE      ? skip_one(c)
		          : c->skip == SKIP_BLANKS ? skip_blanks(c)
		                                   : skip_space(c);
	return goes_on;
}

/* A fence that the last piece closed, and that the text closes right here: then nothing is
 * opened again, and the line is not needed. */
static void skip_closing(struct chunker *c)
{
	struct text rest = rest_of(c), line;
	size_t at = 0;

	if (!c->open.mark || !c->at_line || !fence_next_line(rest, &at, &line))
		return;
	if ((at > rest.len && !c->flushing) || line.len > 3 + c->marks_max ||
	    !fence_closes(&c->open, line) || !fence_is_bare(line))
		return;
	c->open = (struct fence){0};
	buf_clear(&c->opening);
	c->gap = CHUNK_GAP_LINE;
	c->skip = SKIP_BLANKS;
	begin_at(c, c->at + (at < rest.len ? at : rest.len));
}

/* --- what fits -------------------------------------------------------------------------- */

static size_t lines_in(struct text t)
{
	size_t lines = 0;

	for (size_t i = 0; i < t.len; i++)
		lines += t.at[i] == '\n';
	return lines;
}

/* Counts one character; true when it is the first that does not fit. */
static bool count_one(struct chunker *c, struct text rest, struct cut_question *q)
{
	size_t n = 1, most = q->lines, length;
	bool is_line_too_many = most && c->lines == most;

	while (n < 4 && c->counted + n < rest.len &&
	       ((uint8_t)rest.at[c->counted + n] & 0xC0) == 0x80)
		n++;
	length = chunk_length(c->options.unit, (struct text){rest.at + c->counted, n});
	q->view.len = c->counted + n;
	q->window = is_line_too_many ? c->line_end : c->counted;
	if (is_line_too_many || c->length + length > q->length || q->view.len > 4 * q->length)
		return true;
	if (rest.at[c->counted] == '\n') {
		c->lines++;
		c->line_end = c->counted;
	}
	c->length += length;
	c->counted += n;
	return false;
}

/* Counts whole characters at once, if they fit for sure. */
static bool count_slice(struct chunker *c, struct text slice, const struct cut_question *q)
{
	size_t length = chunk_length(c->options.unit, slice);
	size_t lines = q->lines ? lines_in(slice) : 0;

	if (c->length + length > q->length || c->counted + slice.len > 4 * q->length ||
	    (q->lines && c->lines + lines >= q->lines))
		return false;
	c->length += length;
	c->lines += lines;
	c->counted += slice.len;
	return true;
}

/* True when there is more than a piece holds: then view and window end there. */
static bool is_more_than_fits(struct chunker *c, struct cut_question *q)
{
	struct text rest = rest_of(c);

	while (c->counted < rest.len) {
		size_t left = rest.len - c->counted, n = left < SLICE ? left : SLICE, end;

		while (n > 1 && n < left && ((uint8_t)rest.at[c->counted + n] & 0xC0) == 0x80)
			n--;
		if (count_slice(c, (struct text){rest.at + c->counted, n}, q))
			continue;
		for (end = c->counted + n; c->counted < end;)
			if (count_one(c, rest, q))
				return true;
	}
	q->view.len = q->window = rest.len;
	return false;
}

/* --- where a piece ends ----------------------------------------------------------------- */

/* Where the line before this one ends. */
static size_t end_before(struct text view, size_t line)
{
	size_t at = line ? line - 1 : 0;

	return at > 0 && view.at[at - 1] == '\r' ? at - 1 : at;
}

static void read_line(struct chunker *c, struct text line, struct text whole)
{
	if (!c->line_open.mark)
		fence_opens(&c->line_open, line, c->marks_max);
	else if (fence_closes(&c->line_open, line))
		c->line_open = (struct fence){0};
	c->line_length += chunk_length(c->options.unit, whole);
	c->line += whole.len;
}

/* The end of a paragraph that is long enough to leave at once. */
static bool ends_paragraph(struct chunker *c, struct text view, struct cut *cut)
{
	struct text line;
	size_t next = c->line;

	while (fence_next_line(view, &next, &line) && next <= view.len) {
		size_t end = end_before(view, c->line);

		if (end > 0 && !c->line_open.mark && text_trim(line).len == 0 &&
		    c->line_length >= c->options.paragraph_from) {
			*cut = (struct cut){end, {0}, true};
			return true;
		}
		read_line(c, line, (struct text){view.at + c->line, next - c->line});
	}
	return false;
}

/* A good place is not before so many bytes.  Where lines are scarce it is the same part of the
 * piece. */
static size_t least_of(const struct chunker *c, const struct cut_question *q)
{
	size_t opening = c->options.max_chars - q->length, min = c->options.min_chars;
	size_t least;

	if (c->options.paragraph_from == 1)
		return 1;
	if (q->lines && c->lines == q->lines)
		min = min * c->length / c->options.max_chars;
	least = chunk_reach(q->unit, q->view, min > opening ? min - opening : 0);
	return least > q->window ? q->window : least ? least : 1;
}

static bool find_cut(struct chunker *c, struct cut *cut)
{
	struct cut_question q = {
		.view = rest_of(c),
		.preference = c->options.break_preference,
		.begin = c->open,
		.marks_max = c->marks_max,
		.unit = c->options.unit,
		.length =
			c->options.max_chars - chunk_length(c->options.unit, buf_text(&c->opening)),
		.lines = c->options.max_lines ? c->options.max_lines - (c->open.mark ? 1 : 0) : 0,
	};
	bool over = is_more_than_fits(c, &q);

	if (c->options.paragraph_from && ends_paragraph(c, q.view, cut))
		return true;
	if (!over && !c->flushing)
		return false;
	if (!over) {
		*cut = (struct cut){q.view.len, fence_after(q.view, &q.begin, q.marks_max), false};
		if (cut_fits(&q, cut->at, &cut->open))
			return true;
		q.is_end = true;
	}
	q.least = least_of(c, &q);
	*cut = cut_choose(&q);
	return true;
}

/* --- pieces ----------------------------------------------------------------------------- */

/* The line that opens a fence again; what stands behind its marks only if it is short. */
static void keep_opening(struct chunker *c, struct text body, const struct fence *open)
{
	struct text info;

	if (open->is_carried)
		return;
	buf_clear(&c->opening);
	if (!open->mark)
		return;
	info = (struct text){body.at + open->line, open->end - open->line};
	info = (struct text){info.at + open->indent + open->marks,
	                     info.len - open->indent - open->marks};
	fence_add(open, &c->opening);
	if (chunk_length(c->options.unit, info) <= c->options.max_chars / INFO_PART)
		buf_add(&c->opening, info);
	buf_add_char(&c->opening, '\n');
}

static void make_text(struct chunker *c, struct text body, const struct fence *open,
                      struct chunk_piece *piece)
{
	size_t before = c->opening.len;

	piece->text = piece->body = body;
	if (!before && !open->mark)
		return;
	buf_clear(&c->out);
	buf_add(&c->out, buf_text(&c->opening));
	buf_add(&c->out, body);
	if (open->mark) {
		if (body.len && body.at[body.len - 1] != '\n')
			buf_add_char(&c->out, '\n');
		fence_add(open, &c->out);
		buf_add_char(&c->out, '\n');
	}
	piece->text = buf_text(&c->out);
	piece->body = (struct text){c->out.at + before, body.len};
}

static bool is_blank(struct text t)
{
	size_t at = 0;

	while (at < t.len && cut_is_space(t.at[at]))
		at++;
	return at == t.len;
}

/* Makes the piece up to the cut, and says how the next one begins.  False: it is nothing but
 * space, and left out. */
static bool cut_off(struct chunker *c, const struct cut *cut, struct chunk_piece *piece)
{
	struct text body = {c->held.at + c->at, cut->at};

	assert(c->held.at);
	if (is_blank(body)) {
		leave_out(c, cut->at);
		c->skip = SKIP_SPACE;
		return false;
	}
	*piece = (struct chunk_piece){.gap = c->gap, .ends_paragraph = cut->is_paragraph};
	make_text(c, body, &cut->open, piece);
	keep_opening(c, body, &cut->open);
	c->open = cut->open;
	c->open.is_carried = c->open.mark != '\0';
	c->open.line = c->open.end = 0;
	c->at_line = body.at[body.len - 1] == '\n';
	c->skip = c->open.mark ? SKIP_NOTHING : SKIP_ONE;
	c->gap = CHUNK_GAP_NONE;
	begin_at(c, c->at + cut->at);
	return true;
}

bool chunk_take(struct chunker *c, struct chunk_piece *piece)
{
	struct cut cut;

	do {
		if (skip_beginning(c))
			skip_closing(c);
		if (!skip_beginning(c) || rest_of(c).len == 0 || !find_cut(c, &cut)) {
			if (c->flushing)
				leave_out(c, rest_of(c).len);
			c->flushing = false;
			return false;
		}
	} while (!cut_off(c, &cut, piece));
	return true;
}
