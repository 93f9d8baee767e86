/* parts.h - the running program's own state, for box.c and the files of this room.
 *
 * box.c is the wiring diagram.  What two rooms have to say to one another is a
 * function there, or here where it is more than a line: a file for each pair of
 * doors.
 */
#ifndef BOX_PARTS_H
#define BOX_PARTS_H

#include "base/error.h"
#include "box/agents.h"
#include "bus/admit.h"
#include "bus/back.h"
#include "config/serve.h"
#include "net/loop.h"
#include "net/supervisor.h"

struct box {
	const struct box_options *options;
	const struct config *config;
	struct config *reloaded; /* the same, when it was read again */
	struct loop *loop;
	struct journal *journal;
	struct wake *journal_news;
	struct bus *bus;
	struct hub *hub;
	struct web *web;
	struct requests *requests;
	struct sources *sources;
	struct hook *hook;
	struct approve *approve; /* hooks that wait for a person */
	struct discover *discover;
	struct theatre *theatre;     /* the show */
	struct playhouse *playhouse; /* where it is: its clock and its timer */
	struct runs *runs;
	struct follower *follower; /* that leads them along the journal */
	struct prompts *prompts;
	struct prompt_desk *desk; /* where they are heard, kept and told */
	struct interrupts *interrupts;
	struct listen **listens; /* as in the configuration, then the Unix socket */
	size_t listen_count;
	struct listen **retired; /* that were in it once */
	size_t retired_count;
	unsigned conns, conns_max;
	struct supervisor_sockets handed; /* while it starts */
	struct watchdog *watchdog;
	struct turn commits;
	struct turn turn; /* while stopping: is everybody gone? */
	struct deadline last_call;
	bool stopping, told;
};

/* ---- reload.c ---- */

/* Reads the configuration again and follows it; a bad one changes nothing. */
void box_reload(struct box *box);
void box_forget_config(struct box *box); /* the one that was read again, if any */
struct journal_options box_journal_options(struct box *box);
enum admit_mode box_admit_mode(const struct config *config);

/* ---- listens.c ---- */

struct listen_plan;

bool box_open_listens(struct box *box, struct error *why);
void box_stop_listens(struct box *box); /* accepts no more */
void box_destroy_listens(struct box *box);
/* DATA/listen tells scripts where we are: the port may have been chosen by the kernel.  It
 * is there once we serve. */
bool box_write_addresses(struct box *box, struct error *why);

/* For another configuration: all that can fail, and then all that cannot.  The plan is
 * followed, or dropped. */
struct listen_plan *box_plan_listens(struct box *box, const struct config *config,
                                     struct error *why);
void box_drop_plan(struct listen_plan *plan); /* NULL is fine */
void box_follow_plan(struct box *box, struct listen_plan *plan);

/* ---- back.c ---- */

struct back box_back(struct box *box);
/* What somebody did on a screen, to the source it concerns. */
void box_pass_on(struct box *box, const struct signal *s);

/* ---- show.c ---- */

void box_make_show(struct box *box); /* there is a theatre, and no document but its own */
void box_open_show(struct box *box); /* it goes on where it was, with the document it has */
void box_destroy_show(struct box *box);
void box_save_show(struct box *box, struct buf *out);
void box_show_status(struct box *box, struct buf *out); /* of GET /api/status */
uint64_t box_show_skipped(const struct box *box);       /* signals, by the theatre or by us */
void box_look_at_stage(void *self, struct buf *out);
struct hub_stage box_stage(struct box *box);
/* Who changes the show tells this time, and then arms its timer.  Until it is open it is
 * before all signals. */
double box_show_now(struct box *box);
void box_show_arm(struct box *box);

/* ---- show_past.c ---- */

struct show_past {
	uint64_t after, until; /* signals of the journal */
	uint64_t ns;           /* the time that may be taken for it */
	double now_ms;         /* each is played at its own time, and none after this */
	bool may_wait;         /* for the disk */
};
uint64_t box_play_past(struct box *box, const struct show_past *past); /* how far it came */

/* ---- show_store.c ---- */

void box_load_show(struct box *box); /* the document of DATA, if there is a good one */
struct web_show box_show_door(struct box *box);

/* ---- metrics.c ---- */

void box_add_metrics(void *self, struct buf *out);

/* ---- web.c ---- */

bool box_make_web(struct box *box, struct error *why);

/* ---- discover.c ---- */

void box_make_discover(struct box *box);
struct web_discovery box_discovery(struct box *box);

/* ---- tap.c ---- */

struct tap_target;
struct web_tap;

void box_make_hook(struct box *box);
struct web_tap box_tap(struct box *box);
/* Claude Code's settings of the user we run as, with hooks that lead to us. */
void box_tap_target(struct box *box, struct tap_target *target);

/* ---- sources.c ---- */

struct web_errand;

bool box_make_sources(struct box *box, struct error *why);
void box_list_sources(void *self, struct buf *out);
unsigned box_source_errand(void *self, const struct web_errand *errand, struct buf *out,
                           struct error *why);
/* Those of the configuration, those of the disk, the demo. */
bool box_start_sources(struct box *box, struct error *why);
/* Could all of another configuration be had?  And then, with that one: those that it has not
 * are gone, and those that it has anew are there. */
bool box_check_sources(struct box *box, const struct config *fresh, struct error *why);
void box_follow_sources(struct box *box, const struct config *old);

#endif
