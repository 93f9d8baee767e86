/* speak.h - what everybody who talks has to say: words, calls, results.
 *
 * A speaker is an agent among several in one stream.  NULL speaks for the
 * stream's own agent, parse_agent().
 */
#ifndef PARSE_SPEAK_H
#define PARSE_SPEAK_H

#include "parse/make.h"

/* Empty texts: nothing is known.  id and parent go into the metadata. */
struct speaker {
	struct text agent;
	struct text id;     /* its own, where several have the same name */
	struct text parent; /* the call it works for */
};

struct tool_call {
	struct text id, name;
	struct text server; /* whose tool it is, when it is not the agent's own */
};

/* A signal with its agentId; members may follow until speak_end(). */
void speak_begin(struct parse *p, const struct speaker *who, const char *type);
void speak_end(struct parse *p, const struct speaker *who);

/* type: "text_delta" or "thinking". */
void speak_words(struct parse *p, const struct speaker *who, const char *type, struct text words);
/* The same by the stream's own agent, of words that are a JSON string as we would write it. */
void speak_written(struct parse *p, const char *type, struct text words);
/* The user gives the stream's own agent something to do. */
void speak_task(struct parse *p, struct text words);
void speak_state(struct parse *p, const struct speaker *who, const char *from, const char *to,
                 struct text reason);

/* What we do not know is shown as it is, for whoever knows what it means. */
void speak_other(struct parse *p, const struct speaker *who, yyjson_val *object);

void speak_call(struct parse *p, const struct speaker *who, const struct tool_call *call,
                yyjson_val *input);
/* The same with an input that was joined from pieces. */
void speak_joined_call(struct parse *p, const struct speaker *who, const struct tool_call *call,
                       struct text input);
void speak_call_piece(struct parse *p, const struct speaker *who, const struct tool_call *call,
                      struct text piece);
void speak_result(struct parse *p, const struct speaker *who, const struct tool_call *call,
                  bool success, yyjson_val *output);

/* Tokens.  What is 0 or empty is not known, but for input and output. */
struct speak_usage {
	uint64_t input, output;
	uint64_t cache_read, cache_write, cache_write_1h;
	bool with_cache;          /* the input has those of the caches in it */
	uint64_t reasoning;       /* of the output */
	uint64_t context, window; /* used after this call, and of how much */
	bool fast;
	struct text response; /* the model's id of it: it is counted once */
	struct text model;
	double cost; /* in dollars; negative: not told */
};

void speak_usage(struct parse *p, const struct speaker *who, const struct speak_usage *usage);

/* A count out of somebody's JSON: no negative, no fraction, no surprise. */
uint64_t speak_count(yyjson_val *object, const char *key);

/* The counts of Anthropic's `usage`, which Claude Code prints and writes as well: all but
 * those of the context, and without the id and the model. */
struct speak_usage speak_usage_of(yyjson_val *usage);

#endif
