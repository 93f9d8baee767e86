/* quiet.h - how far everything was heard some time ago, by the clock of this box; pure.
 *
 * The times in signals are those of the programs that sent them, and a tape tells of last year.
 * So the box notes how far it has heard: a session that said nothing behind such a mark has been
 * silent for as long as the mark is old.  A box that starts again begins anew.
 */
#ifndef CREW_QUIET_H
#define CREW_QUIET_H

#include <stdint.h>

#define QUIET_MARKS 32

struct quiet {
	struct {
		uint64_t at_ms, seq;
	} marks[QUIET_MARKS];
	unsigned count; /* of all that were made; the newest stands at (count - 1) % QUIET_MARKS */
};

/* Now all up to seq is heard.  The newest seq that was heard silent_ms ago; 0: none. */
uint64_t quiet_note(struct quiet *quiet, uint64_t now_ms, uint64_t seq, unsigned silent_ms);

#endif
