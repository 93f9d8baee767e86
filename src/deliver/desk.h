/* desk.h - where messages of people come in, and who sees to each until it is answered.
 *
 * Each message is a request (request.h) that goes through eight stages.  The desk has the
 * accounts of the configuration, joins stages, replies and the outbox, and takes up what the
 * last life left open.  Its time is an argument; only what is written down has the wall clock's.
 */
#ifndef DELIVER_DESK_H
#define DELIVER_DESK_H

#include "bus/back.h"
#include "deliver/button.h"
#include "deliver/channel.h"
#include "deliver/custody.h"
#include "deliver/ears.h"

#define DESK_LIVE_MAX 12000 /* requests at once; a channel keeps the next message for later */
#define DESK_KEPT_MAX 256   /* finished ones that can be looked at */

struct bus;
struct config;
struct run_ends;
struct loop;
struct processes;
struct prompts;
struct runs;
struct signal;

struct desk_options {
	struct bus *bus;
	struct custody *custody; /* its past is folded */
	struct back back;
	struct prompts *prompts; /* or NULL */
	struct run_ends *ends;   /* or NULL, as is the next */
	struct runs *runs;
	struct button_codes codes; /* their key outlives the desk */
	const struct config *config;
	struct loop *loop;           /* for channels, as is the next */
	struct processes *processes; /* or NULL */
	struct ears ears;
	int64_t (*wall_ms)(void);
	void *self;
	void (*wake)(void *self); /* call desk_work() soon, from outside */
};

struct desk;

struct desk *desk_create(const struct desk_options *options);
void desk_destroy(struct desk *d);

/* Another configuration: what can be followed is, if the files of credentials can be read.  The old
 * one may go then. */
bool desk_can_follow(const struct config *config, struct error *why);
void desk_follow(struct desk *d, const struct config *config);

/* Takes up what was left; from then on channels are heard. */
void desk_begin(struct desk *d, int64_t now_ms);

/* The box stops, and ends what runs: nothing goes on any more, and the next life takes it up. */
void desk_hush(struct desk *d);

/* What was said in a voice note, or why nobody knows. */
void desk_take_heard(struct desk *d, uint64_t number, struct text words, const char *why);

void desk_prompts_changed(struct desk *d); /* one was opened, or is over */
void desk_hear(struct desk *d, const struct signal *s, int64_t now_ms); /* each, as admitted */
int64_t desk_work(struct desk *d, int64_t now_ms); /* when it wants to be called again */

/* ---- for routes ---- */

struct desk_post {
	struct text channel, peer, agent, text, session; /* channel: of an account, or empty */
	struct text user;                                /* who posts */
	enum answers may;                                /* what they may answer */
};
/* BACK_TAKEN: ear is told when the message is on the disk; id is what it is called then. */
enum back_answer desk_take_post(struct desk *d, const struct desk_post *post,
                                const struct back_ear *ear, char id[CUSTODY_ID_LEN + 1],
                                struct error *why);
/* The ear of a post or a check will not be there any more. */
void desk_forget(struct desk *d, const void *of);

/* Whoever has the code of a button presses it.  BACK_UNKNOWN: there is none. */
enum back_answer desk_press_code(struct desk *d, struct text code, const struct back_ear *ear,
                                 struct error *why);

/* `"channels":[...]`: how each stands; and words for each that is away, members of a list. */
void desk_channels(struct desk *d, struct buf *out);
void desk_degraded(struct desk *d, struct buf *out);
/* Is everything there that a channel needs?  The verdict's json says it: name, good, findings. */
enum back_answer desk_check_channel(struct desk *d, struct text name, const struct back_ear *ear,
                                    struct error *why);

bool desk_look(struct desk *d, struct text id, struct buf *out); /* false: it is not known */
/* Only of this run, unless it is empty. */
void desk_deliveries(struct desk *d, bool failed, struct text run, struct buf *out);
bool desk_retry(struct desk *d, struct text id, struct error *why);

/* ---- people that are let in by a code ---- */

/* Before desk_begin(): where they are kept. */
bool desk_load_people(struct desk *d, const char *path, struct error *why);
void desk_people(struct desk *d, struct buf *out); /* members */
struct desk_approval {
	struct text code, agent, name; /* name may be empty */
};
enum back_answer desk_approve(struct desk *d, const struct desk_approval *approval, int64_t now_ms,
                              struct buf *name, struct error *why);
enum back_answer desk_remove_person(struct desk *d, struct text name, struct error *why);

#endif
