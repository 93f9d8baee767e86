/* transcript.c - what agents leave on this machine, to the bus. */
#include "source/transcript/transcripts.h"

#include <stdlib.h>

#include "box/parts.h"
#include "config/config.h"
#include "tap/tap.h"

void box_make_transcripts(struct box *box)
{
	char *config = tap_config_dir(getenv("CLAUDE_CONFIG_DIR"), getenv("HOME"));
	struct transcripts_options o = {
		.loop = box->loop,
		.bus = box->bus,
		.living = box->living,
		.config = box->config->transcripts == CONFIG_TRANSCRIPTS_OFF ? NULL : config,
		.silent_ms = box->config->crew.silent_ms,
	};

	box->transcripts = transcripts_create(&o);
	free(config);
}

void box_note_hook(void *self, struct text payload, uint64_t agent)
{
	struct box *box = self;

	if (box->transcripts)
		transcripts_note_hook(box->transcripts, payload, agent);
}
