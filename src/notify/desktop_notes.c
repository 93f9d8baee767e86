/* desktop_notes.c - what is shown alone, what as one, and what is taken back. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "notify/desktop_inside.h"

#define MARKED_MAX (8 * KIB)

/* ---- notes ---- */

static void note_set_state(struct shown_note *n, enum note_state state)
{
	n->pile->in_state[n->state]--;
	n->pile->in_state[state]++;
	n->state = state;
}

static void drop_reply(struct shown_note *n)
{
	if (n->reply)
		n->reply = n->pile->desktop->calls->slot_unref(n->reply);
}

static void note_destroy(struct shown_note *n)
{
	drop_reply(n);
	if (!n->is_over)
		map_remove(&n->pile->desktop->by_id, text_of(n->id));
	list_remove(&n->in_pile);
	n->pile->count--;
	n->pile->in_state[n->state]--;
	free(n->id);
	free(n->title);
	free(n->words);
	free(n);
}

static int closed(sd_bus_message *m, void *self, sd_bus_error *why)
{
	(void)m;
	(void)self;
	(void)why;
	return 0;
}

static void close_number(struct notify_desktop *d, uint32_t number)
{
	if (d->bus)
		d->calls->call_method_async(d->bus, NULL, DESKTOP_PLACE, DESKTOP_OBJECT,
		                            DESKTOP_PLACE, "CloseNotification", closed, NULL, "u",
		                            number);
}

static void close_many(struct desktop_pile *pile)
{
	close_number(pile->desktop, pile->many.number);
	pile->many.number = 0;
	pile->many.state = NOTE_WAITS;
}

static void many_is_shown(struct desktop_pile *pile, bool is_shown)
{
	pile->many.state = is_shown ? NOTE_SHOWN : NOTE_WAITS;
	if (!is_shown)
		pile->many.number = 0;
	else if (pile->in_state[NOTE_JOINED] == 0)
		close_many(pile);
}

static int note_is_shown(sd_bus_message *m, void *self, sd_bus_error *why)
{
	struct shown_note *n = self;
	const struct sdbus *calls = n->pile->desktop->calls;
	bool is_shown;

	(void)why;
	drop_reply(n);
	is_shown = !calls->message_is_method_error(m, NULL) &&
	           calls->message_read(m, "u", &n->number) >= 0;
	if (n == &n->pile->many) {
		many_is_shown(n->pile, is_shown);
		return 0;
	}
	if (is_shown)
		note_set_state(n, NOTE_SHOWN);
	if (is_shown && n->is_over)
		close_number(n->pile->desktop, n->number);
	if (!is_shown || n->is_over) {
		struct desktop_pile *pile = n->pile;

		note_destroy(n);
		desktop_tell_many(pile);
	}
	return 0;
}

/* Where the server reads markup, plain text has to say so. */
static void add_marked(struct buf *out, const char *words)
{
	for (; *words; words++)
		switch (*words) {
		case '&':
			buf_add(out, TEXT("&amp;"));
			break;
		case '<':
			buf_add(out, TEXT("&lt;"));
			break;
		case '>':
			buf_add(out, TEXT("&gt;"));
			break;
		default:
			buf_add_char(out, *words);
		}
}

/* False: it cannot be sent.  Who has a number already is replaced. */
static bool send_words(struct shown_note *n, const char *title, const char *words)
{
	struct notify_desktop *d = n->pile->desktop;
	struct buf body;
	int sent;

	buf_init(&body, MARKED_MAX);
	if (words && d->has_markup)
		add_marked(&body, words);
	else if (words)
		buf_add(&body, text_of(words));
	buf_add_char(&body, '\0');
	sent = d->calls->call_method_async(
		d->bus, &n->reply, DESKTOP_PLACE, DESKTOP_OBJECT, DESKTOP_PLACE, "Notify",
		note_is_shown, n, "susssasa{sv}i", "signalbox", n->number, "dialog-information",
		title, body.full ? "" : body.at, 0, 1, "urgency", "y", 1, n->pile->lasts ? 0 : -1);
	buf_finish(&body);
	return sent >= 0;
}

/* ---- many at once ---- */

static struct shown_note *newest_joined(struct desktop_pile *pile)
{
	for (struct link *l = pile->notes.prev; l != &pile->notes; l = l->prev)
		if (list_of(l, struct shown_note, in_pile)->state == NOTE_JOINED)
			return list_of(l, struct shown_note, in_pile);
	return NULL;
}

