/* inside.h - a session with its connection and its signals; for this room alone.
 *
 * A line is one session.  It ends with its connection, unless its client asked for `resume`: then
 * it waits for a while, its turn goes on, and what it says is kept for whoever takes it up again.
 */
#ifndef VOICE_INSIDE_H
#define VOICE_INSIDE_H

#include "base/buf.h"
#include "base/list.h"
#include "base/random.h"
#include "hub/dialogue.h"
#include "net/account.h"
#include "net/loop.h"
#include "signal/json.h"
#include "voice/check.h"
#include "voice/choice.h"
#include "voice/kit.h"
#include "voice/session.h"
#include "voice/voice.h"

#define VOICE_ID (RANDOM_UUID_LEN + 1)
#define VOICE_KEPT_MAX (256 * KIB) /* of what a session said, for who comes back */
#define VOICE_LOST_MAX 256         /* sessions that wait for their clients */
#define VOICE_LOST_MS (5 * 60 * 1000)
#define VOICE_SAY_MAX (1 * MIB)

struct pace;

struct voice_room {
	struct voice_options options;
	struct voice_config config;
	struct voice_around around;
	struct voice_check *check;
	struct voice_kit *mock, *real; /* real: NULL where there is none */
	struct voice_excuse full;      /* for whoever comes when too many are there */
	struct json_reader reader;
	struct pace *pace;
	struct link lines; /* voice_line.in_room */
	struct link busy;  /* voice_line.in_busy: their engine waits for its time */
	unsigned lost;     /* lines without a client */
	unsigned engaged;  /* lines with real engines */
};

struct voice_line {
	struct voice_room *voice;
	struct client *client; /* NULL: it was lost */
	struct link in_room;   /* voice.lines; those that were lost in the order of that */
	struct link in_busy;   /* voice.busy */
	struct grave grave;
	struct deadline lost; /* until it is ended */

	struct voice_kit *kit;
	struct voice_engine engine; /* of the kit, for this session */
	struct voice_thinker thinker;
	char *source;             /* that its client chose; NULL: the kit's answers */
	enum thinker_state asked; /* in the turn under way */
	char *said;               /* what was heard in it, until somebody has told of that */
	bool is_engaged;          /* it counts as one with real engines; */
	bool waits;               /* too many did, when it came, or came back */

	struct voice_session session;
	struct voice_desk desk;
	char id[VOICE_ID];             /* the client's name for it: no signal has it */
	char talk[VOICE_ID];           /* the conversation, in signals */
	char turn[VOICE_ID];           /* the turn under way */
	char account[ACCOUNT_KEY_MAX]; /* whose it is */
	enum voice_state told;         /* the state that signals told last */

	unsigned features;  /* VOICE_BIT of those that are on */
	bool was_asked;     /* its client asked for some, be it none */
	uint64_t seq;       /* of the newest event */
	uint64_t forgotten; /* events up to this one are not kept */
	struct buf kept;    /* `SEQ JSON` and a newline for each of the others */
};

struct voice_view {
	struct voice_line *line; /* NULL: another client has it now */
};

/* ---- line.c ---- */

struct voice_line *voice_line_create(struct voice_room *voice, struct client *client);
void voice_line_end(struct voice_line *line); /* freed at the end of the loop's turn */
/* Its client is gone: it waits, or ends. */
void voice_line_lose(struct voice_line *line);
/* What the client wants; then the engine's next time is looked at. */
void voice_line_hear(struct voice_line *line, enum voice_input input, struct text text);
void voice_line_say(struct voice_line *line, const struct voice_said *said);
void voice_line_refuse(struct voice_line *line, enum voice_code code, const char *words);
/* Those that are not possible are left out.  source: the client's choice; empty: none. */
void voice_line_ask(struct voice_line *line, yyjson_val *features, struct text source);
void voice_work(void *voice); /* engines whose time has come */

/* ---- resume.c ---- */

void voice_keep(struct voice_line *line, enum voice_told event, struct text json);
/* The client of this line takes up another one.  False: there is none, or its events after seq are
 * not all kept. */
bool voice_resume(struct voice_line *line, struct text id, uint64_t seq);

/* ---- write.c ---- */

void voice_put_features(struct buf *out, unsigned features);
/* An event as its client is told. */
void voice_write(struct buf *out, const struct voice_line *line, const struct voice_said *said);

/* ---- signals.c ---- */

void voice_signal_said(struct voice_line *line, const struct voice_said *said);
void voice_signal_mark(struct voice_line *line, enum voice_mark mark);

#endif
