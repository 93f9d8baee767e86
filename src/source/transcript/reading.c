/* reading.c - files, their lines, and what they tell. */
#include "source/transcript/reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "base/whole.h"
#include "parse/claude_session.h"
#include "parse/parse.h"
#include "signal/json.h"
#include "source/transcript/living.h"
#include "source/transcript/stroll.h"

#define READINGS_MAX 512
#define AFTER_MS 30000        /* a session that has ended writes its costs */
#define AWAY_MS (24 * 3600e3) /* of what ended while the box was away */
#define PIECE_BYTES (128 * KIB)
#define LINE_BYTES_MAX (16 * MIB) /* a longer one is passed over */
#define HELD_BYTES_MAX (64 * MIB) /* of lines that are not whole yet; then ... */
#define SHORT_BYTES MIB           /* ... one that is longer is passed over */
#define ENVELOPE_BYTES_MAX (2 * MIB)

struct reading {
	struct readings *all;
	char *session, *folder;
	char *subagent; /* its file; NULL: the session's own */
	bool is_beside; /* that file is in the folder, where old versions keep it */
	struct parse *parse;
	dev_t device;
	ino_t inode;
	uint64_t at;       /* all before it was taken */
	uint64_t muted_to; /* what stands before it was told in another life */
	struct buf rest;   /* from there on, as far as it was read */
	size_t held;       /* bytes of it, of readings.held */
	bool skips;        /* a line that is too long */
	bool has_more;
	uint64_t over_ms;    /* since when its session has ended; 0: it has not */
	struct link in_list; /* readings.list */
};

struct readings {
	struct readings_options options;
	char *root;
	struct stroll stroll; /* for files of subagents */
	struct link list;
	unsigned count;
	size_t held; /* bytes of lines that are not whole yet */
	bool has_looked;
	struct json_reader reader;
	struct buf stamped;
};

/* --- telling -------------------------------------------------------------------------- */

/* What hooks tell as well, and sooner. */
static bool is_told_by_hooks(struct text envelope)
{
	static const char *const types[] = {"\"tool_call\"", "\"tool_result\"", "\"agent.plan\"",
	                                    "\"agent.change\"", NULL};
	struct text key, value = {NULL, 0};
	struct scan scan;

	scan_object(&scan, envelope);
	while (scan_member(&scan, &key, &value) && !text_is(key, "type"))
		continue;
	for (const char *const *name = types; *name; name++)
		if (text_is(value, *name))
			return true;
	return false;
}

/* Our own parser ends every envelope with its metadata. */
static struct text stamp(struct reading *r, struct text envelope)
{
	struct buf *out = &r->all->stamped;

	if (r->subagent || !text_ends(envelope, TEXT("}}")))
		return envelope;
	buf_clear(out);
	buf_add(out, (struct text){envelope.at, envelope.len - 2});
	put_object(out, "place");
	put_u64(out, "inode", r->inode);
	put_u64(out, "at", r->at);
	put_end(out);
	buf_add(out, TEXT("}}"));
	return out->full ? envelope : buf_text(out);
}

static void reading_tells(void *self, struct text envelope)
{
	struct reading *r = self;
	const struct living_one *one = living_find(r->all->options.living, text_of(r->session));

	if (r->at <= r->muted_to || (one && one->is_hooked && is_told_by_hooks(envelope)))
		return;
	r->all->options.tell(r->all->options.self, stamp(r, envelope));
}

/* --- one file ------------------------------------------------------------------------- */

static int open_dir_at(int dir, const char *name)
{
	int fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (dir >= 0)
		close(dir);
	return fd;
}

static int open_subagents(const struct readings *all, const char *folder, const char *session)
{
	int fd = open(all->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return open_dir_at(open_dir_at(open_dir_at(fd, folder), session), "subagents");
}

static int open_plain(int dir, const char *name, struct stat *is)
{
	int fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && (fstat(fd, is) != 0 || !S_ISREG(is->st_mode) || is->st_uid != geteuid())) {
		close(fd);
		fd = -1;
	}
	if (dir >= 0)
		close(dir);
	return fd;
}

