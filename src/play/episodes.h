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
};

void episodes_init(struct episodes *e, size_t max);
void episodes_finish(struct episodes *e);

void episodes_note(struct episodes *e, const struct episode_note *note);
/* NULL: nothing is known.  Valid until the next note. */
const struct episode_note *episodes_find(const struct episodes *e, struct text about);

/* As a JSON list, from the oldest on, and back. */
void episodes_save(const struct episodes *e, struct buf *out);
void episodes_load(struct episodes *e, yyjson_val *saved);

#endif
