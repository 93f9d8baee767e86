/* opencode_state.h - what is known of a server's sessions, for the files that read its events. */
#ifndef PARSE_OPENCODE_STATE_H
#define PARSE_OPENCODE_STATE_H

#include "base/list.h"
#include "parse/inside.h"
#include "parse/opencode_events.h"
#include "parse/speak.h"

#define OPENCODE_SESSIONS 256 /* the one that was silent for longest is forgotten */
#define OPENCODE_PARTS 1024   /* those that were heard of last */
#define OPENCODE_MESSAGES 256 /* the newest */
#define OPENCODE_MARKS 12     /* of a session: more than are under way at once */
#define OPENCODE_WORDS_MAX (64 * KIB)

enum opencode_kind { OPENCODE_TEXT, OPENCODE_THOUGHT, OPENCODE_OTHER };
enum opencode_stage { OPENCODE_UNTOLD, OPENCODE_CALLED, OPENCODE_TOLD };

/* A piece of a message: a text, a thought, a tool, the end of a step. */
struct opencode_part {
	uint64_t key;  /* of its id; 0: there is none */
	uint64_t told; /* bytes of its text */
	enum opencode_kind kind;
	enum opencode_stage stage;
	bool is_cut, is_users;
};

/* How far one was told. */
struct opencode_mark {
	uint64_t key;
	enum opencode_stage stage;
};

struct opencode_message {
	uint64_t key;
	bool is_user;
};

enum opencode_fact {
	OPENCODE_VERSION,
	OPENCODE_CWD,
	OPENCODE_MODEL,
	OPENCODE_MODE,
	OPENCODE_TITLE,
	OPENCODE_FACTS
};

struct opencode_session {
	struct link in_all; /* opencode_events.sessions; the newest at the end */
	char *id, *parent;  /* parent: NULL, a person began it */
	char *call;         /* of the tool that began it; or NULL */
	char *run;          /* that was asked for; or NULL */
	char *facts[OPENCODE_FACTS];
	bool fresh[OPENCODE_FACTS];
	char *last;  /* message */
	char *piece; /* the id of the text that was told last ... */
	uint64_t piece_told;
	char *words; /* the last that it said in this turn */
	struct opencode_mark marks[OPENCODE_MARKS];
	unsigned mark_count; /* ever */
	bool is_busy, is_begun, is_failed, is_aborted, is_held;
	bool is_recalled; /* texts before the piece were told in the last life of the box */
};

struct opencode_events {
	struct link sessions; /* opencode_session.in_all */
	unsigned session_count;
	struct opencode_part parts[OPENCODE_PARTS]; /* the one that was heard of last comes first */
	struct opencode_message messages[OPENCODE_MESSAGES];
	unsigned part_count, message_count; /* messages: ever */
	bool is_ready, is_big;              /* big: not all of the event fits into a signal */
	bool in_pieces, has_more;           /* of a text; in_pieces: its event is fed again */
};

/* ---- opencode_state.c ---- */
struct opencode_events *opencode_state(struct parse *p);
void opencode_state_finish(struct opencode_events *o);
bool opencode_is_id(struct text id);
void opencode_set(char **word, struct text value); /* instead of what it was */
struct opencode_session *opencode_session(struct parse *p, struct text id); /* NULL: no id */
struct opencode_session *opencode_root(struct parse *p, struct opencode_session *s);
/* Of this session.  One that was forgotten is as far as the session says, and not new. */
struct opencode_part *opencode_part(struct opencode_events *o, const struct opencode_session *s,
                                    struct text id, bool *is_new);
struct opencode_message *opencode_message(struct opencode_events *o, struct text id);
/* So much was told of a part of the session; the next life of the box knows it. */
void opencode_mark(struct opencode_session *s, struct opencode_part *part,
                   enum opencode_stage stage);

/* Signals are those of this session from now on, and by this speaker. */
struct speaker opencode_enter(struct parse *p, struct opencode_session *s);

/* ---- opencode_turns.c ---- */
void opencode_take_session(struct parse *p, yyjson_val *properties);
void opencode_take_deleted(struct parse *p, yyjson_val *properties);
void opencode_take_status(struct parse *p, yyjson_val *properties);
void opencode_take_idle(struct parse *p, yyjson_val *properties);
void opencode_take_failure(struct parse *p, yyjson_val *properties);
void opencode_take_todos(struct parse *p, yyjson_val *properties);
void opencode_note(struct opencode_session *s, enum opencode_fact fact, struct text value);
void opencode_tell_facts(struct parse *p, struct opencode_session *s);

/* ---- opencode_parts.c ---- */
void opencode_take_message(struct parse *p, yyjson_val *properties);
void opencode_take_part(struct parse *p, yyjson_val *properties);
void opencode_take_delta(struct parse *p, yyjson_val *properties);

/* ---- opencode_tools.c ---- */
struct opencode_told {
	struct opencode_session *session;
	struct opencode_part *part;
	struct speaker who;
	yyjson_val *value; /* the part */
};
void opencode_take_tool(struct parse *p, const struct opencode_told *told);

/* ---- opencode_asks.c ---- */
void opencode_take_permission(struct parse *p, yyjson_val *properties);

#endif
