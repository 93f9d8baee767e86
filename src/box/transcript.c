/* transcript.c - what agents leave on this machine, to the bus. */
#include "source/transcript/transcripts.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/whole.h"
#include "box/parts.h"
#include "config/config.h"
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

/* A person's yes, which outlives the box: DATA/transcripts. */
#define YES "text\n"

static char *yes_path(const struct box *box)
{
	return must_print("%s/transcripts", box->config->data);
}

static bool has_yes(const struct box *box)
{
	char *path = yes_path(box);
	struct error why;
	struct buf said;
	bool is;

	buf_init(&said, 64);
	is = whole_load(path, WHOLE_PRIVATE | WHOLE_NO_LINK, &said, &why) &&
	     text_is(buf_text(&said), YES);
	buf_finish(&said);
	free(path);
	return is;
}

static const char *transcripts_mode(void *self)
{
	struct box *box = self;

	if (box->config->transcripts == CONFIG_TRANSCRIPTS_OFF)
		return "off";
	return transcripts_words(box->transcripts) ? "text" : "facts";
}

static bool transcripts_allow(void *self, bool is_text, struct error *why)
{
	struct box *box = self;
	char *path = yes_path(box);
	bool good = whole_replace(path, 0600, is_text ? TEXT(YES) : TEXT("facts\n"), why);

	free(path);
	if (good)
		transcripts_set_words(box->transcripts, is_text);
	return good;
}

struct web_transcripts box_web_transcripts(struct box *box)
{
	return (struct web_transcripts){box, transcripts_mode, transcripts_allow};
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
		.words = mode == CONFIG_TRANSCRIPTS_TEXT || (!is_off && has_yes(box)),
		.silent_ms = box->config->crew.silent_ms,
	};

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
