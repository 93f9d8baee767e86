/* kept.c - files that grow, their lines, and what they tell. */
#include "source/transcript/kept.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "base/whole.h"
#include "net/loop.h"
#include "net/work.h"
#include "parse/parse.h"
#include "source/transcript/holders.h"
#include "source/transcript/kept_find.h"
#include "source/transcript/living.h"
#include "source/transcript/others.h"
#include "source/transcript/trail.h"

#define FILES_MAX 128
#define LIVE_S 600   /* a file that was quiet for so long is looked at no more until it changes */
#define FIND_BEATS 4 /* from one look for files to the next, where some directory is not watched */
#define ENVELOPE_BYTES_MAX (2 * MIB)
#define ASKS_MAX 4

struct kept_file {
	struct trail file;
	struct kept *kept;
	struct parse *parse;
	uint64_t muted_to;   /* what stands before it was told in another life */
	bool is_begun;       /* its session is known, and what was told of it */
	int64_t asked_s;     /* when it was last written to, as its process was asked for */
	unsigned asks;       /* who does not keep it open is not found */
	char *cwd;           /* of the session, where the program keeps it; or NULL */
	struct link in_list; /* kept.files */
};

/* Where files may come. */
struct kept_dir {
	struct watcher watcher;
	struct kept *kept;
	char *below;
	bool is_there;       /* in the look that ended last */
	struct link in_list; /* kept.dirs */
};

struct kept {
	struct kept_options options;
	char *dir;
	struct link files, dirs;
	struct map by_below; /* dirs */
	unsigned count, beats;
	bool is_watched;       /* all directories are */
	bool is_due;           /* there may be more of them */
	bool words;            /* are told ... */
	int64_t words_from_ms; /* ... that were written since then */
	struct work *work;     /* looking for files, or NULL */
	struct buf stamped;
};

/* ---- telling ---- */

/* Those that nobody else tells. */
static bool is_of_file_alone(struct text envelope)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, envelope);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "type"))
			return text_is(value, "\"session.facts\"") ||
			       text_is(value, "\"token_usage\"") ||
			       text_is(value, "\"agent.limits\"");
	return false;
}

/* Our own parsers end an envelope with its metadata, or with the payload where it has none. */
static struct text kept_stamp(struct kept_file *f, struct text envelope)
{
	struct buf *out = &f->kept->stamped;
	bool has_metadata = text_ends(envelope, TEXT("\"transcript\"}}"));

	if (!text_ends(envelope, TEXT("}}")))
		return envelope;
	buf_clear(out);
	buf_add(out, (struct text){envelope.at, envelope.len - (has_metadata ? 2 : 1)});
	if (!has_metadata)
		put_object(out, "metadata");
	put_object(out, "place");
	put_u64(out, "inode", f->file.inode);
	put_u64(out, "at", f->file.at);
	put_bool(out, "alone", true);
	put_end(out);
	buf_add(out, TEXT("}}"));
	return out->full ? envelope : buf_text(out);
}

static void kept_tells(void *self, struct text envelope)
{
	struct kept_file *f = self;
	struct text session = parse_correlation(f->parse);

	if (f->file.at <= f->muted_to || session.len == 0)
		return;
	if (others_tell_of(f->kept->options.others, session) && !is_of_file_alone(envelope))
		return;
	f->kept->options.tell(f->kept->options.self, kept_stamp(f, envelope));
}

/* ---- one file ---- */

static void file_read_anew(struct kept_file *f)
{
	const struct parse_options o = {
		.source = TEXT("adapter:transcript"),
		.event_max = TRAIL_LINE_MAX,
		.words = f->kept->words,
		.words_from_ms = f->kept->words_from_ms,
		.self = f,
		.signal = kept_tells,
	};

	parse_destroy(f->parse);
	f->parse = parse_create(parse_find(text_of(f->kept->options.protocol)), &o);
}

static void file_start(struct trail *file, const struct stat *is)
{
	struct kept_file *f = list_of(file, struct kept_file, file);

	file_read_anew(f);
	/* Until its session is known nobody knows what was told of it. */
	f->muted_to = UINT64_MAX;
	f->is_begun = false;
	f->asks = 0;
}

