/* discord_place.h - how far Discord has been read, as one short text that is kept with each
 * message; pure.
 *
 * After a restart the session of the gateway goes on from there, if Discord still has it; if not,
 * the history is read from the last message on.
 */
#ifndef DELIVER_DISCORD_PLACE_H
#define DELIVER_DISCORD_PLACE_H

#include "base/buf.h"

#define DISCORD_DMS 16 /* chats with one person that are known again */
#define DISCORD_SESSION_MAX 65
#define DISCORD_URL_MAX 200

struct discord_place {
	uint64_t last; /* what is older has been taken, in every chat; 0: nothing is known */
	int64_t seq;   /* of the session */
	char session[DISCORD_SESSION_MAX]; /* "": there is none that could go on */
	char url[DISCORD_URL_MAX];
	uint64_t dms[DISCORD_DMS]; /* the newest first */
	unsigned dm_count;
};

void discord_place_read(struct discord_place *place, struct text text);
void discord_place_put(const struct discord_place *place, struct buf *out);
/* False: it is none that could be kept. */
bool discord_place_begin(struct discord_place *place, struct text session, struct text url);
void discord_place_end(struct discord_place *place); /* the session cannot go on */
void discord_place_dm(struct discord_place *place, uint64_t chat);

#endif
