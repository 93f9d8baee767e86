/* bells.h - the matters of a box that a screen rings for, once each; pure.
 *
 * They are those that a person is notified of (crew/matters.h).  It hears the messages `matters` of
 * the native dialect: all that stand, then each that is raised or settled.
 */
#ifndef TUI_BELLS_H
#define TUI_BELLS_H

#include <yyjson.h>

#include "base/map.h"

#define BELLS_MAX 4096 /* more than a box tells; of others nobody is told */

struct bells {
	struct map known; /* by id */
	bool is_heard;
	unsigned due; /* that nobody rang for yet; who rings sets it to 0 */
};

void bells_init(struct bells *bells);
void bells_finish(struct bells *bells);
void bells_hear(struct bells *bells, yyjson_val *op);

#endif
