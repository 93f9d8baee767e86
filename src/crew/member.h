/* member.h - one session of an agent: who it is, where it stands, what it does; pure.
 *
 * It is folded from the signals of its run, or of its runs where several are one conversation.
 * Whatever several tell of it, the newest counts, by the time of what happened and not by the
 * time at which it was heard.
 */
#ifndef CREW_MEMBER_H
#define CREW_MEMBER_H

#include "base/list.h"
#include "crew/moment.h"
#include "crew/plan.h"

#define MEMBER_AGENTS_MAX 128 /* subagents; the one that ended first is forgotten */
#define MEMBER_RUNS_MAX 64    /* of one conversation; the oldest is forgotten */
#define MEMBER_WORD_MAX 1024  /* bytes of a path; other words are shorter */
#define MEMBER_PULSE 30       /* minutes of which signals are counted */

enum member_word {
	WORD_HARNESS, /* the program: claude-code, codex, ... */
	WORD_VERSION,
	WORD_HOME, /* the folder in which it began */
	WORD_CWD,  /* that in which it works now */
	WORD_BRANCH,
	WORD_HOST,
	WORD_USER,
	WORD_NAMED,    /* a title by a person, ... */
	WORD_ENTITLED, /* ... by the agent, ... */
	WORD_ASKED,    /* ... or the first line of what it was asked first */
	WORD_MODEL,
	WORD_MODE,       /* of permissions */
	WORD_TRANSCRIPT, /* a file */
	WORD_PARENT,     /* the session that began this one */
	MEMBER_WORDS
};

/* What a session waits for, as far as others know: a question that is open. */
struct crew_question {
	const char *id;
	struct text words, tool;
};

/* A subagent: each invocation is one. */
struct crew_agent {
	char *id, *name, *task, *parent; /* all but the id may be NULL */
	struct standing standing;
	double first_ms, last_ms;
	struct link in_member; /* member.agents, in the order in which they began */
};

struct crew_member {
	char *id, *handle, *source;
	uint64_t pid;                    /* of its process; 0: not known */
	bool is_left;                    /* that process went on with another session */
	bool is_told;                    /* a signal said that it is one: signal/session.h */
	char *main;                      /* the agent that is not a subagent, or NULL */
	char *answers;                   /* the name under which a source of that name speaks */
	char *runs[MEMBER_RUNS_MAX + 1]; /* one more while they are loaded */
	unsigned run_count;              /* the newest is the last; never 0 */
	uint64_t open_runs;              /* bit i: runs[i] is at work, as far as is known */
	char *key;                       /* of the conversation, or NULL */
	char *words[MEMBER_WORDS];
	double told_ms[MEMBER_WORDS]; /* when that was */
	struct standing standing;
	struct link agents;
	unsigned agent_count;
	struct plan plan;
	struct changes changes;
	double first_ms, last_ms;
	uint32_t pulse[MEMBER_PULSE]; /* signals, by minute modulo */
	int64_t pulse_minute;         /* the newest of them */
	uint64_t asked_round;         /* a question of it is open: see crew_mark_questions */
	struct crew_question asks;    /* and this is the oldest */
	struct link in_all;           /* crew.all, the one that spoke last at the end */
	struct link in_changed;       /* crew.changed */
	uint64_t seq;                 /* of the last signal that was heard; not saved */
	bool is_at_work;              /* and counted so, in crew.peaks */
	size_t to_save;               /* its number while all are saved (bus/saving.h) */
};

/* The name of a run or a session that can be kept as a string. */
bool member_can_be(struct text name);

struct crew_member *member_create(struct text id, struct text source);
void member_destroy(struct crew_member *m);
/* A program without a credential speaks of its own sessions alone: this one is not heard. */
bool member_is_strange(const struct crew_member *m, struct text source);
void member_hear(struct crew_member *m, const struct signal *s, const struct crew_heard *heard);

/* Forgets its subagents, the items of its plan and its files: there is no room for them. */
void member_slim(struct crew_member *m);

/* Where it stands: as its agent does, or what its subagents make of that. */
const struct standing *member_standing(const struct crew_member *m);
bool member_has_busy_agent(const struct crew_member *m);

/* Names for people; NULL where there is none. */
const char *member_project(const struct crew_member *m);
const char *member_title(const struct crew_member *m);
const char *member_harness_name(const struct crew_member *m);
/* From what a handle is made; never empty.  Made of small letters, digits and hyphens. */
#define MEMBER_BASE_MAX 24
void member_base(const struct crew_member *m, char base[MEMBER_BASE_MAX + 1]);

/* The run that asks, answers and controls go to. */
const char *member_run(const struct crew_member *m);

#endif
