/* hold.h - one key for push to talk on a terminal, which tells no release of a key; pure.
 *
 * Pressed once it opens and pressed again it ends.  Held down it repeats itself: then it ends when
 * that stops.  The first repeat comes late and looks like a second press, so that one is believed
 * only when no other follows at once.
 */
#ifndef CLI_HOLD_H
#define CLI_HOLD_H

#include <stdbool.h>
#include <stdint.h>

struct hold {
	uint64_t began_ms, last_ms; /* when it opened; its last press */
	bool is_open;
	bool is_doubtful; /* the last press may be a repeat */
	bool is_held;
};

enum hold_says { HOLD_NOTHING, HOLD_BEGINS, HOLD_ENDS };

enum hold_says hold_press(struct hold *hold, uint64_t now_ms);
enum hold_says hold_look(struct hold *hold, uint64_t now_ms); /* time has passed */
int hold_patience(const struct hold *hold, uint64_t now_ms);  /* ms until a look; -1: none */
void hold_close(struct hold *hold);                           /* something else ended it */

#endif
