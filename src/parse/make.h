/* make.h - for parsers: giving a signal, and what every parser needs besides.
 *
 *	parse_begin(p, "text_delta");
 *	make_text(&p->make, "agentId", agent);
 *	make_text(&p->make, "content", words);
 *	parse_give(p);
 *
 * The payload's members come first, then, after make_metadata(), those of the
 * metadata.  The envelope has its own id, the time and the stream's source and
 * correlationId, unless parse_begin_as() says otherwise.  One that would be too big or
 * too deep for the bus is told as bad and not given.
 */
#ifndef PARSE_MAKE_H
#define PARSE_MAKE_H

#include "parse/parse.h"
#include "signal/make.h"

void parse_begin(struct parse *p, const char *type);
void parse_begin_as(struct parse *p, const struct make_head *head);
bool parse_give(struct parse *p); /* false: it was told as bad */

/* An object stays, of a text that was joined from fragments and ought to be JSON; any other JSON
 * becomes {"value":...}, one that is none {"value":"..."} with its white space, an empty one
 * {}. */
void parse_add_input(struct parse *p, const char *key, struct text json);

void *parse_state(struct parse *p);
const struct parse_options *parse_options(const struct parse *p);

/* Never empty: what the bytes name, else what was asked for, else the source. */
struct text parse_agent(const struct parse *p);
void parse_set_agent(struct parse *p, struct text agent); /* an empty one says nothing */
/* The bytes name the piece of work themselves, as a session of a program does. */
void parse_set_correlation(struct parse *p, struct text id); /* likewise */

/* The root of this JSON text, valid until the next call; NULL: it is none, and
 * that was told as bad. */
yyjson_val *parse_json(struct parse *p, struct text data);
void parse_bad(struct parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The back end has said why it stops ("stop", "end_turn"): from now on an end of
 * the stream completes the answer.  The completion's metadata has it as
 * `stopReason`. */
void parse_set_stop(struct parse *p, struct text reason);
struct text parse_stop(const struct parse *p); /* empty: not said yet */
/* Of an answer with several choices: why each stops, a list `finishReasons` there. */
void parse_set_choice_stop(struct parse *p, uint32_t choice, struct text reason);

/* The one completion or error of an answer; a second is not given.  usage of the
 * stream, if any, is to be given before. */
void parse_complete(struct parse *p, bool success, struct text result);
void parse_fail(struct parse *p, struct text code, struct text message);

#endif
