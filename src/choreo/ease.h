/* ease.h - how a movement goes from 0 to 1.  Choreographies and bindings have the
 * same names for different curves, for historical reasons: both sets are here. */
#ifndef CHOREO_EASE_H
#define CHOREO_EASE_H

#include "base/text.h"

enum ease { EASE_LINEAR, EASE_IN, EASE_OUT, EASE_IN_OUT, EASE_ARC, EASES };

enum ease ease_find(struct text name); /* linear, if there is no such */
const char *ease_name(enum ease ease);
double ease_step(enum ease ease, double t);    /* of a choreography's step */
double ease_binding(enum ease ease, double t); /* of a binding's transition */

#endif
