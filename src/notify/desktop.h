/* desktop.h - notifications on the desktop of this machine, by the session bus.
 *
 * The bus is a descriptor of the loop, and no call waits.  Where there is no bus, or nobody on it
 * who shows notifications, nothing is said: it is tried again when something is to be shown, at
 * most each DESKTOP_PATIENCE_MS, and every DESKTOP_RETRY_MS.  A note that lasts waits for a
 * desktop; others are told to the one of the moment or to nobody.
 *
 * Of each kind, notes that last and others, DESKTOP_ALONE_MAX are shown one by one, and all beyond
 * as one that says how many there are; it is told anew at most each DESKTOP_PACE_MS.
 */
#ifndef NOTIFY_DESKTOP_H
#define NOTIFY_DESKTOP_H

#include <stdbool.h>

struct loop;
struct notify_desktop;

#define DESKTOP_PATIENCE_MS 30000
#define DESKTOP_RETRY_MS 300000
#define DESKTOP_ALONE_MAX 3
#define DESKTOP_PACE_MS 1000
#define DESKTOP_NOTES_MAX 4096 /* of a kind; of more the oldest is taken back */

struct notify_desktop_options {
	struct loop *loop;
	void *self;
	void (*changed)(void *self); /* notify_desktop_is_there() is another */
};

struct notify_desktop *notify_desktop_create(const struct notify_desktop_options *options);
/* Takes back what is shown; for numbers that the desktop has yet to tell it waits two seconds. */
void notify_desktop_destroy(struct notify_desktop *desktop);

void notify_desktop_use(struct notify_desktop *desktop, bool use); /* at first it is not */
bool notify_desktop_is_there(const struct notify_desktop *desktop);

/* Texts are plain, and copied. */
struct notify_note {
	const char *id, *title;
	const char *words; /* or NULL */
	bool lasts;        /* until it is closed */
};
void notify_desktop_show(struct notify_desktop *desktop, const struct notify_note *note);
void notify_desktop_close(struct notify_desktop *desktop, const char *id);

#endif
