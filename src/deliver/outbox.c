/* outbox.c - letters from prepared to delivered. */
#include "deliver/outbox.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/outbox_inside.h"
#include "deliver/pieces.h"
#include "deliver/tell.h"

/* Unless its owner hears, and tells it. */
static void hear_letter(void *self, struct letter *l)
{
	outbox_hear(self, l);
}

struct outbox *outbox_create(const struct outbox_options *options)
{
	struct outbox *o = must_zero(1, sizeof(*o));

	o->options = *options;
	o->again = must_dup(options->again);
	o->began_seq = custody_durable(options->custody);
	list_each(custody_letters(options->custody), l) {
		const struct letter *letter = list_of(l, struct letter, in_all);

		if (letter->seq > o->began_seq)
			o->began_seq = letter->seq;
	}
	outbox_queue_begin(o);
	custody_set_ear(options->custody, &(struct custody_ear){.self = o, .letter = hear_letter});
	return o;
}

void outbox_destroy(struct outbox *o)
{
	if (!o)
		return;
	outbox_queue_finish(o);
	free(o->again);
	free(o);
}

void outbox_set_again(struct outbox *o, const char *again)
{
	free(o->again);
	o->again = must_dup(again);
}

/* ---- signals ---- */

void outbox_begin_signal(const struct letter *l, const char *type, struct buf *out)
{
	deliver_begin(out, type);
	put_text(out, "delivery", letter_word(l, LETTER_ID));
	put_text(out, "request", letter_word(l, LETTER_REQUEST));
}

void outbox_tell(const struct outbox *o, struct letter *l, struct buf *out)
{
	l->is_telling = true;
	if (!deliver_tell(o->options.bus, out))
		l->is_telling = false;
}

void outbox_tell_piece(const struct outbox *o, struct letter *l, const char *type, struct text id)
{
	struct buf out;

	outbox_begin_signal(l, type, &out);
	put_u64(&out, "piece", l->accepted + 1);
	if (id.len)
		put_text(&out, "message", id);
	outbox_tell(o, l, &out);
}

void outbox_tell_words(const struct outbox *o, struct letter *l, const char *type, const char *why)
{
	struct buf out;

	outbox_begin_signal(l, type, &out);
	if (why)
		put_word(&out, "why", why);
	outbox_tell(o, l, &out);
}

/* ---- pieces ---- */

unsigned outbox_count(struct letter *l)
{
	struct buf none;

	if (!l->count) {
		buf_init(&none, KIB);
		l->count = pieces_cut(&l->limit, letter_word(l, LETTER_TEXT), 0, &none);
		buf_finish(&none);
	}
	return l->count;
}

/* ---- leaving ---- */

/* Of a piece that was begun, in the last life or with an answer that was lost: is it there? */
static void look_for(struct letter *l, const struct outbox_line *line, int64_t now_ms)
{
	struct channel_message message = outbox_message(l, TEXT(""));

	message.since_ms = l->at_ms;
	message.is_file = outbox_is_file(l);
	l->is_doubtful = l->is_out = true;
	l->due_ms = now_ms + OUTBOX_SEND_MS;
	line->kind->look(line->channel, &message);
}

/* Nobody knows whether a piece arrived: it is looked for, where that can be done. */
static void doubt(struct outbox *o, struct letter *l, const struct outbox_line *line,
                  int64_t now_ms)
{
	bool was_looked_for = l->is_doubtful;

	l->is_out = l->is_doubtful = false;
	if (!line || !line->kind->traits.can_recognise || was_looked_for ||
	    outbox_is_edit(l, line) || letter_is(l, "stream")) {
		outbox_tell_piece(o, l, "delivery.unknown", TEXT(""));
		return;
	}
	l->is_doubtful = true;
	l->due_ms = now_ms + OUTBOX_DOUBT_MS;
}

static bool has_all(struct letter *l)
{
	return l->accepted >= outbox_total(l) && !letter_is(l, "dropped");
}

/* The piece that is begun is one of a text that was longer: there is nothing to send. */
static bool is_too_much(struct letter *l)
{
	return l->accepted >= outbox_count(l) && !outbox_is_file(l);
}

static void go_on_started(struct outbox *o, struct letter *l, const struct outbox_line *line,
                          int64_t now_ms)
{
	bool is_old = l->moved <= o->began_seq;

	if (l->is_out && l->is_open && !letter_is_live(l) && now_ms < l->due_ms) {
		outbox_end_stream(o, l, line, now_ms);
	} else if (l->is_out && now_ms >= l->due_ms) {
		doubt(o, l, line, now_ms);
	} else if (l->is_out || (l->is_doubtful && now_ms < l->due_ms) ||
	           l->seq > custody_durable(o->options.custody)) {
		return;
	} else if ((!is_old && !l->is_doubtful) || outbox_is_edit(l, line)) {
		if (is_too_much(l))
			outbox_tell_words(o, l, "delivery.shortened", NULL);
		else if (outbox_is_here(o, l, now_ms))
			outbox_send_piece(o, l, line, now_ms);
	} else if (line->kind->traits.can_recognise) {
		look_for(l, line, now_ms);
	} else {
		outbox_tell_piece(o, l, "delivery.unknown", TEXT(""));
	}
}

