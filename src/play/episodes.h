/* episodes.h - who spoke last of something: the newest so many are remembered. */
#ifndef PLAY_EPISODES_H
#define PLAY_EPISODES_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/text.h"

#define EPISODE_WORDS_MAX 512 /* what is longer than this together is not remembered */

struct episode_note {
	struct text about; /* a correlation, or an entity */
	struct text correlation, source;
};

struct episodes {
	struct map known;
	struct link notes; /* the newest last */
	size_t count, max;
	struct link *to_save; /* while they are saved: the next one */
	size_t saved;
};

void episodes_init(struct episodes *e, size_t max);
void episodes_finish(struct episodes *e);

void episodes_note(struct episodes *e, const struct episode_note *note);
/* NULL: nothing is known.  Valid until the next note. */
const struct episode_note *episodes_find(const struct episodes *e, struct text about);

/* As a JSON list, from the oldest on, and back.  Saved in pieces of EPISODES_PIECE bytes; false:
 * that was the last.  What is noted meanwhile may be among them, even twice: the later counts. */
#define EPISODES_PIECE (16 * KIB)
void episodes_save_begin(struct episodes *e);
bool episodes_save_some(struct episodes *e, struct buf *out);
void episodes_load(struct episodes *e, yyjson_val *saved);

#endif
