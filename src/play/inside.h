/* inside.h - what the files of the theatre share. */
#ifndef PLAY_INSIDE_H
#define PLAY_INSIDE_H

#include "play/episodes.h"
#include "play/play.h"
#include "play/recall.h"
#include "play/theatre.h"
#include "play/whose.h"
#include "signal/json.h"

/* What would be more is left out of what is saved: it is the performances of tens of
 * thousands of signals. */
#define PLAY_SAVED_MAX (8 * MIB)

struct theatre_saving {
	enum { SAVE_NUMBERS, SAVE_NOTES, SAVE_PLAY } part;
	size_t list;       /* of notes */
	size_t play_begun; /* where in the buffer */
	struct play_saving play;
};

struct theatre {
	struct theatre_options options;
	struct show *show;
	struct play *play;
	struct buf document;
	char tag[THEATRE_TAG_LEN + 1];
	bool is_running;
	double now_ms;
	struct theatre_stats stats;
	double tokens, filled_ms; /* of the pace */
	struct json_reader reader;
	struct buf json; /* scratch of one command */
	struct recall recall;
	struct episodes sources;  /* by correlation */
	struct episodes entities; /* by entity */
	struct whose whose;
	bool must_look; /* a command could not be told */
	struct theatre_saving saving;
};

uint64_t theatre_first_version(double now_ms);
/* Who follows must look; a version of before is of no use to anybody. */
void theatre_turn_page(struct theatre *theatre, uint64_t least);
/* Plays a document, and goes on with what was saved, which may be empty. */
bool theatre_put_on(struct theatre *theatre, struct text json, struct text saved,
                    struct error *why);

#endif
