/* syncer.h - a second sync at the same time.
 *
 * A commit has to sync two files.  One after the other, each waits for a flush of
 * its own; at the same time, the kernel makes one of the two, and a commit takes
 * half the time or less.  The writer begins the one, does the other and ends.
 */
#ifndef JOURNAL_SYNCER_H
#define JOURNAL_SYNCER_H

#include <pthread.h>

enum syncer_state { SYNCER_IDLE, SYNCER_BUSY, SYNCER_STOPPING };

struct syncer {
	pthread_t thread;
	pthread_mutex_t mutex; /* for all below */
	pthread_cond_t changed;
	enum syncer_state state;
	int fd;
	int failed; /* errno of the last one, or 0 */
};

void syncer_start(struct syncer *syncer);
void syncer_stop(struct syncer *syncer);

void syncer_begin(struct syncer *syncer, int fd);
int syncer_end(struct syncer *syncer); /* waits for it; 0 or an errno */

#endif
