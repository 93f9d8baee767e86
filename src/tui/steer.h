/* steer.h - what people do to a run from this screen; pure.
 *
 * First the box says which run is meant and what can be done to it, then it is done, or
 * asked for.
 */
#ifndef TUI_STEER_H
#define TUI_STEER_H

#include <yyjson.h>

#include "run/fold.h"
#include "tui/canvas.h"
#include "tui/press.h"

struct tui;

enum steer_stage {
	STEER_NOTHING,
	STEER_ASKED, /* the box, which run is meant */
	STEER_SURE,  /* a person, whether it is meant */
};
struct steering {
	enum steer_stage stage;
	const char *op; /* of the dialect */
	uint64_t n;     /* of step; 0: none */
	bool leaves;    /* this screen ends with it */
	char run[FOLD_NAME_MAX + 1];
	int64_t until_ms;
};

void steer(struct tui *tui, const char *op, uint64_t n);
void steer_quit(struct tui *tui);
/* `{"kind":"which",...}`: the run that is meant. */
void steer_hear(struct tui *tui, yyjson_val *which);
bool steer_press(struct tui *tui, const struct press *press); /* true: taken */
bool steer_draw(struct tui *tui, struct area area);           /* what is asked, in the footer */

#endif
