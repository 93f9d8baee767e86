/* watch.c - one descriptor of the kernel for all directories. */
#include "source/transcript/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <uv.h>

#include "base/log.h"
#include "base/map.h"
#include "base/must.h"
#include "net/loop.h"
#include "source/transcript/trail.h"

#define DIRS_MAX 4096
#define DIRS_A_LOOK 8
#define GATHER_MS 100 /* after news: what comes meanwhile is told together */
#define MANY 64       /* news at a time; then it is gathered for longer */
#define GATHER_MANY_MS 250
#define NEWS_BYTES (64 * KIB)
#define KEY_MAX 300 /* a number and a name */
#define REMOVED (IN_DELETE | IN_MOVED_FROM)
#define WANTED \
	(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | \
	 IN_EXCL_UNLINK | REMOVED)

struct watch_dir {
	struct watches *all;
	const char *root;
	char *below, *key;    /* key: of watches.dirs */
	int number;           /* the kernel's; -1: it is not watched */
	struct watcher above; /* while it is not there: on what is */
	bool has_above;
	struct link watchers; /* watcher.in_dir */
	struct link in_all;   /* watches.all */
	struct grave grave;
};

struct watches {
	struct loop *loop;
	int fd;             /* -1: there is none */
	struct map dirs;    /* by root and path */
	struct link all;    /* the same, those that had their turn last */
	struct map numbers; /* the kernel's */
	struct map named;   /* watchers, by the number and the name */
	uv_poll_t poll;
	uv_timer_t gather;
	unsigned closing; /* handles */
	bool has_warned;
	struct grave grave;
};

/* --- keys ----------------------------------------------------------------------------- */

static struct text number_key(int number, char key[static KEY_MAX])
{
	int len = snprintf(key, KEY_MAX, "%d/", number);

	return (struct text){key, (size_t)len};
}

static struct text name_key(int number, const char *name, char key[static KEY_MAX])
{
	int len = snprintf(key, KEY_MAX, "%d/%s", number, name);

	return (struct text){key, len < KEY_MAX ? (size_t)len : KEY_MAX - 1};
}

/* --- one directory -------------------------------------------------------------------- */

static void watch_warn(struct watches *all)
{
	if (all->has_warned)
		return;
	all->has_warned = true;
	log_warn("transcripts",
	         "the kernel watches no more directories (%s): files there are "
	         "looked at every %g s; fs.inotify.max_user_watches or max_user_instances "
	         "may be too small",
	         strerror(errno), DEADLINE_BEAT_MS / 1e3);
}

static void dir_name_watcher(struct watch_dir *dir, struct watcher *w)
{
	char key[KEY_MAX];
	struct text text;

	if (!w->name || dir->number < 0)
		return;
	text = name_key(dir->number, w->name, key);
	w->is_named = !map_get(&dir->all->named, text);
	if (w->is_named)
		map_set(&dir->all->named, text, w);
}

static void dir_unname_watcher(const struct watch_dir *dir, struct watcher *w)
{
	char key[KEY_MAX];

	if (w->is_named)
		map_remove(&dir->all->named, name_key(dir->number, w->name, key));
	w->is_named = false;
}

static void dir_tell_all(struct watch_dir *dir)
{
	list_each(&dir->watchers, l) {
		struct watcher *w = list_of(l, struct watcher, in_dir);

		w->news(w, &(struct watch_news){.is_dir = true, .is_made = true});
	}
}

static void dir_lose(struct watch_dir *dir)
{
	char key[KEY_MAX];

	if (dir->number < 0)
		return;
	list_each(&dir->watchers, l)
		dir_unname_watcher(dir, list_of(l, struct watcher, in_dir));
	map_remove(&dir->all->numbers, number_key(dir->number, key));
	dir->number = -1;
}

/* The same directory has the same number, by whatever path. */
static void dir_take_number(struct watch_dir *dir, int number)
{
	struct watches *all = dir->all;
	char key[KEY_MAX];

	if (number == dir->number)
		return;
	if (dir->number >= 0)
		inotify_rm_watch(all->fd, dir->number);
	dir_lose(dir);
	if (map_get(&all->numbers, number_key(number, key)))
		return; /* another has it */
	dir->number = number;
	map_set(&all->numbers, number_key(number, key), dir);
	list_each(&dir->watchers, l)
		dir_name_watcher(dir, list_of(l, struct watcher, in_dir));
}

