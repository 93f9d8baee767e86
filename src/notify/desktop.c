/* desktop.c - a client of org.freedesktop.Notifications. */
#include "notify/desktop.h"

#include <poll.h>
#include <stdlib.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/must.h"
#include "net/loop.h"
#include "notify/sdbus.h"

#define PLACE "org.freedesktop.Notifications"
#define OBJECT "/org/freedesktop/Notifications"
#define AT_ONCE 64 /* messages of a turn */
#define MARKED_MAX (8 * KIB)

enum note_state { NOTE_WAITS, NOTE_SENT, NOTE_SHOWN };

struct shown_note {
	struct notify_desktop *desktop;
	char *id, *title, *words;
	bool lasts, is_over; /* it is to be closed as soon as its number is known */
	enum note_state state;
	uint32_t number; /* the server's, of one that is shown */
	sd_bus_slot *reply;
	struct link in_notes;
};

struct notify_desktop {
	struct notify_desktop_options options;
	const struct sdbus *calls;
	bool is_used;
	sd_bus *bus;      /* or NULL */
	uv_poll_t *poll;  /* of its descriptor; freed when it is closed */
	sd_bus_slot *ask; /* for what the server can do */
	bool is_ready, has_markup;
	struct deadline timeout, retry;
	uint64_t tried_ms; /* on the loop's clock */
	bool has_tried;
	struct link notes; /* shown_note.in_notes, the oldest first */
	unsigned note_count;
};

static void drop_bus(struct notify_desktop *d);
static void pump_bus(struct notify_desktop *d);

/* ---- notes ---- */

static void note_destroy(struct shown_note *n)
{
	if (n->reply)
		n->desktop->calls->slot_unref(n->reply);
	list_remove(&n->in_notes);
	n->desktop->note_count--;
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
		d->calls->call_method_async(d->bus, NULL, PLACE, OBJECT, PLACE, "CloseNotification",
		                            closed, NULL, "u", number);
}