static void tell_over(const struct outbox *o, struct letter *l)
{
	if (letter_is(l, "dropped"))
		outbox_tell_words(o, l, "delivery.withdrawn", NULL);
	else if (outbox_is_in_vain(l))
		outbox_tell_words(o, l, "delivery.failed", "none of its files could be sent");
	else
		outbox_tell_words(o, l, "delivery.delivered", NULL);
}

/* Drafts get the text that they are to have, then the other pieces leave; and what should not be
 * there is taken away. */
static void go_on(struct outbox *o, struct letter *l, const struct outbox_line *line,
                  int64_t now_ms)
{
	bool is_dropped = letter_is(l, "dropped");

	if (!is_dropped && !letter_is_live(l) && outbox_edits(l, line, now_ms))
		return;
	if (!is_dropped && l->accepted < outbox_total(l)) {
		if (outbox_is_here(o, l, now_ms))
			outbox_tell_piece(o, l, "delivery.started", TEXT(""));
	} else if (!letter_is_live(l) && !outbox_removes(l, line, now_ms)) {
		tell_over(o, l);
	}
}

/* A draft that may be there has not said its last: that is sent, whatever is left unknown. */
static void go_on_unknown(struct outbox *o, struct letter *l, const struct outbox_line *line,
                          int64_t now_ms)
{
	static const char nobody_knows[] = "nobody knows whether it arrived";
	bool is_dropped = letter_is(l, "dropped"), is_left = line->leaves_unknown && !l->is_half;

	if (is_dropped && outbox_removes(l, line, now_ms))
		return;
	if (has_all(l))
		go_on(o, l, line, now_ms);
	else if (l->is_half && outbox_is_file(l))
		outbox_tell_words(o, l, "delivery.shortened", NULL);
	else if (!is_left && !is_dropped && l->tries <= 1)
		outbox_tell_piece(o, l, "delivery.started", TEXT(""));
	else if (outbox_is_file(l))
		outbox_miss(o, l, nobody_knows);
	else
		outbox_tell_words(o, l, "delivery.failed", nobody_knows);
}

/* The limits of its platform let something go to its chat now. */
static bool is_ready(struct letter *l, const struct outbox_line *line, int64_t now_ms)
{
	struct channel_message where = outbox_message(l, TEXT(""));

	l->due_ms = l->pause_ms;
	if (now_ms < l->pause_ms)
		return false;
	l->due_ms = line->kind->ready ? line->kind->ready(line->channel, &where, now_ms) : now_ms;
	return l->due_ms <= now_ms;
}

/* The wall's clock may jump while a box lives: it says how old a letter is once, when that is first
 * asked. */
bool outbox_is_old(const struct outbox *o, struct letter *l, int64_t now_ms)
{
	double age_ms = (double)o->options.wall_ms() - l->last_ms;

	if (!l->old_ms)
		l->old_ms = now_ms + (int64_t)(OUTBOX_DAY_MS - (age_ms > 0 ? age_ms : 0)) + 1;
	return now_ms >= l->old_ms;
}

static void give_up_old(struct outbox *o, struct letter *l)
{
	if (l->state == LETTER_STARTED)
		outbox_tell_piece(o, l, "delivery.unknown", TEXT(""));
	else
		outbox_tell_words(o, l, "delivery.failed", "it could not be delivered for a day");
}

void outbox_work_letter(struct outbox *o, struct letter *l, struct outbox_line *line,
                        int64_t now_ms)
{
	if (l->is_telling)
		return;
	if (line && l->is_out && l->state != LETTER_STARTED) {
		if (now_ms >= l->due_ms)
			outbox_edit_lost(o, l, now_ms);
		return;
	}
	if (!line) {
		outbox_tell_words(o, l, "delivery.failed",
		                  "the configuration has its chat no more");
		return;
	}
	if (!l->is_out && outbox_is_old(o, l, now_ms)) {
		give_up_old(o, l);
		return;
	}
	if (!line->channel) {
		if (l->state != LETTER_QUEUED && l->state != LETTER_STARTED &&
		    l->state != LETTER_UNKNOWN)
			outbox_tell_words(o, l, "delivery.queued", "its channel is not there");
		return;
	}
	if (l->state == LETTER_STARTED)
		go_on_started(o, l, line, now_ms);
	else if (l->seq > custody_durable(o->options.custody) ||
	         !outbox_may_begin(l->chat, line, now_ms) || !is_ready(l, line, now_ms))
		return;
	else if (l->state == LETTER_UNKNOWN)
		go_on_unknown(o, l, line, now_ms);
	else
		go_on(o, l, line, now_ms);
}

static struct outbox_line *line_of(const struct outbox *o, const struct letter *l)
{
	return o->options.find(o->options.self, letter_word(l, LETTER_ACCOUNT));
}

/* ---- what channels answer ---- */