/* How many there are, and the words of the newest; one alone speaks for itself. */
static void send_many(struct desktop_pile *pile)
{
	const struct shown_note *newest = newest_joined(pile);
	struct buf title, words;
	bool is_one = pile->count == 1;

	pile->is_stale = false;
	buf_init(&title, KIB);
	buf_init(&words, MARKED_MAX);
	if (is_one)
		buf_add(&title, text_of(newest->title));
	else
		buf_print(&title, "%u %s", pile->count,
		          pile->lasts ? "questions wait for you" : "matters to look at");
	if (!is_one)
		buf_print(&words, "%s%s", newest->title, newest->words ? ": " : "");
	if (newest->words)
		buf_add(&words, text_of(newest->words));
	buf_add_char(&title, '\0');
	buf_add_char(&words, '\0');
	if (send_words(&pile->many, title.at, words.full ? NULL : words.at))
		pile->many.state = NOTE_SENT;
	buf_finish(&title);
	buf_finish(&words);
}

static void pace_many(struct desktop_pile *pile)
{
	pile->is_paced = true;
	deadline_set(pile->desktop->options.loop, &pile->pace, DESKTOP_PACE_MS);
}

void desktop_tell_many(struct desktop_pile *pile)
{
	if (!pile->desktop->is_ready)
		return;
	if (pile->in_state[NOTE_JOINED] == 0) {
		pile->is_stale = false;
		if (pile->many.state == NOTE_SHOWN)
			close_many(pile);
	} else if (pile->is_paced) {
		pile->is_stale = true;
	} else {
		send_many(pile);
		pace_many(pile);
	}
}

static void on_pace(struct deadline *deadline)
{
	struct desktop_pile *pile = list_of(deadline, struct desktop_pile, pace);

	pile->is_paced = false;
	if (!pile->is_stale && pile->many.state != NOTE_SENT)
		return;
	if (pile->many.state == NOTE_SENT)
		pace_many(pile); /* its number has to be known first */
	else
		desktop_tell_many(pile);
	desktop_pump(pile->desktop);
}

void desktop_place(struct shown_note *n)
{
	struct desktop_pile *pile = n->pile;

	if (pile->in_state[NOTE_SENT] + pile->in_state[NOTE_SHOWN] >= DESKTOP_ALONE_MAX)
		note_set_state(n, NOTE_JOINED);
	else if (send_words(n, n->title, n->words))
		note_set_state(n, NOTE_SENT);
	else
		note_destroy(n);
}

void desktop_place_all(struct notify_desktop *d)
{
	for (int i = 0; i < PILES; i++) {
		list_each(&d->piles[i].notes, l) {
			struct shown_note *n = list_of(l, struct shown_note, in_pile);

			if (n->state == NOTE_WAITS)
				desktop_place(n);
		}
		desktop_tell_many(&d->piles[i]);
	}
}

void desktop_take_back(struct shown_note *n)
{
	struct desktop_pile *pile = n->pile;

	if (n->is_over)
		return;
	if (n->state == NOTE_SENT) {
		map_remove(&pile->desktop->by_id, text_of(n->id));
		n->is_over = true;
		return;
	}
	if (n->state == NOTE_SHOWN)
		close_number(pile->desktop, n->number);
	note_destroy(n);
}

void desktop_lose_pile(struct desktop_pile *pile)
{
	drop_reply(&pile->many);
	pile->many.state = NOTE_WAITS;
	pile->many.number = 0;
	pile->is_paced = pile->is_stale = false;
	deadline_clear(&pile->pace);
	list_each(&pile->notes, l) {
		struct shown_note *n = list_of(l, struct shown_note, in_pile);

		drop_reply(n);
		n->number = 0;
		if (!pile->lasts || n->is_over)
			note_destroy(n);
		else
			note_set_state(n, NOTE_WAITS);
	}
}

void desktop_forget_pile(struct desktop_pile *pile)
{
	list_each(&pile->notes, l)
		desktop_take_back(list_of(l, struct shown_note, in_pile));
	if (pile->many.state == NOTE_SHOWN)
		close_many(pile);
}

bool desktop_awaits(const struct desktop_pile *pile)
{
	return pile->in_state[NOTE_SENT] > 0 || pile->many.state == NOTE_SENT;
}

struct shown_note *desktop_add(struct desktop_pile *pile, const struct notify_note *note)
{
	struct shown_note *n = must_zero(1, sizeof(*n));

	n->pile = pile;
	n->id = must_dup(note->id);
	n->title = must_dup(note->title);
	n->words = must_dup(note->words);
	map_set(&pile->desktop->by_id, text_of(n->id), n);
	list_add(&pile->notes, &n->in_pile);
	pile->count++;
	pile->in_state[NOTE_WAITS]++;
	return n;
}

void desktop_init_pile(struct notify_desktop *d, struct desktop_pile *pile, bool lasts)
{
	pile->desktop = d;
	pile->lasts = lasts;
	pile->pace.fire = on_pace;
	pile->many.pile = pile;
	list_init(&pile->notes);
}
