/* back.h - the way back: what people on any screen say to the agent they watch.
 *
 * These are the only words for it.  Whoever has screens calls struct back; the rooms that have
 * agents are given the same asks, controls and replies, and answer with the same answers.
 */
#ifndef BUS_BACK_H
#define BUS_BACK_H

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/text.h"
#include "bus/ops.h"

struct back_call;

enum back_answer {
	BACK_DONE,
	BACK_INVALID,       /* it makes no sense */
	BACK_UNKNOWN,       /* there is no such source, or no such run */
	BACK_CONFLICT,      /* not as things are */
	BACK_NOT_SUPPORTED, /* that source cannot do that */
	BACK_ALREADY,       /* somebody else was first */
	BACK_INVALID_VALUE, /* no answer to that prompt, which stays open */
	BACK_EXPIRED,       /* its time is over */
	BACK_FORBIDDEN,     /* who says it may not */
	BACK_TAKEN,         /* it was passed on; the verdict comes later: struct back_ear */
	BACK_REFUSED,       /* who does the work refused it, with these words */
	BACK_SILENT,        /* who does the work did not answer in time */
	BACK_UNSAVED,       /* it is done, but a restart will forget it */
	BACK_ANSWERS,
};

#define BACK_RUN_MAX 128             /* bytes of the id of a run */
#define BACK_PROMPT_MAX (256 * 1024) /* bytes */
struct back_ask {
	struct text source;  /* its id */
	struct text run;     /* the id that the caller wants it to have; .at NULL: one is made */
	bool joins;          /* that run is the caller's own, which has told of it already */
	struct text prompt;  /* what the user says */
	struct text model;   /* empty: the source's own choice */
	struct text session; /* whose history goes with it; empty: none */
};

/* Who says something: a user, the process and the screen it came from. */
struct back_who {
	struct text user, process, screen; /* process may be empty */
};

/* `{"user","process"?,"screen"}`, each cut where it is too long. */
void back_add_who(struct buf *out, const struct back_who *who);

struct back_verdict {
	enum back_answer answer;
	const struct error *why; /* unless it is done */
	uint64_t seq;            /* of a reply that is done: its signal's, on the disk */
	struct text json;        /* what a call gave, or the error of one that was refused */
};

/* Who is told what became of what was only taken: once and later, unless forgotten before. */
struct back_ear {
	void (*told)(void *of, const struct back_verdict *verdict);
	void *of;
};

/* What people want of a run: pause, step (n), continue, arm, interrupt, quit, cancel.  These are
 * our words; screens and agents have others for some of them, which ops.c maps. */
struct back_control {
	struct text run, op;
	uint64_t n;        /* of step; 0: one */
	struct text frame; /* as it came, if it came in the agent's own dialect */
	struct back_who who;
	struct back_ear ear;
	uint64_t ticket; /* names it in the verdict of who only took it */
};

/* Taken: it was the first valid answer.  It is done when it is on the disk. */
struct back_reply {
	struct text prompt; /* its id */
	struct text value;  /* as JSON; empty: cancelled */
	struct back_who who;
	enum answers may;
	struct back_ear ear;
};

/* Unless it is done, why has the words. */
struct back {
	void *self;
	/* run gets the id of what was begun, which ends in one completion or error.  BACK_CONFLICT:
	 * not as things are, for example a run has the id that was given. */
	enum back_answer (*ask)(void *self, const struct back_ask *ask, char run[BACK_RUN_MAX + 1],
	                        struct error *why);
	enum back_answer (*cancel)(void *self, struct text run, const struct back_ear *ear,
	                           struct error *why);
	/* To whoever does the work of a run; here, and in can, op is the word of the wire. */
	enum back_answer (*control)(void *self, const struct back_control *control,
	                            struct error *why);
	/* Could that be done to this run, as things are?  Or `tell`: would it be handed what
	 * people say to it, as a `user.command`? */
	bool (*can)(void *self, struct text run, struct text op);
	/* To a prompt: see back_reply. */
	enum back_answer (*reply)(void *self, const struct back_reply *reply, struct error *why);
	void (*forget)(void *self, void *of); /* who waits for a reply or a verdict is gone */
	/* The open ones, as a JSON array, for who may answer so much. */
	void (*prompts)(void *self, enum answers may, struct buf *out);
	/* The whole input of the tool that an open prompt is about: `"tool"?,"input"`. */
	enum back_answer (*input)(void *self, struct text prompt, struct buf *out,
	                          struct error *why);
	/* A message in the producer's own language. */
	enum back_answer (*send)(void *self, struct text source, struct text message,
	                         struct error *why);
	/* A request in the language of a source: see call.h. */
	enum back_answer (*call)(void *self, const struct back_call *call, struct error *why);
};

#endif
