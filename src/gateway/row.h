/* row.h - a session of the crew, as clients list it. */
#ifndef GATEWAY_ROW_H
#define GATEWAY_ROW_H

#include "base/buf.h"

struct crew_member;
struct gateway;
struct gateway_place;
struct run;

/* The session that a place is of; NULL: none is known. */
const struct crew_member *gateway_place_member(const struct gateway *g,
                                               const struct gateway_place *place);

/* The newest of its runs that is on the disk, which the crew does not wait for; NULL: none is
 * known. */
const struct run *gateway_member_run(const struct gateway *g, const struct crew_member *m);

void gateway_tell_sessions(struct gateway *g); /* some of the crew changed (changed.c) */
/* To those who follow the list of sessions: it changed (changed.c). */
void gateway_tell_session(struct gateway *g, const struct crew_member *m, const char *reason);

/* False: its runs are not known any more, and nothing was written. */
bool gateway_put_row(const struct gateway *g, const struct crew_member *m, struct buf *out);
/* Its members alone, for an object that has others, too. */
bool gateway_put_row_members(const struct gateway *g, const struct crew_member *m, struct buf *out);

#endif
