/* record.h - what the files that agents keep of their sessions have in common, for their parsers.
 *
 * What is told are facts: who works where and with what, names of tools, ends of turns.  Words of
 * anybody are told only where they are wanted (words.h).  Every signal has the time of its line.
 */
#ifndef PARSE_RECORD_H
#define PARSE_RECORD_H

#include "parse/make.h"

#define RECORD_CALLS 128 /* the newest that have no result */
#define RECORD_TEXT_MAX 4096

enum record_fact {
	RECORD_VERSION,
	RECORD_CWD,
	RECORD_BRANCH,
	RECORD_MODEL,
	RECORD_MODE,
	RECORD_TITLE,
	RECORD_PARENT,
	RECORD_FACTS
};

struct record_call {
	char *id, *tool;
	char *changes; /* what its success changes, as JSON objects; NULL: nothing */
};

struct record {
	const char *agent, *harness;
	char *facts[RECORD_FACTS]; /* NULL: not known */
	bool fresh[RECORD_FACTS];  /* not told yet */
	struct record_call calls[RECORD_CALLS];
	unsigned call_count;
	bool has_said; /* the last that was told are words */
};

void record_init(struct record *record, const char *agent, const char *harness);
void record_finish(struct record *record);

/* From the time of a line on: what follows has it. */
void record_at(struct parse *p, struct text timestamp);

void record_note(struct record *record, enum record_fact fact, struct text value);
struct text record_known(const struct record *record, enum record_fact fact); /* or empty */
void record_tell_facts(struct record *record, struct parse *p); /* those that are new */

/* A line of an index of all sessions: {"id":..., "thread_name":..., "updated_at":...}.  False: it
 * is none. */
bool record_take_title(const struct record *record, struct parse *p, struct text line);

/* A signal of the agent; record_end() ends it. */
void record_begin(const struct record *record, struct parse *p, const char *type);
void record_end(struct parse *p);

/* A call that was not told yet.  NULL: it was. */
struct record_about {
	struct text path;  /* what it is about, or empty */
	yyjson_val *input; /* what it is given; told where words are wanted */
};
struct record_call *record_call(struct record *record, struct parse *p,
                                const struct record_call *call, const struct record_about *about);
/* Its result, where the call is known; then what it changed. */
struct record_outcome {
	bool success;
	yyjson_val *output; /* told where words are wanted */
};
void record_result(struct record *record, struct parse *p, struct text id,
                   const struct record_outcome *outcome);

/* Where words are wanted: what a person asked, and what the agent said or thought. */
void record_ask(struct record *record, struct parse *p, struct text id, yyjson_val *content);
void record_say(struct record *record, struct parse *p, bool is_thought, yyjson_val *content);
void record_turn(const struct record *record, struct parse *p, const char *state);

#endif