static int open_folder(const struct readings *all, const char *folder)
{
	int fd = open(all->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return open_dir_at(fd, folder);
}

static int reading_open(const struct reading *r, struct stat *is)
{
	char *name;
	int fd;

	if (r->is_beside)
		return open_plain(open_folder(r->all, r->folder), r->subagent, is);
	if (r->subagent)
		return open_plain(open_subagents(r->all, r->folder, r->session), r->subagent, is);
	name = must_print("%s.jsonl", r->session);
	fd = open_plain(open_folder(r->all, r->folder), name, is);
	free(name);
	return fd;
}

/* The type of a subagent is in the file beside its own. */
static char *type_of_subagent(const struct reading *r)
{
	char *name = must_print("%.*s.meta.json", (int)(strlen(r->subagent) - 6), r->subagent);
	struct stat is;
	int fd = open_plain(open_subagents(r->all, r->folder, r->session), name, &is);
	struct text type = {NULL, 0};
	struct buf raw;
	char *found;

	buf_init(&raw, CLAUDE_SESSION_MAX);
	if (fd >= 0 && whole_read(fd, &raw))
		type = claude_session_agent_type(&r->all->reader, buf_text(&raw));
	found = text_dup(type.len ? type : TEXT("subagent"));
	if (fd >= 0)
		close(fd);
	buf_finish(&raw);
	free(name);
	return found;
}

/* From the beginning: it is new, or another, or was cut. */
static void reading_start(struct reading *r, const struct stat *is)
{
	const struct living_one *one = living_find(r->all->options.living, text_of(r->session));
	char *agent = r->subagent && !r->is_beside ? type_of_subagent(r) : NULL;
	struct parse_options o = {
		.source = TEXT("adapter:transcript"),
		.correlation = text_of(r->session),
		.agent = text_of(agent),
		.event_max = LINE_BYTES_MAX,
		.self = r,
		.signal = reading_tells,
	};

	r->muted_to = 0;
	if (!r->inode && !r->subagent && one && one->inode == (uint64_t)is->st_ino &&
	    one->at <= (uint64_t)is->st_size)
		r->muted_to = one->at;
	r->device = is->st_dev;
	r->inode = is->st_ino;
	r->at = 0;
	r->skips = false;
	buf_clear(&r->rest);
	parse_destroy(r->parse);
	r->parse = parse_create(parse_find(TEXT("claude-transcript")), &o);
	if (!r->is_beside) /* its lines alone say of which session it is */
		parse_keep_correlation(r->parse);
	free(agent);
}

static void reading_count(struct reading *r)
{
	assert(r->all->held >= r->held);
	r->all->held += r->rest.len - r->held;
	r->held = r->rest.len;
}

static bool is_too_long(const struct reading *r)
{
	if (r->rest.len > SHORT_BYTES && r->all->held - r->held + r->rest.len > HELD_BYTES_MAX)
		return true;
	return r->rest.len > LINE_BYTES_MAX - PIECE_BYTES;
}

static void reading_take_lines(struct reading *r)
{
	const char *from = r->rest.at, *end = from + r->rest.len, *lf;

	while (from < end && (lf = memchr(from, '\n', (size_t)(end - from)))) {
		struct text line = {from, (size_t)(lf - from)};

		r->at += line.len + 1;
		from = lf + 1;
		parse_set_seed(r->parse, XXH3_64bits(line.at, line.len) | 1);
		if (!r->skips)
			parse_message(r->parse, line);
		r->skips = false;
	}
	buf_drop(&r->rest, r->rest.len - (size_t)(end - from));
	if (is_too_long(r)) {
		r->at += r->rest.len;
		r->skips = true;
		buf_clear(&r->rest);
	}
	if (r->rest.len == 0)
		buf_finish(&r->rest);
}

/* One piece of what has come; a last line that is not whole waits. */
static void reading_read(struct reading *r)
{
	struct stat is;
	int fd = reading_open(r, &is);
	char *to;
	ssize_t n;

	r->has_more = false;
	if (fd < 0)
		return;
	if (!r->parse || is.st_dev != r->device || is.st_ino != r->inode ||
	    (uint64_t)is.st_size < r->at + r->rest.len)
		reading_start(r, &is);
	to = buf_reserve(&r->rest, PIECE_BYTES);
	n = to ? pread(fd, to, PIECE_BYTES, (off_t)(r->at + r->rest.len)) : 0;
	if (n > 0) {
		r->rest.len += (size_t)n;
		reading_take_lines(r);
		r->has_more = (uint64_t)is.st_size > r->at + r->rest.len;
	} else if (r->rest.len == 0)
		buf_finish(&r->rest);
	reading_count(r);
	close(fd);
}

/* --- all of them ---------------------------------------------------------------------- */

static bool is_reading_of(const struct reading *r, const struct living_one *one,
                          const char *subagent, bool is_beside)
{
	if (r->is_beside != is_beside || !r->subagent != !subagent)
		return false;
	if (subagent && strcmp(r->subagent, subagent) != 0)
		return false;
	return strcmp(is_beside ? r->folder : r->session, is_beside ? one->folder : one->id) == 0;
}

static void reading_free(struct reading *r)
{
	/* Its directory is walked through again, should it come back. */
	stroll_forget(&r->all->stroll);
	list_remove(&r->in_list);
	assert(r->all->count > 0);
	r->all->count--;
	parse_destroy(r->parse);
	buf_finish(&r->rest);
	reading_count(r);
	free(r->session);
	free(r->folder);
	free(r->subagent);
	free(r);
}

static void reading_need(struct readings *all, const struct living_one *one, const char *subagent,
                         bool is_beside)
{
	struct reading *r;

	list_each(&all->list, l) {
		r = list_of(l, struct reading, in_list);
		if (!is_reading_of(r, one, subagent, is_beside))
			continue;
		if (strcmp(r->folder, one->folder) == 0)
			return;
		reading_free(r); /* it was looked for in a folder that was guessed */
		break;
	}
	if (all->count >= READINGS_MAX)
		return;
	r = must_zero(1, sizeof(*r));
	r->all = all;
	r->session = must_dup(one->id);
	r->folder = must_dup(one->folder);
	r->subagent = subagent ? must_dup(subagent) : NULL;
	r->is_beside = is_beside;
	buf_init(&r->rest, LINE_BYTES_MAX);
	list_add(&all->list, &r->in_list);
	all->count++;
}

static void subagent_is_there(void *self, struct text session, const char *name, bool is_beside)
{
	struct readings *all = self;
	const struct living_one *one = living_find(all->options.living, session);

	if (one && one->folder)
		reading_need(all, one, name, is_beside);
}

static void look_for_subagents(struct readings *all, const struct living_one *one, bool is_beside)
{
	char *key = is_beside ? must_dup(one->folder) : must_print("%s/%s", one->folder, one->id);
	int fd = is_beside ? open_folder(all, one->folder)
	                   : open_subagents(all, one->folder, one->id);

	stroll_into(&all->stroll, fd, key, &(struct stroll_of){text_of(one->id), is_beside});
	free(key);
}

static void look_at_session(void *self, struct living_one *one)
{
	struct readings *all = self;

	if (!one->folder || strchr(one->id, '/'))
		return;
	reading_need(all, one, NULL, false);
	look_for_subagents(all, one, false);
	/* A version that keeps a registry keeps no such files. */
	if (one->by != LIVING_BY_REGISTRY)
		look_for_subagents(all, one, true);
}

/* False: it is read no more. */
static bool reading_goes_on(struct reading *r, uint64_t now_ms)
{
	const struct living_one *one = living_find(r->all->options.living, text_of(r->session));

	if (one && !one->is_over)
		r->over_ms = 0;
	else if (!r->over_ms)
		r->over_ms = now_ms ? now_ms : 1;
	return !r->over_ms || now_ms - r->over_ms < AFTER_MS;
}

void readings_look(struct readings *all, uint64_t now_ms)
{
	double since = (double)clock_wall_ms() - (all->has_looked ? AFTER_MS : AWAY_MS);

	all->has_looked = true;
	stroll_look(&all->stroll);
	living_each_since(all->options.living, since, look_at_session, all);
	list_each(&all->list, l) {
		struct reading *r = list_of(l, struct reading, in_list);

		if (reading_goes_on(r, now_ms))
			r->has_more = true;
		else
			reading_free(r);
	}
}

bool readings_turn(struct readings *all)
{
	list_each(&all->list, l) {
		struct reading *r = list_of(l, struct reading, in_list);

		if (!r->has_more)
			continue;
		reading_read(r);
		list_remove(&r->in_list); /* the others have their turn first */
		list_add(&all->list, &r->in_list);
		return true;
	}
	return false;
}

/* --- life ----------------------------------------------------------------------------- */

struct readings *readings_create(const struct readings_options *options)
{
	struct readings *all = must_zero(1, sizeof(*all));

	all->options = *options;
	all->root = must_print("%s/projects", options->config);
	list_init(&all->list);
	stroll_init(&all->stroll, all, subagent_is_there);
	json_reader_init(&all->reader, CLAUDE_SESSION_MAX);
	buf_init(&all->stamped, ENVELOPE_BYTES_MAX);
	return all;
}

void readings_destroy(struct readings *all)
{
	if (!all)
		return;
	while (!list_is_empty(&all->list))
		reading_free(list_of(all->list.next, struct reading, in_list));
	stroll_finish(&all->stroll);
	json_reader_finish(&all->reader);
	buf_finish(&all->stamped);
	free(all->root);
	free(all);
}
