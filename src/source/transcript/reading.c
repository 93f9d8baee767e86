/* reading.c - files, their lines, and what they tell. */
#include "source/transcript/reading.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "base/whole.h"
#include "parse/claude_session.h"
#include "parse/parse.h"
#include "signal/json.h"
#include "source/transcript/living.h"
#include "source/transcript/others.h"
#include "source/transcript/stroll.h"
#include "source/transcript/trail.h"

#define READINGS_MAX 512
#define AFTER_MS 30000        /* a session that has ended writes its costs */
#define AWAY_MS (24 * 3600e3) /* of what ended while the box was away */
#define ENVELOPE_BYTES_MAX (2 * MIB)
#define HELD_MAX (256 * KIB) /* of words in the first turn of a session; more are not told */

struct reading {
	struct trail file;
	struct readings *all;
	char *session, *folder;
	char *subagent; /* its file; NULL: the session's own */
	bool is_beside; /* that file is in the folder, where old versions keep it */
	struct parse *parse;
	uint64_t muted_to;    /* what stands before it was told in another life ... */
	uint64_t untold_from; /* ... but words from there on, which were held; 0: all was */
	uint64_t told_to;     /* the furthest place that a signal names; 0: none does */
	uint64_t over_ms;     /* since when its session has ended; 0: it has not */
	struct buf held;      /* envelopes, each on a line: words that hooks may tell, or not */
	uint64_t held_from;   /* the place of the first of them */
	/* Of the session's own: where its subagents' files are, and those of old versions. */
	struct watcher nest, beside;
	bool is_nest_due, is_beside_due; /* something is new there */
	struct link in_list;             /* readings.list */
};

struct readings {
	struct readings_options options;
	char *root;
	struct stroll stroll; /* for files of subagents */
	struct link list;
	unsigned count;
	bool has_looked;
	bool words;            /* are told ... */
	int64_t words_from_ms; /* ... that were written since then */
	bool looks_at_all;     /* in this look: also at what is watched */
	struct json_reader reader;
	struct buf stamped;
};

/* --- telling -------------------------------------------------------------------------- */

static struct text type_of(struct text envelope)
{
	struct text key, value = {NULL, 0};
	struct scan scan;

	scan_object(&scan, envelope);
	while (scan_member(&scan, &key, &value) && !text_is(key, "type"))
		continue;
	return value;
}

static bool is_type_among(struct text type, const char *const *names)
{
	for (; *names; names++)
		if (text_is(type, *names))
			return true;
	return false;
}

/* What others tell as well, and sooner: hooks, and programs whose output we read.  Not every
 * version has a hook for the words of an answer, and none has one for thoughts. */
static bool is_told_elsewhere(const struct reading *r, struct text envelope)
{
	static const char *const hooked[] = {"\"tool_call\"",
	                                     "\"tool_result\"",
	                                     "\"agent.plan\"",
	                                     "\"agent.change\"",
	                                     "\"task_dispatch\"",
	                                     "\"completion\"",
	                                     NULL};
	static const char *const words[] = {"\"text_delta\"", "\"thinking\"", "\"task_dispatch\"",
	                                    NULL};
	const struct living_one *one = living_find(r->all->options.living, text_of(r->session));
	struct text type = type_of(envelope);

	if (others_tell_of(r->all->options.others, text_of(r->session)) &&
	    is_type_among(type, words))
		return true;
	if (!one || !one->is_hooked)
		return false;
	return is_type_among(type, hooked) || (text_is(type, "\"text_delta\"") && one->is_spoken);
}

/* Its hooks are heard, and whether they tell answers is known by the end of its first turn. */
static bool is_undecided(const struct reading *r)
{
	const struct living_one *one = living_find(r->all->options.living, text_of(r->session));

	return one && one->is_hooked && !one->is_over && !one->is_mute && !one->is_spoken;
}

/* From where on words are not told yet; 0: all are.  Of one line some may be. */
static uint64_t first_untold(const struct reading *r)
{
	if (r->held.len)
		return r->held_from;
	if (!r->all->words) /* those of now are never told */
		return 0;
	return is_undecided(r) || r->file.at < r->muted_to ? r->file.at : 0;
}

/* Our own parser ends every envelope with its metadata. */
static struct text stamp(struct reading *r, struct text envelope, uint64_t held_from)
{
	struct buf *out = &r->all->stamped;

	if (r->subagent || !text_ends(envelope, TEXT("}}")))
		return envelope;
	buf_clear(out);
	buf_add(out, (struct text){envelope.at, envelope.len - 2});
	put_object(out, "place");
	put_u64(out, "inode", r->file.inode);
	put_u64(out, "at", r->told_to);
	if (held_from)
		put_u64(out, "held", held_from);
	put_end(out);
	buf_add(out, TEXT("}}"));
	return out->full ? envelope : buf_text(out);
}

