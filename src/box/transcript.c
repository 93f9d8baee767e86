/* transcript.c - what agents leave on this machine, to the bus. */
#include "source/transcript/transcripts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/whole.h"
#include "box/parts.h"
#include "config/config.h"
#include "crew/crew.h"
#include "tap/tap.h"
#include "web/transcripts.h"

/* What the variable names with `below` behind it, or `folder` in the home; the caller frees it. */
static char *home_of(const char *variable, const char *below, const char *folder)
{
	const char *given = getenv(variable), *home = getenv("HOME");

	if (given && given[0])
		return must_print("%s%s", given, below);
	return home && home[0] ? must_print("%s/%s", home, folder) : NULL;
}

/* A person's yes, which outlives the box, and since when (Unix ms): DATA/transcripts. */
#define YES "text "

static char *yes_path(const struct box *box)
{
	return must_print("%s/transcripts", box->config->data);
}

static bool has_yes(const struct box *box, int64_t *from_ms)
{
	char *path = yes_path(box);
	struct text since;
	struct error why;
	struct buf said;
	uint64_t ms;
	bool is;

	buf_init(&said, 64);
	is = whole_load(path, WHOLE_PRIVATE | WHOLE_NO_LINK, &said, &why) &&
	     text_starts(buf_text(&said), TEXT(YES));
	if (is) {
		since = (struct text){said.at + strlen(YES), said.len - strlen(YES)};
		is = text_to_u64(text_trim(since), &ms) && ms > 0 && ms <= INT64_MAX;
		*from_ms = is ? (int64_t)ms : 0;
	}
	buf_finish(&said);
	free(path);
	return is;
}

static const char *transcripts_mode(void *self)
{
	struct box *box = self;

	if (box->config->transcripts == CONFIG_TRANSCRIPTS_OFF)
		return "off";
	return transcripts_words(box->transcripts, NULL) ? "text" : "facts";
}

static bool transcripts_allow(void *self, bool is_text, struct error *why)
{
	struct box *box = self;
	char *path = yes_path(box), said[64] = "facts\n";
	int64_t from_ms;
	bool good;

	/* A second yes takes nothing back. */
	if (!transcripts_words(box->transcripts, &from_ms))
		from_ms = clock_wall_ms();
	if (is_text)
		snprintf(said, sizeof(said), YES "%" PRId64 "\n", from_ms);
	good = whole_replace(path, 0600, text_of(said), why);
	free(path);
	if (good)
		transcripts_set_words(box->transcripts, is_text, from_ms);
	return good;
}

struct web_transcripts box_web_transcripts(struct box *box)
{
	return (struct web_transcripts){box, transcripts_mode, transcripts_allow};
}

static enum transcripts_plan plan_known(void *self, struct text session, struct text items)
{
	struct box *box = self;

	if (!box->crew || !crew_reach(box->crew))
		return TRANSCRIPTS_PLAN_UNSURE;
	return crew_has_plan(box->crew, session, items) ? TRANSCRIPTS_PLAN_SAME
	                                                : TRANSCRIPTS_PLAN_OTHER;
}

void box_make_transcripts(struct box *box)
{
	enum config_transcripts mode = box->config->transcripts;
	bool is_off = mode == CONFIG_TRANSCRIPTS_OFF;
	char *config = tap_config_dir(getenv("CLAUDE_CONFIG_DIR"), getenv("HOME"));
	char *codex = home_of("CODEX_HOME", "", ".codex");
	char *gemini = home_of("GEMINI_CLI_HOME", "/.gemini", ".gemini");
	struct transcripts_options o = {
		.loop = box->loop,
		.bus = box->bus,
		.living = box->living,
		.config = is_off ? NULL : config,
		.codex = is_off ? NULL : codex,
		.gemini = is_off ? NULL : gemini,
		.plans = {box, plan_known},
		.silent_ms = box->config->crew.silent_ms,
	};

	o.words = mode == CONFIG_TRANSCRIPTS_TEXT || (!is_off && has_yes(box, &o.words_from_ms));
	box->transcripts = transcripts_create(&o);
	free(config);
	free(codex);
	free(gemini);
}

void box_note_hook(void *self, struct text payload, uint64_t agent)
{
	struct box *box = self;

	if (box->transcripts)
		transcripts_note_hook(box->transcripts, payload, agent);
}