static int note_is_shown(sd_bus_message *m, void *self, sd_bus_error *why)
{
	struct shown_note *n = self;
	const struct sdbus *calls = n->desktop->calls;

	(void)why;
	n->reply = calls->slot_unref(n->reply);
	if (calls->message_is_method_error(m, NULL) ||
	    calls->message_read(m, "u", &n->number) < 0) {
		note_destroy(n);
		return 0;
	}
	n->state = NOTE_SHOWN;
	if (n->is_over) {
		close_number(n->desktop, n->number);
		note_destroy(n);
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

static void send_note(struct shown_note *n)
{
	struct notify_desktop *d = n->desktop;
	struct buf body;
	int sent;

	buf_init(&body, MARKED_MAX);
	if (n->words && d->has_markup)
		add_marked(&body, n->words);
	else if (n->words)
		buf_add(&body, text_of(n->words));
	buf_add_char(&body, '\0');
	sent = d->calls->call_method_async(
		d->bus, &n->reply, PLACE, OBJECT, PLACE, "Notify", note_is_shown, n,
		"susssasa{sv}i", "signalbox", (uint32_t)0, "dialog-information", n->title,
		body.full ? "" : body.at, 0, 1, "urgency", "y", 1, n->lasts ? 0 : -1);
	buf_finish(&body);
	n->state = NOTE_SENT;
	if (sent < 0)
		note_destroy(n);
}

static void send_waiting(struct notify_desktop *d)
{
	list_each(&d->notes, l) {
		struct shown_note *n = list_of(l, struct shown_note, in_notes);

		if (n->state == NOTE_WAITS)
			send_note(n);
	}
}

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
		return 0; /* pump_bus drops it */
	has_changed(d);
	send_waiting(d);
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
	pump_bus(poll->data);
}

static void on_timeout(struct deadline *deadline)
{
	pump_bus(list_of(deadline, struct notify_desktop, timeout));
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

/* All that can be done now, and nothing that waits. */
static void pump_bus(struct notify_desktop *d)
{
	int more = 1;

	for (unsigned i = 0; d->bus && more > 0 && i < AT_ONCE; i++)
		more = d->calls->process(d->bus, NULL);
	if (!d->bus)
		return;
	if (more < 0 || d->calls->is_open(d->bus) <= 0 || (!d->ask && !d->is_ready))
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

/* What is shown on it is forgotten; what waits is told to nobody. */
static void drop_bus(struct notify_desktop *d)
{
	bool was_ready = d->is_ready;

	if (!d->bus)
		return;
	list_each(&d->notes, l)
		note_destroy(list_of(l, struct shown_note, in_notes));
	if (d->ask)
		d->ask = d->calls->slot_unref(d->ask);
	deadline_clear(&d->timeout);
	uv_poll_stop(d->poll);
	uv_close((uv_handle_t *)d->poll, free_poll);
	d->poll = NULL;
	d->bus = d->calls->close_unref(d->bus);
	d->is_ready = false;
	if (d->is_used)
		try_later(d);
	if (was_ready)
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
	if (d->calls->call_method_async(d->bus, &d->ask, PLACE, OBJECT, PLACE, "GetCapabilities",
	                                told_capabilities, d, "") < 0)
		drop_bus(d);
	else
		pump_bus(d);
}

static void on_retry(struct deadline *deadline)
{
	struct notify_desktop *d = list_of(deadline, struct notify_desktop, retry);

	if (d->is_used && !d->bus)
		open_bus(d);
}

/* ---- used ---- */

static struct shown_note *find_note(struct notify_desktop *d, const char *id)
{
	list_each(&d->notes, l) {
		struct shown_note *n = list_of(l, struct shown_note, in_notes);

		if (strcmp(n->id, id) == 0)
			return n;
	}
	return NULL;
}

void notify_desktop_show(struct notify_desktop *d, const struct notify_note *note)
{
	uint64_t now_ms = loop_now_ms(d->options.loop);
	struct shown_note *n;

	if (!d->is_used || find_note(d, note->id))
		return;
	if (!d->bus && (!d->has_tried || now_ms - d->tried_ms >= DESKTOP_PATIENCE_MS))
		open_bus(d);
	if (!d->bus)
		return;
	if (d->note_count == DESKTOP_NOTES_MAX)
		note_destroy(list_of(d->notes.next, struct shown_note, in_notes));
	n = must_zero(1, sizeof(*n));
	n->desktop = d;
	n->id = must_dup(note->id);
	n->title = must_dup(note->title);
	n->words = must_dup(note->words);
	n->lasts = note->lasts;
	list_add(&d->notes, &n->in_notes);
	d->note_count++;
	if (d->is_ready)
		send_note(n);
	pump_bus(d);
}

void notify_desktop_close(struct notify_desktop *d, const char *id)
{
	struct shown_note *n = find_note(d, id);

	if (!n)
		return;
	if (n->state == NOTE_SENT) {
		n->is_over = true;
		return;
	}
	if (n->state == NOTE_SHOWN)
		close_number(d, n->number);
	note_destroy(n);
	pump_bus(d);
}

bool notify_desktop_is_there(const struct notify_desktop *d)
{
	return d->is_ready;
}

void notify_desktop_use(struct notify_desktop *d, bool use)
{
	if (use == d->is_used)
		return;
	d->is_used = use;
	deadline_clear(&d->retry);
	if (use)
		open_bus(d);
	else
		drop_bus(d);
}

struct notify_desktop *notify_desktop_create(const struct notify_desktop_options *options)
{
	struct notify_desktop *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->timeout.fire = on_timeout;
	d->retry.fire = on_retry;
	list_init(&d->notes);
	return d;
}

void notify_desktop_destroy(struct notify_desktop *d)
{
	if (!d)
		return;
	d->options.changed = NULL;
	notify_desktop_use(d, false);
	free(d);
}
