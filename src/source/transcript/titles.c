/* titles.c - the newest of those that wait for their sessions. */
#include "source/transcript/titles.h"

#include <stdlib.h>

#include "base/must.h"
#include "parse/parse.h"
#include "source/transcript/living.h"
#include "source/transcript/trail.h"

#define TITLES_MAX 256
#define TITLE_BYTES_MAX (16 * KIB) /* of a signal */

struct waiting_title {
	char *session, *envelope; /* NULL: none */
};

struct titles {
	struct titles_options options;
	struct trail file;
	char *dir;
	struct parse *parse;
	struct waiting_title waiting[TITLES_MAX];
	unsigned count;
};

static void forget_title(struct waiting_title *title)
{
	free(title->session);
	free(title->envelope);
	*title = (struct waiting_title){NULL, NULL};
}

static void tell_title(struct titles *titles, struct waiting_title *title)
{
	const struct living_one *one;

	if (!title->session)
		return;
	one = living_find(titles->options.living, text_of(title->session));
	if (!one || one->is_over)
		return;
	titles->options.tell(titles->options.self, text_of(title->envelope));
	forget_title(title);
}

/* The last of a session counts. */
static struct waiting_title *title_slot(struct titles *titles, struct text session)
{
	for (unsigned i = 0; i < TITLES_MAX; i++)
		if (titles->waiting[i].session && text_is(session, titles->waiting[i].session))
			return &titles->waiting[i];
	return &titles->waiting[titles->count++ % TITLES_MAX];
}

static void titles_take(void *self, struct text envelope)
{
	struct titles *titles = self;
	struct text session = parse_correlation(titles->parse);
	struct waiting_title *title;

	if (session.len == 0 || session.len > LIVING_ID_MAX || envelope.len > TITLE_BYTES_MAX)
		return;
	title = title_slot(titles, session);
	forget_title(title);
	*title = (struct waiting_title){text_dup(session), text_dup(envelope)};
	tell_title(titles, title);
}

static void titles_start(struct trail *f, const struct stat *is)
{
	struct titles *titles = list_of(f, struct titles, file);
	const struct parse_options o = {
		.source = TEXT("adapter:transcript"),
		.event_max = TRAIL_LINE_MAX,
		.self = titles,
		.signal = titles_take,
	};

	parse_destroy(titles->parse);
	titles->parse = parse_create(parse_find(text_of(titles->options.protocol)), &o);
}

static void titles_line(struct trail *f, struct text line, uint64_t hash)
{
	struct titles *titles = list_of(f, struct titles, file);

	parse_set_seed(titles->parse, hash | 1);
	parse_message(titles->parse, line);
}

static const struct trail_kind titles_kind = {.start = titles_start, .line = titles_line};

struct titles *titles_create(const struct titles_options *options)
{
	struct titles *titles = must_zero(1, sizeof(*titles));

	titles->options = *options;
	titles->dir = must_dup(options->dir);
	titles->file.kind = &titles_kind;
	trail_init(&titles->file, options->trails, titles->dir, must_dup(options->name));
	return titles;
}

void titles_destroy(struct titles *titles)
{
	if (!titles)
		return;
	trail_finish(&titles->file);
	parse_destroy(titles->parse);
	for (unsigned i = 0; i < TITLES_MAX; i++)
		forget_title(&titles->waiting[i]);
	free(titles->dir);
	free(titles);
}

void titles_look(struct titles *titles, bool is_all)
{
	if (is_all || !watcher_is_on(&titles->file.watcher))
		trail_reopen(&titles->file);
	for (unsigned i = 0; i < TITLES_MAX; i++)
		tell_title(titles, &titles->waiting[i]);
}
