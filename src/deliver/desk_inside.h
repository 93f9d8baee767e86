/* desk_inside.h - what the desk and the stages share. */
#ifndef DELIVER_DESK_INSIDE_H
#define DELIVER_DESK_INSIDE_H

#include "base/map.h"
#include "config/people.h"
#include "deliver/burst.h"
#include "deliver/desk.h"
#include "deliver/desk_account.h"
#include "deliver/desk_work.h"
#include "deliver/echoes.h"
#include "deliver/known.h"
#include "deliver/reply.h"
#include "deliver/request.h"
#include "deliver/turn.h"

/* A message on its way through the stages. */
struct nexus {
	struct nexus_request request;
	struct desk *desk;
	struct desk_account *account;
	struct back_ear ear; /* told when it is on the disk; told NULL: nobody is */
	struct burst burst;  /* what is gathered into it */
	int64_t asked_ms;
	bool interrupts, has_interrupted, collects; /* what came while the agent worked */
	const char *excess;                         /* why it is one too many, or NULL */
	char *stopped_by;                           /* the request of a /stop, or NULL */
	unsigned stopped, cancelled;                /* what its own /stop ended */
	bool is_alone, answers; /* nothing is gathered into it; who wrote it may answer agents */
	enum answers may;       /* what their credential answers, of an owner by that */
	struct reply *reply;    /* from assemble on, or NULL */
	struct chat_turn turn;  /* what its run says of itself */
	char *prefix, *failed, *names[3],
		*run;                      /* of its model; it is asked as this, in this life */
	struct desk_files *files;          /* that came with it, from assemble on; or NULL */
	char *notice;                      /* what is said in the place of a reply, or NULL */
	const char *notice_kind;           /* NULL: an ordinary one */
	const struct known_person *paired; /* who was let in by a code, or NULL; in this turn */
	char *letter; /* that is on its way, of those that were made for it so far */
	uint64_t letter_number;
	char *late; /* a block that the reply did not wait for, or of the last life; or NULL */
	bool is_refused, is_lost; /* it was not taken; of an earlier one nobody knows */
	unsigned letters;
	char *live; /* the letter of the message that is edited, or NULL; how many; and why */
	unsigned live_there;
	enum channel_mode live_mode;
	struct link in_desk; /* desk.live, oldest first */
	struct link in_work; /* desk.stirred or desk.unsaved, or in none */
	struct due due;      /* when it wants to be looked at */
};

struct desk_rate {
	int64_t since_ms;
	unsigned count;
};

struct desk {
	struct desk_options options;
	const struct config *config;
	struct link accounts, live, kept;
	size_t live_count, kept_count;
	struct link stirred; /* requests that something happened to */
	struct link unsaved; /* that wait for the disk */
	struct dues dues;    /* nexus.due */
	struct link pressed; /* struct desk_pressed: answers that are not on the disk */
	struct map by_run;   /* of those whose agent works */
	struct map by_id;    /* all requests, but those that rest */
	struct map resting;  /* what desk_rest.c wrote of these, by their ids */
	struct map rates;    /* struct desk_rate by account and sender */
	struct desk_crowd *crowd;
	struct echoes echoes; /* answers in a row */
	struct outbox *outbox;
	struct automations *automations;
	struct routes *routes;
	uint64_t routed, routed_told; /* ends of runs that were looked at, and told of */
	int64_t routing_since_ms;     /* so long the next one cannot be sent on; 0: none */
	struct signal_reader *reader;
	struct known known;     /* whom codes let in */
	char *people_path;      /* NULL: there are no codes */
	struct desk_rate wrong; /* codes */
	int64_t now_ms;
	struct media *media; /* files of people, and for them */
	struct desk_uploads *uploads;
	uint64_t fetches;                       /* so many were begun */
	int64_t swept_ms;                       /* when old ones were looked for */
	bool has_begun, is_ending, has_prompts; /* the last: some were opened, or are over */
	uint64_t asked_seq; /* all prompts up to there were asked wherever they are to be */
	struct map asked;   /* likewise, some behind it: names of letters */
};

struct desk_kept { /* a request that is over, as it is shown */
	char *id, *json;
	struct link in_desk; /* desk.kept, oldest first */
};

/* How a reply goes there.  Its texts lie in the nexus and in what is given. */
void desk_resolve(const struct nexus *x, struct reply_options *options,
                  struct typing_signaler *typing);

/* A message to the person; its letter is x->letter then.  False: it cannot be taken now. */
bool desk_send(struct nexus *x, const char *kind, uint64_t number, const struct payload *payload);

/* A letter that nobody waits for yet: its id, the caller's; NULL: it cannot be taken now. */
char *desk_prepare(struct nexus *x, const char *kind, const struct payload *payload);

/* A message; false: not now.  made, which may be NULL, gets its request. */
bool desk_take(struct desk_account *account, const struct channel_inbound *inbound,
               struct nexus **made);
void desk_wake(struct desk *d);
void desk_free_nexus(struct nexus *x);
void desk_keep(struct nexus *x); /* to be looked at, when it is over */
void desk_free_kept(struct desk *d, struct desk_kept *kept);
void desk_look_at_letters(struct nexus *x); /* that are on their way: what became of them? */
void desk_take_up(struct desk *d);          /* what the last life left */
struct outbox_line *desk_find_line(void *self, struct text account);
struct nexus *desk_make_nexus(struct desk *d, struct desk_account *account, const char *id);
void desk_refill(struct nexus *x, const struct received *r); /* with what came */

#endif
