/* hub.h - fan-out: one signal in, ten thousand screens out.
 *
 * The hub taps the bus once.  For each encoding in use a signal is encoded once,
 * into that encoding's reel.  A client is a socket, a tape (which of the reel's
 * frames it hears) and a cursor.  At the end of a loop turn each client of a tape
 * with news gets one send of everything from its cursor to the head; nothing is
 * queued, copied or allocated per client and signal.  A client that falls behind
 * reads from the journal until it has caught up; its policy says how.
 *
 * To add a dialect: write hub/NAME.c with one `const struct dialect dialect_NAME`,
 * add one line to hub/registry.c, add tests.
 */
#ifndef HUB_HUB_H
#define HUB_HUB_H

#include "base/buf.h"
#include "bus/back.h"
#include "net/caller.h"
#include "net/ws.h"

struct accounts;
struct bus;
struct http;
struct hub;
struct journal;
struct loop;

/* A moment of the stage: its versions grow by one with each command. */
struct hub_moment {
	uint64_t version;
	double at_ms;
};

typedef void hub_command_fn(void *of, uint64_t version, double at_ms, struct text json);

/* The stage, for those who follow it. */
struct hub_stage {
	void *self;
	/* How all of it looks, as a JSON object. */
	struct hub_moment (*look)(void *self, struct buf *out);
	/* Each command after a version; false: not all are remembered. */
	bool (*since)(void *self, uint64_t version, hub_command_fn *each, void *of);
};

/* Agents that connect to us and speak the run dialect, one for each session. */
struct hub_agents {
	void *self;
	void *(*joined)(void *self, struct text session, bool has_credential);
	/* A frame.  False: it is no good, and why has the words. */
	bool (*heard)(void *self, void *agent, struct text frame, struct error *why);
	void (*left)(void *self, void *agent);
};

struct hub_options {
	struct loop *loop;
	struct bus *bus;
	struct journal *journal;
	struct accounts *accounts; /* of those who connect */
	struct ws_limits ws;
	size_t behind_max; /* bytes behind the head before the policy acts: 4 MiB */
	unsigned ping_ms, pong_ms, message_ms; /* the last for a whole message */
	bool echo;                             /* offer the echo dialect */
	struct back back;
	void *self;
	void (*sources)(void *self, struct buf *out); /* all of them, as a JSON array */
	struct hub_stage stage;
	struct runs *runs;       /* of the run dialect; both live as long as the hub */
	struct prompts *prompts; /* what agents ask */
	struct hub_agents agents;
};

struct hub *hub_create(const struct hub_options *options);
/* From now on. */
void hub_set_times(struct hub *hub, unsigned ping_ms, unsigned pong_ms, unsigned message_ms);
void hub_destroy(struct hub *hub);

/* Is http's path a dialect's?  Then it is answered (400, 403, 426) or its
 * connection taken, and true is returned.  pinned: the dialect that the listener
 * has for upgrades at "/" and "/ws", or NULL. */
bool hub_join(struct hub *hub, struct http *http, const struct caller *caller, const char *pinned);

unsigned long hub_clients(const struct hub *hub);
void hub_status(const struct hub *hub, struct buf *out); /* a JSON object */

struct hub_stats {
	unsigned long clients, joined, fell_behind, gaps, slow_closed, frames;
	unsigned long skipped;   /* signals that the policy drop kept from a client */
	unsigned long followers; /* of the stage */
};
struct hub_stats hub_stats(const struct hub *hub);

/* To whoever wants to know: JSON arrays of sources and of ids. */
void hub_tell_sources(struct hub *hub, struct text changed, struct text removed);

/* To whoever follows the stage: a command was played, in the order of versions; all
 * of it must be looked at anew. */
void hub_tell_command(struct hub *hub, uint64_t version, double at_ms, struct text json);
void hub_tell_stage(struct hub *hub);

/* To screens: a prompt was opened or is over; runs have new frames. */
struct prompt;
void hub_tell_prompt(struct hub *hub, const struct prompt *prompt);
void hub_tell_runs(struct hub *hub);

/* To the agent of a session; false: there is none here. */
bool hub_tell_agent(struct hub *hub, struct text session, struct text frame);
bool hub_has_agent(const struct hub *hub, struct text session);

/* From the journal: cold bytes that a reader waited for may be there. */
void hub_warmed(struct hub *hub);

/* Reads nothing more from anybody: the server is about to stop. */
void hub_hush(struct hub *hub);

/* Says good-bye (close 1001, SSE retry) to everybody; true from hub_is_empty
 * once all of it went out or the grace of 2 s is over. */
void hub_drain(struct hub *hub);
bool hub_is_empty(const struct hub *hub);

#endif
