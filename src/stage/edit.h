/* edit.h - one item of a show document added, replaced or removed; pure.
 *
 * The document comes out as JSON text, to be read whole by show_read(): what no longer
 * fits together is found there.
 */
#ifndef STAGE_EDIT_H
#define STAGE_EDIT_H

#include "base/buf.h"
#include "stage/show.h"

/* The parts of a document that have items with ids.  Entities are those on the
 * stage, scene.entities. */
enum edit_part { EDIT_CHOREOGRAPHIES, EDIT_WIRES, EDIT_BINDINGS, EDIT_ENTITIES, EDIT_PARTS };

enum edit_answer { EDIT_DONE, EDIT_INVALID, EDIT_UNKNOWN, EDIT_EXISTS };

bool edit_part_find(struct text name, enum edit_part *part);

/* The list, or with an id its item, as JSON. */
enum edit_answer edit_get(const struct show *show, enum edit_part part, struct text id,
                          struct buf *out);

/* An item without an id gets one. */
enum edit_answer edit_add(const struct show *show, enum edit_part part, struct text item,
                          struct buf *out, struct error *why);
enum edit_answer edit_replace(const struct show *show, enum edit_part part, struct text id,
                              struct text item, struct buf *out, struct error *why);
enum edit_answer edit_remove(const struct show *show, enum edit_part part, struct text id,
                             struct buf *out, struct error *why);

#endif