static void hold(struct reading *r, struct text envelope)
{
	if (r->held.len + envelope.len + 1 > HELD_MAX)
		return;
	if (!r->held.len)
		r->held_from = r->file.at;
	buf_add(&r->held, envelope);
	buf_add_char(&r->held, '\n');
}

/* What was held is told, or was told elsewhere.  With the last of it a box that starts again
 * learns that it was. */
static void let_held_go(struct reading *r)
{
	const struct living_one *one = living_find(r->all->options.living, text_of(r->session));
	struct text rest = buf_text(&r->held), envelope;

	if (!rest.len || is_undecided(r))
		return;
	while (!(one && one->is_spoken) && rest.len) {
		envelope = text_cut(rest, '\n', &rest);
		if (!rest.len && r->told_to)
			envelope = stamp(r, envelope, r->file.at < r->muted_to ? r->file.at : 0);
		r->all->options.tell(r->all->options.self, envelope);
	}
	buf_clear(&r->held);
}

/* Held words of another life are not. */
static bool is_muted(const struct reading *r, struct text envelope)
{
	if (r->file.at > r->muted_to)
		return false;
	return !r->untold_from || r->file.at < r->untold_from ||
	       !text_is(type_of(envelope), "\"text_delta\"");
}

static void reading_tells(void *self, struct text envelope)
{
	struct reading *r = self;

	if (is_muted(r, envelope))
		return;
	let_held_go(r);
	if (is_undecided(r) && text_is(type_of(envelope), "\"text_delta\"") &&
	    !others_tell_of(r->all->options.others, text_of(r->session))) {
		hold(r, envelope);
	} else if (!is_told_elsewhere(r, envelope)) {
		if (r->told_to < r->file.at)
			r->told_to = r->file.at;
		r->all->options.tell(r->all->options.self, stamp(r, envelope, first_untold(r)));
	}
}

/* --- one file ------------------------------------------------------------------------- */

/* The type of a subagent is in the file beside its own. */
static char *type_of_subagent(const struct reading *r)
{
	const char *below = r->file.below;
	char *path = must_print("%.*s.meta.json", (int)(strlen(below) - 6), below);
	struct stat is;
	int fd = trail_open(r->all->root, path, &is);
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
	free(path);
	return found;
}

static void reading_start(struct trail *f, const struct stat *is)
{
	struct reading *r = list_of(f, struct reading, file);
	const struct living_one *one = living_find(r->all->options.living, text_of(r->session));
	char *agent = r->subagent && !r->is_beside ? type_of_subagent(r) : NULL;
	struct parse_options o = {
		.source = TEXT("adapter:transcript"),
		.correlation = text_of(r->session),
		.agent = text_of(agent),
		.event_max = TRAIL_LINE_MAX,
		.words = r->all->words,
		.words_from_ms = r->all->words_from_ms,
		.self = r,
		.signal = reading_tells,
	};

	r->muted_to = r->untold_from = r->told_to = 0;
	buf_clear(&r->held); /* it is read again */
	if (!f->inode && !r->subagent && one && one->inode == (uint64_t)is->st_ino &&
	    one->at <= (uint64_t)is->st_size) {
		r->muted_to = r->told_to = one->at;
		r->untold_from = one->held;
	}
	parse_destroy(r->parse);
	r->parse = parse_create(parse_find(TEXT("claude-transcript")), &o);
	if (!r->is_beside) /* its lines alone say of which session it is */
		parse_keep_correlation(r->parse);
	free(agent);
}

static void reading_line(struct trail *f, struct text line, uint64_t hash)
{
	struct reading *r = list_of(f, struct reading, file);

	parse_set_seed(r->parse, hash | 1);
	parse_message(r->parse, line);
}

static const struct trail_kind reading_kind = {.start = reading_start, .line = reading_line};

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
	watcher_finish(&r->nest);
	watcher_finish(&r->beside);
	trail_finish(&r->file);
	parse_destroy(r->parse);
	buf_finish(&r->held);
	free(r->session);
	free(r->folder);
	free(r->subagent);
	free(r);
}

static char *reading_path(const struct living_one *one, const char *subagent, bool is_beside)
{
	if (subagent && is_beside)
		return must_print("%s/%s", one->folder, subagent);
	if (subagent)
		return must_print("%s/%s/subagents/%s", one->folder, one->id, subagent);
	return must_print("%s/%s.jsonl", one->folder, one->id);
}

static bool is_of_subagent(const char *name)
{
	return !name || text_starts(text_of(name), TEXT("agent-"));
}

