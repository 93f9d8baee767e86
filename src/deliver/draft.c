/* draft.c - one message, edited. */
#include "deliver/draft.h"

#include <string.h>

#include "deliver/pieces.h"

void draft_init(struct live_draft *d, const struct draft_options *options)
{
	*d = (struct live_draft){.options = *options};
	buf_init(&d->text, DRAFT_TEXT_MAX);
}

void draft_finish(struct live_draft *d)
{
	buf_finish(&d->text);
}

void draft_set(struct live_draft *d, struct text text)
{
	if (d->has_ended)
		return;
	if (text.len > DRAFT_TEXT_MAX) {
		d->has_ended = true;
		return;
	}
	buf_clear(&d->text);
	buf_add(&d->text, text);
	d->is_new = true;
}

void draft_hold(struct live_draft *d, int64_t until_ms)
{
	if (until_ms > d->due_ms)
		d->due_ms = until_ms;
}

bool draft_is_idle(const struct live_draft *d)
{
	return !d->editing && d->sending == d->there;
}

void draft_end(struct live_draft *d)
{
	d->has_ended = true;
	d->editing = 0;
	d->sending = d->there;
}

/* --- what is to be done ------------------------------------------------------------------ */

static bool is_long_enough(const struct live_draft *d)
{
	return chunk_length(d->options.limit.unit, text_trim(buf_text(&d->text))) >=
	       (d->options.first_chars ? d->options.first_chars : 1);
}

/* From here on the letter has this text, and so many messages. */
static struct draft_step send_more(struct live_draft *d, enum draft_act act, const uint64_t *marks,
                                   unsigned count)
{
	memcpy(d->shown + d->there, marks + d->there, (count - d->there) * sizeof(*marks));
	d->sending = count;
	d->has_begun = true;
	return (struct draft_step){act, 0, buf_text(&d->text)};
}

static struct draft_step edit_piece(struct live_draft *d, unsigned number, uint64_t mark,
                                    struct buf *piece)
{
	buf_clear(piece);
	pieces_cut(&d->options.limit, buf_text(&d->text), number, piece);
	d->editing = number;
	d->edited = mark;
	return (struct draft_step){DRAFT_EDITS, number, buf_text(piece)};
}

static struct draft_step look_at_text(struct live_draft *d, struct buf *piece)
{
	uint64_t marks[DRAFT_PIECES_MAX];
	unsigned count =
		pieces_hash(&d->options.limit, buf_text(&d->text), marks, DRAFT_PIECES_MAX);

	if (count > DRAFT_PIECES_MAX) {
		d->has_ended = true;
		return (struct draft_step){.act = DRAFT_WAITS};
	}
	for (unsigned i = 0; i < d->there && i < count; i++)
		if (marks[i] != d->shown[i])
			return edit_piece(d, i + 1, marks[i], piece);
	if (count > d->there)
		return send_more(d, d->has_begun ? DRAFT_GROWS : DRAFT_BEGINS, marks, count);
	d->is_new = false;
	return (struct draft_step){.act = DRAFT_WAITS};
}

struct draft_step draft_next(struct live_draft *d, int64_t now_ms, struct buf *piece)
{
	struct draft_step step = {.act = DRAFT_WAITS};

	if (now_ms < draft_due(d))
		return step;
	step = look_at_text(d, piece);
	if (step.act != DRAFT_WAITS)
		d->due_ms = now_ms + d->options.every_ms;
	return step;
}

int64_t draft_due(const struct live_draft *d)
{
	if (!d->is_new || d->has_ended || !draft_is_idle(d) ||
	    (!d->has_begun && !is_long_enough(d)))
		return INT64_MAX;
	return d->due_ms;
}

/* --- what became of it ------------------------------------------------------------------- */

void draft_there(struct live_draft *d, unsigned count)
{
	if (count > d->there && count <= d->sending)
		d->there = count;
}

void draft_edit_done(struct live_draft *d, enum draft_edited how)
{
	if (!d->editing)
		return;
	if (how == DRAFT_EDITED)
		d->shown[d->editing - 1] = d->edited;
	else if (how == DRAFT_EDIT_FAILED)
		d->has_ended = true;
	d->editing = 0;
}
