/* desktop.c - a client of org.freedesktop.Notifications. */
#include "notify/desktop.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "notify/desktop_inside.h"

#define AT_ONCE 64       /* messages of a turn */
#define LEAVE_MS 2000    /* for numbers of notifications that are to be closed */
#define LEAVE_LOOK_MS 50 /* for what the bus has read already */

static void drop_bus(struct notify_desktop *d);

/* ---- the bus ---- */

static void has_changed(struct notify_desktop *d)
{
	if (d->options.changed)
		d->options.changed(d->options.self);
}

static bool read_markup(struct notify_desktop *d, sd_bus_message *m)
{
	const char *word;

	if (d->calls->message_is_method_error(m, NULL) ||
	    d->calls->message_enter_container(m, 'a', "s") < 0)
		return false;
	d->has_markup = false;
	while (d->calls->message_read(m, "s", &word) > 0)
		d->has_markup = d->has_markup || strcmp(word, "body-markup") == 0;
	return true;
}

/* Somebody is there who shows notifications, or nobody is. */
static int told_capabilities(sd_bus_message *m, void *self, sd_bus_error *why)
{
	struct notify_desktop *d = self;

	(void)why;
	d->ask = d->calls->slot_unref(d->ask);
	d->is_ready = read_markup(d, m);
	if (!d->is_ready)
		return 0; /* desktop_pump drops it */
	has_changed(d);
	desktop_place_all(d);
	return 0;
}

static int poll_events(int events)
{
	return (events & POLLIN ? UV_READABLE : 0) | (events & POLLOUT ? UV_WRITABLE : 0);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	desktop_pump(poll->data);
}

static void on_timeout(struct deadline *deadline)
{
	desktop_pump(list_of(deadline, struct notify_desktop, timeout));
}

static void await_bus(struct notify_desktop *d)
{
	uint64_t until_us = UINT64_MAX, now_us = clock_mono_ns() / 1000;
	int events = d->calls->get_events(d->bus);

	if (events < 0 || uv_poll_start(d->poll, poll_events(events), on_poll) != 0 ||
	    d->calls->get_timeout(d->bus, &until_us) < 0) {
		drop_bus(d);
		return;
	}
	if (until_us == UINT64_MAX)
		deadline_clear(&d->timeout);
	else
		deadline_set(d->options.loop, &d->timeout,
		             until_us > now_us ? (unsigned)((until_us - now_us) / 1000 + 1) : 1);
}

/* Whoever leaves has still to hear the number of a note that was sent, or to write. */
static bool is_owed(const struct notify_desktop *d)
{
	int events = d->calls->get_events(d->bus);

	for (int i = 0; i < PILES; i++)
		if (desktop_awaits(&d->piles[i]))
			return true;
	return events > 0 && (events & POLLOUT);
}

static bool is_done(const struct notify_desktop *d)
{
	return d->calls->is_open(d->bus) <= 0 || (!d->ask && !d->is_ready) ||
	       (!d->is_used && !is_owed(d));
}

void desktop_pump(struct notify_desktop *d)
{
	int more = 1;

	for (unsigned i = 0; d->bus && more > 0 && i < AT_ONCE; i++)
		more = d->calls->process(d->bus, NULL);
	if (!d->bus)
		return;
	if (more < 0 || is_done(d))
		drop_bus(d);
	else
		await_bus(d);
}

static void free_poll(uv_handle_t *handle)
{
	free(handle);
}

static void try_later(struct notify_desktop *d)
{
	deadline_set(d->options.loop, &d->retry, DESKTOP_RETRY_MS);
}

static void drop_bus(struct notify_desktop *d)
{
	bool was_there = notify_desktop_is_there(d);

	if (!d->bus)
		return;
	for (int i = 0; i < PILES; i++)
		desktop_lose_pile(&d->piles[i]);
	if (d->ask)
		d->ask = d->calls->slot_unref(d->ask);
	deadline_clear(&d->timeout);
	deadline_clear(&d->leave);
	uv_poll_stop(d->poll);
	uv_close((uv_handle_t *)d->poll, free_poll);
	d->poll = NULL;
	d->bus = d->calls->close_unref(d->bus);
	d->is_ready = false;
	if (d->is_used)
		try_later(d);
	if (was_there)
		has_changed(d);
}

