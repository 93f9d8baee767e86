/* opencode_events.h - what a server of opencode tells, for who is connected to it.
 *
 * Its sessions are runs by their own ids.  A session that another one began is a subagent
 * of that one.  A turn that was asked for here is a run of its own in the same conversation.
 *
 * What came before is known, so whatever the server says of the same message again, in an
 * event or as an answer of a route, tells only what is new.  An answer of a route is fed as
 * the event that it would have been, with the time at which it was so:
 *
 *	{"type":"message.part.updated","at":MS,"properties":{"part":{...}}}
 */
#ifndef PARSE_OPENCODE_EVENTS_H
#define PARSE_OPENCODE_EVENTS_H

#include "base/buf.h"
#include "parse/parse.h"

#define OPENCODE_ID_MAX 128
#define OPENCODE_PLACE_MAX (3 * KIB)

/* Texts live until something is fed. */
struct opencode_seen {
	struct text id, directory;
	struct text run;  /* that was asked for and is under way; empty: none */
	struct text last; /* the newest message that is whole and was told; empty: none */
	bool is_busy, is_child, is_begun; /* begun: it was at work since we know it */
};

/* The type of an event, found without reading all of it; empty: it is not where it should be. */
struct text opencode_event_type(struct text event);
bool opencode_says_nothing(struct text type); /* an event of it is of no use here */

/* From now on a long text is told a piece at a time: an event of which there is more is fed again
 * until there is not. */
void opencode_tell_pieces(struct parse *p);
bool opencode_has_more(struct parse *p);

/* By the id of a session or of what was asked of it. */
bool opencode_find(struct parse *p, struct text name, struct opencode_seen *out);
void opencode_each(struct parse *p, void (*each)(void *of, const struct opencode_seen *seen),
                   void *of);

/* What the session does until it is idle belongs to this run, which has one end. */
void opencode_expect(struct parse *p, struct text session, struct text run);
void opencode_release(struct parse *p, struct text run); /* it had its end elsewhere */

/* A prompt of this session: `"id":...,"type":...`, members of it. */
void opencode_tell_prompt(struct parse *p, struct text session, struct text members);

/* The stream broke: pieces of texts that were under way may be missing.  Those are told
 * when they are whole. */
void opencode_cut(struct parse *p);

/* The process is gone, and nothing of it is under way any more. */
void opencode_stop(struct parse *p);

/* Where a run is, for the next life of the box, and when that was; false: it says nothing that is
 * understood. */
void opencode_add_place(struct parse *p, struct text run, int64_t now_ms, struct buf *out);
bool opencode_take_place(struct parse *p, struct text run, struct text place, int64_t *at_ms);

#endif
