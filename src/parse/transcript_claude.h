/* transcript_claude.h - a file that Claude Code keeps of a session, for its parser alone. */
#ifndef PARSE_TRANSCRIPT_CLAUDE_H
#define PARSE_TRANSCRIPT_CLAUDE_H

#include "parse/make.h"

#define ENTRY_RESPONSES 64 /* the newest, whose lines may still come */
#define ENTRY_CALLS 128    /* the newest that have no result */
#define ENTRY_AGENTS 32    /* the newest subagents that were told */
#define ENTRY_FACT_MAX 4096

enum entry_fact {
	ENTRY_VERSION,
	ENTRY_CWD,
	ENTRY_BRANCH,
	ENTRY_MODEL,
	ENTRY_MODE,
	ENTRY_TITLE,
	ENTRY_FACTS
};

struct told_response {
	char *id;
	uint64_t output;
};

struct entry_call {
	char *id, *tool;
};

struct claude_file {
	char *facts[ENTRY_FACTS]; /* NULL: not known */
	bool fresh[ENTRY_FACTS];  /* not told yet */
	bool is_asked;            /* the title is what a person called it: no other counts */
	double cost, context;
	bool has_cost, has_context; /* not told yet */
	bool is_compacted;          /* likewise */
	double at_ms;               /* of the last line that has a time; 0: none had */
	struct told_response responses[ENTRY_RESPONSES];
	struct entry_call calls[ENTRY_CALLS];
	char *agents[ENTRY_AGENTS]; /* ids */
	bool has_said;              /* the last that was told are words */
	unsigned response_count, call_count, agent_count;
};

/* One line. */
struct entry {
	struct parse *p;
	struct claude_file *t;
	yyjson_val *root, *message;
	struct text subagent; /* whose line it is; empty: the session's own */
};

struct text entry_agent(const struct entry *e); /* its name */
void entry_begin(const struct entry *e, const char *type);
void entry_end(const struct entry *e);

/* Its words, where they are wanted: what a person asks, and a block of an answer. */
void entry_take_prompt(const struct entry *e);
void entry_take_words(const struct entry *e, yyjson_val *block);

/* Blocks of a message. */
void entry_take_use(const struct entry *e, yyjson_val *block);
void entry_take_result(const struct entry *e, yyjson_val *block);

/* The first line of a subagent is its task; and what a session is told of one in the background. */
void entry_take_subagent(const struct entry *e);
void entry_take_notice(const struct entry *e, struct text words);

void entry_forget_work(struct claude_file *t);

#endif
