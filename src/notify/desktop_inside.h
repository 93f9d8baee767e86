/* desktop_inside.h - notes on the desktop, for the files of notify/desktop alone. */
#ifndef NOTIFY_DESKTOP_INSIDE_H
#define NOTIFY_DESKTOP_INSIDE_H

#include <stdint.h>
#include <uv.h>

#include "base/list.h"
#include "base/map.h"
#include "net/loop.h"
#include "notify/desktop.h"
#include "notify/sdbus.h"

#define DESKTOP_PLACE "org.freedesktop.Notifications"
#define DESKTOP_OBJECT "/org/freedesktop/Notifications"

/* NOTE_JOINED: it is one of those that are told as one. */
enum note_state { NOTE_WAITS, NOTE_SENT, NOTE_SHOWN, NOTE_JOINED, NOTE_STATES };

struct shown_note {
	struct desktop_pile *pile;
	char *id, *title, *words; /* no id: it is that of a pile */
	bool is_over;             /* it is to be closed as soon as its number is known */
	enum note_state state;
	uint32_t number; /* the server's, of one that is shown */
	sd_bus_slot *reply;
	struct link in_pile;
};

/* Notes of one kind: a few alone, and one for all beyond. */
struct desktop_pile {
	struct notify_desktop *desktop;
	bool lasts;
	struct link notes; /* shown_note.in_pile, the oldest first */
	unsigned count, in_state[NOTE_STATES];
	struct shown_note many;
	bool is_stale; /* .many says less than is known */
	bool is_paced; /* and may not be told anew yet */
	struct deadline pace;
};

enum { PILE_NEWS, PILE_QUESTIONS, PILES };

struct notify_desktop {
	struct notify_desktop_options options;
	const struct sdbus *calls;
	bool is_used;
	sd_bus *bus;      /* or NULL */
	uv_poll_t *poll;  /* of its descriptor; freed when it is closed */
	sd_bus_slot *ask; /* for what the server can do */
	bool is_ready, has_markup;
	struct deadline timeout, retry;
	struct deadline leave; /* of the bus, when it is used no more */
	uint64_t tried_ms;     /* on the loop's clock */
	bool has_tried;
	struct map by_id; /* shown_note, but for those that are over */
	struct desktop_pile piles[PILES];
};

void desktop_init_pile(struct notify_desktop *desktop, struct desktop_pile *pile, bool lasts);
struct shown_note *desktop_add(struct desktop_pile *pile, const struct notify_note *note);

/* With a desktop that is ready: alone, or with the others. */
void desktop_place(struct shown_note *note);
void desktop_place_all(struct notify_desktop *desktop);
void desktop_tell_many(struct desktop_pile *pile); /* after each change of it */

/* It is no more, nor is what the desktop has of it. */
void desktop_take_back(struct shown_note *note);
void desktop_forget_pile(struct desktop_pile *pile);  /* likewise, all */
bool desktop_awaits(const struct desktop_pile *pile); /* numbers of notes that were sent */
/* The desktop that showed them is gone: a question is shown by the next. */
void desktop_lose_pile(struct desktop_pile *pile);

/* All that can be done now, and nothing that waits. */
void desktop_pump(struct notify_desktop *desktop);

#endif
