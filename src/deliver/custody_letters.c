/* custody_letters.c - messages to people, folded. */
#include "base/must.h"
#include "deliver/custody_inside.h"
#include "signal/signal.h"

/* ---- lists ---- */

static void take_letter(struct custody_list *list, struct letter *l)
{
	saving_change(&list->saving, &l->to_save);
	list_remove(&l->in_all);
	list->count--;
}

void custody_drop_letter(struct custody *c, struct custody_list *list)
{
	struct letter *l = list_of(list->all.next, struct letter, in_all);

	take_letter(list, l);
	map_remove(&c->letters_by_id, letter_word(l, LETTER_ID));
	letter_free(l);
}

/* Letters of a request that is over. */
void custody_drop_kept(struct custody *c, struct received *r)
{
	while (!list_is_empty(&r->kept)) {
		struct letter *l = list_of(r->kept.next, struct letter, in_all);

		saving_change(&c->over.saving, &l->to_save);
		map_remove(&c->letters_by_id, letter_word(l, LETTER_ID));
		letter_free(l);
	}
}

/* The oldest go, but whoever waits for one has not asked yet what became of it. */
static void drop_older_letters(struct custody *c)
{
	while (c->over.count >= CUSTODY_OVER_MAX) {
		struct letter *l = list_of(c->over.all.next, struct letter, in_all);
		struct received *r = map_get(&c->requests_by_id, letter_word(l, LETTER_REQUEST));

		if (r) {
			take_letter(&c->over, l);
			list_add(&r->kept, &l->in_all);
		} else {
			custody_drop_letter(c, &c->over);
		}
	}
}

/* What is there needs no text any more; what failed may be sent again. */
static void end_letter(struct custody *c, struct letter *l)
{
	take_letter(&c->open, l);
	if (l->state == LETTER_DELIVERED || letter_word(l, LETTER_TEXT).len > CUSTODY_TEXT_MAX) {
		letter_set(l, LETTER_TEXT, TEXT(""));
		letter_set(l, LETTER_MEDIA, TEXT(""));
	}
	drop_older_letters(c);
	list_add(&c->over.all, &l->in_all);
	c->over.count++;
}

/* ---- signals ---- */

static void hear_prepared(struct custody *c, yyjson_val *payload, const struct signal *s)
{
	struct letter *l = map_get(&c->letters_by_id, json_text_at(payload, "delivery"));

	if (l)
		return;
	l = letter_read(payload);
	if (!l)
		return;
	l->state = LETTER_PREPARED;
	l->seq = l->moved = s->seq;
	l->at_ms = l->last_ms = s->at_ms;
	if (c->open.count >= CUSTODY_OPEN_MAX)
		custody_drop_letter(c, &c->open);
	custody_add_letter(c, &c->open, l);
	if (c->ear.letter)
		c->ear.letter(c->ear.self, l);
}

static void note_behind(struct letter *l, enum letter_word word, char gap, struct text more)
{
	struct buf all;

	if (!more.len)
		return;
	buf_init(&all, 16 * KIB);
	buf_add(&all, letter_word(l, word));
	if (all.len)
		buf_add_char(&all, gap);
	buf_add(&all, more);
	if (!all.full)
		letter_set(l, word, buf_text(&all));
	buf_finish(&all);
}

static void note_message(struct letter *l, enum letter_word word, struct text message)
{
	note_behind(l, word, ' ', message);
}

/* ---- messages whose text grows ---- */

/* All that is there of it has to go. */
static void make_stale(struct letter *l)
{
	note_message(l, LETTER_STALE, letter_word(l, LETTER_MESSAGES));
	letter_set(l, LETTER_MESSAGES, TEXT(""));
	l->drafts = 0;
}

static void hear_grown(struct letter *l, yyjson_val *payload)
{
	letter_set(l, LETTER_TEXT, json_text_at(payload, "text"));
}

/* What is there, or about to be, has a text that was not the last. */
static void hear_finished(struct letter *l, yyjson_val *payload)
{
	bool can_change = !letter_is(l, "stream");

	l->is_half = l->tries && (l->state == LETTER_STARTED || l->state == LETTER_UNKNOWN);
	letter_set(l, LETTER_KIND, json_text_at(payload, "kind"));
	letter_set(l, LETTER_TEXT, json_text_at(payload, "text"));
	letter_set(l, LETTER_MEDIA, json_text_at(payload, "media"));
	letter_set(l, LETTER_VOICE, json_text_at(payload, "voice"));
	if (can_change)
		l->drafts = l->accepted + (l->state == LETTER_STARTED);
}

