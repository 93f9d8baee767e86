/* parts.h - the running program's own state, for box.c and the files of this room.
 *
 * What two rooms say to one another is a function in box.c, or here, a file for each pair.
 */
#ifndef BOX_PARTS_H
#define BOX_PARTS_H

#include "base/error.h"
#include "box/back.h"
#include "box/dialects.h"
#include "box/folds.h"
#include "box/reload.h"
#include "bus/backs.h"
#include "bus/bus.h"
#include "crew/quiet.h"
#include "net/caller.h"
#include "net/loop.h"
#include "net/supervisor.h"
#include "source/claude/back.h"

struct box {
	const struct box_options *options;
	const struct config *config;
	struct config *reloaded; /* the same, when it was read again */
	struct loop *loop;
	struct journal *journal;
	struct wake *journal_news;
	struct bus *bus;
	struct accounts *accounts; /* shares of producers */
	struct hub *hub;
	void *made[BOX_DIALECTS_MAX]; /* of its dialects, of which these are told news: */
	struct native *native;
	struct escapement *escapement;
	struct handle *handle; /* who speaks Wyoming */
	struct web *web;
	struct requests *requests;
	struct push *push; /* to browsers of paired devices */
	struct sources *sources;
	struct hook *hook;
	struct approve *approve; /* hooks that wait for a person */
	struct pauses *pauses;   /* sessions that are held */
	struct porch *porch;     /* where hooks come in */
	struct living *living;   /* which sessions are open */
	struct transcripts *transcripts;
	struct discover *discover;
	struct playhouse *playhouse; /* the show */
	struct backs *backs;         /* whoever can do what people want: */
	struct back_end *ends[BOX_BACKS_MAX];
	struct claude_back hooks_end;
	struct back_end agents_end, sources_end;
	struct deadline back_tick, last_call;
	struct deeds *deeds;         /* what people do on a screen */
	void *folded[BOX_FOLDS_MAX]; /* states of folds, of which these are asked: */
	struct runs *runs;
	struct crew *crew;
	struct deadline crew_news; /* set while screens are owed some */
	struct deadline crew_look; /* each beat: for those that fell silent */
	struct quiet quiet;
	struct toil *toil;     /* what tools took */
	struct limits *limits; /* of accounts */
	struct attend *attend; /* what a person is told of */
	struct resume *resume; /* what the last life left open */
	struct follower follower;
	struct prompts *prompts;
	struct chats *chats;        /* what people write, and what goes to them */
	struct usage_keeper *usage; /* what agents spent */
	struct interrupts *interrupts;
	struct listens *listens;
	struct supervisor_sockets handed; /* while it starts */
	struct watchdog *watchdog;
	struct turn commits;
	struct turn turn; /* while stopping: is everybody gone? */
	bool stopping, told;
};

/* ---- web.c ---- */

bool box_make_web(struct box *box, struct error *why);
enum caller_answer box_find_caller(void *self, struct conn *conn, struct text secret,
                                   struct caller *out, unsigned *wait_s);

/* ---- crew.c ---- */

void box_make_crew(struct box *box); /* after the prompts */
void box_stop_crew(struct box *box);
void box_touch_crew(struct box *box, const struct prompt *prompt); /* it was opened, or is over */

/* ---- discover.c ---- */

void box_make_discover(struct box *box);
struct web_discovery box_discovery(struct box *box);

/* ---- hooks.c ---- */

struct web_tap;

void box_make_hook(struct box *box);
struct web_tap box_tap(struct box *box);

/* ---- transcript.c ---- */

void box_make_transcripts(struct box *box);
struct web_transcripts box_web_transcripts(struct box *box);
/* Of a hook's payload: which process of an agent runs it. */
void box_note_hook(void *self, struct text payload, uint64_t agent);

/* ---- sources.c ---- */

bool box_make_sources(struct box *box, struct error *why);
/* Could those of a configuration be had?  Connects to none. */
bool box_are_sources_good(const struct config *config, struct error *why);
void box_list_sources(void *self, struct buf *out);
/* Those of the configuration, those of the disk, the demo. */
bool box_start_sources(struct box *box, struct error *why);
/* Could all of another configuration be had?  And then, with that one: those that it has not
 * are gone, and those that it has anew are there. */
bool box_check_sources(struct box *box, const struct config *fresh, struct error *why);
void box_follow_sources(struct box *box, const struct config *old);

#endif
