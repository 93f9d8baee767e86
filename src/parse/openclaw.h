/* openclaw.h - what is known of a gateway, its sessions and its runs, for this room.
 *
 * The gateway tells the same answer twice: as `agent` events and as `chat` events.
 * A run's words are taken from the one of the two that was seen first in that run,
 * its voice; from the other only what goes on where the first is.
 */
#ifndef PARSE_OPENCLAW_H
#define PARSE_OPENCLAW_H

#include <yyjson.h>

#include "base/buf.h"
#include "parse/make.h"

/* Runs that are remembered.  The one that was silent for longest is forgotten
 * first: it can then end a second time, and say its text again. */
#define OPENCLAW_RUNS 256
#define OPENCLAW_SESSIONS 128 /* likewise */
#define OPENCLAW_TOLD 512     /* tool calls and results, the newest */
#define OPENCLAW_RUN_ID_MAX 127
#define OPENCLAW_NAMELESS 8 /* open calls of a run that came without an id */
#define OPENCLAW_MARKS 16   /* lengths that a run's text had, the newest */
#define OPENCLAW_TAIL 512   /* bytes of its newest words */

/* What a run has said so far: of the text itself only so much is kept as tells
 * whether another begins with it. */
struct gateway_said {
	size_t len;
	uint64_t hash;
};

enum voice { VOICE_NONE, VOICE_AGENT, VOICE_CHAT, VOICES };
enum openclaw_end { OPENCLAW_FINAL, OPENCLAW_ABORTED, OPENCLAW_ERROR };

struct gateway_run {
	uint64_t key;   /* a hash of its id; 0: nobody */
	uint64_t heard; /* when, in frames */
	enum voice voice;
	struct gateway_said said;
	struct gateway_said reached[VOICES]; /* what each has said of it */
	struct gateway_said marks[OPENCLAW_MARKS];
	unsigned mark_count;           /* of all times */
	struct gateway_said tail_from; /* and the words behind this, */
	size_t tail_len;
	char tail[OPENCLAW_TAIL];
	uint64_t phase;         /* a hash of the status that was told last */
	uint64_t session;       /* likewise of its session's key; 0: not known */
	uint64_t seq;           /* the highest of its agent events */
	uint64_t hello;         /* the connection on which it was heard of last */
	uint64_t input, output; /* tokens that were told; the gateway tells the run's total */
	unsigned calls;         /* that came without an id */
	struct {
		uint64_t name; /* a hash of the tool's name; 0: nothing */
		unsigned number;
	} nameless[OPENCLAW_NAMELESS];
	bool is_begun, is_over;
	bool is_whole;  /* the newest words that were given are all that was said */
	bool is_closed; /* its end was told by its transport: the gateway's own is known */
	bool owes_chat; /* its end was told by agent events alone so far, */
	bool is_late;   /* for some time */
	enum openclaw_end end;
	bool is_told;              /* what it was asked */
	bool is_asked;             /* from here */
	bool has_reply, has_error; /* its last message, in what was missed */
	char model[64];
	char stop[32];                             /* why it stopped, until chat says so */
	char id[OPENCLAW_RUN_ID_MAX + 1];          /* empty: too long */
	char session_key[OPENCLAW_RUN_ID_MAX + 1]; /* likewise */
};

struct gateway_session {
	uint64_t key;   /* a hash; 0: nobody */
	uint64_t heard; /* when, in frames */
	uint64_t seq;   /* of the newest message in its transcript that is known here */
};

struct openclaw_parse {
	struct gateway_run runs[OPENCLAW_RUNS];
	struct gateway_run nobody; /* the run of a frame that names none */
	struct gateway_session sessions[OPENCLAW_SESSIONS];
	uint64_t told[OPENCLAW_TOLD]; /* hashes: a run, a call, and whether it is the result */
	size_t told_count;            /* of all times */
	uint64_t frames;
	uint64_t presence, health;           /* the newest stateVersion of each */
	uint64_t presence_news, health_news; /* and a hash of what it said */
	uint64_t hello;                      /* connections so far */
	unsigned protocol;                   /* that is spoken; 0: nobody said so */
	bool owes;                           /* perhaps: some run owes_chat */
	uint64_t boot;    /* a hash of the gateway's process; 0: it does not say */
	double last_ms;   /* the gateway's clock, as it was heard last */
	double since_ms;  /* likewise before this connection; 0: there was none */
	struct buf words; /* a message that was joined from parts */
};

/* Never NULL. */
struct gateway_run *gateway_run_of(struct openclaw_parse *gateway, struct text id);
void gateway_run_in_session(struct gateway_run *run, struct text key);
struct gateway_session *gateway_session_of(struct openclaw_parse *gateway, struct text key);
/* Was it told already?  From now on it is. */
bool openclaw_told_before(struct openclaw_parse *gateway, struct text run, struct text call,
                          bool is_result);

/* Which of the two tells this run's words; the first that asks decides. */
bool gateway_run_speaks(struct gateway_run *run, enum voice voice);

uint64_t openclaw_hash_of(struct text t); /* never 0 */

/* A hash of what somebody would want to know of it: not the time, and not how long
 * something took. */
uint64_t openclaw_news_of(yyjson_val *value);

#endif