static void hear_dropped(struct letter *l, yyjson_val *payload)
{
	letter_set(l, LETTER_KIND, TEXT("dropped"));
	letter_set(l, LETTER_TEXT, TEXT(""));
	make_stale(l);
}

/* An edit was refused: all of it is sent anew, and then what was there goes. */
static void hear_renewed(struct letter *l, yyjson_val *payload)
{
	make_stale(l);
	l->accepted = 0;
	l->state = LETTER_QUEUED;
	letter_set(l, LETTER_WHY, json_text_at(payload, "why"));
}

static void hear_removed(struct letter *l, yyjson_val *payload)
{
	struct text gone = json_text_at(payload, "message");
	struct buf all;

	buf_init(&all, 64 * KIB);
	for (struct text rest = letter_word(l, LETTER_STALE); rest.at;) {
		struct text one = text_cut(rest, ' ', &rest);

		if (text_equal(one, gone))
			continue;
		if (all.len)
			buf_add_char(&all, ' ');
		buf_add(&all, one);
	}
	letter_set(l, LETTER_STALE, buf_text(&all));
	buf_finish(&all);
}

/* A file of it cannot be sent: the others follow. */
static void hear_missed(struct letter *l, yyjson_val *payload)
{
	l->accepted = (unsigned)yyjson_get_uint(yyjson_obj_get(payload, "piece"));
	l->state = LETTER_ACCEPTED;
	l->tries = 0;
	note_behind(l, LETTER_MISSED, '\n', json_text_at(payload, "why"));
}

/* The piece that was begun is not in the last text: what follows is another one. */
static void hear_shortened(struct letter *l, yyjson_val *payload)
{
	(void)payload;
	l->state = LETTER_QUEUED;
	l->drafts = l->accepted;
	l->tries = 0;
	l->is_half = false;
}

static const struct {
	const char *what;
	void (*hear)(struct letter *l, yyjson_val *payload);
} changes[] = {
	{"grown", hear_grown},         {"finished", hear_finished}, {"dropped", hear_dropped},
	{"renewed", hear_renewed},     {"removed", hear_removed},   {"missed", hear_missed},
	{"shortened", hear_shortened},
};

/* However long its agent took. */
static void give_another_day(struct letter *l, double at_ms)
{
	l->last_ms = at_ms;
	l->old_ms = 0;
}

static bool change_letter(struct letter *l, struct text what, yyjson_val *payload)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (text_is(what, changes[i].what)) {
			changes[i].hear(l, payload);
			return true;
		}
	return false;
}

/* ---- states ---- */

static void move_letter(struct custody *c, struct letter *l, enum letter_state state,
                        yyjson_val *payload)
{
	bool was_started = l->state == LETTER_STARTED;

	l->state = state;
	if (state == LETTER_STARTED) {
		l->tries++;
		l->is_half = false;
	}
	if (was_started && (state == LETTER_QUEUED || state == LETTER_FAILED) && l->tries)
		l->tries--; /* this time it has not left, or was refused */
	if (state != LETTER_STARTED && state != LETTER_ACCEPTED && l->drafts > l->accepted)
		l->drafts = l->accepted; /* the one that was about to be there is none */
	if (state == LETTER_ACCEPTED) {
		l->accepted = (unsigned)yyjson_get_uint(yyjson_obj_get(payload, "piece"));
		l->tries = 0;
		l->is_half = false;
		note_message(l, letter_is(l, "dropped") ? LETTER_STALE : LETTER_MESSAGES,
		             json_text_at(payload, "message"));
	}
	letter_set(l, LETTER_WHY, json_text_at(payload, "why"));
	if (letter_is_over(l))
		end_letter(c, l);
}

void custody_hear_delivery(struct custody *c, struct text what, yyjson_val *payload,
                           const struct signal *s)
{
	struct letter *l = map_get(&c->letters_by_id, json_text_at(payload, "delivery"));
	enum letter_state state;

	if (text_is(what, "prepared")) {
		hear_prepared(c, payload, s);
		return;
	}
	if (!l || letter_is_over(l))
		return;
	saving_change(&c->open.saving, &l->to_save);
	l->is_telling = false;
	if (change_letter(l, what, payload)) {
		l->seq = s->seq;
		if (text_is(what, "finished") || text_is(what, "dropped"))
			give_another_day(l, s->at_ms);
	} else if (letter_read_state(what, &state)) {
		l->seq = l->moved = s->seq;
		move_letter(c, l, state, payload);
	}
	if (c->ear.letter)
		c->ear.letter(c->ear.self, l);
}
