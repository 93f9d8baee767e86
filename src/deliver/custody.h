/* custody.h - what people wrote and what goes to them, folded from signals of the box; pure.
 *
 *	nex.received        a message of a person: it is open till its nex.request
 *	task_dispatch       of a run that is called as a message is: its agent was asked
 *	nex.request         how that ended
 *	delivery.prepared   a message to a person, whole, and how it is cut
 *	delivery.queued     it cannot leave now
 *	delivery.started    a piece of it is about to leave
 *	delivery.accepted   that piece is there, with the platform's id
 *	delivery.missed     that piece is a file that cannot be sent; the others follow
 *	delivery.unknown    nobody knows whether it is
 *	delivery.delivered  all of it is there
 *	delivery.failed     it will not be
 *	delivery.grown      of a draft: its text is longer than its messages
 *	delivery.finished   of a draft: this is the whole text; messages that are there are edited
 *	delivery.shortened  a piece was begun that this text lacks
 *	delivery.renewed    an edit was refused: it is sent anew, and what was there is removed
 *	delivery.dropped    what is there of it has to go
 *	delivery.removed    that message is gone
 *	delivery.withdrawn  all of it is
 *
 * Only those of SOURCE_OF_BOX count, and of "user" where an agent was asked.  Texts that are
 * delivered are forgotten; the newest letters stay to be listed, and those of an open request to
 * be known.  A message of a person is known
 * again for a day.
 */
#ifndef DELIVER_CUSTODY_H
#define DELIVER_CUSTODY_H

#include "base/buf.h"
#include "deliver/letter.h"
#include "deliver/received.h"

#define CUSTODY_DAY_MS (24.0 * 3600 * 1000)
#define CUSTODY_SEEN_MAX 100000     /* messages of that day; the oldest are forgotten */
#define CUSTODY_OPEN_MAX 16384      /* requests and letters that are not over, of each */
#define CUSTODY_OVER_MAX 1000       /* letters that are */
#define CUSTODY_TEXT_MAX (16 * KIB) /* of a letter that failed; a longer one is forgotten */
#define CUSTODY_PLACES_MAX 1024
#define CUSTODY_BACK 1000000 /* signals that a start without a checkpoint looks at */

struct custody;
struct fold_kind;
struct signal;

struct custody *custody_create(void);
void custody_destroy(struct custody *c);
void custody_hear(struct custody *c, const struct signal *s); /* each, in their order */

/* Called after each signal about a letter or a message, and when the newest of them are on the
 * disk; and first, of a letter, which one it was. */
struct custody_ear {
	void *self;
	void (*changed)(void *self);
	void (*letter)(void *self, struct letter *l); /* or NULL */
};
void custody_set_ear(struct custody *c, const struct custody_ear *ear);
uint64_t custody_durable(const struct custody *c); /* all up to there is on the disk */

/* What makes a message of a person the same one. */
struct custody_key {
	struct text channel, account, message;
};
/* An id for it, the same for the same message and time: 26 characters as a ULID has them. */
#define CUSTODY_ID_LEN 26
void custody_id(const struct custody_key *key, int64_t at_ms, char id[CUSTODY_ID_LEN + 1]);
bool custody_has_seen(const struct custody *c, const struct custody_key *key, double now_ms);

struct text custody_place(const struct custody *c, struct text account); /* empty: none */
unsigned custody_session(const struct custody *c, struct text key); /* how often it began anew */

struct received *custody_request(const struct custody *c, struct text id);
struct link *custody_requests(struct custody *c); /* received.in_all, oldest first */

struct letter *custody_letter(const struct custody *c, struct text id);
struct link *custody_letters(struct custody *c); /* that are not over, oldest first */
struct link *custody_over(struct custody *c);
size_t custody_open_count(const struct custody *c);

extern const struct fold_kind custody_fold;

#endif
