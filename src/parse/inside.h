/* inside.h - one stream that is being read, for this room alone. */
#ifndef PARSE_INSIDE_H
#define PARSE_INSIDE_H

#include "base/buf.h"
#include "parse/halves.h"
#include "parse/make.h"
#include "parse/sse.h"
#include "signal/json.h"

struct parse {
	const struct parse_kind *kind;
	struct parse_options options; /* its texts point at copies of ours */
	enum parse_framing framing;
	void *state;

	struct sse_reader sse;
	struct buf piece; /* a line, or all, that is not whole */
	bool skips;       /* it is too long: up to its end it is passed over */
	bool began;       /* one was whole: no BOM can come any more */

	struct halves halves;     /* of an answer: what was cut within a character */
	struct json_reader json;  /* of the event */
	struct json_reader input; /* of what a parser joined: parse_add_input() */

	struct buf out; /* the envelope that is being made */
	struct make make;

	char *agent;         /* what the bytes call the model; NULL: nothing yet */
	char *stop;          /* why the back end stops, by its own word; NULL: not said */
	char **choice_stops; /* the same of each choice */
	uint32_t choice_count;
	bool is_over, has_ended, keeps_correlation;
	int64_t at_ms;   /* when it happened; 0: now */
	uint64_t seed;   /* of ids; 0: they are random */
	uint64_t seeded; /* ids that were made of it */
	bool is_late;
};

/* The stream of the protocol that lines were known by; NULL: none. */
struct parse *lines_inner(const struct parse *p);

#endif
