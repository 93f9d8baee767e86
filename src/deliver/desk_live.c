/* desk_live.c - messages that are edited or grow while a request is answered: drafts and status,
 * and streams. */
#include <stdlib.h>

#include "base/must.h"
#include "deliver/desk_inside.h"
#include "deliver/desk_live.h"
#include "deliver/desk_uploads.h"
#include "deliver/outbox_stream.h"

static struct letter *letter_of(const struct nexus *x)
{
	return x->live ? custody_letter(x->desk->options.custody, text_of(x->live)) : NULL;
}

static void forget_live(struct nexus *x)
{
	free(x->live);
	x->live = NULL;
	x->live_there = 0;
}

/* ---- what the reply wants ---- */

static bool begin_live(struct nexus *x, struct text text)
{
	static const char *const kinds[] = {[CHANNEL_DRAFTS] = "draft",
	                                    [CHANNEL_PROGRESS] = "status",
	                                    [CHANNEL_STREAMS] = "stream"};
	bool is_first = x->live_mode == CHANNEL_DRAFTS ||
	                (x->live_mode == CHANNEL_STREAMS && !x->request.chunks_sent);
	struct payload payload = {.text = text,
	                          .reply_to = is_first ? nexus_word(&x->request, NEXUS_MESSAGE)
	                                               : TEXT("")};
	char *id = desk_prepare(x, kinds[x->live_mode], &payload);

	if (!id)
		return false;
	forget_live(x);
	x->live = id;
	return true;
}

bool desk_live(void *self, const struct draft_step *step)
{
	struct nexus *x = self;
	struct outbox *outbox = x->desk->outbox;
	struct outbox_edit edit = {step->piece, step->text};

	if (step->act == DRAFT_BEGINS)
		return begin_live(x, step->text);
	if (!x->live)
		return false;
	return step->act == DRAFT_GROWS
	               ? outbox_grow(outbox, text_of(x->live), step->text)
	               : outbox_edit(outbox, text_of(x->live), &edit, x->desk->now_ms);
}

void desk_live_drop(void *self)
{
	struct nexus *x = self;

	if (x->live)
		outbox_drop(x->desk->outbox, text_of(x->live));
	forget_live(x);
}

int64_t desk_live_ready(void *self)
{
	const struct nexus *x = self;
	const struct outbox_line *line = &x->account->line;
	struct channel_message where = {.peer = nexus_word(&x->request, NEXUS_PEER),
	                                .thread = nexus_word(&x->request, NEXUS_THREAD)};

	return line->channel && line->kind->ready
	               ? line->kind->ready(line->channel, &where, x->desk->now_ms)
	               : x->desk->now_ms;
}

static bool finish(const struct nexus *x, const char *kind, const struct payload *payload)
{
	struct outbox_wish wish = {.kind = kind, .text = payload->text};
	struct buf media;
	bool is_taken;

	buf_init(&media, PAYLOAD_MEDIA_BYTES);
	desk_add_media(payload, &media, &wish);
	is_taken = outbox_finish(x->desk->outbox, text_of(x->live), &wish);
	buf_finish(&media);
	return is_taken;
}

bool desk_live_finish(struct nexus *x, const char *kind, uint64_t number,
                      const struct payload *payload)
{
	if (!x->live || x->live_mode == CHANNEL_PROGRESS || !finish(x, kind, payload))
		return false;
	if (x->reply && reply_has_failed(x->reply))
		outbox_break(x->desk->outbox, text_of(x->live));
	free(x->letter);
	x->letter = x->live;
	x->letter_number = number;
	x->live = NULL;
	forget_live(x);
	return true;
}

bool desk_stream(void *self, enum reply_flow act, struct text text)
{
	struct nexus *x = self;

	if (act == REPLY_FLOW_BEGINS)
		return begin_live(x, text);
	if (!x->live)
		return false;
	if (act == REPLY_FLOW_SAYS)
		return outbox_say(x->desk->outbox, text_of(x->live), text, x->desk->now_ms);
	return desk_live_finish(x, "block", REPLY_FLOW_NUMBER, &(struct payload){.text = text});
}

