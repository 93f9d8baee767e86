/* telling.h - events of runs, as they are written: for tell.c, words.c and came.c. */
#ifndef GATEWAY_TELLING_H
#define GATEWAY_TELLING_H

#include "gateway/inside.h"
#include "gateway/streams.h"

#define TELLING_MAX (8 * MIB)      /* bytes of a payload */
#define TELLING_TEXT_MAX (4 * KIB) /* a longer text is in `chat` alone */

struct told_run {
	char *id, *key, *agent;
	struct link in_dirty; /* gateway.dirty */
	bool is_begun;
	bool is_heartbeat;          /* it began by itself */
	uint64_t seq;               /* signals of it so far, */
	uint64_t text_seq;          /* and with the last words */
	uint64_t message;           /* the number of the one that is being said; 0: none */
	double at_ms;               /* of the newest signal */
	struct buf delta, snapshot; /* what was said since the last `agent`, the last `chat` */
	unsigned delta_but;         /* protocols that have them as they came: a bit for each */
	int64_t heard, chat_at; /* bytes of words so far; as far as clients of that have `chat` */
	bool knows_chat;        /* how far that is */
	unsigned came_owed;     /* a bit: those of it miss the text of their last `chat`, */
	uint64_t came_due;      /* until then */
	struct buf thought;     /* since something else happened; full: it is too long */
	bool is_broken;         /* some of the snapshot's delta is lost: the next one replaces */
	uint64_t agent_due, chat_due; /* by the loop's clock */
};

/* Who is told in the place of the streams: each signal by itself, nothing is gathered. */
struct telling_ear {
	unsigned protocols; /* a bit for each */
	void (*take)(struct telling_ear *ear, const struct gateway_event *event);
};

/* The frame of a gateway that a signal came as (came.c). */
struct telling_came {
	unsigned protocol;          /* 0: it did not */
	struct text event;          /* `agent` or `chat` */
	yyjson_val *payload;        /* without what the signal says; NULL: another one has it */
	struct text settles;        /* the state of an end that did not come; or empty */
	struct text reason;         /* of that; or empty */
	bool has_text;              /* it is said how much: */
	uint64_t said, text, delta; /* bytes, as in parse/openclaw_origin.c */
};

/* A signal of a run on its way to events. */
struct telling {
	struct gateway *g;
	struct told_run *run;
	const struct said *said;
	const struct signal *s;
	yyjson_val *payload;
	struct telling_ear *ear; /* NULL: the streams */
	bool is_start;           /* it is told that the run begins, before what the signal says */
	unsigned but;            /* protocols that are not told: a bit for each */
	struct telling_came came;
};
/* The events of a signal; tell.c. */
void telling_signal(struct telling *t);

/* What an agent says (words.c): it is gathered; and told, as far as it is. */
void telling_words(struct telling *t);
void telling_flush(struct telling *t);
struct text telling_text_now(const struct telling *t); /* of the message that is being said */
size_t telling_text_max(const struct telling *t);      /* of one that `agent` has */
struct text telling_tail(struct text text, size_t len);
/* Of a run that nobody listened to until it ended, the last that it said. */
struct text telling_last_words(const struct telling *t);

/* An event `agent` of a stream; data is an object. */
void telling_agent(struct telling *t, const char *stream, enum gateway_family family,
                   struct text data);

struct chat_words {
	const char *state;
	struct text text; /* of the message; empty: there is none */
	struct text delta;
	bool is_delta, replaces;
	struct text reason; /* why it stopped; empty: nobody said */
	struct text error;
};
void telling_chat(struct telling *t, const struct chat_words *words);
/* The members that all of them begin with: whose it is, and its number. */
void telling_put_run(struct buf *out, const struct told_run *run, uint64_t seq, unsigned protocol);
bool telling_is_heard(const struct telling *t, unsigned protocol); /* by anybody */
/* To those who listen. */
void telling_give(const struct telling *t, const struct gateway_event *event);
void telling_put_chat(struct buf *out, const struct told_run *run, const struct chat_words *words,
                      unsigned protocol);

#endif
