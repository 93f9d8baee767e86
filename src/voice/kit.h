/* kit.h - one choice of engines: who hears, thinks and says, as the configuration has it.
 *
 * A session keeps the kit that it began with, so a kit is shared and counted.  What cannot be
 * had is in it all the same, as a role that says in words what is missing.
 */
#ifndef VOICE_KIT_H
#define VOICE_KIT_H

#include "voice/means.h"
#include "voice/settings.h"

struct buf;

struct voice_kit {
	unsigned refs;
	bool is_real;                          /* somebody else than the mock works here */
	struct voice_means means[VOICE_PARTS]; /* of those that hear and say */
	struct voice_excuse excuses[VOICE_PARTS];
	char *source;               /* that thinks; NULL: none is named */
	struct voice_engine engine; /* without what a role that thinks works with */
};

/* Can this part be done by an engine at such a place?  For the configuration. */
bool voice_kit_can(enum voice_part part, const struct voice_place *place, struct error *why);

/* The first user's.  times: lent. */
struct voice_kit *voice_kit_mock(const struct voice_mock_times *times);
struct voice_kit *voice_kit_create(const struct voice_config *config,
                                   const struct voice_around *around);
struct voice_kit *voice_kit_ref(struct voice_kit *kit);
void voice_kit_unref(struct voice_kit *kit); /* NULL is fine */
/* It will be used, or told of: its engines are asked what they are, where that is not known. */
void voice_kit_want(const struct voice_kit *kit);

/* Members: `"engine","hear","think","say"`. */
void voice_kit_put(const struct voice_kit *kit, struct buf *out);
bool voice_kit_is_hosted(const struct voice_kit *kit);

#endif
