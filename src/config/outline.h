/* outline.h - on which line of a file of the configuration a key stands. */
#ifndef CONFIG_OUTLINE_H
#define CONFIG_OUTLINE_H

#include <stddef.h>

struct outline;

/* Of a file that config_load() has found good.  NULL when it cannot be read any more. */
struct outline *outline_read(const char *path);
void outline_destroy(struct outline *outline);

/* key: its path, "limits.depth".  0: it is not there. */
size_t outline_line(const struct outline *outline, const char *key);

#endif
