/* inside.h - the hub's own state, for the files of this room only. */
#ifndef HUB_INSIDE_H
#define HUB_INSIDE_H

#include "base/pool.h"
#include "bus/bus.h"
#include "hub/client.h"
#include "hub/hub.h"
#include "hub/switchboard.h"
#include "net/loop.h"
#include "signal/coalesce.h"
#include "signal/tally.h"

/* Between two looks at the sockets, so that a new connection never waits for a
 * big fan-out. */
#define HUB_SENDS_A_TURN 64
#define HUB_READ_A_TURN (1 * MIB)   /* bytes of journal for all readers */
#define HUB_READING_MAX (256 * KIB) /* private bytes a reader fills up to */
#define HUB_HUSH_AT (512 * KIB)     /* with more owed to it, a client is not read */
#define HUB_MINE_MAX (2 * MIB)      /* and with more it is gone; besides a message */
#define HUB_STAGE_MAX (8 * MIB)     /* what a follower of the stage is told at once */
#define HUB_SCRATCH_MAX (256 * KIB) /* gathered for one send */
#define HUB_GUARD_EVERY (1 * MIB)   /* of a reel between two looks at who lags */
#define HUB_ENVELOPE_MAX (16 * KIB) /* what admission may add to a message */
#define HUB_PART_MS 2000            /* for last words */

struct hub_reel {
	struct reel reel;
	struct switchboard board;
	unsigned users;      /* clients with a tape of it */
	uint64_t guarded_at; /* head at the last look at who lags */
};

struct hub {
	struct hub_options options;
	struct tap tap;
	struct turn turn;
	struct hub_reel reels[ENCODINGS];
	struct pool pool; /* of clients */
	struct link clients, work, waiting, dirty, followers;
	struct link held;            /* person.in_held */
	struct deadline ease;        /* looks at them while there are any */
	struct link screens, agents; /* run_view.in_hub: of the run dialect */
	struct buf look;             /* how the stage looks now, once somebody asked */
	struct buf scratch;
	const struct tape *gathered;         /* scratch holds this tape's bytes ... */
	uint64_t gathered_at, gathered_head; /* ... from here, made at that head */
	struct signal_reader *lines;
	struct coalesce words; /* of the client that is being read to */
	uint64_t durable_seq;
	struct hub_stats counts;
	struct tally told; /* a signal counts once for each client that it is for */
	bool draining;
	bool waits_for_disk; /* some client is hushed because of it */
};

static inline struct hub_reel *client_reel(const struct client *c)
{
	return &c->hub->reels[c->dialect->encoding];
}

extern const struct coalesce_kind coalesce_words; /* words.c */

void hub_ease(struct deadline *deadline); /* socket.c: may those who were held go on? */

/* The client has something to do at the end of the turn. */
void hub_work(struct client *client);

/* Bytes of a tape for this client, gathered once for all that stand there. */
struct text hub_news(struct hub *hub, const struct client *client);

void hub_mark(struct hub *hub, struct tape *tape); /* the tape has news */

#endif
