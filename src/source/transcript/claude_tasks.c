/* claude_tasks.c - files of task lists into agent.plan. */
#include "source/transcript/claude_tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "parse/claude_session.h"
#include "signal/json.h"
#include "signal/make.h"
#include "source/transcript/living.h"
#include "source/transcript/trail.h"
#include "source/transcript/watch.h"

#define LISTS_MAX 512
#define NAMES_MAX 1000     /* in the folder of a session */
#define TASKS_MAX 200      /* as a plan has */
#define TEXT_BYTES_MAX 512 /* of one */
#define PLAN_BYTES_MAX (TASKS_MAX * (TEXT_BYTES_MAX * 6 + 128))
#define LOOK_NS 1000000 /* then the rest waits for the next look */
#define FIRM_MS 20      /* a file that was read so soon after it changed may change unseen */
#define REPEATS_MAX 3   /* of a list that somebody else told wrongly */

/* A file, as it was when it was read last. */
struct task_file {
	uint64_t number;
	struct timespec changed;
	ino_t inode;
	off_t size;
	off_t torn;   /* its size when it could not be read last; -1: it could */
	bool is_firm; /* it was read long enough after it changed */
	char *text;   /* NULL: it is no task that is shown */
	enum claude_task_status status;
};

/* Of a session. */
struct task_list {
	struct claude_tasks *all;
	char *session, *below;
	struct watcher watcher;
	bool is_due;
	bool is_open;            /* in the look that is going on: its session */
	bool was_there;          /* it had a task */
	struct task_file *files; /* by their numbers */
	size_t count;
	uint64_t told; /* the hash of what was told or known last; 0: nothing */
	unsigned repeats;
	struct link in_all; /* claude_tasks.lists, the one that was looked at last at the end */
};

struct claude_tasks {
	struct claude_tasks_options options;
	char *config;
	struct link lists;
	struct map by_session;
	bool looks_at_all; /* in the look that is going on */
	uint64_t until_ns; /* likewise */
	struct json_reader reader;
};

/* --- one file ------------------------------------------------------------------------- */

static int64_t ms_of(const struct timespec *when)
{
	return (int64_t)when->tv_sec * 1000 + when->tv_nsec / 1000000;
}

static bool is_task_name(const char *name, uint64_t *number)
{
	size_t digits = strspn(name, "0123456789");

	return digits > 0 && digits < 10 && name[0] != '0' && strcmp(name + digits, ".json") == 0 &&
	       text_to_u64((struct text){name, digits}, number);
}

static void task_forget(struct task_file *file)
{
	free(file->text);
	file->text = NULL;
}

static bool is_task_file(const struct stat *is)
{
	return S_ISREG(is->st_mode) && is->st_uid == geteuid() && is->st_size <= CLAUDE_SESSION_MAX;
}

static bool is_as_read(const struct task_file *file, const struct stat *is)
{
	return file->is_firm && is->st_ino == file->inode && is->st_size == file->size &&
	       is->st_mtim.tv_sec == file->changed.tv_sec &&
	       is->st_mtim.tv_nsec == file->changed.tv_nsec;
}

static bool task_load(struct task_file *file, int dir, const char *name, struct buf *raw)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat is;
	bool good = fd >= 0 && fstat(fd, &is) == 0 && is_task_file(&is);

	if (good) {
		file->inode = is.st_ino;
		file->size = is.st_size;
		file->changed = is.st_mtim;
		file->is_firm = clock_wall_ms() > ms_of(&is.st_mtim) + FIRM_MS;
		good = whole_read(fd, raw);
	}
	if (fd >= 0)
		close(fd);
	return good;
}

/* It is rewritten in place: what cannot be read stays what it was until it is read again. */
static void task_take(struct task_list *list, struct task_file *file, struct text raw)
{
	struct claude_task task;

	if (!claude_task_read(&list->all->reader, raw, &task)) {
		/* A second time it is no task, and waits for its next change. */
		if (file->torn == file->size) {
			task_forget(file);
		} else {
			file->is_firm = false;
			list->is_due = true;
		}
		file->torn = file->size;
		return;
	}
	file->torn = -1;
	task_forget(file);
	file->status = task.status;
	if (!task.is_internal)
		file->text = text_dup(utf8_cut(task.subject, TEXT_BYTES_MAX));
}

/* True: it was read. */
static bool task_look_at(struct task_list *list, struct task_file *file, int dir)
{
	char name[32];
	struct stat is;
	struct buf raw;

	snprintf(name, sizeof(name), "%" PRIu64 ".json", file->number);
	if (fstatat(dir, name, &is, AT_SYMLINK_NOFOLLOW) != 0 || !is_task_file(&is)) {
		task_forget(file);
		file->is_firm = false;
		return false;
	}
	if (is_as_read(file, &is))
		return false;
	buf_init(&raw, CLAUDE_SESSION_MAX);
	if (task_load(file, dir, name, &raw))
		task_take(list, file, buf_text(&raw));
	buf_finish(&raw);
	return true;
}

