/* make.h - for parsers: writing a signal member by member.
 *
 *	make_begin(p, "text_delta");
 *	make_text(p, "agentId", agent);
 *	make_text(p, "content", words);
 *	make_end(p);
 *
 * The payload's members come first, then, after make_metadata(), those of the
 * metadata.  The envelope has its own id, the time and the stream's source and
 * correlationId, unless make_head() says otherwise.  One that would be too big or
 * too deep for the bus is told as bad and not given.
 */
#ifndef PARSE_MAKE_H
#define PARSE_MAKE_H

#include <yyjson.h>

#include "parse/parse.h"

/* What the bytes say of the envelope itself; empty and 0: nothing. */
struct make_head {
	const char *type; /* a word of ours; NULL: type_text is it */
	struct text type_text;
	struct text id, source, correlation;
	double at_ms;
};

void make_head(struct parse *p, const struct make_head *head);
void make_begin(struct parse *p, const char *type); /* make_head with a type only */
void make_metadata(struct parse *p);
void make_end(struct parse *p);

/* A key is a word of ours: it is written as it is.  Empty texts are written too;
 * make_given() leaves out what is not there. */
void make_text(struct parse *p, const char *key, struct text value);
void make_given(struct parse *p, const char *key, struct text value);
void make_u64(struct parse *p, const char *key, uint64_t value);
void make_bool(struct parse *p, const char *key, bool value);
void make_json(struct parse *p, const char *key, yyjson_val *value);
/* json: known to be one JSON text.  Its line ends become spaces. */
void make_raw(struct parse *p, const char *key, struct text json);
/* An object stays, anything else becomes {"value":...}, nothing is left out. */
void make_object(struct parse *p, const char *key, yyjson_val *value);
/* The same of a text that was joined from fragments and ought to be JSON: one
 * that is not becomes {"value":"..."} with its white space, an empty one {}. */
void make_input(struct parse *p, const char *key, struct text json);
/* A member under a name of theirs, and all members of an object. */
void make_value(struct parse *p, struct text key, yyjson_val *value);
void make_members(struct parse *p, yyjson_val *object);

/* ---- what every parser needs besides ---- */

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
