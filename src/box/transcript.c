/* transcript.c - what agents leave on this machine, to the bus. */
#include "source/transcript/transcripts.h"

#include <stdlib.h>

#include "base/must.h"
#include "box/parts.h"
#include "config/config.h"
#include "tap/tap.h"

/* What the variable names with `below` behind it, or `folder` in the home; the caller frees it. */
static char *home_of(const char *variable, const char *below, const char *folder)
{
	const char *given = getenv(variable), *home = getenv("HOME");

	if (given && given[0])
		return must_print("%s%s", given, below);
	return home && home[0] ? must_print("%s/%s", home, folder) : NULL;
}

void box_make_transcripts(struct box *box)
{
	bool is_off = box->config->transcripts == CONFIG_TRANSCRIPTS_OFF;
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
