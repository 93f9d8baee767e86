/* inside.h - one stream that is being read, for this room alone. */
#ifndef PARSE_INSIDE_H
#define PARSE_INSIDE_H

#include "base/buf.h"
#include "parse/halves.h"
#include "parse/make.h"
#include "parse/sse.h"
#include "signal/json.h"

/* How the last signal began that had no id or source of its own. */
struct parse_head {
	struct buf bytes; /* up to the brace of the payload; empty: there was none */
	char type[32];
	size_t id_at, time_at; /* in the bytes */
	double at_ms;
};

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
	struct parse_head head;

	char *agent;         /* what the bytes call the model; NULL: nothing yet */
	char *stop;          /* why the back end stops, by its own word; NULL: not said */
	char **choice_stops; /* the same of each choice */
	uint32_t choice_count;
	bool is_over, has_ended, keeps_correlation;
	int64_t at_ms;   /* when it happened; 0: now */
	int64_t fed_ms;  /* when the bytes came that are read; 0: none are */
	uint64_t seed;   /* of ids; 0: they are random */
	uint64_t seeded; /* ids that were made of it */
	bool is_late;
};

/* All that is made while bytes are read happened when they came. */
void parse_set_fed(struct parse *p, bool is_fed);

/* The stream of the protocol that lines were known by; NULL: none. */
struct parse *lines_inner(const struct parse *p);

#endif
