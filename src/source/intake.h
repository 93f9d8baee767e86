/* intake.h - from a source to the bus, a bounded piece a turn, at a bounded pace. */
#ifndef SOURCE_INTAKE_H
#define SOURCE_INTAKE_H

#include "base/text.h"

struct source;
struct sources;

void intake_init(struct sources *all);
void intake_finish(struct sources *all);
void intake_join(struct source *source, struct text id);
void intake_part(struct source *source); /* what waits is taken */
void intake_take(struct source *source, struct text envelope);
void intake_flush(struct source *source); /* all that waits, at once */

#endif
