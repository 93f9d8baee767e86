/* hands.h - what the files of the playhouse share. */
#ifndef PLAY_HOUSE_HANDS_H
#define PLAY_HOUSE_HANDS_H

#include "play/house/playhouse.h"

struct theatre *hands_theatre(struct playhouse *p);
const struct playhouse_options *hands_options(const struct playhouse *p);
/* Who changes the show tells this time, and then arms its timer.  Until it is open it is
 * before all signals. */
double hands_now(struct playhouse *p);
void hands_arm(struct playhouse *p);

void hands_load(struct playhouse *p); /* the document of DATA, if there is a good one */

#endif