static void open_bus(struct notify_desktop *d)
{
	d->has_tried = true;
	d->tried_ms = loop_now_ms(d->options.loop);
	d->calls = sdbus_load();
	if (!d->calls->is_there || d->calls->open_user(&d->bus) < 0) {
		d->bus = NULL;
		try_later(d);
		return;
	}
	d->poll = must_zero(1, sizeof(*d->poll));
	d->poll->data = d;
	if (uv_poll_init(loop_uv(d->options.loop), d->poll, d->calls->get_fd(d->bus)) != 0) {
		free(d->poll);
		d->bus = d->calls->close_unref(d->bus);
		try_later(d);
		return;
	}
	if (d->calls->call_method_async(d->bus, &d->ask, DESKTOP_PLACE, DESKTOP_OBJECT,
	                                DESKTOP_PLACE, "GetCapabilities", told_capabilities, d,
	                                "") < 0)
		drop_bus(d);
	else
		desktop_pump(d);
}

static void on_retry(struct deadline *deadline)
{
	struct notify_desktop *d = list_of(deadline, struct notify_desktop, retry);

	if (d->is_used && !d->bus)
		open_bus(d);
}

/* ---- used ---- */

void notify_desktop_show(struct notify_desktop *d, const struct notify_note *note)
{
	struct desktop_pile *pile = &d->piles[note->lasts ? PILE_QUESTIONS : PILE_NEWS];
	uint64_t now_ms = loop_now_ms(d->options.loop);
	struct shown_note *n;

	if (!d->is_used || map_get(&d->by_id, text_of(note->id)))
		return;
	if (!d->bus && (!d->has_tried || now_ms - d->tried_ms >= DESKTOP_PATIENCE_MS))
		open_bus(d);
	if (!d->bus && !note->lasts)
		return;
	if (pile->count >= DESKTOP_NOTES_MAX)
		desktop_take_back(list_of(pile->notes.next, struct shown_note, in_pile));
	n = desktop_add(pile, note);
	if (d->is_ready) {
		desktop_place(n);
		desktop_tell_many(pile);
	}
	if (d->bus)
		desktop_pump(d);
}

void notify_desktop_close(struct notify_desktop *d, const char *id)
{
	struct shown_note *n = map_get(&d->by_id, text_of(id));
	struct desktop_pile *pile = n ? n->pile : NULL;

	if (!n)
		return;
	desktop_take_back(n);
	desktop_tell_many(pile);
	if (d->bus)
		desktop_pump(d);
}

bool notify_desktop_is_there(const struct notify_desktop *d)
{
	return d->is_used && d->is_ready;
}

static void on_leave(struct deadline *deadline)
{
	drop_bus(list_of(deadline, struct notify_desktop, leave));
}

/* A note that was sent has no number yet: it is closed when that comes, or after a moment never. */
static void begin_leave(struct notify_desktop *d)
{
	for (int i = 0; i < PILES; i++)
		desktop_forget_pile(&d->piles[i]);
	if (!d->bus)
		return;
	deadline_set(d->options.loop, &d->leave, LEAVE_MS);
	desktop_pump(d);
}

void notify_desktop_use(struct notify_desktop *d, bool use)
{
	bool was_there = notify_desktop_is_there(d);

	if (use == d->is_used)
		return;
	d->is_used = use;
	deadline_clear(&d->retry);
	deadline_clear(&d->leave);
	if (!use)
		begin_leave(d);
	else if (!d->bus)
		open_bus(d);
	if (was_there != notify_desktop_is_there(d))
		has_changed(d);
}

struct notify_desktop *notify_desktop_create(const struct notify_desktop_options *options)
{
	struct notify_desktop *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->timeout.fire = on_timeout;
	d->leave.fire = on_leave;
	d->retry.fire = on_retry;
	map_init(&d->by_id);
	for (int i = 0; i < PILES; i++)
		desktop_init_pile(d, &d->piles[i], i == PILE_QUESTIONS);
	return d;
}

/* The loop turns no more for us, and the program is about to end. */
static void leave_now(struct notify_desktop *d)
{
	uint64_t now_ms = clock_mono_ns() / 1000000, end_ms = now_ms + LEAVE_MS;

	for (; d->bus && now_ms < end_ms; now_ms = clock_mono_ns() / 1000000) {
		struct pollfd fd = {.fd = d->calls->get_fd(d->bus),
		                    .events = (short)d->calls->get_events(d->bus)};

		poll(&fd, 1, LEAVE_LOOK_MS);
		desktop_pump(d);
	}
	drop_bus(d);
}

void notify_desktop_destroy(struct notify_desktop *d)
{
	if (!d)
		return;
	d->options.changed = NULL;
	notify_desktop_use(d, false);
	leave_now(d);
	map_finish(&d->by_id);
	free(d);
}
