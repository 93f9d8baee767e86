/* midi_found.h - the MIDI ports of this machine, as services. */
#ifndef SOURCE_MIDI_FOUND_H
#define SOURCE_MIDI_FOUND_H

#include "base/buf.h"

struct loop;
struct midi_found;
struct sources;

/* told() is called whenever JACK said which ports there are. */
struct midi_found *midi_found_create(struct loop *loop, void (*told)(void *self), void *self);
void midi_found_destroy(struct midi_found *found);

/* Asks JACK anew.  False: there is no JACK here, and told() will not be called. */
bool midi_found_look(struct midi_found *found);

/* As in local.h. */
void midi_found_apply(struct midi_found *found, struct sources *sources, bool keeps_errors);
void midi_found_json(const struct midi_found *found, struct buf *out); /* an array */

#endif
