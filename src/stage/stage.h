/* stage.h - what is on show, as a fold of commands; pure.
 *
 * Every change comes as a command, from a choreography or from a binding, and time
 * is an argument: where an entity is on its way follows from the command that
 * started it.  So all screens, and the stage behind them, show the same.
 *
 * A binding's command has the action "set" and the params
 *
 *	{"property","value"}         what it becomes; a start takes its time
 *	{"property","original":true} what the document says
 *	{"property","toggle":true}   the other way round
 *	{"property":"speech","value","append","thought"}
 *
 * and one that takes time replaces what a binding had begun with the same property.
 * A stand-in is given a part by the action "cast" of nobody known yet, with the params
 * {"id","label","state"?}: which entity of the scene it is, the name to show, and how it is
 * seen at once.
 *
 * What no state keeps (playSound, actions we do not know) is the screens' own.
 */
#ifndef STAGE_STAGE_H
#define STAGE_STAGE_H

#include "signal/places.h"
#include "stage/command.h"
#include "stage/show.h"

/* Somebody of whom nothing was heard for so long is not at work any more, whatever the last
 * was: longer than most tools take. */
#define STAGE_AWAY_MS (5 * 60 * 1000.0)

/* The number of all that bindings do; performances begin with 1. */
#define COMMAND_OF_BINDING 0

struct stage;

/* How an easing goes, by its name.  Choreographies and bindings have their own. */
struct stage_curves {
	double (*step)(struct text easing, double t);
	double (*binding)(struct text easing, double t);
};

/* The show must live as long as the stage. */
struct stage *stage_create(const struct show *show, const struct stage_curves *curves);
void stage_destroy(struct stage *stage);

/* Commands come in the order of their times. */
void stage_command(struct stage *stage, const struct stage_command *command);

/* Goes up by one with each command. */
uint64_t stage_version(const struct stage *stage);
void stage_set_version(struct stage *stage, uint64_t version);

/* A signal may name someone the scene does not have.  STAGE_CASTS: a stand-in can play the
 * part, and `cast` says which; it is to be given first.  Its texts are valid until the
 * next call.  STAGE_MISSES: those there are have something to do.  With a state it is one
 * whom nobody played so far. */
enum casting { STAGE_KNOWS, STAGE_CASTS, STAGE_MISSES };
enum casting stage_casts(struct stage *stage, const struct stage_command *command,
                         struct text state, struct stage_command *cast);

/* Has who is in this state, of those that agents have, nothing left to do? */
bool stage_rests(struct text state);

/* Is somebody known by this name, or could be, if a signal says it? */
bool stage_knows(const struct stage *stage, struct text actor);
bool stage_may_know(const struct stage *stage, struct text actor, double now_ms);

/* Where the first entity of this semanticId is, or who would play it; false: there is
 * none. */
bool stage_place(const struct stage *stage, struct text actor, double now_ms, double *x, double *y);

/* `"version":N,"at":T,"entities":[...]`, as it looks at this time: the members of an
 * object. */
void stage_look(const struct stage *stage, double now_ms, struct buf *out);

/* All entities are as they were when they were last marked, or as the document says,
 * and nothing is under way. */
void stage_mark(struct stage *stage, double now_ms);
void stage_reset(struct stage *stage);

/* Is what this start began under way, as far as the stage can tell?  `from` gets where
 * the first entity began to move, or what its number was, as JSON; or nothing. */
bool stage_plays(struct stage *stage, const struct stage_command *command, struct buf *from);

/* The entities as a JSON list, and back: places says where they are now.  False: it is
 * not that. */
/* Saved an actor at a time: *next is 0 at first; false: that was the last.  Nothing may change
 * meanwhile. */
bool stage_save_some(const struct stage *stage, size_t *next, struct buf *out);
bool stage_load(struct stage *stage, yyjson_val *saved, const struct places *places);

/* A performance will not go on, nor what a binding began: whoever it had is as when
 * they were marked, and the property as the document says. */
void stage_lose(struct stage *stage, uint64_t performance, double now_ms);
void stage_lose_property(struct stage *stage, struct text actor, struct text property,
                         double now_ms);

#endif
