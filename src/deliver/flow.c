/* flow.c - how far a message may be shown. */
#include "deliver/flow.h"

#include "base/grapheme.h"
#include "deliver/cut.h"
#include "deliver/normal.h"

#define HEAD_MAX 256
#define MARKS_MAX 8    /* longer runs are no fences */
#define CLOSING_MAX 16 /* characters that close a fence, at most */
#define WORD_MAX 64    /* bytes; a longer word is shown in parts, ... */
#define WORD_HELD 16   /* ... but for so many characters: a cluster may go on */

void flow_init(struct flow *f, const struct chunk_limit *limit)
{
	*f = (struct flow){.limit = *limit};
	buf_init(&f->head, HEAD_MAX);
}

void flow_finish(struct flow *f)
{
	buf_finish(&f->head);
}

static struct text rest_of(const struct flow *f, struct text turn)
{
	return (struct text){turn.at + f->at, turn.len - f->at};
}

/* ---- words ---- */

static size_t back_over_space(struct text t, size_t at)
{
	while (at > 0 && cut_is_space(t.at[at - 1]))
		at--;
	return at;
}

static size_t back_over_word(struct text t, size_t at)
{
	while (at > 0 && !cut_is_space(t.at[at - 1]))
		at--;
	return at;
}

static bool has_token(struct text word)
{
	return memmem(word.at, word.len, NORMAL_SILENT_TOKEN, strlen(NORMAL_SILENT_TOKEN)) ||
	       memmem(word.at, word.len, NORMAL_HEARTBEAT_TOKEN, strlen(NORMAL_HEARTBEAT_TOKEN));
}

/* Before a last word that is for the box alone. */
static size_t before_token(struct text t, size_t end)
{
	size_t from = back_over_word(t, end);

	return has_token((struct text){t.at + from, end - from}) ? back_over_space(t, from) : end;
}

/* So much is whole words, whatever follows. */
static size_t whole_words(const struct flow *f, struct text rest)
{
	size_t end = back_over_word(rest, rest.len), length;

	if (rest.len - end > WORD_MAX) {
		length = chunk_length(f->limit.unit, rest);
		end = length > WORD_HELD ? chunk_reach(f->limit.unit, rest, length - WORD_HELD) : 0;
		return grapheme_before(rest, end);
	}
	return before_token(rest, back_over_space(rest, end));
}

/* ---- ends ---- */

static size_t room_of(const struct flow *f)
{
	size_t taken = chunk_length(f->limit.unit, buf_text(&f->head)) + CLOSING_MAX;

	return f->limit.max > 2 * taken ? f->limit.max - taken : f->limit.max / 2;
}

static struct fence open_at(const struct flow *f, struct text rest, size_t at)
{
	return fence_after((struct text){rest.at, at}, &f->open, MARKS_MAX);
}

/* The first end of a paragraph between the two, outside of code; 0: none. */
static size_t find_paragraph(const struct flow *f, struct text rest, size_t from, size_t to)
{
	for (size_t at = from; at > 0 && at + 1 < to; at++)
		if (rest.at[at] == '\n' && rest.at[at + 1] == '\n' && !open_at(f, rest, at).mark)
			return at;
	return 0;
}

/* The last word that fits ends there. */
static size_t last_end(const struct flow *f, struct text rest, size_t fits)
{
	size_t at = cut_is_space(rest.at[fits]) ? fits : back_over_word(rest, fits);

	at = back_over_space(rest, at);
	if (at > f->shown)
		return at;
	if (f->shown)
		return f->shown;
	at = grapheme_before(rest, fits);
	return at ? at : fits;
}

static void end_at(struct flow *f, size_t at)
{
	f->shown = at;
	f->is_full = true;
}

static void skip_space(struct flow *f, struct text turn)
{
	size_t at = f->at;

	if (f->open.mark && at > 0 && at < turn.len && turn.at[at - 1] != '\n' &&
	    turn.at[at] == ' ')
		f->at = ++at; /* the gap between two words; indentation stays */
	for (; at < turn.len && cut_is_space(turn.at[at]); at++)
		if (turn.at[at] == '\n')
			f->at = at + 1;
	if (at < turn.len && !f->open.mark)
		f->at = at;
}

void flow_show(struct flow *f, struct text turn, bool is_last)
{
	struct text rest;
	size_t end, fits, nearly, paragraph;

	if (f->is_full)
		return;
	if (!f->shown)
		skip_space(f, turn);
	rest = rest_of(f, turn);
	end = is_last ? before_token(rest, back_over_space(rest, rest.len)) : whole_words(f, rest);
	if (end <= f->shown)
		return;
	fits = chunk_reach(f->limit.unit, rest, room_of(f));
	nearly = chunk_reach(f->limit.unit, rest, room_of(f) / 4 * 3);
	nearly = nearly > f->shown ? nearly : f->shown;
	paragraph = find_paragraph(f, rest, nearly, end < fits ? end : fits);
	if (paragraph)
		end_at(f, paragraph);
	else if (end <= fits)
		f->shown = end;
	else
		end_at(f, last_end(f, rest, fits));
}

void flow_put(const struct flow *f, struct text turn, struct buf *out)
{
	struct text rest = rest_of(f, turn);
	struct fence open = open_at(f, rest, f->shown);

	if (!f->shown)
		return;
	buf_add(out, buf_text(&f->head));
	buf_add(out, (struct text){rest.at, f->shown});
	if (!f->is_full || !open.mark)
		return;
	buf_add_char(out, '\n');
	fence_add(&open, out);
}

void flow_next(struct flow *f, struct text turn)
{
	struct text rest = rest_of(f, turn);
	struct fence open = open_at(f, rest, f->shown);

	if (!open.is_carried || !open.mark) {
		buf_clear(&f->head);
		if (open.mark && open.end - open.line < HEAD_MAX / 2) {
			buf_add(&f->head, (struct text){rest.at + open.line, open.end - open.line});
		} else if (open.mark) {
			fence_add(&open, &f->head);
		}
		if (open.mark)
			buf_add_char(&f->head, '\n');
	}
	open.is_carried = open.mark != '\0';
	open.line = open.end = 0;
	f->open = open;
	f->at += f->shown;
	f->shown = 0;
	f->is_full = false;
}
