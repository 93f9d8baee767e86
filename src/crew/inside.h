/* inside.h - for the files of this room alone. */
#ifndef CREW_INSIDE_H
#define CREW_INSIDE_H

#include "base/map.h"
#include "bus/saving.h"
#include "crew/crew.h"
#include "crew/peaks.h"

/* Numbers of handles: for each name, the last that was given. */
struct handles {
	struct map last; /* base -> the number, as a pointer */
};

void handles_init(struct handles *h);
void handles_finish(struct handles *h);
char *handles_give(struct handles *h, const char *base); /* the caller frees it */
void handles_save(const struct handles *h, const char *name, struct buf *out);
void handles_load(struct handles *h, yyjson_val *saved);

struct crew {
	struct crew_options options;
	struct folded *folded;
	struct map by_run;    /* each run of each member */
	struct map by_handle; /* each member */
	struct map by_key;    /* each conversation of several runs */
	struct link all, changed;
	size_t count;
	struct handles handles;
	struct peaks peaks; /* of those at work */
	struct buf removed; /* ids as items of a JSON array, since they were taken */
	uint64_t seq;
	uint64_t round; /* of looking at the questions */
	bool is_told;   /* there is news that was not taken */
	struct saving saving;
	size_t to_slim;  /* the quietest so many, for want of room in the checkpoint */
	struct buf head; /* what is saved before the members */
};

/* The subagent with this id; makes it. */
struct crew_agent *member_agent(struct crew_member *m, struct text id);

/* Which members have a question that is open: member.asks while asked_round is crew.round. */
void crew_mark_questions(struct crew *crew);

/* The id of the session that began it, which it names by a run, or by a key at its own source; as
 * it is named where that one is not known.  NULL: none, or it may not say so. */
const char *crew_parent(const struct crew *crew, const struct crew_member *m);

/* Its subagents, for screens or for the checkpoint. */
void crew_add_agents(const struct crew_member *m, bool saving, struct buf *out);

void crew_forget(struct crew *crew, struct crew_member *m);
/* Whether it is at work, at this moment; 0: as it is loaded. */
void crew_count_work(struct crew *crew, struct crew_member *m, double at_ms);

/* Puts one that is loaded or new into the maps; it has its handle. */
void crew_add(struct crew *crew, struct crew_member *m);
void crew_forget_all(struct crew *crew); /* handles, too */

#endif
