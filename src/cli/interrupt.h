/* interrupt.h - Ctrl-C as something to ask about, for verbs that have to do more
 * than to end. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on INT and TERM do not end the program; a second one does. */
void interrupt_watch(void);

bool interrupt_came(void);

#endif
