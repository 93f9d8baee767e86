/* prompts.h - what agents ask people, and who answered.
 *
 * A prompt is a signal of type `prompt`; whoever emits one asks.  Its id is made from its
 * place in the journal and a key of this box, so it cannot be guessed and is the same
 * after a restart.  Towards its agent it has the agent's own id.
 *
 *	prompt         {"id"?,"type","prompt","options"?,"default"?,"deadline"?,"invokeid"?}
 *	answer         {"prompt","value"|"cancelled":true,"by":{"user","process"?,"screen"}}
 *	prompt.closed  {"prompt","state":"cancelled"|"expired","why"}
 *
 * The first valid answer wins: it is emitted as a signal of ours, and told to the agent
 * when that is on the disk, exactly once.  Everything here is folded from signals, so
 * a restart finds it as it was.  `answer` and `prompt.closed` count only when the box
 * itself said them (SOURCE_OF_BOX), a name that nobody else may use.
 */
#ifndef RUN_PROMPTS_H
#define RUN_PROMPTS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"
#include "signal/signal.h"

#define PROMPT_ID_LEN 26
#define PROMPTS_OPEN_MAX 4096  /* one more closes the oldest, as expired */
#define PROMPTS_KEPT_MAX 16384 /* closed ones, so that who comes late learns who was first */
#define PROMPT_VALUE_MAX (256 * KIB)

struct bus;
struct prompts;

enum prompt_type { PROMPT_TEXT, PROMPT_SELECT, PROMPT_MULTI, PROMPT_CONFIRM, PROMPT_TYPES };
enum prompt_state { PROMPT_OPEN, PROMPT_ANSWERED, PROMPT_CANCELLED, PROMPT_EXPIRED };
const char *prompt_type_name(enum prompt_type type);    /* "text", ... */
const char *prompt_state_name(enum prompt_state state); /* "open", ... */

struct prompt {
	char id[PROMPT_ID_LEN + 1];
	char *run, *source;
	char *own_id; /* the agent's; NULL: it has none */
	char *invoke; /* likewise */
	enum prompt_type type;
	char *words;
	char *options;       /* `[{"label","value"}...]`, or NULL */
	char *other;         /* the default as JSON, or NULL */
	int64_t deadline_ms; /* Unix time; 0: none */
	uint64_t seq;
	enum prompt_state state;
	bool durable; /* its end is on the disk, and the agent may know */
	bool told;    /* and it was told */
	char *value;  /* of the answer, as JSON, or NULL */
	char *by;     /* `{"user",...}`, or NULL */
	struct link in_open, in_all;
};

struct prompts_options {
	struct bus *bus;
	const char *key; /* 32 bytes */
	void *self;
	/* To every screen: it was opened, or it is over. */
	void (*changed)(void *self, const struct prompt *prompt);
	/* To its agent: it is over, durably.  False: the agent is not there; it is asked
	 * again by prompts_untold(). */
	bool (*deliver)(void *self, const struct prompt *prompt);
};

struct prompts *prompts_create(const struct prompts_options *options);
void prompts_destroy(struct prompts *prompts);

/* Every signal, when it is admitted and when the journal is folded at the start. */
void prompts_hear(struct prompts *prompts, const struct signal *s);
void prompts_durable(struct prompts *prompts, uint64_t seq);
void prompts_tick(struct prompts *prompts, int64_t now_ms); /* deadlines; call each second */

enum prompt_verdict {
	PROMPT_TAKEN, /* stamped is called with the seq of the answer */
	PROMPT_UNKNOWN,
	PROMPT_ALREADY, /* `already_answered`; why says by whom */
	PROMPT_INVALID, /* `invalid_value`; it stays open */
	PROMPT_LATE,    /* `expired` */
};

struct prompt_answer {
	struct text id;
	struct text value;                 /* as JSON; empty: cancelled */
	struct text user, process, screen; /* who; process may be empty */
	/* Later, once: the answer is on the disk.  NULL: nobody waits. */
	void (*durable)(void *of, uint64_t seq);
	void *of;
};
enum prompt_verdict prompts_answer(struct prompts *prompts, const struct prompt_answer *answer,
                                   struct error *why);
void prompts_forget(struct prompts *prompts, void *of); /* who waited is gone */

/* Its agent says that it does not want an answer any more; id is our own. */
void prompts_cancel(struct prompts *prompts, struct text id, const char *why);

const struct prompt *prompts_find(const struct prompts *prompts, struct text id);
/* Of a run, by the agent's own id: the newest; NULL: there is none. */
const struct prompt *prompts_find_own(const struct prompts *prompts, struct text run,
                                      struct text own_id);
struct link *prompts_open(struct prompts *prompts); /* prompt.in_open, oldest first */
/* The agent of this run is back: delivers what was answered meanwhile. */
void prompts_untold(struct prompts *prompts, struct text run);

/* `{"id","run","source","type","prompt","options"?,"default"?,"deadline"?,"state","by"?}` */
void prompt_json(const struct prompt *prompt, struct buf *out);

void prompts_save(const struct prompts *prompts, struct buf *out);
bool prompts_load(struct prompts *prompts, struct text saved);

#endif
