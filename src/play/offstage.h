/* offstage.h - who is at work and has nobody to play them; pure.
 *
 * A scene has so many stand-ins.  Whoever a signal names when all of them have something to
 * do is remembered here, with the state that commands have put them into, so that screens
 * can say how many they do not show, and so that one of them for whom a place has become
 * free comes onto the stage as they are.
 */
#ifndef PLAY_OFFSTAGE_H
#define PLAY_OFFSTAGE_H

#include "base/list.h"
#include "signal/json.h"
#include "stage/command.h"
#include "stage/stage.h"

#define OFFSTAGE_MAX 256 /* who was not heard of for longest is forgotten first */

/* Who speaks and is in no other state is at work for so long: bubbles stand about as long. */
#define OFFSTAGE_MOMENT_MS 5000.0

struct offstage {
	struct link names; /* who was heard of last at the end */
	size_t count;
	struct json_reader params;
};

void offstage_init(struct offstage *o);
void offstage_finish(struct offstage *o);
void offstage_clear(struct offstage *o);

/* is_missed: it brings somebody in whom nobody can play. */
void offstage_command(struct offstage *o, const struct stage_command *command, bool is_missed);

size_t offstage_count(const struct offstage *o, double now_ms);
/* When there will be fewer of them if nothing is heard until then; INFINITY: never. */
double offstage_next(const struct offstage *o, double now_ms);

/* The state of one who was brought in, and whom nobody plays; else empty. */
struct text offstage_state(const struct offstage *o, struct text name);

/* As a JSON list, and back, without those whom this stage knows. */
void offstage_save(const struct offstage *o, struct buf *out);
void offstage_load(struct offstage *o, yyjson_val *saved, const struct stage *stage);

#endif
