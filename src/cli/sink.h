/* sink.h - where exported lines go: standard output or a file, compressed if its name
 * ends in .zst.  Nothing is gathered but what goes out next. */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include "base/error.h"
#include "cli/out.h"

struct sink;

/* path: NULL or "-" is `out`, standard output.  A file is readable for us alone, and
 * what it held is gone. */
struct sink *sink_open(const char *path, struct out *out, struct error *why);

/* False when it cannot be written, which sink_close tells; more may be added in vain. */
bool sink_add(struct sink *sink, struct text bytes);

/* The end of it, on the disk if it is a file; frees it.  False: it is not whole. */
bool sink_close(struct sink *sink, struct error *why);

#endif