/* Where the session works, from the file beside the folder, as the program itself would say it. */
static void tell_place(struct kept_file *f)
{
	const struct kept_options *o = &f->kept->options;
	const char *before = o->place && o->within ? strstr(f->file.below, o->within) : NULL;
	struct buf cwd, line;
	struct stat is;
	char *path;
	int fd;

	if (!before)
		return;
	path = must_print("%.*s/%s", (int)(before - f->file.below), f->file.below, o->place);
	fd = trail_open(f->kept->dir, path, &is);
	buf_init(&cwd, 8 * KIB);
	buf_init(&line, 64 * KIB);
	if (fd >= 0 && whole_read(fd, &cwd)) {
		put_object(&line, NULL);
		put_object(&line, "$set");
		put_text(&line, "cwd", text_trim(buf_text(&cwd)));
		free(f->cwd);
		f->cwd = text_dup(text_trim(buf_text(&cwd)));
		put_end(&line);
		put_end(&line);
		parse_message(f->parse, buf_text(&line));
	}
	if (fd >= 0)
		close(fd);
	buf_finish(&cwd);
	buf_finish(&line);
	free(path);
}

/* The first line says which session it is: then it is read again, and told. */
static void file_begin(struct kept_file *f, struct text line, uint64_t hash)
{
	struct text session = parse_correlation(f->parse);
	const struct living_one *one = living_find(f->kept->options.living, session);

	if (session.len == 0)
		return;
	f->muted_to = one && one->inode == (uint64_t)f->file.inode ? one->at : 0;
	f->is_begun = true;
	file_read_anew(f);
	parse_set_seed(f->parse, hash | 1);
	parse_message(f->parse, line);
	parse_set_seed(f->parse, hash | 2);
	tell_place(f);
}

static void file_take_line(struct trail *file, struct text line, uint64_t hash)
{
	struct kept_file *f = list_of(file, struct kept_file, file);

	parse_set_seed(f->parse, hash | 1);
	parse_message(f->parse, line);
	if (!f->is_begun)
		file_begin(f, line, hash);
}

static const struct trail_kind kept_kind = {.start = file_start, .line = file_take_line};

static void file_free(struct kept_file *f)
{
	list_remove(&f->in_list);
	assert(f->kept->count > 0);
	f->kept->count--;
	trail_finish(&f->file);
	parse_destroy(f->parse);
	free(f->cwd);
	free(f);
}

static void file_need(struct kept *kept, const char *below)
{
	struct kept_file *f;

	list_each(&kept->files, l)
		if (strcmp(list_of(l, struct kept_file, in_list)->file.below, below) == 0)
			return;
	if (kept->count == FILES_MAX)
		return;
	f = must_zero(1, sizeof(*f));
	f->kept = kept;
	f->file.kind = &kept_kind;
	trail_init(&f->file, kept->options.trails, kept->dir, must_dup(below));
	list_add(&kept->files, &f->in_list);
	kept->count++;
}

/* ---- directories ---- */

static struct kept_find kept_wish(const struct kept *kept)
{
	return (struct kept_find){.within = kept->options.within, .begin = kept->options.begin};
}

/* A file that is wanted is read at once; a new directory is walked through. */
static void dir_has_news(struct watcher *w, const struct watch_news *news)
{
	struct kept_dir *dir = list_of(w, struct kept_dir, watcher);
	struct kept_find wish = kept_wish(dir->kept);
	char *below;

	if (news->is_dir || !news->name) {
		dir->kept->is_due = true;
	} else if (kept_find_wants(&wish, dir->below, news->name)) {
		below = must_print("%s/%s", dir->below, news->name);
		file_need(dir->kept, below);
		free(below);
	}
}

static void kept_need_dir(struct kept *kept, const char *below)
{
	struct kept_dir *dir = map_get(&kept->by_below, text_of(below));

	if (!dir) {
		dir = must_zero(1, sizeof(*dir));
		dir->kept = kept;
		dir->below = must_dup(below);
		dir->watcher.news = dir_has_news;
		list_add(&kept->dirs, &dir->in_list);
		map_set(&kept->by_below, text_of(below), dir);
		watcher_init(&dir->watcher, kept->options.trails->watches, kept->dir,
		             text_of(dir->below));
		kept->is_due = true; /* something may have come before it was watched */
	}
	dir->is_there = true;
}

static void dir_drop(struct kept_dir *dir)
{
	map_remove(&dir->kept->by_below, text_of(dir->below));
	list_remove(&dir->in_list);
	watcher_finish(&dir->watcher);
	free(dir->below);
	free(dir);
}

