/* inside.h - the hub's own state, for the files of this room only. */
#ifndef HUB_INSIDE_H
#define HUB_INSIDE_H

#include "base/pool.h"
#include "bus/bus.h"
#include "hub/dialogue.h"
#include "hub/encoding.h"
#include "hub/hub.h"
#include "hub/switchboard.h"
#include "net/loop.h"
#include "signal/coalesce.h"
#include "signal/tally.h"

/* Between two looks at the sockets, so that a new connection never waits for a
 * big fan-out. */
#define HUB_SENDS_A_TURN 64
#define HUB_READ_A_TURN (1 * MIB)   /* bytes of journal for all readers */
#define HUB_MINE_MAX (2 * MIB)      /* and with more it is gone; besides a message */
#define HUB_SCRATCH_MAX (256 * KIB) /* gathered for one send */
#define HUB_GUARD_EVERY (1 * MIB)   /* of a reel between two looks at who lags */
#define HUB_ENVELOPE_MAX (16 * KIB) /* what admission may add to a message */
#define HUB_PART_MS 2000            /* for last words */
#define HUB_STRANGER_MAX (64 * KIB) /* bytes of a message before it is known whose it is */
#define HUB_FETCH_CLIENTS 4         /* are on their way from memory before they are visited */

struct hub_reel {
	const struct encoding *encoding;
	void *of;     /* of the dialect that brought it */
	void *memory; /* of the encoding, while there are users */
	struct reel reel;
	struct switchboard board;
	unsigned users;                   /* clients with a tape of it */
	uint64_t guarded_at, guarded_seq; /* its head at the last look at who lags */
};

/* A dialect that this hub offers. */
struct spoken {
	const struct dialect *dialect;
	void *of;
	struct hub_reel *reel; /* NULL: its clients do not subscribe */
	struct pool *people;   /* struct person, each with the dialect's view */
};

struct hub {
	struct hub_options options;
	struct ws_limits strangers; /* like options.ws, for who is not known */
	struct bus_listener listener;
	struct turn turn;
	struct hub_reel *reels; /* one for each encoding */
	size_t reel_count;
	struct spoken *spoken; /* as many as options.dialect_count */
	struct pool pool;      /* of clients */
	struct link clients, work, waiting, dirty;
	struct link held;     /* person.in_held */
	struct deadline ease; /* looks at them while there are any */
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

static inline const struct dialect *client_dialect(const struct client *c)
{
	return c->spoken->dialect;
}

extern const struct coalesce_kind coalesce_words; /* words.c */

void hub_ease(struct deadline *deadline); /* socket.c: may those who were held go on? */

/* Bytes of a tape for this client, gathered once for all that stand there. */
struct text hub_news(struct hub *hub, const struct client *client);

void hub_mark(struct hub *hub, struct tape *tape); /* the tape has news */

/* The reel of a dialect's encoding, which others may share; NULL: it has none. */
struct hub_reel *hub_open_reel(struct hub *hub, const struct hub_dialect *dialect);
void hub_close_reel(struct hub_reel *reel);
void hub_spool(struct hub *hub, struct hub_reel *reel, const struct signal *s);

/* A client has a tape of it; it has none any more. */
void hub_use_reel(struct hub *hub, struct hub_reel *reel);
void hub_leave_reel(struct hub_reel *reel);

/* ---- clients ---- */

extern const struct conn_user client_conn_user;
void client_start_beat(struct client *client); /* or a stranger's time */
void client_unhush(struct client *client);     /* read it again, if it may speak */
void client_hold(struct client *client);       /* while it is too fast; if it is */

/* Takes the account, which is open. */
struct client *client_create(struct hub *hub, const struct spoken *spoken,
                             const struct caller *caller, struct account *account);

/* Sends what there is; false when the socket is full. */
bool client_flush(struct client *client);

/* Live and too far behind: the policy acts. */
void client_fall_behind(struct client *client);

/* An encoding with a memory is given all lines; else a reader gives what the client wants. */
void client_sift(struct client *client, struct journal_reader *from);

/* Reading: fills `mine` from the journal; takes from the budget of the turn. */
void client_read_on(struct client *client, size_t *budget);

void client_tell_durable(struct client *client); /* the hub's durable_seq grew */
void client_end(struct client *client);          /* at once, without a word */

#endif
