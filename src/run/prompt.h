/* prompt.h - one question of an agent: what it asks, what answers it; pure.
 *
 *	{"id"?,"type","prompt","options"?,"default"?,"deadline"?,"invokeid"?,
 *	 "tool"?,"input"?,"inputBytes"?}
 *
 * is the payload of a signal `prompt`.  A type that is not known, or a choice without
 * options, is asked as text.  An option is a bare value, or
 *
 *	{"label","value","edit"?,"rule"?,"needs"?,"safe"?}
 *
 * One with an `edit`, which is what may be changed, takes {"value","edit"} as its answer
 * too.  `rule` has the words of what it writes, and where; `needs` is "control" when who
 * chooses it must have that scope, too, as an answer with an edit always must; `safe` is
 * true for the one that a screen may choose beforehand.
 *
 * Of a tool that waits for it: its name, its whole input, and how many bytes that has as
 * JSON.  Agents' texts have lengths, because a NUL may be in them.
 */
#ifndef RUN_PROMPT_H
#define RUN_PROMPT_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"
#include "base/scope.h"
#include "signal/signal.h"

#define PROMPT_ID_LEN 26
#define PROMPT_NAME_MAX 512 /* bytes of an agent's id, an invokeid; a longer one is none */
#define PROMPT_VALUE_MAX (256 * KIB)
#define PROMPT_WORDS_MAX (16 * KIB)   /* what is longer is cut, and says so */
#define PROMPT_OPTIONS_MAX (64 * KIB) /* of JSON; those that fit */
#define PROMPT_INPUT_SHOWN (64 * KIB) /* of JSON; a longer input must be asked for */

enum prompt_type { PROMPT_TEXT, PROMPT_SELECT, PROMPT_MULTI, PROMPT_CONFIRM, PROMPT_TYPES };
enum prompt_state {
	PROMPT_OPEN,
	PROMPT_ANSWERED,
	PROMPT_CANCELLED,
	PROMPT_EXPIRED, /* then value is its default, if it has one */
	PROMPT_STATES
};
const char *prompt_type_name(enum prompt_type type);    /* "text", ... */
const char *prompt_state_name(enum prompt_state state); /* "open", ... */

struct prompt {
	char id[PROMPT_ID_LEN + 1];
	char *run, *source;
	/* Texts of their own memory; empty with a NULL pointer: it has none. */
	struct text own_id, invoke; /* the agent's */
	struct text words, tool;    /* gone when all is told */
	enum prompt_type type;
	char *input;         /* the tool's, as JSON, or NULL */
	uint64_t input_len;  /* how many bytes that has; 0: there is none */
	char *options;       /* as JSON, or NULL */
	char *other;         /* the default as JSON, or NULL */
	char *frame;         /* as its agent sent it in the run dialect, or NULL */
	int64_t deadline_ms; /* Unix time; 0: none */
	int64_t at_ms;       /* when it was asked, likewise; 0: not known */
	uint64_t seq;
	enum prompt_state state;
	bool claimed;          /* its end was emitted, and is not heard yet */
	bool durable;          /* its end is on the disk, and the agent may know */
	bool told;             /* and it was told */
	uint64_t end_seq;      /* of what ended it */
	char *value;           /* of the answer, as JSON, or NULL; NULL when all is told */
	char *by;              /* `{"user",...}`, or NULL */
	char *why;             /* of one that nobody answered, or NULL */
	char *settled;         /* what its agent did, `{"by","decision"}`, or NULL */
	size_t bytes;          /* what it costs to keep */
	struct link in_open;   /* prompts.open */
	struct link in_closed; /* prompts.closing, prompts.closed */
	size_t to_save;        /* its number while they are saved (bus/saving.h) */
};

/* s is a signal `prompt` with this payload. */
struct prompt *prompt_create(const struct signal *s, yyjson_val *payload, const char *id);
void prompt_destroy(struct prompt *prompt);

/* Would the value be an answer? */
bool prompt_takes(const struct prompt *prompt, yyjson_val *value, struct error *why);

/* Must who answers this have the scope control, too? */
bool prompt_needs_control(const struct prompt *prompt, yyjson_val *value);

/* Do both ask the same thing? */
bool prompt_is_like(const struct prompt *prompt, const struct prompt *other);

/* It is over and told: only who ended it is kept, for who comes late. */
void prompt_slim(struct prompt *prompt);
size_t prompt_weigh(struct prompt *prompt); /* sets bytes */

/* `{"id","run","source","invokeid"?,"type","prompt","tool"?,"input"?,"inputBytes"?,"options"?,
 * "default"?,"deadline"?,"state","by"?,"why"?,"settled"?}`; no input that is longer than
 * is shown, and no option that would be refused.  For who has no answer to it: that somebody
 * is asked, and `"answerable":false`; nothing that an answer could be made of (type, input,
 * options, default). */
void prompt_json(const struct prompt *prompt, enum answers may, struct buf *out);
/* Is there an answer that would be taken from them? */
bool prompt_is_answerable(const struct prompt *prompt, enum answers may);

/* For the checkpoint, as JSON and back; NULL when that is not one. */
void prompt_save(const struct prompt *prompt, struct buf *out);
struct prompt *prompt_load(yyjson_val *saved);

#endif
