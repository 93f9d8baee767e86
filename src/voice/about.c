/* about.c - see about.h. */
#include "voice/about.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"

enum about_state { ABOUT_UNKNOWN, ABOUT_HERE, ABOUT_UNABLE, ABOUT_AWAY, ABOUT_STATES };

struct voice_about {
	struct voice_about_options options;
	enum about_state state;
	struct wyoming_info info;  /* of one that is here */
	struct error words;        /* of one that is not */
	uint64_t old_ms;           /* since when that is old; 0: it is */
	struct wyoming_line *line; /* NULL: it is not being asked */
	struct deadline late;
};

/* ---- asking ---- */

static void end_asking(struct voice_about *about, enum about_state state, unsigned age_ms)
{
	deadline_clear(&about->late);
	wyoming_line_close(about->line);
	about->line = NULL;
	about->state = state;
	about->old_ms = loop_now_ms(about->options.loop) + age_ms;
}

static const char *doer_of(const struct voice_about *about)
{
	return about->options.part == WYOMING_ASR ? "hears" : "speaks";
}

static void about_failed(void *self, const char *why)
{
	struct voice_about *about = self;

	about->line = NULL;
	error_set(&about->words, "there is nobody who %s at %s: %s", doer_of(about),
	          about->options.written, why);
	end_asking(about, ABOUT_AWAY, ABOUT_AGAIN_MS);
}

static void on_late(struct deadline *deadline)
{
	struct voice_about *about = list_of(deadline, struct voice_about, late);

	wyoming_line_close(about->line);
	about_failed(about, "it does not say what it is");
}

/* Others than the answer are passed over, as everywhere in this protocol. */
static void about_heard(void *self, const struct wyoming_event *event)
{
	struct voice_about *about = self;
	const struct voice_about_options *options = &about->options;

	if (!text_is(event->type, "info"))
		return;
	wyoming_info_read(event, options->part, &options->wish, &about->info);
	error_set(&about->words, "there is nobody who %s at %s, it says", doer_of(about),
	          options->written);
	end_asking(about, about->info.is_there ? ABOUT_HERE : ABOUT_UNABLE, ABOUT_AGE_MS);
}

static void ask_about(struct voice_about *about)
{
	const struct voice_about_options *options = &about->options;

	about->line = wyoming_line_open(&(struct wyoming_line_options){.loop = options->loop,
	                                                               .place = options->place,
	                                                               .self = about,
	                                                               .heard = about_heard,
	                                                               .failed = about_failed});
	wyoming_line_send(about->line, "describe", TEXT(""), TEXT(""));
	deadline_set(options->loop, &about->late, ABOUT_MS);
}

/* ---- for its users ---- */

struct voice_about *voice_about_create(const struct voice_about_options *options)
{
	struct voice_about *about = must_zero(1, sizeof(*about));

	about->options = *options;
	about->late.fire = on_late;
	return about;
}

void voice_about_destroy(struct voice_about *about)
{
	if (!about)
		return;
	deadline_clear(&about->late);
	wyoming_line_close(about->line);
	free(about);
}

void voice_about_want(struct voice_about *about)
{
	if (about && !about->line && loop_now_ms(about->options.loop) >= about->old_ms)
		ask_about(about);
}

void voice_about_doubt(struct voice_about *about)
{
	if (about)
		about->old_ms = 0;
}

bool voice_about_streams(const struct voice_about *about)
{
	return about && about->state == ABOUT_HERE && about->info.streams;
}

/* ---- telling ---- */

static void put_info(const struct voice_about *about, struct buf *out)
{
	const struct wyoming_info *info = &about->info;

	put_word(out, "name", info->program);
	if (info->used[0])
		put_word(out, about->options.part == WYOMING_ASR ? "model" : "voice", info->used);
	put_list(out, "languages");
	for (unsigned i = 0; i < info->language_count; i++)
		put_word(out, NULL, info->languages[i]);
	put_list_end(out);
	put_bool(out, "streams", info->streams);
	if (info->lacks.words[0])
		put_word(out, "words", info->lacks.words);
}

void voice_about_put(const struct voice_about *about, struct buf *out)
{
	static const char *const names[ABOUT_STATES] = {[ABOUT_UNKNOWN] = "asking",
	                                                [ABOUT_HERE] = "here",
	                                                [ABOUT_UNABLE] = "unable",
	                                                [ABOUT_AWAY] = "away"};

	if (!about)
		return;
	put_object(out, "about");
	put_word(out, "state", names[about->state]);
	if (about->state == ABOUT_HERE)
		put_info(about, out);
	else if (about->state != ABOUT_UNKNOWN)
		put_word(out, "words", about->words.words);
	put_end(out);
}
