/* episodes.h - who spoke last of something: the newest so many are remembered. */
#ifndef PLAY_EPISODES_H
#define PLAY_EPISODES_H

#include "base/list.h"
#include "base/map.h"
#include "base/text.h"

#define EPISODE_WORDS_MAX 1024 /* what is longer than this together is not remembered */

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

/* From the oldest on. */
typedef void episodes_each_fn(void *self, const struct episode_note *note);
void episodes_each(const struct episodes *e, episodes_each_fn *each, void *self);

#endif
