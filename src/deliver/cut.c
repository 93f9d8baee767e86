/* cut.c - good places first, then any place that breaks nothing. */
#include "deliver/cut.h"

#include <assert.h>

#include "base/grapheme.h"

/* --- what the rest would look like ----------------------------------------------------- */

static bool is_mark(char c)
{
	return c == '`' || c == '~';
}

/* In the middle of a line: would the rest begin with what looks like a fence, once the space
 * at the cut is gone?  What cannot be seen yet counts as one. */
static bool begins_like_a_fence(const struct cut_question *q, size_t at, bool drops_space)
{
	struct text view = q->view;
	unsigned spaces = 0, marks = 0;
	char mark;

	if (at == 0 || view.at[at - 1] == '\n')
		return false;
	if (drops_space && at < view.len && cut_is_space(view.at[at])) {
		if (view.at[at] == '\n' || view.at[at] == '\r')
			return false;
		at++;
	}
	for (; at < view.len && view.at[at] == ' ' && spaces < 4; at++)
		spaces++;
	if (at >= view.len)
		return !q->is_end;
	mark = view.at[at];
	if (spaces > 3 || !is_mark(mark))
		return false;
	for (; at < view.len && view.at[at] == mark; at++)
		marks++;
	return marks >= 3 || (at >= view.len && !q->is_end);
}

/* --- good places ----------------------------------------------------------------------- */

struct good_places {
	size_t paragraph, line, sentence, word; /* 0: none */
};

static bool is_full_stop(struct text view, size_t end)
{
	static const char *const wide[] = {"\xE3\x80\x82", "\xEF\xBC\x81", "\xEF\xBC\x9F"};
	char c = view.at[end - 1];

	if (c == '.' || c == '!' || c == '?')
		return end < view.len && cut_is_space(view.at[end]);
	if (end < 3 || ((uint8_t)c & 0xC0) != 0x80)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (memcmp(view.at + end - 3, wide[i], 3) == 0)
			return grapheme_before(view, end) == end;
	return false;
}

static size_t last_sentence(const struct cut_question *q, size_t from, size_t to)
{
	for (size_t at = to; at > from && at >= q->least; at--)
		if (is_full_stop(q->view, at) && !begins_like_a_fence(q, at, true))
			return at;
	return 0;
}

static size_t last_word(const struct cut_question *q, size_t from, size_t to)
{
	struct text view = q->view;
	size_t at = to < view.len ? to : view.len - 1;

	for (; at > from && at >= q->least; at--)
		if (cut_is_space(view.at[at]) && grapheme_before(view, at) == at &&
		    !begins_like_a_fence(q, at, true))
			return at;
	return 0;
}

static bool is_blank_line_at(struct text view, size_t at)
{
	while (at < view.len && (view.at[at] == ' ' || view.at[at] == '\t' || view.at[at] == '\r'))
		at++;
	return at < view.len && view.at[at] == '\n';
}

static void look_within(const struct cut_question *q, size_t from, size_t to,
                        struct good_places *found)
{
	size_t end = to < q->window ? to : q->window;
	size_t sentence = q->preference == CHUNK_NEWLINE ? 0 : last_sentence(q, from, end);
	size_t word = last_word(q, from, end);

	if (sentence)
		found->sentence = sentence;
	if (word)
		found->word = word;
}

/* Goes through the lines; what lies in a fence is no good place. */
static void look_for_places(const struct cut_question *q, struct good_places *found)
{
	struct fence open = q->begin;
	struct text line;
	size_t from = 0, next = 0;

	while (from <= q->window && fence_next_line(q->view, &next, &line)) {
		size_t end = from + line.len;
		bool has_end = next <= q->view.len;

		if (open.mark) {
			if (fence_closes(&open, line))
				open.mark = '\0';
		} else if (!fence_is_like(line)) {
			if (end >= q->least)
				look_within(q, from, end, found);
		} else {
			fence_opens(&open, line, q->marks_max);
		}
		if (!open.mark && has_end && text_trim(line).len && end >= q->least &&
		    end <= q->window) {
			found->line = end;
			if (is_blank_line_at(q->view, next))
				found->paragraph = end;
		}
		from = next;
	}
}

