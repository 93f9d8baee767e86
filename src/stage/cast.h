/* cast.h - who plays the parts that signals name and no entity has; inside this room.
 *
 * A stand-in of the scene is nobody until a part is given to it.  It keeps the part,
 * also when it is out of sight, so that who returns is the same; a new part goes to one
 * that never had any, in the order of the scene, and then to the one that had nothing
 * to do for longest: first of those out of sight, and then of those at rest or away.  Who
 * is at work keeps the part: with more of them than stand-ins they would else take it from
 * one another with every signal.
 */
#ifndef STAGE_CAST_H
#define STAGE_CAST_H

#include "stage/actor.h"

#define CAST_PART_MAX 2048 /* bytes: somebody is known by all of them ... */
#define CAST_LABEL_MAX 64  /* ... and these are shown */

/* Appends what to write under who has this part, as JSON: of a long one the beginning, in
 * whole characters. */
void cast_add_label(struct buf *out, struct text part);

/* Is it something to write under a character?  Not too long, and no control characters. */
bool cast_is_name(struct text part);

/* The actors are all of a scene.  NULL: nobody. */
struct actor *cast_find(struct actor *actors, size_t count, struct text part);
struct actor *cast_choose(struct actor *actors, size_t count, double now_ms);
struct actor *cast_by_id(struct actor *actors, size_t count, struct text id);

/* What is to be told before the command: this one plays the entity that it names, which is
 * seen in this state, if there is one. */
void cast_tell(const struct actor *actor, const struct stage_command *command, struct text state,
               struct buf *params, struct stage_command *cast);

/* As it is in the document, and known by this name from now on; with a state, in sight and
 * in that. */
void cast_give(struct actor *actor, struct text part, struct text state); /* NULL is fine */

/* `"part":P,"used":N,"heard":T,` and back.  Nothing is written for one that has no part, and
 * nothing read that the show has an entity for. */
void cast_save(const struct actor *actor, struct buf *out);
void cast_load(struct actor *actor, const struct show *show, yyjson_val *saved);

#endif