static void kept_take_dirs(struct kept *kept, const struct kept_find *find)
{
	list_each(&kept->dirs, l)
		list_of(l, struct kept_dir, in_list)->is_there = false;
	for (unsigned i = 0; i < find->dir_count; i++)
		kept_need_dir(kept, find->dirs[i]);
	kept->is_watched = !find->is_full && find->dir_count > 0;
	list_each(&kept->dirs, l) {
		struct kept_dir *dir = list_of(l, struct kept_dir, in_list);

		if (!dir->is_there)
			dir_drop(dir);
		else
			kept->is_watched = kept->is_watched && watcher_is_on(&dir->watcher);
	}
}

/* ---- looking for them ---- */

struct kept_errand {
	struct kept *kept;
	struct kept_find find;
};

static void errand_run(void *self)
{
	kept_find_run(&((struct kept_errand *)self)->find);
}

static void errand_done(void *self)
{
	struct kept_errand *e = self;

	e->kept->work = NULL;
	kept_take_dirs(e->kept, &e->find);
	for (unsigned i = 0; i < e->find.count; i++)
		file_need(e->kept, e->find.found[i]);
}

static void errand_drop(void *self)
{
	struct kept_errand *e = self;

	kept_find_finish(&e->find);
	free(e);
}

static void kept_find(struct kept *kept)
{
	struct kept_errand *e = must_zero(1, sizeof(*e));
	struct work_plan plan = {e, errand_run, errand_done, errand_drop};

	e->kept = kept;
	e->find = kept_wish(kept);
	e->find.dir = must_dup(kept->dir);
	e->find.since_s = clock_wall_ms() / 1000 - LIVE_S;
	kept->is_due = false;
	kept->work = work_start(kept->options.loop, &plan);
}

void kept_look(struct kept *kept, bool is_all)
{
	int64_t now_s = clock_wall_ms() / 1000;
	bool is_due =
		is_all || kept->is_due || (!kept->is_watched && kept->beats % FIND_BEATS == 0);

	kept->beats++;
	if (is_due && !kept->work && access(kept->dir, X_OK) == 0)
		kept_find(kept);
	list_each(&kept->files, l) {
		struct kept_file *f = list_of(l, struct kept_file, in_list);

		if (now_s - f->file.changed_s > LIVE_S + 60)
			file_free(f);
		else if (is_all || !watcher_is_on(&f->file.watcher))
			trail_reopen(&f->file);
	}
}

void kept_want_holders(struct kept *kept, struct holders *holders)
{
	list_each(&kept->files, l) {
		struct kept_file *f = list_of(l, struct kept_file, in_list);
		struct text session = f->is_begun ? parse_correlation(f->parse) : TEXT("");
		const struct living_one *one = living_find(kept->options.living, session);
		const char *slash = strrchr(f->file.below, '/');

		if (!one || one->is_over || one->pid || f->asked_s == f->file.changed_s ||
		    f->asks == ASKS_MAX)
			continue;
		f->asks++;
		f->asked_s = f->file.changed_s;
		holders_want(holders, session,
		             &(struct holder_wish){
				     .name = slash ? (char *)slash + 1 : f->file.below,
				     .device = f->file.device,
				     .inode = f->file.inode,
				     .program = kept->options.program,
				     .cwd = f->cwd,
			     });
	}
}

void kept_set_words(struct kept *kept, bool words, int64_t from_ms)
{
	kept->words = words;
	kept->words_from_ms = from_ms;
	list_each(&kept->files, l) {
		struct kept_file *f = list_of(l, struct kept_file, in_list);

		if (f->parse)
			parse_set_words(f->parse, words, from_ms);
	}
}

/* ---- life ---- */

struct kept *kept_create(const struct kept_options *options)
{
	struct kept *kept = must_zero(1, sizeof(*kept));

	kept->options = *options;
	kept->dir = must_dup(options->dir);
	list_init(&kept->files);
	list_init(&kept->dirs);
	map_init(&kept->by_below);
	buf_init(&kept->stamped, ENVELOPE_BYTES_MAX);
	return kept;
}

void kept_destroy(struct kept *kept)
{
	if (!kept)
		return;
	if (kept->work)
		work_leave(kept->work);
	while (!list_is_empty(&kept->files))
		file_free(list_of(kept->files.next, struct kept_file, in_list));
	while (!list_is_empty(&kept->dirs))
		dir_drop(list_of(kept->dirs.next, struct kept_dir, in_list));
	map_finish(&kept->by_below);
	buf_finish(&kept->stamped);
	free(kept->dir);
	free(kept);
}