static size_t best_of(const struct cut_question *q, const struct good_places *found)
{
	if (q->preference == CHUNK_PARAGRAPH && found->paragraph)
		return found->paragraph;
	if (q->preference != CHUNK_SENTENCE && found->line)
		return found->line;
	if (q->preference != CHUNK_NEWLINE && found->sentence)
		return found->sentence;
	return found->word > found->line ? found->word : found->line;
}

/* --- any place ------------------------------------------------------------------------- */

static size_t lines_of(struct text t)
{
	size_t lines = 0;

	for (const char *at = t.at, *end = t.at + t.len; at < end; at++, lines++) {
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			return lines + 1;
	}
	return lines;
}

bool cut_fits(const struct cut_question *q, size_t at, const struct fence *open)
{
	struct text t = {q->view.at, at};

	if (q->lines && lines_of(t) + (open->mark ? 1 : 0) > q->lines)
		return false;
	return chunk_length(q->unit, t) + cut_closing(open) <= q->length;
}

/* Where so many lines end. */
static size_t end_of_lines(struct text t, size_t lines)
{
	struct text line;
	size_t at = 0;

	while (lines-- > 0 && fence_next_line(t, &at, &line))
		;
	return at < t.len ? at : t.len;
}

static size_t back_one(struct text view, size_t at)
{
	do
		at--;
	while (at > 0 && ((uint8_t)view.at[at] & 0xC0) == 0x80);
	return at;
}

/* Back to where no cluster, no run of marks and no line is broken so that the rest would mean
 * something else; where there is no such place, the place itself. */
static size_t settle_cut(const struct cut_question *q, size_t from)
{
	size_t at = from;

	for (unsigned tries = 0; tries < 64 && at > 0; tries++) {
		size_t before = at = grapheme_before(q->view, at);

		while (at > 0 && at < q->view.len && is_mark(q->view.at[at]) &&
		       q->view.at[at - 1] == q->view.at[at])
			at--;
		if (at == before && !begins_like_a_fence(q, at, false) &&
		    !begins_like_a_fence(q, at, true))
			break;
		if (at == before && at > 0)
			at = back_one(q->view, at);
	}
	if (at == 0)
		at = grapheme_before(q->view, from);
	return at ? at : from;
}

/* In code a cut is best at the end of a line. */
static size_t at_end_of_line(const struct cut_question *q, size_t at, const struct fence *open)
{
	size_t from = open->is_carried ? 0 : open->end + 1;

	if (from < at / 2)
		from = at / 2;
	for (size_t i = at; i > from; i--)
		if (q->view.at[i - 1] == '\n')
			return i;
	return at;
}

/* An opening line at the end of a piece, with nothing of its code, goes to the next one. */
static bool is_bare(const struct fence *open, size_t at)
{
	return open->mark && !open->is_carried && open->line > 0 && at <= open->end + 1;
}

static size_t before_fence(struct text view, const struct fence *open)
{
	size_t at = open->line - 1;

	if (at > 0 && view.at[at - 1] == '\r')
		at--;
	return at ? at : open->line;
}

static struct cut cut_anywhere(const struct cut_question *q)
{
	size_t at = settle_cut(q, q->window);

	for (;;) {
		struct fence open =
			fence_after((struct text){q->view.at, at}, &q->begin, q->marks_max);
		size_t reach, lines;

		if (is_bare(&open, at))
			return (struct cut){before_fence(q->view, &open), {0}, false};
		if (cut_fits(q, at, &open)) {
			if (open.mark)
				at = at_end_of_line(q, at, &open);
			return (struct cut){at, open, false};
		}
		reach = chunk_reach(q->unit, q->view, q->length - cut_closing(&open));
		lines = q->lines ? end_of_lines(q->view, q->lines - 1) : reach;
		reach = settle_cut(q, lines < reach ? lines : reach);
		at = reach < at ? reach : back_one(q->view, at);
		assert(at > 0);
	}
}

struct cut cut_choose(const struct cut_question *q)
{
	struct good_places found = {0};
	size_t best;

	look_for_places(q, &found);
	best = best_of(q, &found);
	if (best)
		return (struct cut){best, {0}, best == found.paragraph};
	return cut_anywhere(q);
}