/* --- one list ------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The numbers of its files, in order; false: it is no task list. */
static bool list_names(DIR *dir, uint64_t *numbers, size_t *count)
{
	struct dirent *entry;
	unsigned seen = 0;

	*count = 0;
	while (seen <= NAMES_MAX && (entry = readdir(dir))) {
		seen++;
		*count += is_task_name(entry->d_name, &numbers[*count]) ? 1 : 0;
	}
	qsort(numbers, *count, sizeof(*numbers), compare_numbers);
	if (*count > TASKS_MAX)
		*count = TASKS_MAX;
	return seen <= NAMES_MAX;
}

static void list_forget_files(struct task_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		task_forget(&list->files[i]);
	free(list->files);
	list->files = NULL;
	list->count = 0;
}

/* Those that are still there stay as they were read. */
static void list_set_files(struct task_list *list, const uint64_t *numbers, size_t count)
{
	struct task_file *files = count ? must_zero(count, sizeof(*files)) : NULL;
	size_t old = 0;

	for (size_t i = 0; i < count; i++) {
		while (old < list->count && list->files[old].number < numbers[i])
			old++;
		files[i] = (struct task_file){.number = numbers[i], .torn = -1};
		if (old < list->count && list->files[old].number == numbers[i]) {
			files[i] = list->files[old];
			list->files[old].text = NULL;
		}
	}
	list_forget_files(list);
	list->files = files;
	list->count = count;
}

static size_t put_tasks(const struct task_list *list, struct buf *out)
{
	static const char *const names[] = {[CLAUDE_TASK_PENDING] = "pending",
	                                    [CLAUDE_TASK_IN_PROGRESS] = "in_progress",
	                                    [CLAUDE_TASK_COMPLETED] = "completed"};
	char digits[TEXT_U64_MAX];
	size_t count = 0;

	put_list(out, NULL);
	for (size_t i = 0; i < list->count; i++) {
		const struct task_file *file = &list->files[i];

		if (!file->text)
			continue;
		count++;
		put_object(out, NULL);
		put_text(out, "id", text_of_u64(file->number, digits));
		put_text(out, "text", text_of(file->text));
		put_word(out, "status", names[file->status]);
		put_end(out);
	}
	put_list_end(out);
	return count;
}

static void list_tell(struct task_list *list, struct text items, int64_t at_ms)
{
	struct text session = text_of(list->session);
	char id[32];
	struct buf signal;
	struct make m;

	snprintf(id, sizeof(id), "tasks-%016" PRIx64,
	         XXH3_64bits_withSeed(session.at, session.len, list->told + (uint64_t)at_ms));
	buf_init(&signal, PLAN_BYTES_MAX + 4 * KIB);
	make_begin(&m, &signal,
	           &(struct make_head){.type = "agent.plan",
	                               .id = text_of(id),
	                               .source = TEXT("adapter:transcript"),
	                               .correlation = session,
	                               .at_ms = (double)at_ms,
	                               .is_new = true});
	make_payload(&m);
	make_word(&m, "agentId", "claude");
	make_bool(&m, "whole", true);
	make_raw(&m, "items", items);
	make_metadata(&m);
	make_word(&m, "from", "tasks");
	if (make_end(&m))
		list->all->options.tell(list->all->options.self, buf_text(&signal));
	buf_finish(&signal);
}

/* What was told already, and is not what is known, was told otherwise by somebody since. */
static void list_compare(struct task_list *list, struct text items, int64_t at_ms)
{
	const struct transcripts_plans *plans = &list->all->options.plans;
	uint64_t hash = XXH3_64bits(items.at, items.len) | 1;
	enum transcripts_plan plan = plans->known(plans->self, text_of(list->session), items);
	bool is_again = hash == list->told;

	if (plan == TRANSCRIPTS_PLAN_UNSURE) {
		list->is_due = true;
		return;
	}
	list->told = hash;
	if (!is_again)
		list->repeats = 0;
	if (plan == TRANSCRIPTS_PLAN_SAME)
		return;
	if (!is_again)
		list_tell(list, items, at_ms);
	else if (list->all->looks_at_all && list->repeats++ < REPEATS_MAX)
		list_tell(list, items, clock_wall_ms());
}

/* When it changed last: a file that is gone changed the folder. */
static int64_t list_changed_ms(const struct task_list *list, int dir)
{
	int64_t now_ms = clock_wall_ms(), at_ms = 0;
	struct stat is;

	if (dir < 0)
		return now_ms;
	if (fstat(dir, &is) == 0)
		at_ms = ms_of(&is.st_mtim);
	for (size_t i = 0; i < list->count; i++)
		if (list->files[i].text && ms_of(&list->files[i].changed) > at_ms)
			at_ms = ms_of(&list->files[i].changed);
	return at_ms > 0 && at_ms < now_ms ? at_ms : now_ms;
}

