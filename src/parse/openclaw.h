/* openclaw.h - one frame of a gateway and what is known of its run, for this room.
 *
 * The gateway tells the same answer twice: as `agent` events and as `chat` events.
 * A run's words are taken from the one of the two that was seen first in that run,
 * its voice; from the other only what the first has not said when the run ends.
 */
#ifndef PARSE_OPENCLAW_H
#define PARSE_OPENCLAW_H

#include <yyjson.h>

#include "base/buf.h"
#include "parse/make.h"

/* Runs that are remembered.  The one that was silent for longest is forgotten
 * first: it can then end a second time, and say its text again. */
#define OPENCLAW_RUNS 256

/* What a run has said so far: of the text itself only so much is kept as tells
 * whether another begins with it. */
struct said {
	size_t len;
	uint64_t hash;
};

enum voice { VOICE_NONE, VOICE_AGENT, VOICE_CHAT };

struct run {
	uint64_t key;   /* a hash of its id; 0: nobody */
	uint64_t heard; /* when, in frames */
	enum voice voice;
	struct said said;
	uint64_t phase; /* a hash of the status that was told last */
	bool is_over, has_usage;
	char model[64];
};

struct openclaw {
	struct run runs[OPENCLAW_RUNS];
	struct run nobody; /* the run of a frame that names none */
	uint64_t frames;
	uint64_t presence, health; /* the newest stateVersion of each */
	struct buf words;          /* a message that was joined from parts */
};

struct frame {
	struct parse *p;
	struct openclaw *gateway;
	struct run *run;
	struct text type, event;
	yyjson_val *root, *payload, *data;
	struct text run_id, agent, channel, label, session;
	bool has_metadata; /* make_metadata() was called */
};

/* Never NULL. */
struct run *run_of(struct openclaw *gateway, struct text id);

/* Which of the two tells this run's words; the first that asks decides. */
bool run_speaks(struct run *run, enum voice voice);

uint64_t hash_of(struct text t); /* never 0 */

/* A delta and all so far, as far as they are given: a missing text has a NULL
 * pointer.  Gives a text_delta. */
struct words {
	struct text delta, all;
	bool replaces; /* delta stands for all that was said */
};
void frame_say(struct frame *f, const struct words *words);
/* What is not yet said of the whole text, when the run ends. */
void frame_say_rest(struct frame *f, struct text all);

/* Members that all signals share. */
void frame_begin(struct frame *f, const char *type);
void frame_metadata(struct frame *f); /* before a member of the metadata */
void frame_end(struct frame *f);

/* The one end of a run.  A second gives nothing. */
void frame_complete(struct frame *f, bool success, struct text why);
void frame_fail(struct frame *f, struct text message, struct text code);

/* token_usage of what `counts` says; false: it says nothing. */
bool frame_usage(struct frame *f, yyjson_val *counts);
/* `event` with all members of the payload and its category. */
void frame_event(struct frame *f);

/* The first of these names, ended by NULL, that has a value which is not null. */
yyjson_val *frame_first(yyjson_val *object, const char *const *names);

void frame_chat(struct frame *f);
void frame_agent(struct frame *f);

#endif
