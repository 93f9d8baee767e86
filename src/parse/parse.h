/* parse.h - what a back end's bytes mean: bytes in, signals out; pure.
 *
 * A parser follows one stream: an answer, a connection, a file.  The bytes may be
 * cut anywhere.  What it gives are whole envelopes that keep our schema, in the
 * order in which things happened.  The stream of one answer (`is_answer`) gives
 * exactly one completion or error, whatever the bytes do and however they end.
 *
 * To add a protocol: write parse/NAME.c with one `const struct parse_kind
 * parse_NAME`, name it in kinds.h, registry.c and meson.build, describe its mapping in
 * docs/sources.md, add a corpus to fuzz/corpus/parse.
 */
#ifndef PARSE_PARSE_H
#define PARSE_PARSE_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct parse;

/* How the bytes are cut into events. */
enum parse_framing {
	FRAMING_SSE,   /* WHATWG event streams; a line that is JSON is an event too */
	FRAMING_LINES, /* an event a line */
	FRAMING_WHOLE, /* all bytes are one event */
	FRAMING_BYTES, /* as they come */
};

struct parse_event {
	struct text name; /* of an SSE event; else empty */
	struct text data;
};

struct parse_kind {
	const char *name;
	const char *summary; /* half a line, for --help */
	enum parse_framing framing;
	bool is_answer;
	bool takes_empty; /* an empty line is an event too */
	size_t size;      /* of its state, zeroed at birth: parse_state() */
	void (*event)(struct parse *p, const struct parse_event *event);
	void (*end)(struct parse *p);    /* optional: the stream ended well */
	void (*finish)(struct parse *p); /* optional: frees what the state holds */
};

/* Texts are copied. */
struct parse_options {
	struct text source;      /* of signals whose bytes name none; empty: the protocol */
	struct text correlation; /* likewise; empty: none, but an answer gets one of its own */
	struct text agent;       /* agentId when the bytes name none: the model asked for */
	size_t event_max;        /* bytes of one event; 0: 1 MiB.  A longer one is bad */
	bool words;              /* of files that agents keep: texts are told, too */
	int64_t words_from_ms;   /* and only what was written since then; 0: all */
	int64_t (*now_ms)(void); /* NULL: the wall clock */

	void *self;
	void (*signal)(void *self, struct text envelope);
	/* Optional: an event that is not what the protocol says; nothing is lost
	 * but itself. */
	void (*bad)(void *self, const char *why);
	/* Optional: the emitter's `{"meta":...}` frames, which are no signals. */
	void (*meta)(void *self, struct text frame);
};

struct parse *parse_create(const struct parse_kind *kind, const struct parse_options *options);
void parse_destroy(struct parse *p);

/* Before the first bytes, when the transport knows better (a JSON answer where a
 * stream was expected, a WebSocket whose messages are events). */
void parse_set_framing(struct parse *p, enum parse_framing framing);

/* What is fed from now on happened then (Unix ms); 0: when it is fed.  late: and comes after
 * what happened later. */
void parse_set_moment(struct parse *p, int64_t at_ms, bool late);

/* The ids of what is made from now on follow from this, so that the same bytes fed again give
 * the same signals; 0: they are random. */
void parse_set_seed(struct parse *p, uint64_t seed);

void parse_set_words(struct parse *p, bool words, int64_t from_ms); /* as in the options */

void parse_feed(struct parse *p, struct text bytes);
void parse_message(struct parse *p, struct text data); /* one event, whole */

/* The stream is over; nothing may be fed after it.  why is NULL when it ended by
 * itself: an answer that was not finished is then a completion all the same if
 * the back end had said why it stops, else an error. */
void parse_end(struct parse *p, const char *why);
void parse_cancel(struct parse *p); /* one completion with success false */

/* Has an answer had its completion or error? */
bool parse_is_over(const struct parse *p);

/* What the signals belong to: as it was given, or as the bytes name it by now.  Kept: it
 * stays, whatever else they name. */
struct text parse_correlation(const struct parse *p);
void parse_keep_correlation(struct parse *p);

/* Asked while a signal is given: is it the end of what somebody answers? */
bool parse_said_end(const struct parse *p);

/* Of an event stream: the id to resume after (empty: the server took it back; NULL:
 * none came), and the delay that was asked for, 0 when none was. */
struct text parse_last_id(const struct parse *p);
unsigned parse_retry_ms(const struct parse *p);

/* Ended by NULL. */
extern const struct parse_kind *const parse_kinds[];
const struct parse_kind *parse_find(struct text name); /* NULL: no such protocol */

#endif
