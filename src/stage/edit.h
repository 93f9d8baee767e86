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

enum edit_verb { EDIT_ADD, EDIT_REPLACE, EDIT_REMOVE };

struct show_edit {
	enum edit_verb verb;
	enum edit_part part;
	struct text id;   /* of the item that is there already */
	struct text item; /* JSON: the new one */
};

/* The whole document with that done.  A new item without an id gets one, and one that
 * replaces another keeps that one's.  `id` gets the item's; why begins with a JSON
 * pointer, into the document, or the item is not JSON. */
enum edit_answer edit_show(const struct show *show, const struct show_edit *edit, struct buf *out,
                           struct buf *id, struct error *why);

#endif
