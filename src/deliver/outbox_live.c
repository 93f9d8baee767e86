/* outbox_live.c - messages that are there and change: edited, taken away.
 *
 * Neither can happen twice, so nothing is on the disk before; after a crash it is done again.
 */
#include "base/must.h"
#include "base/put.h"
#include "deliver/outbox_inside.h"
#include "deliver/pieces.h"
#include "deliver/tell.h"

#include <string.h>

/* ---- what pieces say ---- */

void outbox_show(struct letter *l, unsigned piece, struct text text)
{
	if (piece > l->shown_room) {
		l->shown = must_grow(l->shown, piece * sizeof(*l->shown));
		memset(l->shown + l->shown_room, 0, (piece - l->shown_room) * sizeof(*l->shown));
		l->shown_room = piece;
	}
	l->shown[piece - 1] = text.at ? pieces_mark(text) : 0;
}

static bool says(const struct letter *l, unsigned piece, struct text text)
{
	return piece <= l->shown_room && l->shown[piece - 1] == pieces_mark(text);
}

/* The id of a message, from 1 on; empty: there is none. */
static struct text id_of(struct text ids, unsigned number)
{
	for (struct text rest = ids; rest.at;) {
		struct text one = text_cut(rest, ' ', &rest);

		if (--number == 0)
			return one;
	}
	return TEXT("");
}

bool outbox_rests(struct letter *l)
{
	return letter_is_live(l) &&
	       (l->state == LETTER_UNKNOWN ||
	        (l->state == LETTER_ACCEPTED && l->accepted >= outbox_count(l)));
}

/* ---- leaving ---- */

static void edit_now(struct letter *l, const struct outbox_line *line, unsigned piece,
                     struct text text)
{
	struct channel_message m = outbox_message(l, text);

	m.piece = piece;
	m.message = id_of(letter_word(l, LETTER_MESSAGES), piece);
	l->is_out = true;
	outbox_show(l, piece, text);
	line->kind->edit(line->channel, &m);
}

/* Drafts get the final text, one after the other. */
bool outbox_edits(struct letter *l, const struct outbox_line *line, int64_t now_ms)
{
	unsigned most = l->drafts < l->accepted ? l->drafts : l->accepted;
	struct buf piece;
	bool is_same = true;

	most = most < outbox_count(l) ? most : outbox_count(l);
	while (is_same && l->edited < most && line->kind->edit) {
		buf_init(&piece, 2 * OUTBOX_TEXT_MAX);
		pieces_cut(&l->limit, letter_word(l, LETTER_TEXT), l->edited + 1, &piece);
		is_same = says(l, l->edited + 1, buf_text(&piece));
		l->due_ms = now_ms + OUTBOX_EDIT_MS;
		if (is_same)
			l->edited++;
		else
			edit_now(l, line, l->edited + 1, buf_text(&piece));
		buf_finish(&piece);
	}
	return !is_same;
}

bool outbox_removes(struct letter *l, const struct outbox_line *line, int64_t now_ms)
{
	struct channel_message m = outbox_message(l, TEXT(""));

	if (!line->kind->remove)
		return false;
	m.message = id_of(letter_word(l, LETTER_STALE), 1);
	if (!m.message.len && !letter_is(l, "dropped") && !letter_is_live(l) &&
	    outbox_count(l) + l->taken < outbox_text_messages(l))
		m.message = id_of(letter_word(l, LETTER_MESSAGES), outbox_count(l) + l->taken + 1);
	if (!m.message.len)
		return false;
	l->is_out = true;
	l->due_ms = now_ms + OUTBOX_EDIT_MS;
	line->kind->remove(line->channel, &m);
	return true;
}

bool outbox_edit(struct outbox *o, struct text id, const struct outbox_edit *edit, int64_t now_ms)
{
	struct letter *l = custody_letter(o->options.custody, id);
	struct outbox_line *line =
		l ? o->options.find(o->options.self, letter_word(l, LETTER_ACCOUNT)) : NULL;

	if (!line || !line->channel || !line->kind->edit || !letter_is_live(l) || l->is_out ||
	    l->state != LETTER_ACCEPTED || edit->piece > l->accepted)
		return false;
	l->live = LETTER_LIVE_OUT;
	l->due_ms = now_ms + OUTBOX_EDIT_MS;
	outbox_wait(o, l->chat, l->due_ms);
	edit_now(l, line, edit->piece, edit->text);
	return true;
}

/* ---- what channels answer ---- */

static void live_changed(const struct outbox *o, struct letter *l, enum channel_answer answer)
{
	l->live = answer == CHANNEL_ACCEPTED ? LETTER_LIVE_DONE
	          : answer == CHANNEL_LATER  ? LETTER_LIVE_LATER
	                                     : LETTER_LIVE_FAILED;
	if (o->options.edited)
		o->options.edited(o->options.self, l);
}

static void tell_removed(struct outbox *o, struct letter *l, struct text message)
{
	struct buf out;

	outbox_begin_signal(l, "delivery.removed", &out);
	put_text(&out, "message", message);
	deliver_tell(o->options.bus, &out);
}

/* What cannot be taken away stays. */
static void removal_done(struct outbox *o, struct letter *l)
{
	struct text stale = id_of(letter_word(l, LETTER_STALE), 1);

	if (stale.len)
		tell_removed(o, l, stale);
	else
		l->taken++;
}

void outbox_changed(struct outbox *o, struct letter *l, const struct channel_result *result,
                    int64_t now_ms)
{
	const char *why = result->why ? result->why->words : "the channel did not say why";
	bool is_edit = result->act == CHANNEL_EDIT;
	bool is_final = result->answer == CHANNEL_ACCEPTED || result->answer == CHANNEL_REFUSED;

	l->is_out = false;
	if (is_edit && result->answer != CHANNEL_ACCEPTED)
		outbox_show(l, result->piece, (struct text){NULL, 0});
	if (l->live == LETTER_LIVE_OUT)
		live_changed(o, l, result->answer);
	else if (!is_edit && is_final)
		removal_done(o, l);
	else if (result->answer == CHANNEL_ACCEPTED)
		l->edited++;
	else if (result->answer == CHANNEL_REFUSED)
		outbox_tell_words(o, l, "delivery.renewed", why);
	else if (result->answer != CHANNEL_LATER)
		outbox_note_away(o, l, why, now_ms);
}

void outbox_edit_lost(struct outbox *o, struct letter *l, int64_t now_ms)
{
	struct error why = {"nobody answered"};
	struct channel_result result = {.act = CHANNEL_EDIT,
	                                .answer = CHANNEL_UNKNOWN,
	                                .piece = l->edited + 1,
	                                .why = &why};

	outbox_changed(o, l, &result, now_ms);
}
