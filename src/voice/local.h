/* local.h - signalbox-speech, the program that hears and says on this machine: it is started when
 * an engine is `local`, and again when it ends.
 */
#ifndef VOICE_LOCAL_H
#define VOICE_LOCAL_H

#include "base/buf.h"
#include "base/error.h"

struct loop;
struct voice_local;

/* data: its socket is there. */
struct voice_local *voice_local_create(struct loop *loop, const char *data);
void voice_local_destroy(struct voice_local *local); /* ends it; NULL is fine */

/* From now on it runs, if it is there at all, until all who started it have left.  False: it is
 * not, and there is nothing to leave. */
bool voice_local_start(struct voice_local *local, struct error *why);
void voice_local_leave(struct voice_local *local);
/* What it is made of: a line for each file, which another file changes.  False: it is not there. */
bool voice_local_describe(const struct voice_local *local, struct buf *out);
const char *voice_local_socket(const struct voice_local *local);

#endif
