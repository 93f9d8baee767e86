/* desktop.h - notifications on the desktop of this machine, by the session bus.
 *
 * The bus is a descriptor of the loop, and no call waits.  Where there is no bus, or nobody on it
 * who shows notifications, nothing is said: it is tried again when something is to be shown, at
 * most each DESKTOP_PATIENCE_MS, and every DESKTOP_RETRY_MS.
 */
#ifndef NOTIFY_DESKTOP_H
#define NOTIFY_DESKTOP_H

#include <stdbool.h>

struct loop;
struct notify_desktop;

#define DESKTOP_PATIENCE_MS 30000
#define DESKTOP_RETRY_MS 300000
#define DESKTOP_NOTES_MAX 100 /* that are shown; of more the oldest is forgotten, and stays */

struct notify_desktop_options {
	struct loop *loop;
	void *self;
	void (*changed)(void *self); /* notify_desktop_is_there() is another */
};

struct notify_desktop *notify_desktop_create(const struct notify_desktop_options *options);
/* What is shown stays: a box that starts again is quiet about it. */
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
