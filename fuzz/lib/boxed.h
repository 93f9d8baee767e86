/* boxed.h - a whole box inside a fuzz target, on a thread of its own.
 *
 * Its data is in memory, its home is empty, and it reaches nobody: who it connects to is
 * the target itself, or nobody.
 */
#ifndef FUZZ_LIB_BOXED_H
#define FUZZ_LIB_BOXED_H

#include "base/buf.h"

/* Whoever the box connects to: the other end of its socket, which is the callee's to close.
 * On a thread of the box; NULL, as it is at first: everybody refuses. */
extern void (*boxed_dialled)(int fd);

void boxed_start(void);  /* once; later calls do nothing */
int boxed_connect(void); /* a connection to its Unix socket */

/* Everything until the other side has closed; it must do so soon after we did. */
void boxed_say(int fd, struct text bytes);
void boxed_hear_end(int fd, struct buf *out);
/* Up to the end of an HTTP head. */
void boxed_hear_head(int fd, struct buf *out);

/* A request of its owner; the answer, head and all, is in out. */
void boxed_ask(const char *method, const char *path, struct text body, struct buf *out);

#endif
