/* said.h - what a run has said, whole: its messages and its subagents; pure.
 *
 * It is folded from the run's events (event.h), as its state is (fold.h).  Whether a text
 * came token by token or at once, live or from the journal years later, the messages are
 * the same.  A message is what somebody said in one go:
 *
 *   user       work that an agent was given, or a message to it, and by whom
 *   assistant  what an agent thought and said, then the tools that it called, each with
 *              its input and what it returned
 *   error      what went wrong
 *
 * A text is whole up to SAID_TEXT_MAX characters; of a longer one the newest are kept, and
 * it says that it was cut.  Of the messages the newest are kept; they are numbered from 1,
 * so the number of the first tells how many are gone.
 *
 * Everything belongs to the struct said, and is valid until its next event.
 */
#ifndef RUN_SAID_H
#define RUN_SAID_H

#include "base/buf.h"
#include "base/list.h"
#include "run/event.h"

#define SAID_TEXT_MAX 500000     /* characters of one text */
#define SAID_TOOL_MAX (64 * KIB) /* bytes of an input or an output; of more, the beginning */
#define SAID_RUN_MAX (16 * MIB)  /* bytes of a run, when another message begins, ... */
#define SAID_RUN_MOST (32 * MIB) /* ... and while many are being said at once */
#define SAID_MESSAGES_MAX 4096
#define SAID_TOOLS_MAX 64   /* of one message; another one begins then */
#define SAID_OPEN_MAX 256   /* agents that speak, and tools at work; the oldest end */
#define SAID_AGENTS_MAX 256 /* subagents; more are not listed */
#define SAID_NAME_MAX 512   /* bytes of a name or an id; of a longer one, the beginning */

enum said_role { SAID_USER, SAID_ASSISTANT, SAID_ERROR };
const char *said_role_name(enum said_role role);

struct said_text { /* it grows at its end and is cut at its beginning */
	char *at;
	size_t start, end, room; /* what is kept of it is from start to end */
	size_t characters;       /* 0: not counted, as there are fewer bytes than would be cut */
	bool is_cut;
};
struct text said_text(const struct said_text *text);

struct said_json {
	char *at; /* NULL: there is none */
	size_t len;
	bool is_cut; /* it is only the beginning */
};

struct said_tool {
	char *name, *call; /* call: its id, or NULL */
	struct said_json input, output;
	bool is_done, has_failed;
	uint64_t number; /* of all tools of its run, from 1 */
	struct said_message *message;
	struct link in_message; /* said_message.tools */
	struct link in_open;    /* said.tools, until it is done */
};

struct said_message {
	struct said_text text, thought;
	double last_ms, first_ms;
	unsigned tool_count, done_count;
	enum said_role role;
	bool is_open;        /* more may come */
	uint64_t number;     /* within its run, from 1 */
	uint64_t seq;        /* of the signal that it began with */
	char *agent;         /* who speaks or is spoken to */
	char *part;          /* that subagent's id; NULL: it is none */
	char *from, *model;  /* or NULL */
	struct link tools;   /* said_tool.in_message */
	struct link in_said; /* said.messages, oldest first */
};

/* A subagent: it has an id, or was given its work by an agent of the same run. */
struct said_agent {
	char *id, *name;     /* the id is its own, or that of its work */
	char *parent, *task; /* the call that began it, what it was told; or NULL */
	uint64_t seq;        /* of the signal that it was first heard in */
	bool is_done, has_failed;
	struct link in_said; /* said.agents, in the order in which they began */
};

struct said {
	struct link speakers; /* said_speaker.in_said, who spoke last first */
	size_t size;          /* bytes of all that is kept */
	char *main;           /* the agent that spoke first, or NULL */
	struct link messages, agents;
	size_t message_count, agent_count;
	uint64_t number;      /* of the newest message */
	uint64_t tool_number; /* of the newest tool */
	bool is_lost;         /* signals of it are no longer in the journal */
	struct link tools;    /* that are at work, said_tool.in_open */
	size_t speaker_count, open_count;
};

struct said *said_create(void);
void said_destroy(struct said *said);
/* seq: that of the signal which the event was heard in. */
void said_event(struct said *said, const struct run_event *event, uint64_t seq);

bool said_is_finished(const struct said *said); /* nobody is at work in it, as far as is known */
/* What is being said now: the newest message that is open, or NULL. */
const struct said_message *said_open(const struct said *said);

/* A page of the messages, as members of a JSON object: the newest before a number (0: of all),
 * at most so many and of about so many bytes, but at least one; oldest first.
 * `"agents":[..],"messages":[..],"count":N,"more":bool,"lost":bool` */
struct said_page {
	uint64_t before;
	size_t count, bytes;
};
void said_json(const struct said *said, const struct said_page *page, struct buf *out);

void said_save(const struct said *said, struct buf *out); /* for the checkpoint, as JSON */
struct said *said_load(yyjson_val *saved);                /* NULL: that is no such state */

#endif