static void nest_has_news(struct watcher *w, const struct watch_news *news)
{
	struct reading *r = list_of(w, struct reading, nest);

	if (r->is_nest_due || !is_of_subagent(news->name))
		return;
	r->is_nest_due = true;
	r->all->options.soon(r->all->options.self);
}

static void beside_has_news(struct watcher *w, const struct watch_news *news)
{
	struct reading *r = list_of(w, struct reading, beside);

	if (r->is_beside_due || !is_of_subagent(news->name))
		return;
	r->is_beside_due = true;
	r->all->options.soon(r->all->options.self);
}

static void reading_watch(struct reading *r, const struct living_one *one)
{
	struct watches *watches = r->all->options.trails->watches;
	char *nest = must_print("%s/%s/subagents", r->folder, r->session);

	r->is_nest_due = r->is_beside_due = true;
	r->nest.news = nest_has_news;
	watcher_init(&r->nest, watches, r->all->root, text_of(nest));
	r->beside.news = beside_has_news;
	if (one->by != LIVING_BY_REGISTRY)
		watcher_init(&r->beside, watches, r->all->root, text_of(r->folder));
	free(nest);
}

/* NULL: there are too many. */
static struct reading *reading_need(struct readings *all, const struct living_one *one,
                                    const char *subagent, bool is_beside)
{
	struct reading *r;

	list_each(&all->list, l) {
		r = list_of(l, struct reading, in_list);
		if (!is_reading_of(r, one, subagent, is_beside))
			continue;
		if (strcmp(r->folder, one->folder) == 0)
			return r;
		reading_free(r); /* it was looked for in a folder that was guessed */
		break;
	}
	if (all->count >= READINGS_MAX)
		return NULL;
	r = must_zero(1, sizeof(*r));
	r->all = all;
	r->session = must_dup(one->id);
	r->folder = must_dup(one->folder);
	r->subagent = subagent ? must_dup(subagent) : NULL;
	r->is_beside = is_beside;
	buf_init(&r->held, HELD_MAX);
	r->file.kind = &reading_kind;
	trail_init(&r->file, all->options.trails, all->root,
	           reading_path(one, subagent, is_beside));
	if (!subagent)
		reading_watch(r, one);
	list_add(&all->list, &r->in_list);
	all->count++;
	return r;
}

static void subagent_is_there(void *self, struct text session, const char *name, bool is_beside)
{
	struct readings *all = self;
	const struct living_one *one = living_find(all->options.living, session);

	if (one && one->folder)
		reading_need(all, one, name, is_beside);
}

/* False: it has to be walked through again, or to its end. */
static bool look_for_subagents(struct readings *all, const struct living_one *one, bool is_beside)
{
	char *below = is_beside ? must_dup(one->folder)
	                        : must_print("%s/%s/subagents", one->folder, one->id);
	int fd = trail_open_dir(all->root, below);
	bool is_done;

	is_done = stroll_into(&all->stroll, fd, below,
	                      &(struct stroll_of){text_of(one->id), is_beside});
	free(below);
	return is_done;
}

/* A version that keeps a registry keeps no files beside the session's. */
static void look_at_session(void *self, struct living_one *one)
{
	struct readings *all = self;
	struct reading *r;

	if (!one->folder || strchr(one->id, '/') || !(r = reading_need(all, one, NULL, false)))
		return;
	if (all->looks_at_all || r->is_nest_due || !watcher_is_on(&r->nest))
		r->is_nest_due = !look_for_subagents(all, one, false);
	if (one->by != LIVING_BY_REGISTRY &&
	    (all->looks_at_all || r->is_beside_due || !watcher_is_on(&r->beside)))
		r->is_beside_due = !look_for_subagents(all, one, true);
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

void readings_look(struct readings *all, uint64_t now_ms, bool is_all)
{
	double since = (double)clock_wall_ms() - (all->has_looked ? AFTER_MS : AWAY_MS);

	all->has_looked = true;
	all->looks_at_all = is_all;
	stroll_look(&all->stroll);
	living_each_since(all->options.living, since, look_at_session, all);
	list_each(&all->list, l) {
		struct reading *r = list_of(l, struct reading, in_list);

		let_held_go(r);
		if (!reading_goes_on(r, now_ms))
			reading_free(r);
		else if (is_all || !watcher_is_on(&r->file.watcher))
			trail_reopen(&r->file);
	}
}

void readings_set_words(struct readings *all, bool words, int64_t from_ms)
{
	all->words = words;
	all->words_from_ms = from_ms;
	list_each(&all->list, l) {
		struct reading *r = list_of(l, struct reading, in_list);

		if (!words)
			buf_clear(&r->held);
		if (r->parse)
			parse_set_words(r->parse, words, from_ms);
	}
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