/* ---- what became of it ---- */

static void tell_edit(struct nexus *x, struct letter *l)
{
	static const enum draft_edited ends[] = {[LETTER_LIVE_DONE] = DRAFT_EDITED,
	                                         [LETTER_LIVE_FAILED] = DRAFT_EDIT_FAILED,
	                                         [LETTER_LIVE_LATER] = DRAFT_EDIT_LATER};

	if (l->live < LETTER_LIVE_DONE)
		return;
	reply_live_edited(x->reply, ends[l->live]);
	l->live = LETTER_LIVE_NONE;
}

void desk_look_at_live(struct nexus *x)
{
	struct letter *l = letter_of(x);

	if (!x->live || !x->reply)
		return;
	if (!l || letter_is_over(l)) {
		forget_live(x);
		reply_live_lost(x->reply);
		return;
	}
	if (l->state == LETTER_UNKNOWN) {
		reply_live_doubted(x->reply);
		return;
	}
	if (x->live_mode == CHANNEL_STREAMS)
		return;
	if (l->accepted > x->live_there) {
		x->live_there = l->accepted;
		reply_live_there(x->reply, l->accepted);
	}
	tell_edit(x, l);
}

/* ---- what the last life left ---- */

static struct letter *stale_draft(const struct desk *d, const struct nexus *x)
{
	list_each(custody_letters(d->options.custody), l) {
		struct letter *one = list_of(l, struct letter, in_all);

		if (letter_is(one, "draft") &&
		    text_is(letter_word(one, LETTER_REQUEST), x->request.id))
			return one;
	}
	return NULL;
}

/* Another message of it may be there. */
static bool is_in_doubt(const struct letter *l)
{
	return l->state == LETTER_STARTED || l->state == LETTER_UNKNOWN;
}

/* A draft of one message says the notice instead; of a longer one all is kept that is known. */
bool desk_end_draft(struct nexus *x, struct text notice)
{
	const struct letter *l = stale_draft(x->desk, x);
	struct buf text;
	bool good;

	if (!l)
		return false;
	buf_init(&text, OUTBOX_TEXT_MAX);
	if (l->accepted + is_in_doubt(l) > 1) {
		buf_add(&text, letter_word(l, LETTER_TEXT));
		buf_add(&text, TEXT("\n\n"));
	}
	buf_add(&text, notice);
	x->live = text_dup(letter_word(l, LETTER_ID));
	x->live_mode = CHANNEL_DRAFTS;
	good = desk_live_finish(x, "notice", 0, &(struct payload){.text = buf_text(&text)});
	buf_finish(&text);
	if (!good)
		forget_live(x);
	return good;
}

/* A draft that may be there, or not, is the end of the answer that is asked for again: whatever is
 * found out of it, no half of it stays. */
void desk_keep_draft(struct nexus *x)
{
	const struct letter *l = stale_draft(x->desk, x);

	if (!l || !is_in_doubt(l))
		return;
	x->live = text_dup(letter_word(l, LETTER_ID));
	x->request.disables_streaming = true;
}

static bool is_kept(const struct desk *d, const struct letter *l)
{
	const struct nexus *x = map_get(&d->by_id, letter_word(l, LETTER_REQUEST));

	return x && x->live && text_is(letter_word(l, LETTER_ID), x->live);
}

/* Nobody goes on with the others. */
void desk_drop_stale(struct desk *d)
{
	list_each(custody_letters(d->options.custody), l) {
		struct letter *one = list_of(l, struct letter, in_all);

		if (letter_is_live(one) && !is_kept(d, one))
			outbox_drop(d->outbox, letter_word(one, LETTER_ID));
	}
}
