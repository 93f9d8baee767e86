/* living.h - which sessions of agents are open, and by which process; folded from signals, pure.
 *
 * A hook opens its session, and so does session.facts with a process.  The hook SessionEnd and
 * session.gone end it.  What is late does not open it again: only what happened after its end
 * does, or another process.  A process has one session at a time: one that names another (/clear)
 * has left the one before, which is open until its end is told, and may take it up again.  Only a
 * process that is known by the files that it writes may have several.
 *
 * What a program without a credential says is heard for nothing here.
 */
#ifndef SOURCE_LIVING_H
#define SOURCE_LIVING_H

#include "base/list.h"
#include "base/text.h"

#define LIVING_MAX 4096   /* sessions; the one that was silent for longest is forgotten */
#define LIVING_ID_MAX 256 /* bytes of an id */

struct fold_kind;
struct living;
struct signal;

/* Who named its process: its hooks, its registry, or the kernel, which says who writes its file. */
enum living_by { LIVING_BY_NOBODY, LIVING_BY_PEER, LIVING_BY_REGISTRY, LIVING_BY_FILE };

struct living_one {
	char *id;
	uint64_t pid, start; /* base/proc.h; 0: not known */
	enum living_by by;
	double last_ms; /* its last sign of life, or its end */
	bool is_over;
	bool is_left;       /* its process went on with another session */
	bool is_resting;    /* its file says that its turn is over */
	bool is_hooked;     /* its hooks are heard */
	bool is_spoken;     /* they tell the words of its answers ... */
	bool is_mute;       /* ... or a turn is over, and they told none */
	bool is_told;       /* its folder, by a hook; otherwise it is a guess */
	char *folder;       /* of its transcript, below projects/; NULL: not known */
	uint64_t inode, at; /* how far that was read, and of which file; 0: not at all */
	uint64_t held;      /* words from there on were not told yet; 0: all were */
	uint64_t seen;      /* for who looks: the process that ran its last hook; 0: none */
	uint64_t missed_ms; /* for who looks: since when there is no such process; 0: there is */
	struct link in_all; /* living.all, the one that was silent for longest first */
};

struct living *living_create(void);
void living_destroy(struct living *living);

void living_hear(struct living *living, const struct signal *s);
struct living_one *living_find(const struct living *living, struct text id); /* NULL: none */
/* Each that is open.  each() may end it. */
void living_each(struct living *living, void (*each)(void *self, struct living_one *one),
                 void *self);

/* Likewise, and those that ended after this time (Unix ms). */
void living_each_since(struct living *living, double since_ms,
                       void (*each)(void *self, struct living_one *one), void *self);

extern const struct fold_kind living_fold;

#endif
