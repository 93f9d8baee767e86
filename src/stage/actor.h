/* actor.h - one entity on the stage and what moves it; inside this room.
 *
 * `base` is what it is apart from what is under way.  A tween is put on top of it, in
 * the order in which they began, and becomes part of it when it ends.  What a flash,
 * a pulse or a beam does leaves no trace, so that is never part of it.
 */
#ifndef STAGE_ACTOR_H
#define STAGE_ACTOR_H

#include "stage/speech.h"
#include "stage/tween.h"

struct actor {
	yyjson_val *placed;
	struct text id, semantic;
	char *part;      /* of a stand-in: what it is known by, or NULL */
	uint64_t used;   /* the version of the last command that named it ... */
	double heard_ms; /* ... and its time */
	uint64_t by;     /* the last performance that began something with it */
	struct actor_look base, original, marked;
	char *animation, *marked_animation;
	struct speech speech;
	struct link tweens;
	size_t tween_count;
};

void actor_init(struct actor *actor, yyjson_val *placed);
void actor_finish(struct actor *actor);

/* As it is now is how it will be after a reset; at first that is the document. */
void actor_mark(struct actor *actor, double now_ms);
void actor_reset(struct actor *actor);

struct actor_look actor_look(const struct actor *actor, double now_ms);
void actor_animate(struct actor *actor, struct text state); /* empty: as it is */
void actor_json(const struct actor *actor, double now_ms, struct buf *out);

/* What a binding sets: stage.h says how. */
void actor_set(struct actor *actor, yyjson_val *params, double now_ms);
/* What a binding did to this property is undone; a movement stops where it is. */
void actor_restore(struct actor *actor, struct text property, double now_ms);

/* As JSON, and back; what is under way is the caller's then. */
void actor_save(const struct actor *actor, struct buf *out);
void actor_load(struct actor *actor, yyjson_val *saved);

/* The numbers of a property: one or two of them; false when it is none. */
bool actor_numbers(struct text property, enum look_number *number, enum look_number *twin);

/* The one that such a command began; NULL: there is none. */
struct tween *tween_find(struct actor *actor, const struct stage_command *command,
                         yyjson_val *params);

/* Takes it out and keeps what it did: to its end, or as far as it came. */
void tween_end(struct actor *actor, struct tween *tween, double now_ms, bool is_complete);

#endif
