/* openclaw.h - one connection to an OpenClaw gateway, for its own files.
 *
 *   openclaw.c        the line: frames in and out, ticks, gaps, trust
 *   openclaw_hello.c  the handshake: challenge, connect, hello-ok, refusals
 *   openclaw_wait.c   requests whose answers are waited for
 *   openclaw_sync.c   what is made up for at each connection: sessions, runs, gaps
 *   openclaw_ask.c    asking, and stopping what was asked
 *   openclaw_runs.c   what was asked, and its one end
 *   openclaw_back.c   approvals and decisions, and stopping runs that are not ours
 *   openclaw_questions.c  questions and their answers
 *   openclaw_call.c   requests of others, passed on
 */
#ifndef SOURCE_OPENCLAW_H
#define SOURCE_OPENCLAW_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "net/loop.h"
#include "signal/json.h"
#include "source/asking.h"
#include "source/source.h"
#include "source/transport.h"

#define OPENCLAW_FRAME_MAX (4 * MIB)
#define OPENCLAW_REQUEST_MS 30000
#define OPENCLAW_RUNS_MAX 64   /* asks under way */
#define OPENCLAW_ENDED_MAX 128 /* whose late frames are known */
#define OPENCLAW_HEARD_MAX 64  /* runs of the gateway's own that can be stopped */

struct device;
struct parse;
struct ws_client;

#define OPENCLAW_WAITS_MAX 64     /* requests that are not answered yet */
#define OPENCLAW_APPROVALS_MAX 64 /* that were heard of on a connection */
#define OPENCLAW_SESSIONS_MAX 32  /* whose transcripts are asked for after a loss */
#define OPENCLAW_ID_MAX 128       /* bytes of the id of a run or an approval, and of a session */

/* A run that had its end here, while the gateway may still speak of it. */
struct openclaw_ended {
	char run[BACK_RUN_MAX + 1];
	bool cancelled; /* nothing of it is wanted any more; else no second end */
};

struct openclaw_heard {
	char *run, *session; /* by which it is stopped */
	bool is_over;
};

/* An approval that was asked for or decided since the connection was made: the list of
 * them may be older. */
struct openclaw_approval {
	char id[OPENCLAW_ID_MAX + 1];
	bool is_decided;
	char sent[16]; /* what was decided here, once the gateway was told; or empty */
};

/* What outlives a connection: source_memory(). */
struct openclaw_memory {
	struct source *source;
	struct openclaw *line; /* NULL between two connections */
	struct parse *parse;   /* it knows which runs are over */
	struct openclaw_ended ended[OPENCLAW_ENDED_MAX];
	size_t ended_count; /* of all times; the newest are kept */
	struct openclaw_heard heard[OPENCLAW_HEARD_MAX];
	size_t heard_count;   /* likewise */
	int64_t lost_at_ms;   /* when the last connection was; 0: there was none yet */
	struct link runs;     /* openclaw_run.in_memory */
	struct deadline owed; /* ends of runs that chat has not told yet */
	unsigned run_count;
	struct askings questions;
};

enum openclaw_step { STEP_CHALLENGE, STEP_HELLO, STEP_LIVE };
struct openclaw {
	struct source *source;
	struct openclaw_memory *memory;
	struct ws_client *client;
	struct json_reader reader;
	struct deadline patience; /* for the handshake, then for the next frame */
	enum openclaw_step step;
	bool is_over, is_hushed; /* lost was reported; nothing is read */

	struct text message; /* the frame that is being read */

	char *token;         /* what goes into auth.token; NULL: nothing */
	bool token_is_found; /* in OpenClaw's own configuration, so only for a socket of ours */
	struct device *device;
	bool by_device_token; /* token is what the gateway gave the device */

	uint64_t last_id; /* of our requests */
	unsigned protocol;
	unsigned scopes;   /* of enum operator_scope, as granted */
	struct map listed; /* its methods, by name */
	unsigned tick_ms;
	size_t payload_max;
	char *main_session, *agent; /* sessionDefaults */
	uint64_t seq;               /* of the last event that had one; 0: none yet */
	char *farewell;             /* what the gateway said when it shut down */
	unsigned restart_ms;        /* and when it means to be back */

	struct link waits; /* openclaw_wait.in_line */
	unsigned wait_count;
	struct openclaw_approval approvals[OPENCLAW_APPROVALS_MAX];
	size_t approval_count; /* ever; the newest are kept */
	char *note;            /* why the approval with this id is asked about again */
	char note_id[OPENCLAW_ID_MAX + 1];

	char *sessions[OPENCLAW_SESSIONS_MAX]; /* whose transcripts are still to be read */
	size_t session_count;
	bool is_syncing;
	uint64_t missed;      /* events of this connection */
	bool knows_questions; /* those that are open were listed */
};

#endif
