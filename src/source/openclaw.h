/* openclaw.h - one connection to an OpenClaw gateway, for its own files.
 *
 *   openclaw.c        the line: frames in and out, ticks, gaps, trust
 *   openclaw_hello.c  the handshake: challenge, connect, hello-ok, refusals
 *   openclaw_runs.c   asks and their one end
 *   openclaw_back.c   decisions about approvals, and stopping runs that are not ours
 */
#ifndef SOURCE_OPENCLAW_H
#define SOURCE_OPENCLAW_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"
#include "net/loop.h"
#include "signal/json.h"
#include "source/source.h"
#include "source/transport.h"

#define OPENCLAW_LOCAL_ID "local:openclaw" /* the one that is found on this machine */
#define OPENCLAW_FRAME_MAX (4 * MIB)
#define OPENCLAW_REQUEST_MS 30000
#define OPENCLAW_RUNS_MAX 64   /* asks under way */
#define OPENCLAW_ENDED_MAX 128 /* whose late frames are known */
#define OPENCLAW_HEARD_MAX 64  /* runs of the gateway's own that can be stopped */

struct device;
struct parse;
struct ws_client;

/* What the gateway granted; all else is not offered. */
enum openclaw_scope { OPENCLAW_READ = 1, OPENCLAW_WRITE = 2, OPENCLAW_APPROVALS = 4 };
#define OPENCLAW_SCOPES "operator.read,operator.write,operator.approvals"

/* A run that had its end here, while the gateway may still speak of it. */
struct openclaw_ended {
	char run[RUN_ID_LEN];
	bool cancelled; /* nothing of it is wanted any more; else no second end */
};

struct openclaw_heard {
	char *run, *session; /* by which it is stopped */
	bool is_over;
};

/* What outlives a connection: source_memory(). */
struct openclaw_memory {
	struct source *source;
	struct openclaw *line; /* NULL between two connections */
	struct parse *parse;   /* it knows which runs are over */
	struct openclaw_ended ended[OPENCLAW_ENDED_MAX];
	size_t ended_count; /* of all times; the newest are kept */
	struct openclaw_heard heard[OPENCLAW_HEARD_MAX];
	size_t heard_count; /* likewise */
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

	char *token;           /* what goes into auth.token; NULL: nothing */
	bool token_is_found;   /* in OpenClaw's own configuration, so only for a socket of ours */
	struct device *device; /* NULL: the gateway did not want one */
	bool by_device_token;  /* token is what the gateway gave the device */

	uint64_t last_id; /* of our requests */
	unsigned protocol;
	unsigned scopes; /* of enum openclaw_scope, as granted */
	unsigned tick_ms;
	size_t payload_max;
	char *main_session, *agent; /* sessionDefaults */
	uint64_t seq;               /* of the last event that had one; 0: none yet */
	char *farewell;             /* what the gateway said when it shut down */
	unsigned restart_ms;        /* and when it means to be back */

	struct link runs; /* openclaw_run.in_line */
	unsigned run_count;
};

/* ---- openclaw.c ---- */

/* A request; its id.  0 when it could not be sent. */
uint64_t openclaw_request(struct openclaw *o, const char *method, struct text params);
void openclaw_lose(struct openclaw *o, const struct loss *loss); /* reports it, once */
/* The same connection again, now with a device.  False: that could not begin, and
 * the loss was reported. */
bool openclaw_redial(struct openclaw *o);

/* ---- openclaw_hello.c ---- */

void openclaw_take_challenge(struct openclaw *o, yyjson_val *payload);
void openclaw_take_hello(struct openclaw *o, yyjson_val *answer);

/* ---- openclaw_runs.c ---- */

bool openclaw_ask(void *self, const struct ask *ask, struct error *why);
bool openclaw_can(void *self, struct text run, struct text op);
bool openclaw_cancel(void *self, struct text run);
void openclaw_take_answer(struct openclaw *o, uint64_t id, yyjson_val *answer);
bool openclaw_heard(struct openclaw_memory *m, struct text envelope); /* is it to be given? */
void openclaw_end_runs(struct openclaw *o, const char *why);          /* each in an error */
void openclaw_time_runs(struct openclaw *o); /* anew, or not while it is hushed */

/* ---- openclaw_back.c ---- */

bool openclaw_reply(void *self, const struct source_reply *reply, struct error *why);
void openclaw_note(struct openclaw *o, struct text event, yyjson_val *payload);
bool openclaw_abort(struct openclaw *o, struct text run, struct text session);
bool openclaw_can_stop(const struct openclaw *o, struct text run);
bool openclaw_stop_heard(struct openclaw *o, struct text run);
void openclaw_forget_heard(struct openclaw_memory *m);
struct text openclaw_refusal(yyjson_val *answer); /* its words; never empty */

#endif
