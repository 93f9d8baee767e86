/* watch.h - directories of which the kernel tells what happens there (inotify), each by itself.
 *
 * The first news is told at once; while more comes it is gathered for a moment, so that a busy
 * file costs little.  A directory that is not there is waited for in the nearest one above it.
 * What cannot be watched is not: whoever asks watcher_is_on() looks there again and again.
 */
#ifndef SOURCE_WATCH_H
#define SOURCE_WATCH_H

#include "base/list.h"
#include "base/text.h"

struct loop;
struct watch_dir;
struct watches;

struct watch_news {
	const char *name; /* NULL: anything may have happened there */
	bool is_dir;
	bool is_made; /* or moved there, and not only written to */
};

/* Who wants to know; in the memory of whom it belongs to. */
struct watcher {
	void (*news)(struct watcher *w, const struct watch_news *news);
	struct watch_dir *dir; /* NULL: there are too many */
	const char *name;      /* theirs: of that file alone; NULL: of all that nobody has named */
	bool hears_removals;   /* of names in it, too */
	bool is_named;         /* watches.named has it */
	struct link in_dir;    /* watch_dir.watchers */
};

struct watches *watches_create(struct loop *loop);
void watches_destroy(struct watches *all); /* when nobody wants to know any more */

/* Are some of them, in turn, there, and what they were?  Each beat. */
void watches_look(struct watches *all);

/* root: theirs; through no link below it. */
void watcher_init(struct watcher *w, struct watches *all, const char *root, struct text below);
void watcher_finish(struct watcher *w);
bool watcher_is_on(const struct watcher *w); /* it would be told, also of what is not there yet */

#endif