/* False: there was no time for all of them. */
static bool list_read(struct task_list *list, DIR *dir)
{
	uint64_t numbers[NAMES_MAX + 1] = {0};
	size_t count = 0, reads = 0;

	if (!dir) {
		list_forget_files(list);
		return true;
	}
	if (!list_names(dir, numbers, &count))
		return false;
	list_set_files(list, numbers, count);
	for (size_t i = 0; i < list->count; i++) {
		/* Each look reads one at least. */
		if (reads > 0 && clock_mono_ns() > list->all->until_ns) {
			list->is_due = true;
			return false;
		}
		reads += task_look_at(list, &list->files[i], dirfd(dir)) ? 1 : 0;
	}
	return true;
}

/* A session that never had a task says nothing by having none. */
static void list_look(struct task_list *list)
{
	int fd = trail_open_dir(list->all->config, list->below);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct buf items;
	size_t count;

	list->is_due = false;
	if (list_read(list, dir)) {
		buf_init(&items, PLAN_BYTES_MAX);
		count = put_tasks(list, &items);
		if (count > 0 || list->was_there)
			list_compare(list, buf_text(&items), list_changed_ms(list, fd));
		list->was_there = list->was_there || count > 0;
		buf_finish(&items);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* --- all of them ---------------------------------------------------------------------- */

static void list_has_news(struct watcher *w, const struct watch_news *news)
{
	struct task_list *list = list_of(w, struct task_list, watcher);
	uint64_t number;

	if (list->is_due || (news->name && !is_task_name(news->name, &number)))
		return;
	list->is_due = true;
	list->all->options.soon(list->all->options.self);
}

static void list_free(struct task_list *list)
{
	watcher_finish(&list->watcher);
	list_forget_files(list);
	list_remove(&list->in_all);
	map_remove(&list->all->by_session, text_of(list->session));
	free(list->session);
	free(list->below);
	free(list);
}

/* As Claude Code names folders; it changes every other character of an id. */
static bool is_folder_name(const char *id)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t len = strlen(id);

	return len > 0 && len < 200 && strspn(id, plain) == len;
}

static void list_need(void *self, struct living_one *one)
{
	struct claude_tasks *all = self;
	struct task_list *list;

	if (!one->folder || one->by == LIVING_BY_FILE || !is_folder_name(one->id))
		return;
	list = map_get(&all->by_session, text_of(one->id));
	if (list)
		list->is_open = true;
	if (list || all->by_session.count >= LISTS_MAX)
		return;
	list = must_zero(1, sizeof(*list));
	list->all = all;
	list->session = must_dup(one->id);
	list->below = must_print("tasks/%s", one->id);
	list->is_open = list->is_due = true;
	list->watcher.news = list_has_news;
	list->watcher.hears_removals = true;
	watcher_init(&list->watcher, all->options.watches, all->config, text_of(list->below));
	list_add(&all->lists, &list->in_all);
	map_set(&all->by_session, text_of(list->session), list);
}

static void follow_open(struct claude_tasks *all)
{
	list_each(&all->lists, l)
		list_of(l, struct task_list, in_all)->is_open = false;
	living_each(all->options.living, list_need, all);
	list_each(&all->lists, l) {
		struct task_list *list = list_of(l, struct task_list, in_all);

		if (!list->is_open)
			list_free(list);
	}
}

void claude_tasks_look(struct claude_tasks *all, bool is_all)
{
	bool is_left = false;
	size_t left;

	follow_open(all);
	left = all->by_session.count;
	all->looks_at_all = is_all;
	all->until_ns = clock_mono_ns() + LOOK_NS;
	list_each(&all->lists, l) {
		struct task_list *list = list_of(l, struct task_list, in_all);

		if (left-- == 0)
			break;
		list->is_due = list->is_due || is_all || !watcher_is_on(&list->watcher);
		if (list->is_due && clock_mono_ns() < all->until_ns) {
			list_look(list);
			list_remove(&list->in_all);
			list_add(&all->lists, &list->in_all);
		}
		is_left = is_left || list->is_due;
	}
	if (is_left)
		all->options.soon(all->options.self);
}

/* --- life ----------------------------------------------------------------------------- */

struct claude_tasks *claude_tasks_create(const struct claude_tasks_options *options)
{
	struct claude_tasks *all = must_zero(1, sizeof(*all));

	all->options = *options;
	all->config = must_dup(options->config);
	list_init(&all->lists);
	map_init(&all->by_session);
	json_reader_init(&all->reader, CLAUDE_SESSION_MAX);
	return all;
}

void claude_tasks_destroy(struct claude_tasks *all)
{
	if (!all)
		return;
	while (!list_is_empty(&all->lists))
		list_free(list_of(all->lists.next, struct task_list, in_all));
	map_finish(&all->by_session);
	json_reader_finish(&all->reader);
	free(all->config);
	free(all);
}
