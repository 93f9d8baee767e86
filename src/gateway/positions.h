/* positions.h - clients that count positions of the journal, and miss nothing.
 *
 * One that announced the cap `signalbox-positions` gets no event before `events.subscribe`.  Then
 * each signal of a run is told by itself, and an event `signalbox.position` follows: whoever comes
 * back with that gets what came after it, once and in order.  What it is told follows from the
 * journal alone, and is on the disk: live or read again years later, the frames are the same.
 *
 * It is told live while it keeps up.  Otherwise it reads the journal, as does one that comes back;
 * of a run that it meets in the middle, what was said before is read first.
 */
#ifndef GATEWAY_POSITIONS_H
#define GATEWAY_POSITIONS_H

#include "hub/dialect.h"

struct gateway;
struct gateway_call;
struct gateway_positions;
struct gateway_view;
struct run;

struct gateway_positions *gateway_positions_create(void);
void gateway_positions_destroy(struct gateway_positions *positions);

/* The methods. */
void gateway_events_subscribe(const struct gateway_call *call);
void gateway_events_position(const struct gateway_call *call);

/* A run is about to have a signal; it has it now. */
void gateway_positions_before(struct gateway *g, const struct run *run);
void gateway_positions_hear(struct gateway *g, struct run *run, const struct signal *s);

enum pump gateway_positions_pump(struct gateway_view *view, size_t *budget);
void gateway_positions_leave(struct gateway_view *view);
void gateway_positions_end_turn(struct gateway_positions *positions);

#endif