static void dir_let_go(struct watch_dir *dir)
{
	if (dir->number >= 0)
		inotify_rm_watch(dir->all->fd, dir->number);
	dir_lose(dir);
}

static void dir_look(struct watch_dir *dir);

static void above_has_news(struct watcher *w, const struct watch_news *news)
{
	if (news->is_dir)
		dir_look(list_of(w, struct watch_dir, above));
}

static void dir_leave_above(struct watch_dir *dir)
{
	if (dir->has_above)
		watcher_finish(&dir->above);
	dir->has_above = false;
}

static void dir_wait_above(struct watch_dir *dir)
{
	struct text below = text_of(dir->below);
	const char *slash = below.len ? memrchr(below.at, '/', below.len) : NULL;

	if (dir->has_above || below.len == 0)
		return;
	dir->has_above = true;
	dir->above = (struct watcher){.news = above_has_news};
	watcher_init(&dir->above, dir->all, dir->root,
	             (struct text){below.at, slash ? (size_t)(slash - below.at) : 0});
}

/* -1: it is not there, or cannot be watched. */
static int dir_ask_kernel(const struct watch_dir *dir, bool *is_there)
{
	int fd = trail_open_dir(dir->root, dir->below), number = -1;
	char path[64];

	*is_there = fd >= 0;
	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (dir->all->fd >= 0)
		number = inotify_add_watch(dir->all->fd, path, WANTED);
	if (number < 0)
		watch_warn(dir->all);
	close(fd);
	return number;
}

/* Is it there, and the one that it was? */
static void dir_look(struct watch_dir *dir)
{
	bool is_there;
	int was = dir->number, number = dir_ask_kernel(dir, &is_there);

	if (number >= 0)
		dir_take_number(dir, number);
	else
		dir_let_go(dir);
	if (is_there)
		dir_leave_above(dir);
	else
		dir_wait_above(dir);
	if (dir->number != was)
		dir_tell_all(dir); /* what came before it was watched */
}

static void dir_free(struct grave *grave)
{
	struct watch_dir *dir = list_of(grave, struct watch_dir, grave);

	free(dir->below);
	free(dir->key);
	free(dir);
}

static void dir_release(struct watch_dir *dir)
{
	if (!list_is_empty(&dir->watchers))
		return;
	dir_let_go(dir);
	dir_leave_above(dir);
	map_remove(&dir->all->dirs, text_of(dir->key));
	list_remove(&dir->in_all);
	dir->grave.free = dir_free;
	loop_bury(dir->all->loop, &dir->grave);
}

static struct watch_dir *dir_need(struct watches *all, const char *root, struct text below)
{
	char *key = must_print("%s\n%.*s", root, TEXT_ARG(below));
	struct watch_dir *dir = map_get(&all->dirs, text_of(key));

	if (dir || all->dirs.count >= DIRS_MAX) {
		free(key);
		return dir;
	}
	dir = must_zero(1, sizeof(*dir));
	dir->all = all;
	dir->root = root;
	dir->below = text_dup(below);
	dir->key = key;
	dir->number = -1;
	list_init(&dir->watchers);
	list_add(&all->all, &dir->in_all);
	map_set(&all->dirs, text_of(key), dir);
	return dir;
}

/* --- who wants to know ---------------------------------------------------------------- */

void watcher_init(struct watcher *w, struct watches *all, const char *root, struct text below)
{
	struct watch_dir *dir = dir_need(all, root, below);
	bool is_new = dir && list_is_empty(&dir->watchers);

	w->dir = dir;
	w->is_named = false;
	list_init(&w->in_dir);
	if (!dir)
		return;
	if (is_new)
		dir_look(dir);
	list_add(&dir->watchers, &w->in_dir);
	dir_name_watcher(dir, w);
}

void watcher_finish(struct watcher *w)
{
	struct watch_dir *dir = w->dir;

	if (!dir)
		return;
	dir_unname_watcher(dir, w);
	list_remove(&w->in_dir);
	w->dir = NULL;
	dir_release(dir);
}

bool watcher_is_on(const struct watcher *w)
{
	if (!w->dir)
		return false;
	if (w->dir->number >= 0)
		return !w->name || w->is_named;
	return w->dir->has_above && watcher_is_on(&w->dir->above);
}

/* In turn. */
static struct watch_dir *watches_next(struct watches *all)
{
	struct watch_dir *dir = list_of(all->all.next, struct watch_dir, in_all);

