/* decide.h - a prompt that a yes or a no decides, in the words of a gateway; pure.
 *
 * A yes or no is one, and so is a choice for a tool that waits, when one option lets it go on and
 * one does not.  With a command it is of the kind exec, else of the kind plugin.
 *
 * Nobody may allow what was not shown whole: of a prompt that is cut only the no is offered.
 */
#ifndef GATEWAY_DECIDE_H
#define GATEWAY_DECIDE_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/scope.h"

struct prompt;

enum gateway_decision { DECIDE_ONCE, DECIDE_ALWAYS, DECIDE_DENY, DECISIONS };
const char *decide_name(enum gateway_decision decision); /* "allow-once", ...; NULL: none of them */
enum gateway_decision decide_of(struct text name);       /* DECISIONS: none of them */

enum decide_kind { DECIDE_NOTHING, DECIDE_EXEC, DECIDE_PLUGIN };
/* Of a prompt whose words were not let go yet. */
enum decide_kind decide_kind(const struct prompt *prompt);

/* For whom. */
struct decide_reader {
	enum answers may;
	bool is_narrow;    /* a terminal: it shows DECIDE_SHORT bytes, and no kind but plugins */
	bool knows_plugin; /* else everything is a command */
};
#define DECIDE_SHORT 512

struct deciding {
	enum decide_kind kind;            /* for this reader */
	struct buf words;                 /* what is shown */
	struct buf value[DECISIONS];      /* what it answers, as JSON; empty: it is not offered */
	yyjson_doc *input;                /* of a command, or NULL */
	char *rule;                       /* what allow-always writes, or NULL */
	char title[DECIDE_SHORT / 8 + 1]; /* of a plugin */
	struct text tool;                 /* the prompt's */
};
void deciding_init(struct deciding *d, const struct prompt *prompt,
                   const struct decide_reader *reader);
void deciding_finish(struct deciding *d);

void deciding_put_allowed(const struct deciding *d, struct buf *out); /* "allowedDecisions" */
/* The members of a request but for who asks, and of a presentation but for `agentId`. */
void deciding_put_request(const struct deciding *d, struct buf *out);
void deciding_put_presentation(const struct deciding *d, struct buf *out);

/* What the answer of a prompt decided; DECISIONS: nobody did. */
enum gateway_decision decide_answered(const struct prompt *prompt);

#endif