/* The pause before another attempt. */
static unsigned wait_longer(struct outbox_line *line)
{
	if (!line)
		return OUTBOX_AWAY_MS;
	line->away_ms = line->away_ms ? 2 * line->away_ms : OUTBOX_AWAY_MS;
	if (line->away_ms > OUTBOX_AWAY_MOST_MS)
		line->away_ms = OUTBOX_AWAY_MOST_MS;
	return line->away_ms;
}

void outbox_note_away(struct outbox *o, struct letter *l, const char *why, int64_t now_ms)
{
	struct outbox_line *line = line_of(o, l);

	if (line && line->away_until_ms <= now_ms) /* else others have said so */
		line->away_until_ms = now_ms + wait_longer(line);
	l->due_ms = now_ms; /* no answer is waited for */
	outbox_tell_words(o, l, "delivery.queued", why);
}

/* Who could tell is away, and is asked again. */
static void look_later(struct outbox *o, struct letter *l, int64_t now_ms)
{
	l->is_doubtful = true;
	l->due_ms = now_ms + wait_longer(line_of(o, l));
}

static void note_accepted(struct outbox *o, struct letter *l, struct text id)
{
	struct outbox_line *line = line_of(o, l);

	if (line)
		line->away_ms = 0;
	l->absences = 0;
	outbox_tell_piece(o, l, "delivery.accepted", id);
}

/* It had left, and is not there: it leaves again, after a pause that grows. */
static void note_absent(struct outbox *o, struct letter *l, const char *why, int64_t now_ms)
{
	int64_t pause_ms = l->absences ? (int64_t)OUTBOX_AWAY_MS << l->absences : 0;

	if (++l->absences == OUTBOX_ABSENCES) {
		outbox_tell_words(o, l, "delivery.failed",
		                  "it was sent again and again, and never arrived");
		return;
	}
	l->pause_ms = now_ms + (pause_ms < OUTBOX_AWAY_MOST_MS ? pause_ms : OUTBOX_AWAY_MOST_MS);
	outbox_tell_words(o, l, "delivery.queued", why);
}

static void not_now(struct outbox *o, struct letter *l, const struct channel_result *result,
                    int64_t now_ms)
{
	const char *why = result->why ? result->why->words : "the channel did not say why";

	if (result->act == CHANNEL_LOOK)
		look_later(o, l, now_ms);
	else if (result->answer == CHANNEL_AWAY)
		outbox_note_away(o, l, why, now_ms);
	else
		outbox_tell_words(o, l, "delivery.queued", why);
}

/* It comes late, and yet it is known now that the piece is there. */
static bool is_awaited(const struct letter *l, const struct channel_result *result)
{
	return l->state == LETTER_STARTED ? l->is_out
	                                  : l->state == LETTER_UNKNOWN && !l->is_out &&
	                                            result->answer == CHANNEL_ACCEPTED;
}

void outbox_answered(struct outbox *o, const struct channel_result *result, int64_t now_ms)
{
	struct letter *l = custody_letter(o->options.custody, result->delivery);
	const char *why = result->why ? result->why->words : "the channel did not say why";

	if (!l || !l->chat)
		return;
	outbox_note_there(o, l->chat, result->answer != CHANNEL_AWAY);
	if ((result->act == CHANNEL_EDIT && !l->words[LETTER_EDITS]) ||
	    result->act == CHANNEL_REMOVE) {
		if (l->is_out && l->state != LETTER_STARTED)
			outbox_changed(o, l, result, now_ms);
		if (l->chat && !outbox_rests(l)) { /* else no other letter waited for it */
			outbox_stir_chat(o, l->chat);
			outbox_work(o, now_ms);
		}
		return;
	}
	outbox_stir_chat(o, l->chat);
	if (result->piece != l->accepted + 1 || !is_awaited(l, result))
		return;
	l->is_out = false;
	if (result->answer != CHANNEL_UNKNOWN)
		l->is_doubtful = false;
	switch (result->answer) {
	case CHANNEL_ACCEPTED:
		note_accepted(o, l, result->message);
		break;
	case CHANNEL_REFUSED:
		if (outbox_is_file(l))
			outbox_miss(o, l, why);
		else
			outbox_tell_words(o, l, "delivery.failed", why);
		break;
	case CHANNEL_ABSENT:
		note_absent(o, l, why, now_ms);
		break;
	case CHANNEL_AWAY:
	case CHANNEL_LATER:
		not_now(o, l, result, now_ms);
		break;
	case CHANNEL_UNKNOWN:
		doubt(o, l, line_of(o, l), now_ms);
	}
	outbox_work(o, now_ms);
}

bool outbox_give_up(struct outbox *o, struct text id)
{
	struct letter *l = custody_letter(o->options.custody, id);
	bool is_begun = l && l->state == LETTER_STARTED;

	/* Its answer is on the way, or nobody knows: then what is said of all letters holds. */
	if (!l || letter_is_over(l) || l->is_telling || l->is_out || l->is_doubtful ||
	    l->accepted || l->tries > is_begun || (is_begun && l->moved <= o->began_seq))
		return true;
	outbox_tell_words(o, l, "delivery.failed", "it was given up");
	return false;
}
