/* pause.h - waiting before the next try, each time longer. */
#ifndef CLI_PAUSE_H
#define CLI_PAUSE_H

#define PAUSE_FIRST_MS 250
#define PAUSE_LONGEST_MS 5000

/* Sleeps, and answers with the length of the next pause. */
unsigned pause_for(unsigned ms);

#endif
