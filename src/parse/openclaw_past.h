/* openclaw_past.h - where a gateway's run is, in words that ride in its signals.
 *
 * What was told of a run is on the disk when its signals are.  So the next life of the box
 * knows it, and tells only what follows.
 */
#ifndef PARSE_OPENCLAW_PAST_H
#define PARSE_OPENCLAW_PAST_H

#include "base/buf.h"
#include "base/text.h"

#define OPENCLAW_PLACE_MAX 1024 /* bytes; its session's key is left out when it is longer */

struct parse;

/* What a place says, for who asks the gateway what became of it. */
struct openclaw_place {
	struct text session; /* its key; of the text that was read */
	int64_t at_ms;       /* when that was */
	bool is_over;
	bool is_asked; /* from here */
};

/* Of the parser of a gateway: where the run is now. */
void openclaw_add_place(struct parse *parse, struct text run, int64_t now_ms, struct buf *out);
/* It was there.  False: that is no place. */
bool openclaw_take_place(struct parse *parse, struct text run, struct text place,
                         struct openclaw_place *out);

/* What its transport knows better: a run is asked for in this session, a run is over. */
void openclaw_expect(struct parse *parse, struct text run, struct text session);
void openclaw_end_run(struct parse *parse, struct text run);

/* metadata.origin, for a member more and put_end(); 0: which protocol is not known. */
void openclaw_begin_origin(struct buf *out, unsigned protocol);

/* A run's end comes twice, and screens of the gateway's protocol wait for the second, that of
 * chat.  Where one does not come, it is settled here: what is owed since the last call; true:
 * there is more. */
bool openclaw_owes(struct parse *parse);
bool openclaw_settle(struct parse *parse, bool at_once);

#endif