	list_remove(&dir->in_all);
	list_add(&all->all, &dir->in_all);
	return dir;
}

/* --- news ----------------------------------------------------------------------------- */

/* Too much happened: the kernel forgot some of it. */
static void watches_tell_all(struct watches *all)
{
	/* What is told may add some, and take others away. */
	for (size_t left = all->dirs.count; left > 0 && !list_is_empty(&all->all); left--)
		dir_tell_all(watches_next(all));
}

static void dir_tell(struct watch_dir *dir, const struct inotify_event *event)
{
	const struct watch_news news = {.name = event->len ? event->name : "",
	                                .is_dir = event->mask & IN_ISDIR,
	                                .is_made = event->mask & (IN_CREATE | IN_MOVED_TO)};
	char key[KEY_MAX];
	struct watcher *named = map_get(&dir->all->named, name_key(dir->number, news.name, key));
	bool is_removed = event->mask & REMOVED;

	if (named && !is_removed) {
		named->news(named, &news);
		return;
	}
	list_each(&dir->watchers, l) {
		struct watcher *w = list_of(l, struct watcher, in_dir);

		if (!w->name && (w->hears_removals || !is_removed))
			w->news(w, &news);
	}
}

static void watches_take(struct watches *all, const struct inotify_event *event)
{
	char key[KEY_MAX];
	struct watch_dir *dir;

	if (event->mask & IN_Q_OVERFLOW) {
		watches_tell_all(all);
		return;
	}
	dir = map_get(&all->numbers, number_key(event->wd, key));
	if (!dir)
		return;
	if (event->mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) {
		dir_let_go(dir);
		dir_look(dir);
		dir_tell_all(dir);
	} else {
		dir_tell(dir, event);
	}
}

static void watch_on_time(uv_timer_t *timer);

static void watch_on_news(uv_poll_t *poll, int status, int events)
{
	struct watches *all = poll->data;
	_Alignas(struct inotify_event) char news[NEWS_BYTES];
	ssize_t n = read(all->fd, news, sizeof(news));
	unsigned count = 0;

	for (ssize_t at = 0; at < n; count++) {
		const struct inotify_event *event = (const struct inotify_event *)(news + at);

		at += (ssize_t)(sizeof(*event) + event->len);
		watches_take(all, event);
	}
	uv_poll_stop(&all->poll);
	uv_timer_start(&all->gather, watch_on_time, count > MANY ? GATHER_MANY_MS : GATHER_MS, 0);
}

static void watch_on_time(uv_timer_t *timer)
{
	struct watches *all = timer->data;

	uv_poll_start(&all->poll, UV_READABLE, watch_on_news);
}

/* --- life ----------------------------------------------------------------------------- */

void watches_look(struct watches *all)
{
	for (int i = 0; i < DIRS_A_LOOK && !list_is_empty(&all->all); i++)
		dir_look(watches_next(all));
}

struct watches *watches_create(struct loop *loop)
{
	struct watches *all = must_zero(1, sizeof(*all));

	all->loop = loop;
	map_init(&all->dirs);
	map_init(&all->numbers);
	map_init(&all->named);
	list_init(&all->all);
	all->poll.data = all->gather.data = all;
	all->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (all->fd >= 0) {
		uv_poll_init(loop_uv(loop), &all->poll, all->fd);
		uv_poll_start(&all->poll, UV_READABLE, watch_on_news);
		uv_timer_init(loop_uv(loop), &all->gather);
		all->closing = 2;
	} else {
		watch_warn(all);
	}
	return all;
}

static void watches_free(struct grave *grave)
{
	free(list_of(grave, struct watches, grave));
}

static void watches_closed(uv_handle_t *handle)
{
	struct watches *all = handle->data;

	assert(all->closing > 0);
	if (--all->closing)
		return;
	close(all->fd);
	all->grave.free = watches_free;
	loop_bury(all->loop, &all->grave);
}

void watches_destroy(struct watches *all)
{
	if (!all)
		return;
	assert(list_is_empty(&all->all));
	map_finish(&all->dirs);
	map_finish(&all->numbers);
	map_finish(&all->named);
	if (all->fd < 0) {
		free(all);
		return;
	}
	uv_close((uv_handle_t *)&all->poll, watches_closed);
	uv_close((uv_handle_t *)&all->gather, watches_closed);
}
